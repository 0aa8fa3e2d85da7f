"""Pairs of scores within groups: counting those in the same order, choosing the tie threshold."""

from __future__ import annotations

import numpy as np

from cupel.arrays import BoolArray, Bytes, FloatArray, IntArray
from cupel.kernels import kernel

_group_counts = kernel("group_counts", "f64* i64 f64* i64* i64* i64 f64 i64*")


def group_counts(
    metric: FloatArray, human: FloatArray, starts: IntArray, epsilon: float = 0.0
) -> IntArray:
    """(rows, n), (n,) -> (rows, groups, 5): concordant, discordant, tied by metric, human, both.

    starts: (groups + 1,); epsilon: metric scores that differ by no more are tied.
    """
    groups = len(starts) - 1
    counts = np.zeros((len(metric), groups, 5), np.int64)
    group = np.repeat(np.arange(groups), np.diff(starts))
    order = np.lexsort((human, group)).astype(np.int64)
    rows = np.ascontiguousarray(metric)
    _group_counts(rows, len(metric), human, order, starts, groups, epsilon, counts)
    return counts


_distant_counts = kernel("distant_counts", "f64* i64 f64* i64* i64 f64 i64*")


def distant_counts(
    metric: FloatArray, human: FloatArray, starts: IntArray, threshold: float
) -> IntArray:
    """(rows, groups, 2): pairs at least `threshold` apart for people, ordered alike and not."""
    counts = np.zeros((len(metric), len(starts) - 1, 2), np.int64)
    rows = np.ascontiguousarray(metric)
    _distant_counts(rows, len(metric), human, starts, len(starts) - 1, threshold, counts)
    return counts


_pair_kinds = kernel("pair_kinds", "f64* f64* i64* i64 f64 u8*")


def pair_kinds(metric: FloatArray, human: FloatArray, starts: IntArray, epsilon: float) -> Bytes:
    """(pairs,): 0 to 4, as `group_counts` counts them, for the pairs i < j of group after group."""
    kinds = np.empty(pairs_of(starts), np.uint8)
    _pair_kinds(np.ascontiguousarray(metric), human, starts, len(starts) - 1, epsilon, kinds)
    return kinds


def pairs_of(starts: IntArray) -> int:
    """How many pairs all groups have."""
    sizes = np.diff(starts)
    return int((sizes * (sizes - 1) // 2).sum())


_tie_pairs = kernel("tie_pairs", "f64* f64* i64* i64 u8* i64 f64* u8* i32* i64* i64* i64*")
_MANY = 4_000_000
_best_threshold = kernel("best_threshold", "f64* u8* i32* i64 i64* i64* i64 f64 i64 f64*")


def best_threshold(
    metric: FloatArray,
    human: FloatArray,
    starts: IntArray,
    labels: IntArray,
    is_tau: bool = False,
    drawn: BoolArray | None = None,
) -> tuple[float, float] | None:
    """The best accuracy (or tau) averaged over groups, and the least threshold that gives it.

    labels: (groups,) their numbers among all groups, of which some may have had no judgment.
    drawn: (pairs,) those that count. None where no pair does.
    """
    groups = len(starts) - 1
    count = pairs_of(starts)
    if groups == 1 and count > _MANY:
        return _threshold_of_many(metric, human, is_tau, drawn)
    sizes, kinds, places = np.empty(count), np.empty(count, np.uint8), np.empty(count, np.int32)
    right, total, made = (np.zeros(n, np.int64) for n in (groups, groups, 1))
    flags = np.zeros(1, np.uint8) if drawn is None else drawn.view(np.uint8)
    _tie_pairs(
        np.ascontiguousarray(metric), np.ascontiguousarray(human), starts, groups,
        flags, drawn is None, sizes, kinds, places, right, total, made,
    )  # fmt: skip
    # In the order of a set of Python and by its sum, which round as mt-metrics-eval does.
    used = list(set(labels[total > 0].tolist()))
    if not used:
        return None
    place = np.searchsorted(labels, used)
    at, of = right[place], total[place]
    start = float(sum(((2 * at - of if is_tau else at) / of).tolist()))
    best = np.empty(2)
    _best_threshold(
        sizes, kinds, places, int(made[0]), right, total, is_tau, start, len(used), best
    )
    return float(best[0]), float(best[1])


_of_many = kernel("threshold_of_many", "f64* f64* i64 u8* i64 i64* f64*")


def _threshold_of_many(
    metric: FloatArray, human: FloatArray, is_tau: bool, drawn: BoolArray | None
) -> tuple[float, float] | None:
    best, threshold = np.zeros(2, np.int64), np.zeros(1)
    flags = np.zeros(1, np.uint8) if drawn is None else drawn.view(np.uint8)
    _of_many(
        np.ascontiguousarray(metric), np.ascontiguousarray(human), len(metric),
        flags, drawn is None, best, threshold,
    )  # fmt: skip
    right, pairs = best.tolist()
    if not pairs:
        return None
    return (2 * right - pairs if is_tau else right) / pairs, float(threshold[0])
