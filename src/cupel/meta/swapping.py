"""The statistics of two metrics that exchange some of their scores, for many trials at once.

What permutation tests compute thousands of times. Pearson's r is made of sums that tables of subsets
give, rank correlations walk through an order that is sorted once, all others are computed from the
scores. With the same coins, every value is that of mt-metrics-eval.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cupel.arrays import BoolArray, Bytes, FloatArray
from cupel.meta.agreement import (
    centred_ranks,
    dense_ranks,
    group_values,
    of_counts,
    scipy_order,
    spearman_of_sums,
)
from cupel.meta.soft import soft_rows
from cupel.meta.statistic import Groups, Statistic

Swapped = Callable[[Bytes], FloatArray]
"""Coins (trials, n) -> (trials, 2): the statistics of A and B, exchanged where the coin is 0."""


def swapped_statistic(statistic: Statistic, human: FloatArray, groups: Groups) -> Swapped:
    """For the two metrics of the groups, on one scale; human: (systems, segments), for `spa`."""
    special = {"pearson": _swapped_pearson, "spearman": _swapped_spearman}
    special |= dict.fromkeys(("tau-b", "tau-23", "acc-23"), _swapped_counts)
    # A constant metric is NaN on the common scale.
    if statistic.name in special and not statistic.epsilon and not np.isnan(groups.metrics).any():
        return special[statistic.name](statistic, groups)
    compute = _rows(statistic, groups) if statistic.name != "spa" else soft_rows(statistic, human)
    a, b = groups.metrics
    # With a constant metric, which has no common scale, no exchanged score is one (as 0 NaN there).
    lost = 0 * (a + b)

    def of_rows(coins: Bytes) -> FloatArray:
        kept = coins.view(np.bool_)
        sides = np.where(kept, a, b) + lost, np.where(kept, b, a) + lost
        if len(coins) == 1 and kept.all():  # nothing is exchanged
            sides = a[None], b[None]
        return np.stack([compute(side) for side in sides], axis=1)

    return of_rows


def _rows(statistic: Statistic, groups: Groups) -> Callable[[FloatArray], FloatArray]:
    def compute(metrics: FloatArray) -> FloatArray:
        return mean_of_groups(group_values(statistic, groups, metrics), statistic.zeros)

    return compute


def mean_of_groups(values: FloatArray, zeros: bool) -> FloatArray:
    """(rows, groups) -> (rows,): the mean of those with a value; 0 where none has one."""
    undefined = np.isnan(values)
    if not undefined.any():
        return values.mean(axis=1) if values.shape[1] else np.zeros(len(values))
    if zeros:
        return np.asarray(np.where(undefined, 0.0, values).mean(axis=1))
    rows = zip(values, ~undefined, strict=True)
    return np.array([row[kept].mean() if kept.any() else 0.0 for row, kept in rows])


def _swapped_pearson(statistic: Statistic, groups: Groups) -> Swapped:
    """From three sums a group: x, x squared, and x times people's score, which is centred."""
    from cupel.kernels.permutations import swapped_sums

    number = np.repeat(np.arange(len(groups.sizes)), groups.sizes)
    sums = np.add.reduceat(np.vstack([groups.metrics, groups.human]), groups.starts[:-1], axis=1)
    means = sums / groups.sizes
    y = groups.human - means[2][number]
    # Around the middle of both metrics, so that squares lose no digits.
    a, b = groups.metrics - means[:2].mean(axis=0)[number]
    first, second = (np.stack([x, x * x, x * y], axis=1) for x in (a, b))
    scale = np.sqrt(np.add.reduceat(y * y, groups.starts[:-1]))
    constant = np.isnan(group_values(statistic, groups, np.arange(1.0, len(y) + 1)[None])[0])

    def swapped(coins: Bytes) -> FloatArray:
        sums = swapped_sums(first, second, groups.starts, coins)
        total, squares, products = np.moveaxis(sums, -1, 0)  # each (2, trials, groups)
        spread = squares - total * total / groups.sizes
        with np.errstate(divide="ignore", invalid="ignore"):
            values = np.clip(products / (np.sqrt(np.maximum(spread, 0)) * scale), -1.0, 1.0)
        values[..., constant] = np.nan
        _mend(statistic, groups, coins, values, (spread <= 1e-9 * squares) & ~constant)
        return np.stack([mean_of_groups(side, statistic.zeros) for side in values], axis=1)

    return swapped


def _swapped_spearman(statistic: Statistic, groups: Groups) -> Swapped:
    from cupel.kernels.orders import CommonOrder, swapped_ranks

    order = CommonOrder.of(groups.metrics[0], groups.metrics[1], groups.starts)
    ranks = centred_ranks(groups.human[None], groups)[0]
    squares = np.add.reduceat(ranks * ranks, groups.starts[:-1])

    def swapped(coins: Bytes) -> FloatArray:
        products, own = np.moveaxis(swapped_ranks(order, ranks, coins), -1, 0)
        values = spearman_of_sums(products, own, squares, groups.sizes)
        return np.stack([mean_of_groups(side, statistic.zeros) for side in values], axis=1)

    return swapped


def _swapped_counts(statistic: Statistic, groups: Groups) -> Swapped:
    from cupel.kernels.orders import CommonOrder, swapped_orders

    order = CommonOrder.of(groups.metrics[0], groups.metrics[1], groups.starts)
    levels = dense_ranks(groups.human[None], groups)[0]

    def swapped(coins: Bytes) -> FloatArray:
        values = of_counts(
            statistic.name, scipy_order(statistic, swapped_orders(order, levels, coins))
        )
        return np.stack([mean_of_groups(side, statistic.zeros) for side in values], axis=1)

    return swapped


def _mend(
    statistic: Statistic, groups: Groups, coins: Bytes, values: FloatArray, doubtful: BoolArray
) -> None:
    """Compute again from the scores what is constant, or so nearly that sums cannot tell."""
    for side, trial, group in np.argwhere(doubtful):
        start, end = groups.starts[group : group + 2]
        kept = coins[trial, start:end] != side
        x = np.where(kept, groups.metrics[0, start:end], groups.metrics[1, start:end])
        one = Groups(
            groups.labels[[group]], groups.sizes[[group]], groups.human[start:end], x[None]
        )
        values[side, trial, group] = group_values(statistic, one, one.metrics)[0, 0]
