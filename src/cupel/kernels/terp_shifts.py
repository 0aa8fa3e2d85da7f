"""TER-Plus's search for shifts (Snover et al. 2009): a phrase moves at the cost of one shift.

It is the search of TER (`cupel.kernels.shifts`: the same rounds, candidates, order among equals
and limits) with costs in place of counts. What TER-Plus relaxes: a phrase may move to where the
reference has stems, synonyms or paraphrases of its words. What it demands more: a content word.
In the authors' program a phrase that moves may have paraphrases in it but not at its end, where
there must be a word; scores depend on it, and it is kept.
"""

from __future__ import annotations

import numpy as np

from cupel.arrays import Int32Array
from cupel.kernels import inner_kernel
from cupel.kernels.moves import comes_first, keep_move, move_phrase, undo_move
from cupel.kernels.terp_matrix import (
    ALIKE,
    DIFFERENT,
    EQUAL,
    INFINITE,
    PARAPHRASE,
    Costs,
    Limits,
    Pair,
    Rules,
    Scratch,
    distance_of,
    ends_here,
    trace,
)


@inner_kernel
def edit_cost(
    s: Scratch, pair: Pair, rules: Rules, costs: Costs, limits: Limits, n: int, m: int
) -> float:
    """Cost of the shifts made, and of the edits then left, for the n words in `hypothesis`."""
    if n == 0 or m == 0:
        return n * costs.insertion + m * costs.deletion
    shifts = 0.0
    checked = 0
    while True:
        distance = distance_of(s, pair, rules, costs, limits, n, m, 0, False, INFINITE)
        if limits.shift_size == 0 or distance <= 0.0 or distance < costs.shift:
            return shifts + distance
        trace(s, pair, rules, costs, limits, n, m)
        found, count = _list_candidates(s, pair, rules, limits, n, m, checked)
        checked += count
        if checked >= limits.candidates:
            return shifts + distance
        if not _make_best_shift(s, pair, rules, costs, limits, n, m, found, distance):
            return shifts + distance
        shifts += costs.shift


@inner_kernel
def _list_candidates(
    s: Scratch, pair: Pair, rules: Rules, limits: Limits, n: int, m: int, checked: int
) -> tuple[int, int]:
    """Fill `candidates`; returns how many are there, and how many count against the limit.

    As TER lists them: a phrase that can be laid upon the reference at most `shift_distance` words
    away, with something wrong both here and there, and content words in both. Its targets are
    behind the words that the reference's phrase, and the word before it, are aligned to.
    """
    found = 0
    count = 0
    first, following, occurrences = _occurrences(s, rules, limits, n)
    size, distance = limits.shift_size, limits.shift_distance
    least = PARAPHRASE if limits.relaxed else EQUAL
    for i in range(n):
        if s.hypothesis_errors[min(i + size, n)] == s.hypothesis_errors[i]:
            continue
        word = s.hypothesis[i]
        for j in range(max(0, i - distance), min(m - 1, i + distance) + 1):
            if pair.kinds[word, j] < least and not _meet(
                rules, i, j, first, following, occurrences
            ):
                continue
            if len(occurrences) == 0:
                longest = _lay_words(s, pair, limits, n, m, i, j)
            else:
                longest = _lay_phrases(
                    s, pair, rules, limits, n, m, i, j, first, following, occurrences
                )
            for length in range(1, longest + 1):
                if not s.movable[length]:
                    continue
                if i <= s.alignment[j] < i + length:
                    break  # and so it is for all longer ones
                previous = -1
                for position in range(j - 1, min(j + length, m)):
                    target = s.alignment[position] + 1 if position >= 0 else 0
                    if target == previous:
                        continue
                    previous = target
                    count += 1
                    if target != i:
                        s.candidates[found, 0] = length
                        s.candidates[found, 1] = i
                        s.candidates[found, 2] = target
                        found += 1
                if checked + count >= limits.candidates:
                    return found, count
    return found, count


@inner_kernel
def _occurrences(
    s: Scratch, rules: Rules, limits: Limits, n: int
) -> tuple[Int32Array, Int32Array, Int32Array]:
    """The rules whose phrase stands in `hypothesis`, chained by its start."""
    first = np.full(n, -1, np.int32)
    count = 0
    if limits.relaxed and len(rules.listed) > 0:
        for i in range(1, n + 1):
            word = s.hypothesis[i - 1]
            for k in range(rules.offsets[word], rules.offsets[word + 1]):
                count += ends_here(rules, rules.listed[k], s.hypothesis, i)
    following = np.empty(count, np.int32)
    occurrences = np.empty(count, np.int32)
    if count == 0:
        return first, following, occurrences
    count = 0
    for i in range(1, n + 1):
        word = s.hypothesis[i - 1]
        for k in range(rules.offsets[word], rules.offsets[word + 1]):
            r = rules.listed[k]
            if ends_here(rules, r, s.hypothesis, i):
                start = i - (rules.starts[r + 1] - rules.starts[r])
                occurrences[count] = r
                following[count] = first[start]
                first[start] = count
                count += 1
    return first, following, occurrences


