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
