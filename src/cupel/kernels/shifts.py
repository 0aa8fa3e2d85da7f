"""Translation edit rate's search for shifts (Snover et al. 2006), as sacreBLEU's TER runs it."""

from __future__ import annotations

import numpy as np

from cupel.arrays import FloatArray, Int32Array, IntArray
from cupel.kernels import kernel

_ter_edits = kernel("ter_edits", "i32* i64* i64* i64* i64* i64 i64 f64*")


def ter_edits(
    ids: Int32Array,
    offsets: IntArray,
    hypothesis_index: IntArray,
    reference_index: IntArray,
    reference_offsets: IntArray,
    vocabulary: int,
) -> FloatArray:
    """(n, 2): the fewest edits over an item's references, and the mean of their lengths."""
    result = np.zeros((len(hypothesis_index), 2))
    _ter_edits(
        ids, offsets, hypothesis_index, reference_index, reference_offsets, len(result),
        vocabulary, result,
    )  # fmt: skip
    return result


_edit_kinds = kernel("edit_kinds", "i32* i64* i64* i64* i64* i64 i64 f64* f64*")


def edit_kinds(
    ids: Int32Array,
    offsets: IntArray,
    hypothesis_index: IntArray,
    reference_index: IntArray,
    reference_offsets: IntArray,
    vocabulary: int,
    edits: FloatArray,
) -> FloatArray:
    """(n, 4): insertions, deletions, substitutions and shifts; `edits` is their number, (n,).

    They turn the hypothesis into the first of the closest references: an insertion adds a word of
    the reference, a deletion removes one of the hypothesis.
    """
    kinds = np.zeros((len(hypothesis_index), 4))
    _edit_kinds(
        ids, offsets, hypothesis_index, reference_index, reference_offsets, len(kinds),
        vocabulary, np.ascontiguousarray(edits), kinds,
    )  # fmt: skip
    return kinds
