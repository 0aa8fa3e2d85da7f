"""Counting concordant, discordant and tied pairs, for Kendall's tau and for permutation tests."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cupel.arrays import FloatArray, IntArray
from cupel.kernels import inner_kernel, kernel


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


@inner_kernel
def _add(counter: npt.NDArray[np.uint64], bits: np.uint64, plane: int) -> None:
    """Add 2^plane to 64 counters at once, those whose bit is set; counter: planes of their digits."""
    while bits:
        carry = counter[plane] & bits
        counter[plane] ^= bits
        bits = carry
        plane += 1


@kernel
def swapped_counts(
    first: FloatArray,
    second: FloatArray,
    better: IntArray,
    worse: IntArray,
    weight: IntArray,
    swapped: npt.NDArray[np.uint64],
) -> tuple[IntArray, IntArray]:
    """Counts of agreement with human pairs when some scores of two metrics are exchanged.

    first, second: (units,) scores of two metrics for each translation; better, worse, weight:
    (pairs,) units that people ordered, and how often; swapped: (words, units), bit k of word w says
    whether trial 64 w + k exchanges the unit. Returns for either metric (trials, 3): concordant,
    discordant and tied pairs. 64 trials are counted at once, digit by digit.
    """
    pairs = len(better)
    words = len(swapped)
    total = 0
    # What the first metric says of a pair, by whether its better and its worse unit are swapped;
    # the second metric then has just the other scores.
    said = np.empty((pairs, 4), np.int8)
    for p in range(pairs):
        total += weight[p]
        for case in range(4):
            a = second[better[p]] if case & 1 else first[better[p]]
            b = second[worse[p]] if case & 2 else first[worse[p]]
            said[p, case] = 0 if a > b else 1 if a < b else 2
    counts = np.zeros((2, 64 * words, 3), np.int64)
    counters = np.zeros((2, 2, 64), np.uint64)
    outcome = np.zeros((2, 3), np.uint64)
    for word in range(words):
        counters[:] = np.uint64(0)
        for p in range(pairs):
            x = swapped[word, better[p]]
            y = swapped[word, worse[p]]
            outcome[:] = np.uint64(0)
            for case in range(4):
                bits = (x if case & 1 else ~x) & (y if case & 2 else ~y)
                outcome[0, said[p, case]] |= bits
                outcome[1, said[p, 3 - case]] |= bits
            for metric in range(2):
                for kind in range(2):
                    if weight[p] == 1:
                        _add(counters[metric, kind], outcome[metric, kind], 0)
                        continue
                    for plane in range(32):
                        if weight[p] >> plane & 1:
                            _add(counters[metric, kind], outcome[metric, kind], plane)
        for metric in range(2):
            for k in range(64):
                trial = 64 * word + k
                for kind in range(2):
                    for plane in range(48):
                        bit = counters[metric, kind, plane] >> np.uint64(k) & np.uint64(1)
                        counts[metric, trial, kind] += np.int64(bit) << plane
                counts[metric, trial, 2] = (
                    total - counts[metric, trial, 0] - counts[metric, trial, 1]
                )
    return counts[0], counts[1]
