"""TER-Plus (Snover et al. 2009) over whole batches: what words and phrases cost, and the search."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cupel.arrays import Bytes, Float32Array, FloatArray, Int32Array, IntArray
from cupel.kernels import kernel

Bits = npt.NDArray[np.uint64]

UNIT = 2.0**-30
"""Costs are multiples of this, so that their sums are exact in any order."""


class Costs(NamedTuple):
    """What each edit costs; `phrase_...` are the parameters of the cost of a paraphrase."""

    match: float
    insertion: float
    deletion: float
    substitution: float
    stem: float
    synonym: float
    shift: float
    phrase_constant: float
    phrase_log: float
    phrase_probability: float
    phrase_edits: float
    phrase_least: float
    phrase_most: float


class Limits(NamedTuple):
    """How far the search goes; `relaxed`: whether alike words and paraphrases move."""

    shift_size: int
    shift_distance: int
    candidates: int
    beam: int
    relaxed: bool


class Vocabulary(NamedTuple):
    """What is known of each token id: stem, synonym sets, and whether it is a content word.

    The sets of token t are `synsets[synset_offsets[t]:synset_offsets[t + 1]]`, sorted, and set s
    has bit s % 64 in `synset_masks[t]`.
    """

    stem: Int32Array
    synset_masks: Bits
    synset_offsets: IntArray
    synsets: Int32Array
    content: Bytes


class PhraseTable(NamedTuple):
    """Exchanges of phrase p: `phrases[offsets[p]:offsets[p + 1]]`, with their probabilities.

    A phrase is a node of a trie whose root is 0: its last word is `word`, the phrase before that
    `parent`, longer ones are `children[p]` to `children[p + 1]` in order of their word; `first`
    are the root's children by word. `token` has the token id of each word and `number` the word of
    each token id, -1 where there is none.
    """

    offsets: Int32Array
    phrases: Int32Array
    probabilities: Float32Array
    word: Int32Array
    parent: Int32Array
    children: Int32Array
    first: Int32Array
    token: Int32Array
    number: Int32Array


_terp_edits = kernel(
    "terp_edits",
    "i32* i64* i32* u64* i64* i32* u8* i64 i32* i32* f32* i32* i32* i32* i32* i32* i32* i64 f64* i64* i64* i64* i64* i64 f64*",
)


def terp_edits(
    ids: Int32Array,
    offsets: IntArray,
    vocabulary: Vocabulary,
    table: PhraseTable,
    costs: Costs,
    limits: Limits,
    hypothesis_index: IntArray,
    reference_index: IntArray,
    reference_offsets: IntArray,
) -> FloatArray:
    """(n, 2): the least cost over an item's references, and the mean of their lengths."""
    result = np.zeros((len(hypothesis_index), 2))
    _terp_edits(
        ids, offsets, *vocabulary, len(vocabulary.stem), *table, len(table.phrases),
        np.array(costs, np.float64), np.array(limits, np.int64),
        hypothesis_index, reference_index, reference_offsets, len(result), result,
    )  # fmt: skip
    return result


_both_ways = kernel("both_ways", "i32* i64 i32* f32* i32* i32* f32*")


def both_ways(
    offsets: Int32Array, paraphrases: Int32Array, weights: Float32Array
) -> tuple[Int32Array, Int32Array, Float32Array]:
    """A table in which each entry stands under its phrase, and under its paraphrase, too."""
    total = 2 * len(paraphrases)
    ends = np.zeros(len(offsets), np.int32)
    phrases, probabilities = np.empty(total, np.int32), np.empty(total, np.float32)
    _both_ways(offsets, len(offsets) - 1, paraphrases, weights, ends, phrases, probabilities)
    return ends, phrases, probabilities
