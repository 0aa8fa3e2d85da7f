"""Headword chains found in translations: the best of all ways to match one, without trying each.

A chain (w_1, ..., w_n), head first, has the positions r_i in the reference; a way to match it is a
choice of occurrences h_i in the translation in the same order as the r_i. With dis_i the distance
of w_i and w_(i+1), the *relative* distance asks for the least sum_i |dis_r_i - dis_h_i|, the
*cosine* for the smallest angle between the vectors of these distances, the *absolute* one for the
least sum_i |r_i - h_i|.

Two words are a matter of all pairs of occurrences. Of three, the middle one is fixed in turn: the
others lie on known sides of it, and if on the same side in a known order, so that a sweep outwards
finds the best of both. Longer chains: see `cupel.kernels.long_chains`.
"""

from __future__ import annotations

import math

import numpy as np

from cupel.arrays import Int32Array, IntArray
from cupel.kernels import inner_kernel, kernel
from cupel.kernels.long_chains import NONE, best_long

RELATIVE, COSINE, ABSOLUTE = range(3)


@inner_kernel
def _best_two(found: Int32Array, counts: IntArray, chain: Int32Array, where: Int32Array) -> int:
    """The least cost of a chain of two words; `where` it is reached."""
    distance = int(chain[1] - chain[0])
    side = 1 if distance > 0 else -1
    distance *= side
    best = NONE
    for a in range(counts[0]):
        for b in range(counts[1]):
            there = side * (found[1, b] - found[0, a])
            if there > 0 and abs(distance - there) < best:
                best = abs(distance - there)
                where[0], where[1] = found[0, a], found[1, b]
    return best


@inner_kernel
def _nearest(found: Int32Array, count: int, middle: int, signed: int) -> tuple[int, int]:
    """Of the occurrences on that side of `middle` the one at the distance nearest to `signed`."""
    best, place = NONE, -1
    side = 1 if signed > 0 else -1
    for k in range(count):
        there = side * (found[k] - middle)
        if there > 0 and abs(side * signed - there) < best:
            best, place = abs(side * signed - there), int(found[k])
    return best, place


@inner_kernel
def _best_three(found: Int32Array, counts: IntArray, chain: Int32Array, where: Int32Array) -> int:
    """The least cost of a chain of three words."""
    to_first, to_last = int(chain[0] - chain[1]), int(chain[2] - chain[1])
    best = NONE
    if (to_first > 0) != (to_last > 0):
        for k in range(counts[1]):
            middle = int(found[1, k])
            one, at_one = _nearest(found[0], counts[0], middle, to_first)
            if one < best:
                other, at_other = _nearest(found[2], counts[2], middle, to_last)
                if one + other < best:
                    best = one + other
                    where[0], where[1], where[2] = at_one, middle, at_other
        return best
    side = 1 if to_first > 0 else -1
    near, far = (0, 2) if abs(to_first) < abs(to_last) else (2, 0)
    to_near = min(abs(to_first), abs(to_last))
    to_far = max(abs(to_first), abs(to_last))
    for k in range(counts[1]):
        middle = int(found[1, k])
        cheapest, at_near = NONE, -1
        step = 0
        for outward in range(counts[far]):
            at = found[far, outward] if side > 0 else found[far, counts[far] - 1 - outward]
            distance = side * (at - middle)
            if distance <= 0:
                continue
            while step < counts[near]:
                inner = found[near, step] if side > 0 else found[near, counts[near] - 1 - step]
                if side * (at - inner) <= 0:
                    break
                there = side * (inner - middle)
                if there > 0 and abs(to_near - there) < cheapest:
                    cheapest, at_near = abs(to_near - there), int(inner)
                step += 1
            if cheapest + abs(to_far - distance) < best:
                best = cheapest + abs(to_far - distance)
                where[near], where[1], where[far] = at_near, middle, at
    return best


@inner_kernel
def _outward(found: Int32Array, count: int, middle: int, side: int, distances: Int32Array) -> int:
    """The distances of the occurrences on one side of `middle`, ascending; and how many."""
    size = 0
    for k in range(count):
        at = found[k] if side > 0 else found[count - 1 - k]
        if side * (at - middle) > 0:
            distances[size] = side * (at - middle)
            size += 1
    return size


