"""METEOR's alignments of whole batches: matches, the best of them, and what they add up to.

A match says that words `reference_start ... + reference_length` of the reference correspond to
words `hypothesis_start ... + hypothesis_length` of the hypothesis, and which matcher found it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cupel.arrays import Bytes, FloatArray, Int32Array, IntArray
from cupel.errors import CupelError
from cupel.kernels import kernel

Units = npt.NDArray[np.uint16]

LONGEST = 30_000
"""Tokens of a sentence at most, so that the merits of a path of the search fit their bits."""

MOST_MATCHES = 10_000_000
"""Pairs of words with the same stem in two sentences at most: all of them are kept in memory."""

STATISTICS = 23
"""[hypothesis length, reference length, function words of both, for each of 4 matchers
(content words of the hypothesis, of the reference, function words of either), chunks,
matched words of the hypothesis, of the reference]: METEOR's own order."""


class Sentences(NamedTuple):
    """Token ids, as in `Tokens`, and the phrases of each sentence, as `find_phrases` gives them."""

    ids: Int32Array
    offsets: IntArray
    phrase_offsets: IntArray
    phrases: Int32Array


class Words(NamedTuple):
    """What the matchers know of each token id.

    key and stem are Java's 32-bit hash codes of the word and its stem: the jar compares those, and
    "le" matches "n'" in French because theirs are equal.

    synset_spans (ids, 2): the word's synonym sets are `synsets[start:end]`
    """

    key: Int32Array
    stem: Int32Array
    is_function: Bytes
    synset_spans: Int32Array
    synsets: Int32Array


_align = kernel(
    "align",
    "i32* i64* i64* i32* i64 i32* i32* u8* i32* i32* i32* i32* i64 i64 i64* i64* i64 f64* i64 i32* i64*",
)


def align(
    sentences: Sentences,
    words: Words,
    paraphrases: Int32Array,
    modules: Int32Array,
    beam: int,
    hypotheses: IntArray,
    references: IntArray,
    keep: bool,
) -> tuple[FloatArray, Int32Array, IntArray]:
    """Align pairs of sentences (as rows of `sentences`).

    paraphrases: the phrase of each entry of the table; modules: the matchers by number, in their
    order. Returns the `STATISTICS` of each pair and, with `keep`, the chosen matches of all pairs
    (reference start, length, hypothesis start, length, place of the matcher in `modules`) and the
    offsets of each pair's.
    """
    _check_matches(sentences, words, hypotheses, references)
    pairs = len(hypotheses)
    statistics = np.zeros((pairs, STATISTICS))
    most = int(np.diff(sentences.offsets)[references].sum()) if keep else 0
    kept, kept_offsets = np.empty((most, 5), np.int32), np.empty(pairs + 1, np.int64)
    _align(
        *sentences, len(sentences.offsets) - 1, *words, paraphrases, modules, len(modules), beam,
        hypotheses, references, pairs, statistics, keep, kept, kept_offsets,
    )  # fmt: skip
    return statistics, kept[: kept_offsets[-1]].copy(), kept_offsets


def _check_matches(
    sentences: Sentences, words: Words, hypotheses: IntArray, references: IntArray
) -> None:
    lengths = np.diff(sentences.offsets)
    for pair in np.flatnonzero(lengths[hypotheses] * lengths[references] > MOST_MATCHES):
        counts: list[dict[int, int]] = []
        for row in (hypotheses[pair], references[pair]):
            ids = sentences.ids[sentences.offsets[row] : sentences.offsets[row + 1]]
            stems, often = np.unique(words.stem[ids], return_counts=True)
            counts.append(dict(zip(stems.tolist(), often.tolist(), strict=True)))
        matches = sum(often * counts[1].get(stem, 0) for stem, often in counts[0].items())
        if matches > MOST_MATCHES:
            raise CupelError(
                f"METEOR compares texts with up to {MOST_MATCHES:,} pairs of equal words; these "
                f"have {matches:,}: the same words come again and again"
            )


_hash_codes = kernel("hash_codes", "u16* i64* i64 i32*")


def hash_codes(units: Units, offsets: IntArray) -> Int32Array:
    """Java's `String.hashCode` of words given as UTF-16."""
    codes = np.empty(len(offsets) - 1, np.int32)
    _hash_codes(units, offsets, len(codes), codes)
    return codes
