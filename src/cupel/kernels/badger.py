"""BADGER's measure over a whole batch: local alignment of sentences whose words are symbols."""

from __future__ import annotations

import numpy as np

from cupel.arrays import FloatArray, Int32Array, IntArray
from cupel.kernels import kernel

_alignment_similarities = kernel("alignment_similarities", "i32* i64* i64 i64* i64* i64* i64 f64*")


def alignment_similarities(
    words: Int32Array,
    offsets: IntArray,
    hypotheses: IntArray,
    references: IntArray,
    reference_offsets: IntArray,
) -> FloatArray:
    """The mean over its references of each item's similarity to them.

    words, offsets: word ids of all sentences; hypotheses, references, reference_offsets: the items,
    as in `Batch`. Two sentences without words are alike, one without and one with words are not.
    """
    similarities = np.zeros(len(hypotheses))
    _alignment_similarities(
        words, offsets, len(offsets) - 1, hypotheses, references, reference_offsets,
        len(similarities), similarities,
    )  # fmt: skip
    return similarities
