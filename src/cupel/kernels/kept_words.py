"""Words where an earlier analysis found them: numbered, or with blanks between them."""

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


_hash_places = kernel("hash_places", "u64* i64 u64* i64 i64* i64*")


def hash_places(hashes: Hashes, others: Hashes, starts: IntArray) -> IntArray:
    """That value of `starts` whose hashes are the same, or -1; others: ascending in their first part."""
    places = np.empty(len(hashes), np.int64)
    _hash_places(hashes, len(hashes), others, len(others), starts, places)
    return places


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


_numbered_kept_words = kernel(
    "numbered_kept_words", "i32* i64* i64 i64* u8* i64 u8* i64 i32* i64* i32* i64* i64*"
)


def numbered_kept_words(
    codes: Int32Array, offsets: IntArray, starts: IntArray, words: Bytes, classes: Bytes
) -> tuple[Int32Array, IntArray, Int32Array, IntArray]:
    """The words of the same sentences, as `cupel.kernels.words.numbered_words` gives them.

    classes: those of code points; white space separates words too, as it does in a sentence that
    has no place in `words`.
    """
    total = len(codes)
    ids, letters = np.empty(total, np.int32), np.empty(total, np.int32)  # no word is empty
    ends, letter_starts = np.empty(len(offsets), np.int64), np.empty(total + 1, np.int64)
    sizes = np.zeros(2, np.int64)
    _numbered_kept_words(
        codes, offsets, len(starts), starts, words, len(words), classes, len(classes), ids, ends,
        letters, letter_starts, sizes,
    )  # fmt: skip
    count, distinct = sizes.tolist()
    letter_starts = letter_starts[: distinct + 1].copy()
    return ids[:count].copy(), ends, letters[: letter_starts[-1]].copy(), letter_starts
