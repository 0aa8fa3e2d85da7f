"""Vectors of whole sentences: NNRK's inputs x.

`wiki-gw50` is the average of the 50-dimensional GloVe vectors of the words (section 4.1), from
the table that comes with Cupel; `wiki-gw50-full` that from the whole table of 400,000 words, and
`vectors=FILE` from any other. All words without a vector share one that points elsewhere than the
others: what a system left untranslated shows. `wiki-gw50-zero` takes zeros for them, and then
little of it does. `syntax25` is the vector of the root in a recursive network over the parse
(`cupel.learned.nnrk.model.recursive`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from cupel.batch import FloatArray
from cupel.learned.nnrk.model.features import SentenceVectors
from cupel.text.tokenizers import Tokenizer
from cupel.text.vectors import EMBEDDED, FULL, open_vectors

FREQUENT = 10_000
"""Words, the first of a table, whose vectors' spread an unknown word's has too."""


@cache
def unknown_vector(table: str) -> FloatArray:
    """The vector of all words that a table lacks: its spread, by signs drawn once and for all.

    The paper does not tell its own. What counts is a direction that words do not take: the mean of
    all vectors in this place, or zeros, hide how many words of a sentence are unknown.
    """
    vectors = open_vectors(table)
    blocks = -(-vectors.dimension // 256)
    digests = [hashlib.sha256(f"unknown word {n}".encode()).digest() for n in range(blocks)]
    bits = np.unpackbits(np.frombuffer(b"".join(digests), np.uint8))[: vectors.dimension]
    spread = float(np.std(vectors.matrix[:FREQUENT], dtype=np.float64))
    return np.where(bits > 0, spread, -spread)


@dataclass(frozen=True)
class Average:
    """The analyser sentences -> sums of their words' vectors over the number of all words, E f / N.

    unknown: whether words that the table lacks have a vector too; zeros else.
    """

    table: str = EMBEDDED
    tokenize: str = "13a"
    unknown: bool = True

    @property
    def dimension(self) -> int:
        return open_vectors(self.table).dimension

    def __call__(self, sentences: Sequence[str]) -> FloatArray:
        vectors = open_vectors(self.table)
        tokens = Tokenizer(self.tokenize, lowercase=True)(sentences)
        known = np.append(0, np.cumsum((vectors.rows(tokens.types) >= 0)[tokens.ids]))
        counts = np.diff(known[tokens.offsets])
        lengths = np.maximum(tokens.lengths, 1)
        found: FloatArray = vectors.centroids(tokens) * (counts / lengths)[:, None]
        if self.unknown:
            found += ((tokens.lengths - counts) / lengths)[:, None] * unknown_vector(self.table)
        return found

    def signature(self) -> str:
        unknown = "unknown" if self.unknown else "zero"
        return f"{open_vectors(self.table).signature()}.{self.tokenize}.{unknown}"


def _syntax25() -> SentenceVectors:
    from cupel.learned.nnrk.model.syntax import Syntax

    return Syntax()


def _minilm() -> SentenceVectors:
    from cupel.learned.nnrk.model.contextual import SentenceVector

    return SentenceVector()


VECTORS: dict[str, Callable[[], SentenceVectors]] = {
    "wiki-gw50": Average,
    "wiki-gw50-full": lambda: Average(FULL),
    "wiki-gw50-zero": lambda: Average(unknown=False),
    "syntax25": _syntax25,
    "minilm": _minilm,
}


def named_vectors(name: str) -> SentenceVectors | None:
    """The sentence vectors of that name; None where a name is not that of vectors."""
    if name.startswith("vectors="):
        vectors = Average(name.removeprefix("vectors="))
        _ = vectors.dimension  # a file that is not there is said now
        return vectors
    make = VECTORS.get(name)
    return make() if make else None
