"""Averages of word vectors as vectors of sentences: the inputs x of NNRK (section 4.1).

All words without a vector share one that no other word is near to, so that words that a system left
untranslated show.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from cupel.batch import FloatArray
from cupel.text.tokenizers import Tokenizer
from cupel.text.vectors import EMBEDDED, open_vectors

FREQUENT = 10_000
"""Words, the first of a table, whose vectors' spread an unknown word's has too."""


@cache
def unknown_vector(table: str) -> FloatArray:
    """The vector of all words that a table lacks: the table's spread, with fixed random signs.

    The paper does not say which it takes. The mean of all vectors, or zeros, would hide how many
    words of a sentence are unknown.
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
        so_far = np.append(0, np.cumsum((vectors.rows(tokens.types) >= 0)[tokens.ids]))
        counts = np.diff(so_far[tokens.offsets])
        lengths = np.maximum(tokens.lengths, 1)
        sums: FloatArray = vectors.centroids(tokens) * (counts / lengths)[:, None]
        if self.unknown:
            sums += ((tokens.lengths - counts) / lengths)[:, None] * unknown_vector(self.table)
        return sums

    def signature(self) -> str:
        unknown = "unknown" if self.unknown else "zero"
        return f"{open_vectors(self.table).signature()}.{self.tokenize}.{unknown}"
