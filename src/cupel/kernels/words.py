"""Splitting text into numbered words, in one pass over its code points."""

from __future__ import annotations

import numpy as np

from cupel.arrays import Bytes, Int32Array, IntArray
from cupel.kernels import kernel

# Which rules apply to what lies between white space: none, or those of a tokenizer.
NO_RULES, RULES_13A, RULES_CHRF, RULES_ZH, RULES_TERCOM = range(5)
# Classes of code points, added up: white space, a word of its own, such a word that takes the marks
# behind it, a mark.
WHITE, APART, TAKES_MARKS, MARK = 1, 2, 4, 8


_numbered_words = kernel("numbered_words", "i32* i64* i64 u8* i64 i64 i32* i64* i32* i64* i64*")


def numbered_words(
    codes: Int32Array, offsets: IntArray, classes: Bytes, rules: int
) -> tuple[Int32Array, IntArray, Int32Array, IntArray]:
    """Split sentences (code points, with the place where each starts) into words.

    classes: those of code points; beyond its end there are letters only. Returns the number of each
    word, where each sentence starts among them, and the distinct words: their code points one after
    the other, and where each starts.
    """
    total, sentences = len(codes), len(offsets) - 1
    ids, letters = np.empty(total, np.int32), np.empty(total, np.int32)  # no word is empty
    starts, ends = np.empty(total + 1, np.int64), np.empty(sentences + 1, np.int64)
    sizes = np.zeros(2, np.int64)
    _numbered_words(
        codes,
        offsets,
        sentences,
        classes,
        len(classes),
        rules,
        ids,
        ends,
        letters,
        starts,
        sizes,
    )
    words, distinct = sizes.tolist()
    starts = starts[: distinct + 1].copy()
    return ids[:words].copy(), ends, letters[: starts[-1]].copy(), starts


_replaced_codes = kernel("replaced_codes", "i32* i64 i32* i64 i32* i64*")


def replaced_codes(codes: Int32Array, table: Int32Array) -> Int32Array | None:
    """Each code point replaced by that of a table; None where it has none for one, or -1."""
    replaced, is_whole = np.empty(len(codes), np.int32), np.zeros(1, np.int64)
    _replaced_codes(codes, len(codes), table, len(table), replaced, is_whole)
    return replaced if is_whole[0] else None
