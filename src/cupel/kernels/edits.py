"""Distances between two sentences, 64 words at a time: WER's, PER's, CDER's, and the LCS."""

from __future__ import annotations

import numpy as np

from cupel.arrays import FloatArray, Int32Array, IntArray
from cupel.kernels import kernel

WORD_ERRORS, POSITION_INDEPENDENT, LONG_JUMPS = range(3)
"""The distances of `best_edits`: WER's, PER's and CDER's."""


_best_edits = kernel("best_edits", "i32* i64* i64 i64* i64* i64* i64 i64 i64 f64*")


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
    result = np.zeros((len(hypothesis_index), 2))
    _best_edits(
        ids, offsets, len(offsets) - 1, hypothesis_index, reference_index, reference_offsets,
        len(result), vocabulary, distance, result,
    )  # fmt: skip
    return result


_lcs_lengths = kernel("lcs_lengths", "i32* i64* i64 i64* i64* i64* i64 i64 i64*")


def lcs_lengths(
    ids: Int32Array,
    offsets: IntArray,
    hypothesis_index: IntArray,
    reference_index: IntArray,
    reference_offsets: IntArray,
    vocabulary: int,
) -> IntArray:
    """(m,): length of the longest common subsequence of each reference and its hypothesis."""
    result = np.zeros(len(reference_index), np.int64)
    _lcs_lengths(
        ids, offsets, len(offsets) - 1, hypothesis_index, reference_index, reference_offsets,
        len(hypothesis_index), vocabulary, result,
    )  # fmt: skip
    return result


_levenshtein = kernel("levenshtein", "i32* i64 i32* i64 i64 i64*")


def levenshtein(first: Int32Array, second: Int32Array) -> int:
    """Insertions, deletions and substitutions that turn one into the other."""
    distance = np.zeros(1, np.int64)
    vocabulary = 1 + max(int(ids.max(initial=0)) for ids in (first, second))
    _levenshtein(first, len(first), second, len(second), vocabulary, distance)
    return int(distance[0])
