"""TER-Plus's edit matrix (Snover et al. 2009): words and phrases exchanged, each at its cost.

The matrix of TER (`cupel.kernels.shifts`, the same beam around the diagonal) with costs in place of
counts: exchanged words cost what `Pair.costs` says, exchanged phrases what their entry of `Rules`
says. Row i is i words of the hypothesis, column j is j words of the reference.

Costs are multiples of 2 ** -30, so that their sums are exact in any order, and equal ways through
the matrix tie.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cupel.arrays import Bytes, FloatArray, Int32Array
from cupel.kernels import inner_kernel
from cupel.kernels.diagonal import beam_span, beam_stride

DIFFERENT, PARAPHRASE, ALIKE, EQUAL = range(4)
"""Kinds of a pair of words; ALIKE by stem or synonym."""

INFINITE = np.inf

UNIT = 2.0**-30
"""Costs are multiples of this."""


class Costs(NamedTuple):
    """What each edit costs; `phrase_...` are the parameters of the cost of a paraphrase."""

    match: float
    insertion: float
    deletion: float
    substitution: float
    stem: float
    synonym: float
    shift: float
    phrase_constant: float
    phrase_log: float
    phrase_probability: float
    phrase_edits: float
    phrase_least: float
    phrase_most: float


class Limits(NamedTuple):
    """How far the search goes; `relaxed`: whether alike words and paraphrases move."""

    shift_size: int
    shift_distance: int
    candidates: int
    beam: int
    relaxed: bool


class Pair(NamedTuple):
    """A hypothesis of w distinct words against a reference of m words."""

    costs: FloatArray  # (w, m)  of putting a word of the reference for one of the hypothesis
    kinds: Bytes  # (w, m)
    content: Bytes  # (w,)  whether a word of the hypothesis makes a phrase worth moving
    reference_content: Bytes  # (m,)


class Rules(NamedTuple):
    """Phrases that may be exchanged, listed by the last word of the hypothesis' phrase.

    The words of rule r are `words[starts[r]:starts[r + 1]]`, those of the reference start at
    `reference[r]` and are `length[r]` many. Those that end in word w are
    `listed[offsets[w]:offsets[w + 1]]`, in order of their place in the reference.
    """

    offsets: Int32Array  # (w+1,)
    listed: Int32Array
    starts: Int32Array
    words: Int32Array
    reference: Int32Array
    length: Int32Array
    costs: FloatArray
    longest: int  # most words of a phrase of the hypothesis, 1 where there are no rules
    widest: int  # and of the reference


class Scratch(NamedTuple):
    """Room for the longest pair of the batch, allocated once."""

    hypothesis: Int32Array  # (n,)   words, in the order that the shifts made so far give
    shifted: Int32Array  # (n,)      the same, but for the span that a candidate moves
    alignment: Int32Array  # (m,)    position in the hypothesis, -1 before the first word
    hypothesis_errors: Int32Array  # (n+1,)  running sums
    reference_errors: Int32Array  # (m+1,)
    hypothesis_content: Int32Array  # (n+1,)
    reference_content: Int32Array  # (m+1,)
    candidates: Int32Array  # (., 3)  length, start, target
    reach: Bytes  # (size+1, 2 size+1)  spans that can be laid upon each other
    movable: Bytes  # (size+1,)     lengths of phrases that can move
    row: FloatArray  # (m+1,)
    arrivals: FloatArray  # (m+1,)  of phrases that end in this row; infinite before and after
    arrived: Int32Array  # (m+1,)
    band: FloatArray  # the rows of `hypothesis` within the beam, one after the other
    shifted_band: FloatArray  # those of `shifted`, from the moved span on


@inner_kernel
def distance_of(
    s: Scratch,
    pair: Pair,
    rules: Rules,
    costs: Costs,
    limits: Limits,
    n: int,
    m: int,
    same: int,
    is_shifted: bool,
    most: float,
) -> float:
    """Cost of the edits without shifts, of `hypothesis`, or of `shifted`, whose first `same` words
    are those of `hypothesis`. Infinite where it is above `most`.
    """
    words = s.shifted if is_shifted else s.hypothesis
    band = s.shifted_band if is_shifted else s.band
    stride = beam_stride(limits.beam, n, m)
    low, high = beam_span(limits.beam, n, m, same)
    for j in range(low, high):
        s.row[j] = s.band[same * stride + j - low] if same else j * costs.deletion
    above_most = 0
    for i in range(same + 1, n + 1):
        count = _arrive(s, rules, costs, limits, n, m, i, words, same, band)
        least = _next_row(s, pair, costs, limits, n, m, i, words[i - 1])
        for k in range(count):
            s.arrivals[s.arrived[k]] = INFINITE
        # A phrase of the hypothesis may leap over rows, but not over all of the last `longest`.
        above_most = above_most + 1 if least > most else 0
        if above_most >= rules.longest:
            return INFINITE
        if not is_shifted or len(rules.listed) > 0:
            low, high = beam_span(limits.beam, n, m, i)
            for j in range(low, high):
                band[i * stride + j - low] = s.row[j]
    return float(s.row[m])


@inner_kernel
def _next_row(
    s: Scratch, pair: Pair, costs: Costs, limits: Limits, n: int, m: int, i: int, word: int
) -> float:
    """Turn row i - 1 in `row` into row i; returns its least cost."""
    before, until = beam_span(limits.beam, n, m, i - 1)
    low, high = beam_span(limits.beam, n, m, i)
    for j in range(until, high):
        s.row[j] = INFINITE
    corner = s.row[low - 1] if low > before else INFINITE
    left = INFINITE
    least = INFINITE
    for j in range(low, high):
        above = s.row[j]
        value = min(above + costs.insertion, s.arrivals[j])
        if j > 0:
            value = min(value, corner + pair.costs[word, j - 1])
        left = min(value, left + costs.deletion)
        corner = above
        s.row[j] = left
        least = min(least, left)
    return least


@inner_kernel
def _arrive(
    s: Scratch,
    rules: Rules,
    costs: Costs,
    limits: Limits,
    n: int,
    m: int,
    i: int,
    words: Int32Array,
    same: int,
    band: FloatArray,
) -> int:
    """Put the costs of phrases that end in row i into `arrivals`; returns how many are `arrived`."""
    count = 0
    low, high = beam_span(limits.beam, n, m, i)
    for k in range(_first_rule(rules, words[i - 1], low), rules.offsets[words[i - 1] + 1]):
        r = rules.listed[k]
        if rules.reference[r] >= high:
            break
        if ends_here(rules, r, words, i):
            start = i - (rules.starts[r + 1] - rules.starts[r])
            rows = s.band if start <= same else band
            j = rules.reference[r]
            cost = _cell(rows, costs, limits, n, m, start, j) + rules.costs[r]
            end = j + rules.length[r]
            if cost < s.arrivals[end]:
                if s.arrivals[end] == INFINITE:
                    s.arrived[count] = end
                    count += 1
                s.arrivals[end] = cost
    return count


@inner_kernel
def _first_rule(rules: Rules, word: int, j: int) -> int:
    """Where the rules that end in `word`, and at column j or behind, start in the list."""
    low, high = rules.offsets[word], rules.offsets[word + 1]
    while low < high:
        middle = (low + high) >> 1
        if rules.reference[rules.listed[middle]] + rules.widest < j:
            low = middle + 1
        else:
            high = middle
    return int(low)


@inner_kernel
def ends_here(rules: Rules, r: int, words: Int32Array, i: int) -> bool:
    """Whether the words of rule r, whose last one is known to, end at word i."""
    start, end = rules.starts[r], rules.starts[r + 1]
    if end - start > i:
        return False
    k = 2
    while k <= end - start and words[i - k] == rules.words[end - k]:
        k += 1
    return bool(k > end - start)


@inner_kernel
def trace(
    s: Scratch, pair: Pair, rules: Rules, costs: Costs, limits: Limits, n: int, m: int
) -> None:
    """Alignment and running sums of errors, going back from the end of both sentences.

    Of equally cheap ways: phrases, the longest first; a word of both; one of the hypothesis.
    """
    i, j = n, m
    while i > 0 or j > 0:
        rule = _phrase_before(s, rules, costs, limits, n, m, i, j) if i > 0 and j > 0 else -1
        if rule >= 0:
            length = rules.starts[rule + 1] - rules.starts[rule]
            for k in range(i - length, i):
                s.hypothesis_errors[k + 1] = 1
            for k in range(j - rules.length[rule], j):
                s.reference_errors[k + 1] = 1
                s.alignment[k] = i - length
            i -= length
            j -= rules.length[rule]
            continue
        cost = _cell(s.band, costs, limits, n, m, i, j)
        word = s.hypothesis[i - 1] if i > 0 else -1
        if (
            i > 0
            and j > 0
            and cost == (_cell(s.band, costs, limits, n, m, i - 1, j - 1) + pair.costs[word, j - 1])
        ):
            error = pair.kinds[word, j - 1] != EQUAL
            s.hypothesis_errors[i] = error
            s.reference_errors[j] = error
            s.alignment[j - 1] = i - 1
            i -= 1
            j -= 1
        elif i > 0 and (
            j == 0 or cost == _cell(s.band, costs, limits, n, m, i - 1, j) + costs.insertion
        ):
            s.hypothesis_errors[i] = 1
            i -= 1
        else:
            s.reference_errors[j] = 1
            s.alignment[j - 1] = i - 1
            j -= 1
    s.hypothesis_errors[0] = 0
    s.hypothesis_content[0] = 0
    for i in range(n):
        s.hypothesis_errors[i + 1] += s.hypothesis_errors[i]
        s.hypothesis_content[i + 1] = s.hypothesis_content[i] + pair.content[s.hypothesis[i]]
    s.reference_errors[0] = 0
    s.reference_content[0] = 0
    for j in range(m):
        s.reference_errors[j + 1] += s.reference_errors[j]
        s.reference_content[j + 1] = s.reference_content[j] + pair.reference_content[j]


@inner_kernel
def _phrase_before(
    s: Scratch, rules: Rules, costs: Costs, limits: Limits, n: int, m: int, i: int, j: int
) -> int:
    """The rule by which cell (i, j) was reached, -1 where there is none."""
    best = -1
    cost = _cell(s.band, costs, limits, n, m, i, j)
    word = s.hypothesis[i - 1]
    for k in range(_first_rule(rules, word, j), rules.offsets[word + 1]):
        r = rules.listed[k]
        if rules.reference[r] >= j:
            break
        if rules.reference[r] + rules.length[r] == j and ends_here(rules, r, s.hypothesis, i):
            length = rules.starts[r + 1] - rules.starts[r]
            longer = best < 0 or length > rules.starts[best + 1] - rules.starts[best]
            if not longer and length == rules.starts[best + 1] - rules.starts[best]:
                longer = rules.length[r] > rules.length[best]
            before = _cell(s.band, costs, limits, n, m, i - length, rules.reference[r])
            if longer and cost == before + rules.costs[r]:
                best = r
    return best


@inner_kernel
def _cell(rows: FloatArray, costs: Costs, limits: Limits, n: int, m: int, i: int, j: int) -> float:
    if i == 0:
        return j * costs.deletion
    low, high = beam_span(limits.beam, n, m, i)
    if j < low or j >= high:
        return INFINITE
    return float(rows[i * beam_stride(limits.beam, n, m) + j - low])
