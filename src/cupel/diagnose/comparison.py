"""Is a difference in a bucket real, and is it larger there than elsewhere?

Statistics add (see `cupel.metric`), and so do differences: on the straight line from the summed
statistics of one system to those of another, the score changes by the integral of its gradient, and
each segment has its share of that, (b_i - a_i) times the mean gradient (Aumann and Shapley 1974).
These shares c_i sum up to the difference, whatever the metric.

p-value: T = sum c_i / sqrt(sum c_i^2). If the two systems are equally good, c_i is as often positive
as negative, and T is standard normal or narrower, also where few segments differ or a few differ much
(Efron 1969). q-value: after Benjamini and Hochberg (1995).

Interval: percentiles of the difference under paired bootstrap resamples of the segments.

Evidence: how many standard errors the difference stands out from what it is elsewhere; see
`segment_evidence` and `share_evidence`. Positive: the difference is larger here than elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.significance import normal_p_values

Score = Callable[[FloatArray], FloatArray]
"""(..., k) summed statistics -> (...) scores."""
LEAST_SEGMENTS = 10
"""Buckets with fewer segments are shown, but nothing is claimed about them."""
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(6)
_CLIP = 4.0
_ROUNDING = 0.05


@dataclass(frozen=True)
class Compared:
    """Statistics of the systems in one bucket, against the first.

    scores       (systems,)
    differences  (systems - 1,)  to the first
    p_values     (systems - 1,)  1 where nothing differs
    shares       (systems - 1, segments of the bucket)  what each contributes to the difference
    """

    scores: FloatArray
    differences: FloatArray
    p_values: FloatArray
    shares: FloatArray


def compare(score: Score, statistics: FloatArray) -> Compared:
    """(systems, segments, k) statistics of a bucket -> how the systems differ in it."""
    totals = statistics.sum(axis=1)
    scores = np.asarray(score(totals), np.float64)
    gradients = mean_gradients(score, totals[:1], totals[1:])
    shares = np.einsum("snk,sk->sn", statistics[1:] - statistics[:1], gradients)
    norms = np.sqrt((shares**2).sum(axis=1))
    sums = shares.sum(axis=1)
    differences = scores[1:] - scores[0]
    # What the numeric integral misses, a percent at most, is spread over all segments.
    scale = np.divide(differences, sums, out=np.ones_like(sums), where=sums != 0)
    shares *= np.where(np.abs(scale - 1) < _ROUNDING, scale, 1.0)[:, None]
    return Compared(scores, differences, normal_p_values(_quotients(sums, norms)), shares)


def mean_gradients(score: Score, start: FloatArray, ends: FloatArray) -> FloatArray:
    """(m, k): the mean gradient of a score on the lines from `start` (1, k) to each of `ends`."""
    k = ends.shape[-1]
    points = start + (0.5 + 0.5 * _NODES)[:, None, None] * (ends - start)  # (nodes, m, k)
    steps = 1e-4 * np.maximum(np.abs(points), 1e-3)
    up = points[..., None, :] + steps[..., None, :] * np.eye(k)
    # Counts do not fall below 0: there the step goes up only.
    down = points[..., None, :] - np.where(points > 0, steps, 0.0)[..., None, :] * np.eye(k)
    width = np.where(points > 0, 2.0, 1.0) * steps
    with np.errstate(all="ignore"):
        slopes = (np.asarray(score(up)) - np.asarray(score(down))) / width
    slopes = np.where(np.isfinite(slopes), slopes, 0.0)
    means: FloatArray = np.einsum("q,qmk->mk", 0.5 * _WEIGHTS, slopes)
    return means


def standardised(shares: FloatArray, sizes: FloatArray, means: bool) -> FloatArray:
    """(m, n) shares of segments in a difference -> values of about equal spread.

    sizes: (n,) the segments' words. The share of a segment grows with its length, its spread with the
    root of it; in a mean over segments it falls so. Outliers are cut at four times the usual.
    """
    root = np.sqrt(np.maximum(sizes, 1.0))
    values = shares * root if means else shares / root
    counts = np.maximum((values != 0).sum(axis=1, keepdims=True), 1)
    usual = np.sqrt((values**2).sum(axis=1, keepdims=True) / counts)
    return np.clip(values, -_CLIP * usual, _CLIP * usual)


def segment_evidence(values: FloatArray, rows: IntArray) -> FloatArray:
    """(m,): by how many standard errors the mean of some segments is above that of the others.

    values: (m, n), standardised. rows: the segments of the bucket. The standard error is that of a
    random choice of as many segments, so that evidence is strong where a bucket has the segments
    that differ and no others.
    """
    n, count = values.shape[1], len(rows)
    if count == 0 or count == n:
        return np.zeros(len(values))
    deviation: FloatArray = values.std(axis=1, ddof=1) * math.sqrt(count * (1 - count / n))
    excess = values[:, rows].sum(axis=1) - count * values.mean(axis=1)
    return _quotients(excess, deviation)


def _quotients(above: FloatArray, below: FloatArray) -> FloatArray:
    """above / below, and 0 where there is nothing below."""
    return np.divide(above, below, out=np.zeros(len(above)), where=below > 0)


def share_evidence(
    inside: FloatArray, lost: FloatArray, gained: FloatArray, share: FloatArray
) -> FloatArray:
    """(m,): do the words of a bucket change more often than others of the same segments?

    inside: (m, n) net change among the bucket's words of each segment; lost, gained: (m, n), >= 0, the
    changes among all its words; share: (n,) of the bucket in the segment's words. If changes hit
    words at random, `inside` is share * (gained - lost). All losses of a segment count as one draw:
    words are lost together.
    """
    excess = inside - share * (gained - lost)
    variance = ((lost**2 + gained**2) * (share * (1 - share))).sum(axis=1)
    total = excess.sum(axis=1)
    return _quotients(total, np.sqrt(variance))


def bootstrap_differences(
    score: Score, statistics: FloatArray, rows: IntArray, weights: FloatArray
) -> FloatArray:
    """(systems - 1, resamples): differences to the first in resamples of the whole test set.

    statistics: (systems, segments of the bucket, k). rows: which segments these are. weights:
    (resamples, segments), from `cupel.significance.bootstrap_weights`.
    """
    systems, count, k = statistics.shape
    flat = np.ascontiguousarray(np.swapaxes(statistics, 0, 1)).reshape(count, systems * k)
    totals = (weights[:, rows] @ flat).reshape(-1, systems, k)
    with np.errstate(all="ignore"):
        scores = np.asarray(score(totals), np.float64)
    differences: FloatArray = (scores[:, 1:] - scores[:, :1]).T
    return np.where(np.isfinite(differences), differences, 0.0)
