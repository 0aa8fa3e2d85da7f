"""What the dep-ngrams of references score in translations, for whole batches.

`exact_sums` looks for the words themselves (RED); `aligned_sums` goes by an alignment, one match
per word (REDp, DEPREF with resources).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cupel.arrays import Bytes, FloatArray, Int32Array, IntArray
from cupel.kernels import kernel

RELATIVE, COSINE, ABSOLUTE = range(3)
"""The distances by which a chain is matched."""

PARTS = 6
"""Of each length, sums by matcher (exact, stem, synonym) and by function or content words."""


class Forest(NamedTuple):
    """Trees and their structures, as `Trees` and `DepNgrams` have them."""

    ids: Int32Array
    offsets: IntArray
    heads: Int32Array
    structures: Int32Array
    structure_offsets: IntArray


class Text(NamedTuple):
    """Translations, in ids of the same vocabulary."""

    ids: Int32Array
    offsets: IntArray


_exact_sums = kernel(
    "exact_sums", "i32* i64* i64 i32* i64* i32* i32* i64* i64* i64* i64 i64 i64 i64 f64*"
)


def exact_sums(
    text: Text,
    forest: Forest,
    hypotheses: IntArray,
    references: IntArray,
    vocabulary: int,
    longest: int,
    kind: int,
) -> FloatArray:
    """(pairs, longest): the sum of the scores of the dep-ngrams of each length."""
    sums = np.zeros((len(hypotheses), longest))
    _exact_sums(
        *text, len(text.offsets) - 1, *forest, hypotheses, references, len(sums),
        vocabulary, longest, kind, sums,
    )  # fmt: skip
    return sums


_exact_matches = kernel(
    "exact_matches", "i32* i64 i32* i64* i32* i32* i64* i64 i64 i64 i64 i32* f64* i64*"
)


def exact_matches(
    text: Text, forest: Forest, h: int, r: int, vocabulary: int, longest: int, kind: int
) -> tuple[Int32Array, FloatArray]:
    """All matches of one pair, for people: rows [kind, n, positions in reference and translation].

    kind: 0 for a chain, else 1 + that of the structure; the positions fill 2 * longest columns.
    Beside them the score of each.
    """
    ours = text.ids[text.offsets[h] : text.offsets[h + 1]]
    most = longest * np.diff(forest.offsets)[r] + np.diff(forest.structure_offsets)[r]
    rows, scores = np.zeros((most, 2 + 2 * longest), np.int32), np.zeros(most)
    count = np.zeros(1, np.int64)
    _exact_matches(ours, len(ours), *forest, r, vocabulary, longest, kind, rows, scores, count)
    return rows[: count[0]], scores[: count[0]]


_aligned_sums = kernel(
    "aligned_sums", "i32* i64* i32* i32* i64* i64 i64* i64 i32* i64* u8* i64 i64 f64*"
)


def aligned_sums(
    forest: Forest,
    references: IntArray,
    matches: Int32Array,
    match_offsets: IntArray,
    is_function: Bytes,
    longest: int,
    kind: int,
) -> FloatArray:
    """(pairs, longest, PARTS): the sums of the dep-ngrams' scores by matcher and kind of word.

    matches: of words, as `cupel.kernels.alignment` keeps them; is_function: of each word id.
    """
    parts = np.zeros((len(references), longest, PARTS))
    _aligned_sums(
        *forest, len(forest.offsets) - 1, references, len(references), matches, match_offsets,
        is_function, longest, kind, parts,
    )  # fmt: skip
    return parts


_score_of = kernel("score_of", "i32* i32* i64 i64 f64*")


def score_of(chain: Int32Array, where: Int32Array, n: int, kind: int) -> float:
    """The score of one way to match a chain; 0 where the words are not in the reference's order."""
    score = np.zeros(1)
    _score_of(chain, where, n, kind, score)
    return float(score[0])