@inner_kernel
def _best_cosine(
    found: Int32Array, counts: IntArray, chain: Int32Array, room: Int32Array, where: Int32Array
) -> float:
    """The highest cosine of the distances in a chain of three words; 0 where nothing matches."""
    to_first, to_last = int(chain[0] - chain[1]), int(chain[2] - chain[1])
    one, other = 1 if to_first > 0 else -1, 1 if to_last > 0 else -1
    a, b = abs(to_first), abs(to_last)
    best = 0.0
    for k in range(counts[1]):
        middle = int(found[1, k])
        xs = _outward(found[0], counts[0], middle, one, room[0])
        ys = _outward(found[2], counts[2], middle, other, room[1])
        step = 0
        for i in range(xs):
            x = int(room[0, i])
            while step < ys and room[1, step] * a < x * b:  # the cosine grows up to y = x b / a
                step += 1
            for j in range(max(step - 1, 0), min(step + 1, ys)):
                y = int(room[1, j])
                if one == other and (x == y or (x < y) != (a < b)):
                    continue
                cosine = (a * x + b * y) / math.sqrt(float((a * a + b * b) * (x * x + y * y)))
                if cosine > best:
                    best = cosine
                    where[0], where[1], where[2] = middle + one * x, middle, middle + other * y
    return min(best, 1.0)


@inner_kernel
def _best_absolute(
    found: Int32Array,
    counts: IntArray,
    chain: Int32Array,
    n: int,
    room: Int32Array,
    where: Int32Array,
) -> int:
    """The least sum of |position in the reference - position in the translation|.

    Word by word in the order of the reference: the cheapest way to place all words up to each
    occurrence, and the occurrence of the word before that it goes through.
    """
    order = np.argsort(chain[:n])
    for rank in range(n):
        word = order[rank]
        cost, through = room[2 * rank], room[2 * rank + 1]
        cheapest, chosen, step = (0 if rank == 0 else NONE), -1, 0
        for k in range(counts[word]):
            at = found[word, k]
            if rank > 0:
                last = order[rank - 1]
                while step < counts[last] and found[last, step] < at:
                    if room[2 * rank - 2, step] < cheapest:
                        cheapest, chosen = int(room[2 * rank - 2, step]), step
                    step += 1
            cost[k] = min(cheapest + abs(int(at) - int(chain[word])), NONE)
            through[k] = chosen
    best, k = NONE, -1
    for last in range(counts[order[n - 1]]):
        if room[2 * n - 2, last] < best:
            best, k = int(room[2 * n - 2, last]), last
    if k < 0:
        return NONE
    for rank in range(n - 1, -1, -1):
        where[order[rank]] = found[order[rank], k]
        k = int(room[2 * rank + 1, k])
    return best


@inner_kernel
def best_way(
    found: Int32Array,
    counts: IntArray,
    chain: Int32Array,
    n: int,
    kind: int,
    room: Int32Array,
    where: Int32Array,
) -> float:
    """The score of a chain's best match, 0 where there is none; `where` says which it is.

    found, counts: the occurrences of each word of the chain, ascending; room: (2 n + 2, length).
    """
    if n == 1:
        where[0] = found[0, 0]
        return 1.0
    if kind == ABSOLUTE:
        cost = _best_absolute(found, counts, chain, n, room, where)
        return 0.0 if cost >= NONE else math.exp(-cost / n)
    if n == 2:
        cost = _best_two(found, counts, chain, where)
        if kind == COSINE:
            return 0.0 if cost >= NONE else 1.0
    elif n == 3:
        if kind == COSINE:
            return _best_cosine(found, counts, chain, room, where)
        cost = _best_three(found, counts, chain, where)
    else:
        cost = best_long(found, counts, chain, n, where)
    return 0.0 if cost >= NONE else math.exp(-cost / (n - 1))


@kernel
def score_of(chain: Int32Array, where: Int32Array, n: int, kind: int) -> float:
    """The score of one way to match a chain; 0 where the words are not in the reference's order."""
    for i in range(n):
        for j in range(i):
            if (chain[i] < chain[j]) != (where[i] < where[j]) or where[i] == where[j]:
                return 0.0
    if n == 1:
        return 1.0
    if kind == ABSOLUTE:
        cost = 0
        for i in range(n):
            cost += abs(int(chain[i]) - int(where[i]))
        return math.exp(-cost / n)
    cost, product, ours, theirs = 0, 0, 0, 0
    for i in range(n - 1):
        here = abs(int(chain[i + 1]) - int(chain[i]))
        there = abs(int(where[i + 1]) - int(where[i]))
        cost += abs(here - there)
        product += here * there
        ours += there * there
        theirs += here * here
    if kind == COSINE:
        return min(product / math.sqrt(float(ours * theirs)), 1.0)
    return math.exp(-cost / (n - 1))
