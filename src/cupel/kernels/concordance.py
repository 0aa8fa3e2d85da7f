"""Counting concordant, discordant and tied pairs, for Kendall's tau and for permutation tests."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cupel.kernels import kernel

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


@kernel
def pair_counts(x: FloatArray, y: FloatArray) -> IntArray:
    """[concordant, discordant, tied in x only, in y only, in both] over all pairs of places."""
    counts = np.zeros(5, np.int64)
    for i in range(len(x)):
        for j in range(i):
            a = np.sign(x[i] - x[j])
            b = np.sign(y[i] - y[j])
            if a == 0.0:
                counts[4 if b == 0.0 else 2] += 1
            elif b == 0.0:
                counts[3] += 1
            else:
                counts[0 if a == b else 1] += 1
    return counts


@kernel
def swapped_counts(
    first: FloatArray,
    second: FloatArray,
    better: IntArray,
    worse: IntArray,
    weight: IntArray,
    swapped: npt.NDArray[np.bool_],
) -> tuple[IntArray, IntArray]:
    """Counts of agreement with human pairs when some scores of two metrics are exchanged.

    first, second: (units,) scores of two metrics for each translation; better, worse, weight:
    (pairs,) units that people ordered, and how often; swapped: (trials, units). Returns for
    either metric (trials, 3): concordant, discordant and tied pairs.
    """
    pairs = len(better)
    # What the first metric says of a pair, by whether its better and its worse unit are swapped;
    # the second metric then has just the other scores.
    said = np.empty((pairs, 4), np.int8)
    for p in range(pairs):
        for case in range(4):
            a = second[better[p]] if case & 1 else first[better[p]]
            b = second[worse[p]] if case & 2 else first[worse[p]]
            said[p, case] = 0 if a > b else 1 if a < b else 2
    trials = len(swapped)
    ours = np.zeros((trials, 3), np.int64)
    theirs = np.zeros((trials, 3), np.int64)
    for t in range(trials):
        for p in range(pairs):
            case = int(swapped[t, better[p]]) + 2 * int(swapped[t, worse[p]])
            ours[t, said[p, case]] += weight[p]
            theirs[t, said[p, 3 - case]] += weight[p]
    return ours, theirs
