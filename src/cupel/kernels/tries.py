"""Finding n-grams in the trie of `cupel.text.ngrams`."""

from __future__ import annotations

from cupel.arrays import Int32Array, IntArray
from cupel.kernels import kernel

_find_continuations = kernel("find_continuations", "i64* i32* i64* i64 i64* i64 i64 i64*")


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
