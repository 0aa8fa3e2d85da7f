"""Putting blanks between words where an earlier analysis had them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cupel.arrays import Bytes, Int32Array, IntArray
from cupel.kernels import kernel

Hashes = npt.NDArray[np.uint64]

_sentence_hashes = kernel("sentence_hashes", "i32* i64* i64 u64*")


def sentence_hashes(codes: Int32Array, offsets: IntArray) -> Hashes:
    """(sentences, 2): numbers that stand for each sentence (code points, and where each starts)."""
    hashes = np.empty((len(offsets) - 1, 2), np.uint64)
    _sentence_hashes(codes, offsets, len(hashes), hashes)
    return hashes


_spaced_words = kernel("spaced_words", "i32* i64* i64 i64* u8* i64 i32* i64*")


def spaced_words(
    codes: Int32Array, offsets: IntArray, starts: IntArray, words: Bytes
) -> tuple[Int32Array, IntArray]:
    """The sentences with one blank between words, and where each starts.

    starts: the place of each sentence in `words`, or -1 where it stays as it is. words: from there, one
    bit for each code point that is no blank, the lowest first, 1 where another word starts, and as many
    bytes as if there were no blank.
    """
    spaced, ends = np.empty(2 * len(codes) + 1, np.int32), np.empty(len(offsets), np.int64)
    _spaced_words(codes, offsets, len(starts), starts, words, len(words), spaced, ends)
    return spaced[: ends[-1]], ends
