"""Numbering the n-grams of a text (`cupel.text.ngrams`), and finding those of others among them."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cupel.arrays import FloatArray, Int32Array, IntArray
from cupel.kernels import Handed, kernel

Addresses = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Continuations:
    """The n-grams of one order as continuations of (n-1)-grams, numbered as they first appear.

    children  ((n-1)-grams,)  twice the number of the first continuation, plus 1 where there are
                              more; -1 where there is none
    lasts     (n-grams,)      the last word
    parents   (n-grams,)      the number of the first n-1 words
    slots     (2^k,)          a hash table of those that are not the first continuation
    """

    children: Int32Array
    lasts: Int32Array
    parents: Int32Array
    slots: Int32Array


_number_continuations = kernel(
    "number_continuations", "i32* i64* i64 i64 i64 i32* i32* i32* i32* i32* i64* Handed*"
)


def number_continuations(
    words: Int32Array,
    offsets: IntArray,
    n: int,
    shorter: int,
    before: Int32Array,
    numbers: Int32Array,
) -> Continuations:
    """Fill `numbers`, those of the n-grams that start at each word, from those of (n-1)-grams.

    shorter: how many (n-1)-grams there are. A number is -1 where the sentence ends before the n-gram,
    and where that of one of its (n-1)-grams is.
    """
    children, count, slots = np.empty(shorter, np.int32), np.zeros(1, np.int64), Handed()
    lasts, parents = np.empty(len(words), np.int32), np.empty(len(words), np.int32)
    _number_continuations(
        words, offsets, len(offsets) - 1, n, shorter, before, numbers, children, lasts, parents,
        count, ctypes.byref(slots),
    )  # fmt: skip
    made = int(count[0])
    lasts, parents = lasts[:made], parents[:made]
    if 2 * made < len(words):
        lasts, parents = lasts.copy(), parents.copy()
    return Continuations(children, lasts, parents, slots.taken().reshape(-1))


_segment_counts = kernel("segment_counts", "i32* i32* i64 i64 f64* i32*")


def segment_counts(
    numbers: Int32Array, segments: Int32Array, size: int
) -> tuple[FloatArray, Int32Array]:
    """In how many segments each of `size` n-grams occurs; numbers: of those of one order.

    segments: that of each place, which never falls from one place to the next. The second result has
    the numbers of those that occur in more than one segment, -1 in place of the others.
    """
    counts, shared = np.empty(size), np.empty(len(numbers), np.int32)
    _segment_counts(numbers, segments, len(numbers), size, counts, shared)
    return counts, shared


_ngram_weights = kernel("ngram_weights", "i32* i64* i64 i64 i64 i32* u64* i64* f64 f64* f64*")


def ngram_weights(
    ids: Int32Array,
    offsets: IntArray,
    weighted: int,
    numbers: Int32Array,
    levels: Sequence[Continuations],
    values: Sequence[FloatArray],
    other: float,
) -> tuple[FloatArray, FloatArray]:
    """The value of the n-gram that starts at each token of the first `weighted` sentences, (tokens,
    orders); and of all sentences the squared length of the vector of counts times values, (sentences,
    orders), its terms added in order of first appearance.

    numbers: (types,) those of words, -1 where the table does not have one. levels: its n-grams of 2
    words and more. values: those of its n-grams of each order. other: the value where the table does
    not have an n-gram, or the sentence ends before it does.
    """
    sentences, orders = len(offsets) - 1, len(values)
    weights, squares = np.empty((int(offsets[weighted]), orders)), np.zeros((sentences, orders))
    _ngram_weights(
        ids, offsets, sentences, weighted, orders, numbers, addresses_of(levels, values),
        np.array([len(array) for array in values]), other, weights, squares,
    )  # fmt: skip
    return weights, squares


def addresses_of(levels: Sequence[Continuations], values: Sequence[FloatArray]) -> Addresses:
    """(orders, 6): where a kernel finds the arrays of each order; of words, only their values."""
    addresses = np.zeros((len(values), 6), np.uint64)
    for row, level in zip(addresses[1:], levels, strict=True):
        arrays = level.children, level.lasts, level.parents, level.slots
        if any(array.dtype != np.int32 or not array.flags.c_contiguous for array in arrays):
            raise TypeError("expected contiguous arrays of int32")
        row[:5] = [*(array.ctypes.data for array in arrays), len(level.slots)]
    for row, array in zip(addresses, values, strict=True):
        if array.dtype != np.float64 or not array.flags.c_contiguous:
            raise TypeError("expected contiguous arrays of float64")
        row[5] = array.ctypes.data
    return addresses