@inner_kernel
def _meet(
    rules: Rules,
    i: int,
    j: int,
    first: Int32Array,
    following: Int32Array,
    occurrences: Int32Array,
) -> bool:
    """Whether a phrase of the hypothesis that starts at i is a paraphrase of one from j on."""
    k = first[i]
    while k >= 0 and rules.reference[occurrences[k]] != j:
        k = following[k]
    return bool(k >= 0)


@inner_kernel
def _lay_words(s: Scratch, pair: Pair, limits: Limits, n: int, m: int, i: int, j: int) -> int:
    """Lay the words from i upon those from j; fills `movable`, returns the longest length."""
    least = PARAPHRASE if limits.relaxed else EQUAL
    longest = min(limits.shift_size, n - i, m - j)
    length = 0
    while length < longest:
        kind = pair.kinds[s.hypothesis[i + length], j + length]
        if kind < least:
            break
        length += 1
        s.movable[length] = kind >= ALIKE and _is_worth_moving(s, i, i + length, j, j + length)
    return length


@inner_kernel
def _lay_phrases(
    s: Scratch,
    pair: Pair,
    rules: Rules,
    limits: Limits,
    n: int,
    m: int,
    i: int,
    j: int,
    first: Int32Array,
    following: Int32Array,
    occurrences: Int32Array,
) -> int:
    """The same, where paraphrases may be laid upon each other, too.

    `reach[a, b]` says that the next a words of the hypothesis can be laid upon the next b of the
    reference, the last of them being a paraphrase (1), or words (2). b is at most twice the
    longest shift.
    """
    size, width = min(limits.shift_size, n - i), min(2 * limits.shift_size, m - j)
    s.reach[: size + 1, : width + 1] = 0
    s.reach[0, 0] = 1
    s.movable[: size + 1] = 0
    longest = 0
    furthest = 0
    for a in range(size + 1):
        if a > furthest:
            break
        for b in range(width + 1):
            if not s.reach[a, b]:
                continue
            if s.reach[a, b] & 2:
                longest = a
                s.movable[a] |= _is_worth_moving(s, i, i + a, j, j + b)
            if a == size or b == width:
                continue
            kind = pair.kinds[s.hypothesis[i + a], j + b]
            if kind != DIFFERENT:
                s.reach[a + 1, b + 1] |= 2 if kind >= ALIKE else 1
                furthest = max(furthest, a + 1)
            k = first[i + a]
            while k >= 0:
                r = occurrences[k]
                ours, theirs = a + rules.starts[r + 1] - rules.starts[r], b + rules.length[r]
                if rules.reference[r] == j + b and ours <= size and theirs <= width:
                    s.reach[ours, theirs] |= 1
                    furthest = max(furthest, ours)
                k = following[k]
    return longest


@inner_kernel
def _is_worth_moving(s: Scratch, i: int, end: int, j: int, reference_end: int) -> bool:
    """Whether something is wrong on both sides, and both have a content word."""
    return bool(
        s.hypothesis_errors[end] > s.hypothesis_errors[i]
        and s.reference_errors[reference_end] > s.reference_errors[j]
        and s.hypothesis_content[end] > s.hypothesis_content[i]
        and s.reference_content[reference_end] > s.reference_content[j]
    )


@inner_kernel
def _make_best_shift(
    s: Scratch,
    pair: Pair,
    rules: Rules,
    costs: Costs,
    limits: Limits,
    n: int,
    m: int,
    found: int,
    distance: float,
) -> bool:
    """Make the shift that lowers the distance most, if by no less than it costs.

    Equal gains: the longest phrase, then the first, then the first target.
    """
    best_gain = 0.0
    best_length = 0
    best_start = 0
    best_target = 0
    for number in range(found):
        length = s.candidates[number, 0]
        start = s.candidates[number, 1]
        target = s.candidates[number, 2]
        preferred = comes_first(length, start, target, best_length, best_start, best_target)
        low, high = move_phrase(s, n, length, start, target)
        most = distance - max(best_gain, costs.shift)
        gain = distance - distance_of(s, pair, rules, costs, limits, n, m, low, True, most)
        if gain >= costs.shift and (gain > best_gain or (preferred and gain == best_gain > 0)):
            best_gain, best_length, best_start, best_target = gain, length, start, target
        undo_move(s, low, high)
    if best_gain > 0:
        keep_move(s, n, best_length, best_start, best_target)
    return best_gain > 0
