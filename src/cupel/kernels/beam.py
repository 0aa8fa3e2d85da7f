"""METEOR's beam search for the best set of matches that do not overlap.

Best is: most words covered (a match that is not exact counts half, rounded down), then fewest
chunks, then smallest distance. The search goes through the reference from left to right and keeps
the best `beam` paths; each takes one of the matches that start here, or skips the word. Ties keep
the order in which paths arose.

One thing is not as one would write it today, and kept because scores depend on it: the distance of
a match is added to the path that it was taken *from*, so that it counts for the matches tried
after it, and for skipping the word, but not for its own path.

A path's merits are one integer, smaller is better: covered words from the top (16 bits), chunks
(15), distance (32). What it covers of the hypothesis is a bit set, and the matches it took are a
chain, so that a new path copies little; paths that would fall off the beam are never made.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cupel.arrays import Int32Array, IntArray
from cupel.kernels import kernel
from cupel.kernels.matchers import EXACT

UIntArray = npt.NDArray[np.uint64]

LONGEST = 30_000
"""Tokens of a sentence at most, so that a path's merits fit their bits."""

_COVERED = 47
_CHUNK = 1 << 32
_SKIP, _KEEP = -2, -3


@kernel
def find_gains(
    matches: Int32Array, count: int, modules: Int32Array, gains: IntArray, masks: UIntArray
) -> tuple[IntArray, UIntArray]:
    """By how much each match betters a path: what it covers, half of it unless it is exact.

    And what it covers of a hypothesis of less than 64 words, as bits.
    """
    if count > len(gains):
        gains = np.empty(2 * count, np.int64)
        masks = np.empty(2 * count, np.uint64)
    for k in range(count):
        first, length = np.uint64(matches[k, 2]), np.uint64(matches[k, 3])
        masks[k] = ((np.uint64(1) << length) - np.uint64(1)) << first
        here, there = matches[k, 1], matches[k, 3]
        if modules[matches[k, 4]] == EXACT:
            gains[k] = np.int64(here + there) << _COVERED
        else:
            gains[k] = np.int64(here // 2 + there // 2) << _COVERED
    return gains, masks


@kernel
def search(
    matches: Int32Array,
    starts: Int32Array,
    length: int,
    gains: IntArray,
    masks: UIntArray,
    beam: int,
    words: int,
    paths: IntArray,
    used: UIntArray,
    beams: IntArray,
    links: Int32Array,
    chosen: Int32Array,
) -> None:
    """Complete `chosen` (match of each reference word that starts one) by the best path.

    matches: by their start in the reference, which `starts` finds; gains, masks: of
    `find_gains`; words:
    how many words of 64 bits hold the hypothesis. Room to work in, in few arrays because Numba
    counts references to each: paths (5, 2 beam), used (2 beam * words), the words of the
    hypothesis that each path covers; beams (6, beam + 1); links (beam * length, 2), the chains of
    matches that paths took.
    """
    # Of each path: what it is ranked by; where its last match ends in the hypothesis, -1 where the
    # word before was skipped; the next reference word that it does not cover; the last link of its
    # chain of matches, -1 for none; whether there is a path in this place.
    merit, last, following, chain, is_taken = paths[0], paths[1], paths[2], paths[3], paths[4]
    # The beam, and candidates for the next one. Those that take a match and those that pass come
    # nearly in order, either of them: they are sorted apart and merged. `what` is a match (or skip,
    # or keep) and the rank of the path it comes from.
    order, picked = beams[0], beams[1]
    take_merit, take_what, pass_merit, pass_what = beams[2], beams[3], beams[4], beams[5]
    for path in range(2 * beam):
        is_taken[path] = 0
    for word in range(words):
        used[word] = 0
    merit[0] = np.int64(65535) << _COVERED
    last[0] = -1
    following[0] = 0
    chain[0] = -1
    is_taken[0] = 1
    order[0] = 0
    count, linked = 1, 0

    for current in range(length):
        first, end = starts[current], starts[current + 1]
        certain = chosen[current]
        if certain >= 0 or first == end:
            for k in range(count):
                path = order[k]
                if certain >= 0:
                    i = matches[certain, 2]
                    merit[path] += abs(current - i) - gains[certain]
                    if last[path] != -1 and last[path] != i:
                        merit[path] += _CHUNK
                    last[path] = i + matches[certain, 3]
                    following[path] = current + matches[certain, 1]
                elif following[path] <= current:
                    if last[path] != -1:
                        merit[path] += _CHUNK
                        last[path] = -1
                    following[path] = current + 1
            for k in range(1, count):  # a stable insertion sort: they are nearly in order
                moved = order[k]
                value = merit[moved]
                at = k
                while at > 0 and merit[order[at - 1]] > value:
                    order[at] = order[at - 1]
                    at -= 1
                order[at] = moved
            continue

        most = gains[first]
        for m in range(first + 1, end):
            most = max(most, gains[m])
        takes, passes = 0, 0
        for rank in range(count):
            path = order[rank]
            value = merit[path]
            if takes == beam and value - most >= take_merit[beam - 1]:
                break  # neither this path nor a later one leads into the beam
            what = _KEEP
            if following[path] <= current:
                what = _SKIP
                before = last[path]
                for m in range(first, end):
                    i = matches[m, 2]
                    if words == 1:
                        free = used[path] & masks[m] == 0
                    else:
                        free = True
                        for at in range(i, i + matches[m, 3]):
                            bits = used[path * words + (at >> 6)]
                            if (bits >> np.uint64(at & 63)) & np.uint64(1):
                                free = False
                    if not free:
                        continue
                    offer = value - gains[m]
                    if before != -1 and before != i:
                        offer += _CHUNK
                    if takes < beam or offer < take_merit[beam - 1]:
                        at = takes
                        while at > 0 and take_merit[at - 1] > offer:
                            take_merit[at] = take_merit[at - 1]
                            take_what[at] = take_what[at - 1]
                            at -= 1
                        take_merit[at] = offer
                        take_what[at] = (np.int64(m) << 16) | rank
                        takes = min(takes + 1, beam)  # there is room for the one that falls off
                    value += abs(current - i)
                if before != -1:
                    value += _CHUNK
            if takes == beam and value >= take_merit[beam - 1]:
                continue
            if passes < beam or value < pass_merit[beam - 1]:
                at = passes
                while at > 0 and pass_merit[at - 1] > value:
                    pass_merit[at] = pass_merit[at - 1]
                    pass_what[at] = pass_what[at - 1]
                    at -= 1
                pass_merit[at] = value
                pass_what[at] = (np.int64(what) << 16) | rank
                passes = min(passes + 1, beam)

        # The best of both, of equals the one that arose first: by the rank of its path, and
        # taking before passing. New paths go to places that no path of the old beam has.
        a, b, new, size = 0, 0, 0, 0
        while size < beam and (a < takes or b < passes):
            if b == passes:
                take = True
            elif a == takes:
                take = False
            elif take_merit[a] != pass_merit[b]:
                take = take_merit[a] < pass_merit[b]
            else:
                take = take_what[a] & 0xFFFF <= pass_what[b] & 0xFFFF
            if not take:
                path = order[pass_what[b] & 0xFFFF]
                if pass_what[b] >> 16 == _SKIP:
                    merit[path] = pass_merit[b]
                    last[path] = -1
                    following[path] = current + 1
                picked[size] = path
                b += 1
            else:
                m, path = take_what[a] >> 16, order[take_what[a] & 0xFFFF]
                while is_taken[new]:
                    new += 1
                i, there = matches[m, 2], matches[m, 3]
                if words == 1:
                    used[new] = used[path] | masks[m]
                else:
                    for word in range(words):
                        used[new * words + word] = used[path * words + word]
                    for at in range(i, i + there):
                        used[new * words + (at >> 6)] |= np.uint64(1) << np.uint64(at & 63)
                links[linked, 0] = m
                links[linked, 1] = chain[path]
                merit[new] = take_merit[a]
                last[new] = i + there
                following[new] = current + matches[m, 1]
                chain[new] = linked
                linked += 1
                picked[size] = new
                new += 1
                a += 1
            size += 1
        for k in range(count):
            is_taken[order[k]] = 0
        for k in range(size):
            order[k] = picked[k]
            is_taken[order[k]] = 1
        count = size

    best, link = -1, -1
    for k in range(count):
        path = order[k]
        value = int(merit[path])
        if last[path] != -1:
            value += _CHUNK
        if best < 0 or value < best:
            best, link = value, int(chain[path])
    while link >= 0:
        m = int(links[link, 0])
        chosen[matches[m, 0]] = m
        link = int(links[link, 1])
