"""Correlations between two lists of scores: Pearson, Spearman, Kendall, pairwise accuracy.

All take arrays (..., n) and work along the last axis, so that thousands of resamples are one
call. Where a correlation is undefined (fewer than two values, or all of them equal) it is NaN:
the caller decides what to say.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from cupel.arrays import FloatArray

FEWEST_SYSTEMS = 3
"""Over fewer, a correlation says nothing."""


def pearson(x: npt.ArrayLike, y: npt.ArrayLike) -> FloatArray:
    """Pearson's r = cov(x, y) / (sd(x) sd(y))."""
    a, b = _centred(x), _centred(y)
    scale = np.sqrt((a * a).sum(-1) * (b * b).sum(-1))
    # Rounding leaves a constant list a spread of this size, not of zero.
    tiny = 1e-13 * (np.abs(x).max(-1, initial=0.0) + np.abs(y).max(-1, initial=0.0) + 1e-300)
    defined = (np.abs(a).max(-1, initial=0.0) > tiny) & (np.abs(b).max(-1, initial=0.0) > tiny)
    product = (a * b).sum(-1)
    out = np.full(np.shape(product), np.nan)
    r = np.divide(product, scale, out=out, where=defined & (scale > 0))
    return np.asarray(np.clip(r, -1.0, 1.0))


def _centred(x: npt.ArrayLike) -> FloatArray:
    values = np.asarray(x, np.float64)
    return np.asarray(values - values.mean(-1, keepdims=True))


def spearman(x: npt.ArrayLike, y: npt.ArrayLike) -> FloatArray:
    """Spearman's rho in general: Pearson's r of the ranks, ties sharing their mean rank."""
    return pearson(mean_ranks(x), mean_ranks(y))


def spearman_no_ties(x: npt.ArrayLike, y: npt.ArrayLike) -> FloatArray:
    """Spearman's rho by the formula of the WMT papers, 1 - 6 sum d^2 / (n (n^2 - 1)).

    d: difference of ranks. It equals `spearman` where nothing is tied.
    """
    a, b = mean_ranks(x), mean_ranks(y)
    n = a.shape[-1]
    if n < 2:
        return np.full(np.broadcast(a[..., 0], b[..., 0]).shape if n else (), np.nan)
    rho: FloatArray = 1 - 6 * ((a - b) ** 2).sum(-1) / (n * (n * n - 1))
    return rho


def mean_ranks(x: npt.ArrayLike) -> FloatArray:
    """Ranks from 1, equal values sharing the mean of theirs, along the last axis."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(np.asarray(x, np.float64), axis=-1), np.float64)


def kendall(x: npt.ArrayLike, y: npt.ArrayLike) -> FloatArray:
    """(C - D) / (n (n - 1) / 2), tau-a, along the last axis: for the few systems of a campaign."""
    a, b = (np.asarray(v, np.float64) for v in (x, y))
    i, j = np.triu_indices(a.shape[-1], 1)
    if not len(i):
        return np.full(a.shape[:-1], np.nan)
    agreed = np.sign(a[..., i] - a[..., j]) * np.sign(b[..., i] - b[..., j])
    return np.asarray(agreed.mean(-1))


def pairwise_accuracy(metric: npt.ArrayLike, human: npt.ArrayLike) -> FloatArray:
    """Share of system pairs that the metric orders as people do (Kocmi et al. 2021).

    Pairs that people tie are left out; a tie of the metric counts as wrong.
    """
    a, b = (np.asarray(v, np.float64) for v in (metric, human))
    i, j = np.triu_indices(a.shape[-1], 1)
    judged = np.sign(b[..., i] - b[..., j])
    right = (np.sign(a[..., i] - a[..., j]) == judged) & (judged != 0)
    correct, total = np.broadcast_arrays(right.sum(-1), (judged != 0).sum(-1))
    out = np.full(correct.shape, np.nan)
    return np.asarray(np.divide(correct, total, out=out, where=total > 0))


def pearson_of_sums(sums: FloatArray) -> FloatArray:
    """Pearson's r from sums (..., 6) of 1, x, y, x x, y y and x y, as weighted resamples give them."""
    n, sx, sy, sxx, syy, sxy = np.moveaxis(sums, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.maximum(sxx - sx * sx / n, 0.0) * np.maximum(syy - sy * sy / n, 0.0)
        values = (sxy - sx * sy / n) / np.sqrt(spread)
    return np.where(np.isfinite(values), values, np.nan)


def summands(x: FloatArray, y: FloatArray) -> FloatArray:
    """(systems, segments) scores, NaN where missing -> (segments, 6), what `pearson_of_sums` adds up."""
    present = np.isfinite(x) & np.isfinite(y)
    a = np.where(present, x - x[present].mean(), 0.0)
    b = np.where(present, y - y[present].mean(), 0.0)
    return np.asarray(np.stack([present, a, b, a * a, b * b, a * b], axis=-1).sum(axis=0))


Correlation = Callable[[FloatArray, FloatArray], FloatArray]
SYSTEM_STATISTICS: dict[str, Correlation] = {
    "pearson": pearson,
    "spearman": spearman,
    "spearman-no-ties": spearman_no_ties,
    "kendall": kendall,
    "accuracy": pairwise_accuracy,
}
