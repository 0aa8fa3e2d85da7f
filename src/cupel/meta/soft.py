"""How sure one is that one system is better than another, and soft pairwise accuracy.

p[i, j] is the p-value of a paired permutation test: the share of random sign flips of the segments
for which the sum of score differences of systems i and j is at least the real one. Soft pairwise
accuracy (Thompson et al. 2024) is 1 minus the mean absolute difference between the p-values of the
metric and those of people, over all pairs of systems. The flips are those of mt-metrics-eval's
`pce.py`: one draw for all pairs, from the same generator and seed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from cupel.arrays import BoolArray, Float32Array, FloatArray
from cupel.errors import CupelError
from cupel.meta.statistic import Statistic
from cupel.significance import sign_flips

_HELD = 8_000_000


@lru_cache(maxsize=4)
def _signs(permutations: int, segments: int, seed: int) -> Float32Array:
    """(segments, permutations) of 1 and -1."""
    signs = sign_flips(permutations, segments, seed)
    signs.flags.writeable = False
    return signs.T


def pairwise_p_values(
    scores: FloatArray | Float32Array, permutations: int = 1000, seed: int = 4
) -> FloatArray:
    """(tables, systems, segments) without gaps -> (tables, pairs): p of "i is better", i < j.

    In single precision, as mt-metrics-eval: its sums are those of a matrix product, which rounds each
    of them alike whatever the others are.
    """
    from cupel.kernels.permutations import count_reached

    tables, systems, segments = scores.shape
    signs = _signs(permutations, segments, seed)
    single = np.ascontiguousarray(scores, np.float32)
    sums = np.matmul(single.reshape(-1, segments), signs).reshape(tables, systems, permutations)
    return count_reached(sums, np.sum(single, axis=-1)) / permutations


def soft_p_values(
    statistic: Statistic, judged: BoolArray, scores: FloatArray | Float32Array
) -> FloatArray:
    """The p-values of rows of scores, (rows, n): one for each judgment, system by system.

    judged: (systems, segments).
    """
    options = statistic.permutations, statistic.seed
    systems, left = len(judged), scores.shape[1]
    even = np.array_equal(judged.any(axis=0), judged.all(axis=0))
    if even or statistic.packed:
        if left % systems:
            raise CupelError(
                f"{left} judgments cannot be cut into {systems} rows of equal length, as "
                "mt-metrics-eval does it."
            )
        return pairwise_p_values(scores.reshape(len(scores), systems, -1), *options)
    whole = np.empty((len(scores), *judged.shape), scores.dtype)
    whole[:, judged] = scores
    p = []
    for i, j in zip(*np.triu_indices(systems, 1), strict=True):
        both = whole[:, [i, j]][:, :, judged[i] & judged[j]]
        p.append(pairwise_p_values(both, *options))
    return np.concatenate(p, axis=1)


def soft_rows(
    statistic: Statistic, human: FloatArray
) -> Callable[[Sequence[FloatArray] | FloatArray], FloatArray]:
    """Soft pairwise accuracy of rows of scores (n,), one for each judgment, system by system.

    People's p-values are computed once.
    """
    judged = ~np.isnan(human)
    people: list[FloatArray] = []

    def compute(metrics: Sequence[FloatArray] | FloatArray) -> FloatArray:
        rows = [*metrics] if people else [human[judged], *metrics]
        height = max(1, _HELD // (len(human) * statistic.permutations))
        p = []
        for start in range(0, len(rows), height):
            part = rows[start : start + height]
            scores = np.empty((len(part), len(rows[0])), np.float32)
            for row, metric in zip(scores, part, strict=True):
                row[:] = metric
            p += [*soft_p_values(statistic, judged, scores)]
        if not people:
            people.append(p.pop(0))
        return np.array([1.0 - np.abs(people[0] - each).mean() for each in p])

    return compute
