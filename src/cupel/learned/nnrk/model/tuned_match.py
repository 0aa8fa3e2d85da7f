"""How well words match their reference by vectors and weights that were learned from preferences.

`word-match` takes word vectors as they are, and the rarity of a word for what it counts. Here both are
learned (`cupel.learned.nnrk.training.matches`), with greedy matching as there: each word is matched with
the most similar word of the other side, each two neighbours with two neighbours, and each word in its
context, its vector with a share of the four around it, with a word in its context. Scoring needs NumPy alone.

Columns: for words, neighbours and words in context each precision, recall and F, all words alike, then
weighted; behind those of single words, the weight of words whose match is better than each of LEVELS,
softly counted, of the translation and of the reference. Then the cosine of the weighted sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from cupel.arrays import Float32Array
from cupel.batch import Batch, FloatArray
from cupel.learned.nnrk.model.inputs import check_finite
from cupel.models import model_folder
from cupel.neural.weights import load_arrays
from cupel.text.tokenizers import Tokenizer
from cupel.text.unknown_words import unknown_vectors
from cupel.text.vectors import DISTILLED, open_vectors

if TYPE_CHECKING:
    from cupel.corpus import Corpus

KIND = "nnrk-match"
LEVELS = (0.6, 0.9)
STEEPNESS = 12.0
COLUMNS = 3 * 6 + 2 * len(LEVELS) + 1
RARITY = 0.05
"""Added to a word's rarity before its logarithm is taken, so that the most frequent word has one."""


@dataclass(frozen=True)
class Words:
    """What was learned: of each word of the table `DISTILLED` a vector and a weight.

    vectors     (words, d); their lengths mean nothing
    weights     (words,)
    projection  (dimension of the table, d): makes a vector of the letters of any other word
    unknown     the weight of any other word
    context     shares of the words next to a word, and of those after them
    checksum    of the file
    """

    vectors: Float32Array
    weights: Float32Array
    projection: Float32Array
    unknown: float
    context: tuple[float, float]
    checksum: str


@cache
def open_words(folder: str | None = None) -> Words:
    """The words in a folder, or those that come with Cupel."""
    arrays, card = load_arrays(folder or model_folder(KIND), KIND)
    near, far = arrays["context"].astype(float).tolist()
    return Words(
        arrays["vectors"].astype(np.float32),
        arrays["weights"].astype(np.float32),
        arrays["projection"].astype(np.float32),
        float(arrays["unknown"][0]),
        (near, far),
        str(card["sha256"]),
    )


@dataclass(frozen=True)
class _Sentence:
    """Vectors of unit length and weights: of words, of neighbours, of words in context; the sum's."""

    grams: tuple[tuple[Float32Array, Float32Array], ...]
    total: Float32Array


@dataclass(frozen=True)
class TunedMatch:
    """The matches as skip-arc features; folder: see `open_words`."""

    folder: str | None = None
    tokenize: str = "13a"

    def __post_init__(self) -> None:
        open_words(self.folder)  # what is not there is an error now

    @property
    def name(self) -> str:
        return "tuned-match" if self.folder is None else f"tuned-match={self.folder}"

    def prepare(self, corpus: Corpus) -> TunedMatch:
        return self

    def signature(self) -> str:
        return f"tuned-match.{open_words(self.folder).checksum[:12]}.{self.tokenize}"

    def values(self, batch: Batch) -> FloatArray:
        """(n, COLUMNS) of items with one reference each."""
        tokens = batch.analyse(Tokenizer(self.tokenize, lowercase=True))
        vectors, weights = self._types(tokens.types)
        context = open_words(self.folder).context
        out = np.zeros((len(batch), COLUMNS))

        def sentence(row: int) -> _Sentence:
            ids = tokens.ids[tokens.offsets[row] : tokens.offsets[row + 1]]
            return _sentence(vectors[ids], weights[ids], context)

        last, reference = -1, None
        for row in np.argsort(batch.reference_index, kind="stable").tolist():
            if (own := int(batch.reference_index[row])) != last or reference is None:
                last, reference = own, sentence(own)
            out[row] = _matched(sentence(int(batch.hypothesis_index[row])), reference)
        return check_finite(self.name, out)

    def _types(self, types: Sequence[str]) -> tuple[Float32Array, Float32Array]:
        """(types, d) vectors of unit length, and the weight of each type."""
        words, table = open_words(self.folder), open_vectors(DISTILLED)
        rows = table.rows(types)
        missing = np.flatnonzero(rows < 0)
        vectors, weights = words.vectors[rows], words.weights[rows]
        letters = unknown_vectors(
            [types[row] for row in missing.tolist()], table.dimension, "letters"
        )
        vectors[missing] = _unit(letters) @ words.projection
        weights[missing] = words.unknown
        return _unit(vectors), weights


def _unit(vectors: Float32Array) -> Float32Array:
    lengths = np.sqrt(np.einsum("...i,...i->...", vectors, vectors))[..., None]
    unit: Float32Array = vectors / np.maximum(lengths, 1e-9)
    return unit


def _sentence(
    words: Float32Array, weights: Float32Array, context: tuple[float, float]
) -> _Sentence:
    around = words.copy()
    for distance, share in enumerate(context, 1):
        around[distance:] += share * words[:-distance]
        around[:-distance] += share * words[distance:]
    neighbours = _unit(words[:-1] + words[1:]), weights[:-1] + weights[1:]
    return _Sentence(
        ((words, weights), neighbours, (_unit(around), weights)), _unit(weights @ words)
    )


def _matched(translation: _Sentence, reference: _Sentence) -> list[float]:
    columns: list[float] = []
    for size, ((words, weights), (others, their_weights)) in enumerate(
        zip(translation.grams, reference.grams, strict=True)
    ):
        levels = LEVELS if size == 0 else ()
        if not len(words) or not len(others):
            columns += [0.0] * (6 + 2 * len(levels))
            continue
        cosines = words @ others.T
        here, there = cosines.max(axis=1), cosines.max(axis=0)
        w, v = weights / weights.sum(), their_weights / their_weights.sum()
        for p, r in (
            (float(here.mean()), float(there.mean())),
            (float(here @ w), float(there @ v)),
        ):
            columns += [p, r, 2 * p * r / max(p + r, 0.01)]
        for level in levels:
            columns += [float(_above(here, level) @ w), float(_above(there, level) @ v)]
    return [*columns, float(translation.total @ reference.total)]


def _above(cosines: Float32Array, level: float) -> Float32Array:
    counted: Float32Array = 1 / (1 + np.exp(-STEEPNESS * (cosines - level)))
    return counted
