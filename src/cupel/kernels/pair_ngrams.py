"""N-grams that every sentence of a list shares with every other, and scores made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from cupel.arrays import FloatArray, Int32Array, IntArray
from cupel.kernels import kernel

MAX_ORDERS = 16
CHRF, CHRF_SMOOTHED, BLEU = range(3)
SMOOTHINGS = {"none": 0, "exp": 1, "floor": 2, "add-k": 3}
SHARE = 16
"""An n-gram that at least one in so many sentences has is kept as bits, others as lists."""
BLOCKS = 64
"""The rows are summed up in so many blocks at most, whatever the number of threads..."""
SMALLEST_BLOCK = 16
"""... and of so many rows at least."""

_number_ngrams = kernel("number_ngrams", "i32* i64* i64 i64 i64 i64 i64 i64* i32* i32* i64*")
_place_features = kernel("place_features", "i32* i64* i64 i64 i32* i64* i64*")
_fill_index = kernel("fill_index", "i64* i32* i32* i64 i64 i64* i64 i64 i64 u64* i64* i32*")
_pair_utilities = kernel(
    "pair_utilities",
    "i64* i32* i32* u64* i64* i64* i32* i64* i64* i64 i64* f64* i64* i64 i64 i64 i64 f64* f64* f64* i64 f64*",
)
_bag_matches = kernel("bag_matches", "i64* i32* i64 i64 i64* i64 f64* i64* i64 f64* f64*")


@dataclass(frozen=True)
class Part:
    """Sentences as tokens (characters, words), of which n-grams of 1 to `orders` count."""

    ids: Int32Array
    offsets: IntArray
    orders: int


class Comparable(Protocol):
    """A metric of n-grams, whose scores of all pairs of sentences a kernel computes at once."""

    def formula(self) -> Formula | None:
        """What the kernel makes of counts of n-grams; None where they are longer than it takes."""
        ...

    def parts(self, sentences: Sequence[str]) -> list[Part]:
        """The sentences as tokens whose n-grams count, such as characters and words."""
        ...

    def bag_scores(self, totals: FloatArray, sizes: FloatArray, matches: FloatArray) -> FloatArray:
        """(n,) scores with a bag of n-grams as the reference, whose counts need not be whole.

        totals (n, orders): n-grams of each sentence; sizes (orders,): of the bag; matches (n, orders)
        """
        ...


@dataclass(frozen=True)
class Ngrams:
    """The n-grams of all sentences, numbered, by sentence and order.

    totals (sentences, orders) how many; entries of sentence s and order o begin at
    starts[s * orders + o]; bounds (orders + 1,) the numbers of an order; counts by number, with
    unary: how many sentences have it
    """

    totals: IntArray
    starts: IntArray
    entries: Int32Array
    counts: Int32Array
    bounds: IntArray

    @classmethod
    def of(cls, parts: Sequence[Part], unary: bool = True) -> Ngrams:
        """unary: the second time of an n-gram in its sentence has a number of its own."""
        lengths = [np.diff(part.offsets)[:, None] - np.arange(part.orders) for part in parts]
        totals = np.maximum(np.concatenate(lengths, axis=1), 0)
        sentences, orders = totals.shape
        starts = np.zeros(totals.size + 1, np.int64)
        np.cumsum(totals, out=starts[1:])
        entries, counts = (np.zeros(int(starts[-1]), np.int32) for _ in range(2))
        bounds = np.zeros(orders + 1, np.int64)
        first = 0
        for part in parts:
            _number_ngrams(
                np.ascontiguousarray(part.ids), part.offsets, sentences, part.orders, first, orders,
                unary, starts, entries, counts, bounds,
            )  # fmt: skip
            first += part.orders
        return cls(totals, starts, entries, counts, bounds)


@dataclass(frozen=True)
class PairIndex:
    """N-grams, ready to be matched with those of the sentences `columns`."""

    ngrams: Ngrams
    columns: IntArray
    places: Int32Array
    words: IntArray
    bits: npt.NDArray[np.uint64]
    list_starts: IntArray
    listed: Int32Array

    @classmethod
    def of(cls, ngrams: Ngrams, columns: IntArray) -> PairIndex:
        sentences, orders = ngrams.totals.shape
        places = np.zeros(len(ngrams.counts), np.int32)
        words, lists = np.zeros(orders + 1, np.int64), np.zeros(2, np.int64)
        threshold = max(2, sentences // SHARE)
        _place_features(ngrams.counts, ngrams.bounds, orders, threshold, places, words, lists)
        bits = np.zeros((sentences, int(words[-1])), np.uint64)
        count, length = lists.tolist()
        list_starts, listed = np.zeros(count + 1, np.int64), np.zeros(length, np.int32)
        _fill_index(
            ngrams.starts, ngrams.entries, places, sentences, orders, columns, len(columns),
            int(words[-1]), count, bits, list_starts, listed,
        )  # fmt: skip
        return cls(ngrams, columns, places, words, bits, list_starts, listed)


@dataclass(frozen=True)
class Formula:
    """How a score follows from matches: kind, smoothing, effective order; beta squared, value."""

    kind: int
    smoothing: int = 0
    effective: bool = True
    factor: float = 4.0
    value: float = 0.0


_NOTHING = np.zeros(0)


def matrix_of(
    index: PairIndex, formula: Formula, rows: IntArray, low: int, high: int
) -> FloatArray:
    """(rows, high - low): utilities of these sentences with the columns low to high."""
    matrix = np.zeros((len(rows), high - low))
    weights, sums = np.zeros(len(index.columns)), np.zeros(len(rows))
    _score(index, formula, rows, (low, high), False, weights, sums, _NOTHING, matrix)
    return matrix


def expected_of(
    index: PairIndex, formula: Formula, rows: IntArray, weights: FloatArray, threads: int = 1
) -> FloatArray:
    """(rows,): the utilities of these sentences with all columns, summed by weight, (columns,).

    Where rows and columns are the same first sentences in their order, each pair is matched once.
    """
    columns = len(index.columns)
    every = np.arange(columns)
    half = np.array_equal(rows, every) and np.array_equal(index.columns, every)
    size = max(SMALLEST_BLOCK, -(-len(rows) // BLOCKS))
    blocks = [slice(start, start + size) for start in range(0, len(rows), size)]
    sums = np.zeros(len(rows))
    back = np.zeros((len(blocks) if half else 1, columns))

    def work(number: int) -> None:
        own = blocks[number]
        _score(
            index, formula, rows[own], (0, columns), half, weights, sums[own],
            back[number if half else 0], _NOTHING,
        )  # fmt: skip

    if threads > 1 and len(blocks) > 1:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(work, range(len(blocks))))
    else:
        for number in range(len(blocks)):
            work(number)
    return sums + back.sum(axis=0) if half else sums


def _score(
    index: PairIndex,
    formula: Formula,
    rows: IntArray,
    span: tuple[int, int],
    half: bool,
    weights: FloatArray,
    sums: FloatArray,
    back: FloatArray,
    matrix: FloatArray,
) -> None:
    ngrams = index.ngrams
    kinds = np.array([formula.kind, formula.smoothing, formula.effective], np.int64)
    _pair_utilities(
        ngrams.starts, ngrams.entries, index.places, index.bits, index.words, index.list_starts,
        index.listed, index.columns, ngrams.totals, ngrams.totals.shape[1], kinds,
        np.array([formula.factor, formula.value]), rows, len(rows), *span, half, weights, sums, back,
        matrix.size > 0, matrix,
    )  # fmt: skip


def bag_matches(
    ngrams: Ngrams, references: IntArray, weights: FloatArray, hypotheses: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Matches of sentences with the bag of all references by weight, and the bag's size.

    ngrams: not unary. Returns (hypotheses, orders) and (orders,).
    """
    orders = ngrams.totals.shape[1]
    matches, sizes = np.zeros((len(hypotheses), orders)), np.zeros(orders)
    _bag_matches(
        ngrams.starts, ngrams.entries, orders, int(ngrams.bounds[-1]), references, len(references),
        weights, hypotheses, len(hypotheses), matches, sizes,
    )  # fmt: skip
    return matches, sizes
