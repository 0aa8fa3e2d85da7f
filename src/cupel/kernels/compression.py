"""How much of a text its references already say: variants replaced, all compressed jointly.

The measure that `badger:measure=compression` takes, over a whole batch.
"""

from __future__ import annotations

import numpy as np

from cupel.arrays import FloatArray, Int32Array, IntArray
from cupel.kernels import kernel

NEW_SYMBOL = 6.0
"""Bits of a symbol that the text has not had yet."""

GROUPS = ("dt", "gj", "lr", "mn", "bpv", "aeiou")
"""Letters that are alike."""


_joint_similarities = kernel(
    "joint_similarities",
    "i32* i64* i64 i64* i32* i32* i64* i64 i64* i64* i64* i64 i64 f64 i64 f64*",
)


def joint_similarities(
    words: Int32Array,
    word_offsets: IntArray,
    text_ranks: IntArray,
    letters: Int32Array,
    groups: Int32Array,
    letter_offsets: IntArray,
    hypotheses: IntArray,
    references: IntArray,
    reference_offsets: IntArray,
    alphabet: int,
    threshold: float,
    shortest: int,
) -> FloatArray:
    """The score of each item.

    words, word_offsets: word ids of all sentences; text_ranks: of each sentence, its place in the
    order of the texts, equal texts alike; letters, groups, letter_offsets: those of each word;
    hypotheses, references, reference_offsets: the items, as in `Batch`; threshold, shortest: a
    word of that many letters or more is replaced by one at least that similar.
    """
    scores = np.zeros(len(hypotheses))
    _joint_similarities(
        words, word_offsets, len(word_offsets) - 1, text_ranks, letters, groups, letter_offsets,
        len(letter_offsets) - 1, hypotheses, references, reference_offsets, len(scores),
        alphabet, threshold, shortest, scores,
    )  # fmt: skip
    return scores


_compressed_bits = kernel("compressed_bits", "i32* i64 i64 f64*")


def compressed_bits(text: Int32Array, alphabet: int) -> float:
    """Bits that a text is taken to need; 0 for an empty text."""
    bits = np.zeros(1)
    _compressed_bits(text, len(text), alphabet, bits)
    return float(bits[0])


_local_similarity = kernel("local_similarity", "i32* i32* i64* f64*")


def local_similarity(letters: Int32Array, groups: Int32Array, offsets: IntArray) -> float:
    """How alike two words are spelled: 0 to 1.

    letters, groups: of both words, equal numbers in `groups` for letters that are alike; offsets:
    where the first word starts, where the second, and where that ends.
    """
    similarity = np.zeros(1)
    _local_similarity(letters, groups, offsets, similarity)
    return float(similarity[0])
