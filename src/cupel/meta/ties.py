"""Pairwise accuracy that gives credit for ties, with tie calibration (Deutsch et al. 2023).

Of all pairs of translations of one segment, which does the metric order as people do, where
"equal" is an answer too? Metrics hardly ever give two translations the same score, so a threshold
epsilon makes them say "equal" for smaller differences; the one that serves the metric best is
taken:

    acc_eq(epsilon) = (pairs ordered alike with |difference| > epsilon
                       + pairs tied by people with |difference| <= epsilon) / all pairs
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cupel.arrays import FloatArray


@dataclass(frozen=True)
class Calibrated:
    """The best accuracy, and the smallest epsilon that gives it."""

    accuracy: float
    epsilon: float


def acc_eq(metric: FloatArray, human: FloatArray, epsilon: float | None = None) -> Calibrated:
    """acc_eq of scores (systems, segments); NaN where people did not judge.

    With an epsilon given (one calibrated on other data, say) it is used as it is.
    """
    difference, judged = _pairs(metric, human)
    return accuracy_of_pairs(difference, judged, epsilon)


def _pairs(metric: FloatArray, human: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Differences of the metric and of people over all pairs of systems on the same segment."""
    i, j = np.triu_indices(len(metric), 1)
    difference, judged = (metric[i] - metric[j]).ravel(), (human[i] - human[j]).ravel()
    both = np.isfinite(judged) & np.isfinite(difference)
    return difference[both], judged[both]


def accuracy_of_pairs(
    difference: FloatArray, judged: FloatArray, epsilon: float | None = None
) -> Calibrated:
    """acc_eq from the metric's differences and people's, one entry a pair. O(n log n)."""
    n = len(difference)
    if not n:
        return Calibrated(float("nan"), float("nan"))
    size = np.abs(difference)
    tied = judged == 0
    alike = np.sign(difference) == np.sign(judged)
    if epsilon is not None:
        right = np.where(size > epsilon, alike & ~tied, tied)
        return Calibrated(float(right.mean()), epsilon)
    order = np.argsort(size, kind="stable")
    size, tied, alike = size[order], tied[order], (alike & ~tied)[order]
    # right[k]: the k smallest differences are called ties. Only thresholds between two different
    # sizes are possible, and epsilon = 0 at least ties what is equal.
    right = (
        np.concatenate([[0], np.cumsum(tied)])
        + alike.sum()
        - np.concatenate([[0], np.cumsum(alike)])
    )
    possible = np.append(size[1:] > size[:-1], True)
    cuts = np.flatnonzero(possible) + 1
    if size[0] > 0:
        cuts = np.concatenate([[0], cuts])
    best = cuts[np.argmax(right[cuts])]
    return Calibrated(float(right[best] / n), float(size[best - 1]) if best else 0.0)
