"""How well the words of a translation match those of its reference, by word vectors alone.

Each word is matched with the most similar word of the other side, and so is each two neighbouring
words with two neighbours there, whose vectors are added: what a translation orders otherwise costs.
Greedy matching as in BERTScore (Zhang et al. 2020), with vectors that know no context, so that
nothing is needed beyond Cupel. A word without a vector has one of its letters (see
`cupel.text.unknown_words`): names that are spelled alike match in part.

Columns, for single words and then for neighbours: precision, recall and F, all words alike; the same,
with words weighted by how rare they are. Then the cosine of the weighted sums.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cupel.arrays import Float32Array
from cupel.batch import Batch, FloatArray
from cupel.learned.nnrk.model.inputs import check_finite
from cupel.text.tokenizers import Tokenizer
from cupel.text.tokens import Tokens
from cupel.text.unknown_words import unknown_vectors
from cupel.text.vectors import DISTILLED, open_vectors

if TYPE_CHECKING:
    from cupel.corpus import Corpus

SIZES = (1, 2)
COLUMNS = 6 * len(SIZES) + 1


@dataclass(frozen=True)
class WordMatch:
    """The matches as skip-arc features; table: see `cupel.text.vectors`."""

    table: str = DISTILLED
    tokenize: str = "13a"

    def __post_init__(self) -> None:
        open_vectors(self.table)  # one that is not there is an error now

    @property
    def name(self) -> str:
        return "word-match" if self.table == DISTILLED else f"word-match={self.table}"

    def prepare(self, corpus: Corpus) -> WordMatch:
        return self

    def signature(self) -> str:
        return f"word-match.{open_vectors(self.table).signature()}.{self.tokenize}.letters"

    def values(self, batch: Batch) -> FloatArray:
        """(n, COLUMNS) of items with one reference each."""
        tokens = batch.analyse(Tokenizer(self.tokenize, lowercase=True))
        unit, weight = self._words(tokens)
        out = np.zeros((len(batch), COLUMNS))

        def grams(sentence: int) -> list[Float32Array]:
            ids = tokens.ids[tokens.offsets[sentence] : tokens.offsets[sentence + 1]]
            return list(_grams(unit[ids], weight[ids]))

        last, reference = -1, grams(0) if len(batch) else []
        for row in np.argsort(batch.reference_index, kind="stable").tolist():
            if (own := int(batch.reference_index[row])) != last:
                last, reference = own, grams(own)
            out[row] = _matched(grams(int(batch.hypothesis_index[row])), reference)
        return check_finite(self.name, out)

    def _words(self, tokens: Tokens) -> tuple[Float32Array, Float32Array]:
        """(types, dimension) vectors of unit length, and the weight of each type."""
        vectors = open_vectors(self.table)
        rows = vectors.rows(tokens.types)
        missing = np.flatnonzero(rows < 0)
        matrix = np.asarray(vectors.matrix[np.maximum(rows, 0)], np.float32)
        matrix[missing] = unknown_vectors(
            [tokens.types[row] for row in missing.tolist()], vectors.dimension, "letters"
        )
        matrix /= np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)
        # Tables are in the order of frequency; by Zipf's law the logarithm of the place is what a
        # word tells.
        place = np.where(rows < 0, len(vectors), rows)
        return matrix, (np.log(place + 2) / np.log(len(vectors) + 2)).astype(np.float32)


def _grams(words: Float32Array, weights: Float32Array) -> Iterator[Float32Array]:
    """Vectors of unit length and their weights, of single words and of neighbours; then the sum."""
    yield words
    yield weights
    both = words[:-1] + words[1:]
    yield both / np.maximum(np.linalg.norm(both, axis=1, keepdims=True), 1e-9)
    yield weights[:-1] + weights[1:]
    total = weights @ words
    yield total / max(float(np.linalg.norm(total)), 1e-9)


def _matched(translation: list[Float32Array], reference: list[Float32Array]) -> list[float]:
    columns: list[float] = []
    for size in range(len(SIZES)):
        (words, weights), (others, their_weights) = (
            side[2 * size : 2 * size + 2] for side in (translation, reference)
        )
        if not len(words) or not len(others):
            columns += [0.0] * 6
            continue
        cosines = words @ others.T
        here, there = cosines.max(axis=1), cosines.max(axis=0)
        uniform = float(here.mean()), float(there.mean())
        weighted = here @ weights / weights.sum(), there @ their_weights / their_weights.sum()
        for p, r in (uniform, (float(weighted[0]), float(weighted[1]))):
            columns += [p, r, 2 * p * r / (p + r) if p > 0 and r > 0 else 0.0]
    return [*columns, float(translation[-1] @ reference[-1])]
