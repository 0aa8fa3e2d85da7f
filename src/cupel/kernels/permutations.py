"""Coins as NumPy's legacy generator tosses them, and what permutation tests count with them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt

from cupel.arrays import Bytes, Float32Array, FloatArray, IntArray
from cupel.kernels import kernel

_State = tuple[npt.NDArray[np.uint32], IntArray]


@contextmanager
def _moved_on(random: np.random.RandomState) -> Iterator[_State]:
    """The words and the position of the generator, which goes on from where the kernel leaves it."""
    state = random.get_state(legacy=False)
    words, position = state["state"]["key"].copy(), np.array([state["state"]["pos"]])
    yield words, position
    state["state"] = {"key": words, "pos": int(position[0])}
    random.set_state(state)


_toss_coins = kernel("toss_coins", "u32* i64* i64 u8*")


def toss_coins(random: np.random.RandomState, shape: tuple[int, ...]) -> Bytes:
    """0 or 1 each, as `random.binomial(1, 0.5, shape)` gives them; the generator is moved on."""
    coins = np.empty(shape, np.uint8)
    with _moved_on(random) as (words, position):
        _toss_coins(words, position, coins.size, coins)
    return coins


_swapped_sums = kernel("swapped_sums", "f64* f64* i64* i64 u8* i64 f64*")


def swapped_sums(
    first: FloatArray, second: FloatArray, starts: IntArray, coins: Bytes
) -> FloatArray:
    """(2, trials, groups, 3): sums over groups of (n, 3) of two metrics, by coins (trials, n).

    Of the first metric where the coin is 1 and of the second elsewhere, and the other way round.
    """
    sums = np.zeros((2, len(coins), len(starts) - 1, 3))
    _swapped_sums(
        np.ascontiguousarray(first), np.ascontiguousarray(second), starts, len(starts) - 1,
        np.ascontiguousarray(coins), len(coins), sums,
    )  # fmt: skip
    return sums


_swapped_kinds = kernel("swapped_kinds", "u32* i64* i64* i64 u8* u8* i64 i64*")


def swapped_kinds(
    random: np.random.RandomState, starts: IntArray, own: Bytes, other: Bytes, trials: int
) -> IntArray:
    """(trials, groups, 5): how many pairs are of each kind, some being those of the other metric.

    own, other: (pairs,) of `cupel.kernels.groups.pair_kinds`; a coin for each pair, 1 keeps it.
    """
    counts = np.empty((trials, len(starts) - 1, 5), np.int64)
    with _moved_on(random) as (words, position):
        _swapped_kinds(words, position, starts, len(starts) - 1, own, other, trials, counts)
    return counts


_count_reached = kernel("count_reached", "f32* f32* i64 i64 i64 i64*")


def count_reached(sums: Float32Array, observed: Float32Array) -> IntArray:
    """(tables, pairs): trials in which two systems differ by at least what is observed, i < j.

    sums: (tables, systems, trials); observed: (tables, systems).
    """
    tables, systems, trials = sums.shape
    counts = np.empty((tables, systems * (systems - 1) // 2), np.int64)
    _count_reached(sums, observed, tables, systems, trials, counts)
    return counts
