"""Building the trie of `cupel.text.ngrams`, and finding n-grams in it."""

from __future__ import annotations

import numpy as np

from cupel.arrays import FloatArray, Int32Array, IntArray
from cupel.kernels import kernel

_find_continuations = kernel("find_continuations", "i64* i32* i64* i64 i64* i64 i64 i64*")

_places_by_word = kernel("places_by_word", "i64* i64 i64 i64*")
_number_continuations = kernel(
    "number_continuations", "i64* i64* i64 i64* i64 i64 i64 i64* i64* i32* i64*"
)
_segment_counts = kernel("segment_counts", "i64* i64 i64* i64 i64 f64*")


def find_continuations(
    starts: IntArray,
    lasts: Int32Array,
    offsets: IntArray,
    words: IntArray,
    n: int,
    numbers: IntArray,
) -> None:
    """Fill column n-1 of `numbers` from column n-2: continue each (n-1)-gram by its next word."""
    _find_continuations(
        starts, lasts, offsets, len(offsets) - 1, words, n, numbers.shape[1], numbers
    )


def places_by_word(words: IntArray, vocabulary: int) -> IntArray:
    """The places of words, by word, and of one word from left to right."""
    order = np.empty(len(words), np.int64)
    _places_by_word(words, len(words), vocabulary, order)
    return order


def number_continuations(
    words: IntArray, offsets: IntArray, by_word: IntArray, n: int, parents: int, numbers: IntArray
) -> tuple[IntArray, Int32Array]:
    """Fill column n-1 of `numbers` from column n-2: number the distinct n-grams.

    by_word: as from `places_by_word`. parents: how many (n-1)-grams there are. Returns the first
    n-gram of each of them (parents+1,), and the last word of each n-gram.
    """
    starts, lasts = np.empty(parents + 1, np.int64), np.empty(len(words), np.int32)
    count = np.zeros(1, np.int64)
    _number_continuations(
        words,
        offsets,
        len(offsets) - 1,
        by_word,
        n,
        numbers.shape[1],
        parents,
        numbers,
        starts,
        lasts,
        count,
    )
    return starts, lasts[: int(count[0])].copy()


def segment_counts(numbers: IntArray, n: int, segments: IntArray, size: int) -> FloatArray:
    """In how many segments each of `size` n-grams occurs: those of column n-1 of `numbers`.

    segments: that of each place, which never falls from one place to the next.
    """
    counts = np.zeros(size)
    column = numbers.reshape(-1)[n - 1 :]
    _segment_counts(column, numbers.shape[1], segments, len(numbers), size, counts)
    return counts
