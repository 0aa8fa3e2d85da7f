"""Counting concordant, discordant and tied pairs of rankings, for permutation tests."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cupel.arrays import FloatArray, IntArray
from cupel.kernels import kernel

Bits = npt.NDArray[np.uint64]


_swapped_counts = kernel("swapped_counts", "f64* f64* i64 i64* i64* i64* i64 u64* i64 i64*")


def swapped_counts(
    first: FloatArray,
    second: FloatArray,
    better: IntArray,
    worse: IntArray,
    weight: IntArray,
    swapped: Bits,
) -> tuple[IntArray, IntArray]:
    """Counts of agreement with human pairs when some scores of two metrics are exchanged.

    first, second: (units,) scores of two metrics for each translation; better, worse, weight:
    (pairs,) units that people ordered, and how often; swapped: (words, units), bit k of word w says
    whether trial 64 w + k exchanges the unit. Returns for either metric (trials, 3): concordant,
    discordant and tied pairs.
    """
    counts = np.zeros((2, 64 * len(swapped), 3), np.int64)
    _swapped_counts(
        first, second, len(first), better, worse, weight, len(better), swapped, len(swapped), counts
    )
    return counts[0], counts[1]
