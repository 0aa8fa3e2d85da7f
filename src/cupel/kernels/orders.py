"""Rank correlations of two metrics that exchange scores, without sorting in every trial."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cupel.arrays import Bytes, FloatArray, Int32Array, IntArray
from cupel.kernels import kernel


@dataclass(frozen=True)
class CommonOrder:
    """Scores of two metrics, sorted together within their groups.

    entries: (2 n,) 2 unit + metric; values: (2 n,) the same number for the same score.
    """

    entries: Int32Array
    values: Int32Array
    starts: IntArray

    @classmethod
    def of(cls, first: FloatArray, second: FloatArray, starts: IntArray) -> CommonOrder:
        """first, second: (n,); starts: (groups + 1,)."""
        group = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        both = np.stack([first, second], axis=1).ravel()
        order = np.lexsort((both, np.repeat(group, 2)))
        different = np.ones(len(both), np.int32)
        different[1:] = both[order][1:] != both[order][:-1]
        return cls(order.astype(np.int32), np.cumsum(different, dtype=np.int32), starts)


_swapped_orders = kernel("swapped_orders", "i32* i32* i32* i64* i64 u8* i64 i64*")


def swapped_orders(order: CommonOrder, levels: Int32Array, coins: Bytes) -> IntArray:
    """(2, trials, groups, 5): the counts of `cupel.kernels.groups.group_counts` of either metric.

    levels: (n,) people's scores, numbered from 1 within each group; coins: (trials, n), 0 where the
    metrics exchange a score.
    """
    groups = len(order.starts) - 1
    counts = np.zeros((2, len(coins), groups, 5), np.int64)
    _swapped_orders(
        order.entries, order.values, levels, order.starts, groups,
        np.ascontiguousarray(coins), len(coins), counts,
    )  # fmt: skip
    return counts


_swapped_ranks = kernel("swapped_ranks", "i32* i32* f64* i64* i64 u8* i64 f64*")


def swapped_ranks(order: CommonOrder, ranks: FloatArray, coins: Bytes) -> FloatArray:
    """(2, trials, groups, 2): sums of products of the ranks of metric and people, and of squares.

    ranks: (n,) people's, ties sharing their mean, less the mean of the group.
    """
    groups = len(order.starts) - 1
    sums = np.empty((2, len(coins), groups, 2))
    _swapped_ranks(
        order.entries, order.values, ranks, order.starts, groups,
        np.ascontiguousarray(coins), len(coins), sums,
    )  # fmt: skip
    return sums
