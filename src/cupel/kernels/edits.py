"""Distances between two sentences by dynamic programming: WER's, PER's, CDER's, and the LCS.

Two kernels go over whole batches: `best_edits` takes each item's best reference, `lcs_lengths`
answers for every reference. Both keep a single row of the matrix, so that memory is linear in the
length of a sentence.
"""

from __future__ import annotations

import numpy as np

from cupel.arrays import FloatArray, Int32Array, IntArray
from cupel.kernels import inner_kernel, kernel

WORD_ERRORS = 0
POSITION_INDEPENDENT = 1
LONG_JUMPS = 2
"""The distances of `best_edits`: WER's, PER's and CDER's."""


@kernel
def best_edits(
    ids: Int32Array,
    offsets: IntArray,
    hypothesis_index: IntArray,
    reference_index: IntArray,
    reference_offsets: IntArray,
    vocabulary: int,
    distance: int,
) -> FloatArray:
    """(n, 2): edits and reference length, of the reference with the lowest edits / length.

    Of equal ones the first is taken. To an empty reference the rate is 1, or 0 without edits.
    """
    items = len(hypothesis_index)
    result = np.zeros((items, 2), np.float64)
    row = np.zeros(_longest(offsets) + 1, np.int32)
    counts = np.zeros(vocabulary, np.int32)
    for item in range(items):
        h = hypothesis_index[item]
        hypothesis = ids[offsets[h] : offsets[h + 1]]
        best = np.inf
        for k in range(reference_offsets[item], reference_offsets[item + 1]):
            r = reference_index[k]
            reference = ids[offsets[r] : offsets[r + 1]]
            if distance == WORD_ERRORS:
                edits = levenshtein(hypothesis, reference, row)
            elif distance == POSITION_INDEPENDENT:
                edits = position_independent(hypothesis, reference, counts)
            else:
                edits = long_jumps(hypothesis, reference, row)
            length = len(reference)
            rate = edits / length if length else (1.0 if edits else 0.0)
            if rate < best:
                best = rate
                result[item, 0] = edits
                result[item, 1] = length
    return result


@kernel
def lcs_lengths(
    ids: Int32Array,
    offsets: IntArray,
    hypothesis_index: IntArray,
    reference_index: IntArray,
    reference_offsets: IntArray,
) -> IntArray:
    """(m,): length of the longest common subsequence of each reference and its hypothesis."""
    result = np.zeros(len(reference_index), np.int64)
    row = np.zeros(_longest(offsets) + 1, np.int32)
    for item in range(len(hypothesis_index)):
        h = hypothesis_index[item]
        hypothesis = ids[offsets[h] : offsets[h + 1]]
        for k in range(reference_offsets[item], reference_offsets[item + 1]):
            r = reference_index[k]
            result[k] = common_subsequence(hypothesis, ids[offsets[r] : offsets[r + 1]], row)
    return result


@inner_kernel
def _longest(offsets: IntArray) -> int:
    longest = 0
    for i in range(len(offsets) - 1):
        longest = max(longest, offsets[i + 1] - offsets[i])
    return longest


@kernel
def levenshtein(hypothesis: Int32Array, reference: Int32Array, row: Int32Array) -> int:
    """Insertions, deletions and substitutions that turn one into the other."""
    m = len(reference)
    for j in range(m + 1):
        row[j] = j
    for i in range(len(hypothesis)):
        corner = row[0]
        left = corner + 1
        row[0] = left
        for j in range(m):
            above = row[j + 1]
            left = min(min(above, left) + 1, corner + (hypothesis[i] != reference[j]))
            corner = above
            row[j + 1] = left
    return int(row[m])


@kernel
def position_independent(hypothesis: Int32Array, reference: Int32Array, counts: Int32Array) -> int:
    """The longer length less the words that both have; `counts` is 0 before and after."""
    matched = 0
    for word in reference:
        counts[word] += 1
    for word in hypothesis:
        if counts[word] > 0:
            counts[word] -= 1
            matched += 1
    for word in reference:
        counts[word] = 0
    return max(len(hypothesis), len(reference)) - matched


@kernel
def long_jumps(hypothesis: Int32Array, reference: Int32Array, row: Int32Array) -> int:
    """Levenshtein's distance with one more move: to any place in the hypothesis, at cost 1.

    Row l holds the costs at every place i of the hypothesis once l words of the reference are
    covered. The cheapest place of a row is where its long jumps start.
    """
    n = len(hypothesis)
    row[0] = 0
    for i in range(n):
        row[i + 1] = 1
    for word in reference:
        corner = row[0]
        left = corner + 1
        row[0] = left
        cheapest = left
        for i in range(n):
            above = row[i + 1]
            left = min(min(above, left) + 1, corner + (hypothesis[i] != word))
            corner = above
            row[i + 1] = left
            cheapest = min(cheapest, left)
        for i in range(n + 1):
            row[i] = min(row[i], cheapest + 1)
    return int(row[n])


@kernel
def common_subsequence(hypothesis: Int32Array, reference: Int32Array, row: Int32Array) -> int:
    """Length of the longest common subsequence."""
    m = len(reference)
    for j in range(m + 1):
        row[j] = 0
    for i in range(len(hypothesis)):
        corner = row[0]
        for j in range(m):
            above = row[j + 1]
            if hypothesis[i] == reference[j]:
                row[j + 1] = corner + 1
            else:
                row[j + 1] = max(above, row[j])
            corner = above
    return int(row[m])
