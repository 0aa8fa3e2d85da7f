"""Vectors of whole sentences: NNRK's inputs x.

`wiki-gw50` is the average of the 50-dimensional GloVe vectors of the words (section 4.1), from
the table that comes with Cupel; `wiki-gw50-full` that from the whole table of 400,000 words, and
`vectors=FILE` from any other. `syntax25` is the vector of the root in a recursive network over
the parse (`cupel.neural.recursive`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from cupel.batch import FloatArray
from cupel.nnrk.features import SentenceVectors
from cupel.text.tokenizers import Tokenizer
from cupel.text.vectors import EMBEDDED, FULL, open_vectors


@dataclass(frozen=True)
class Average:
    """The analyser sentences -> sums of their words' vectors over the number of words.

    all_words: divide by the number of all words, with unknown ones as zero vectors, as the paper's
    E f / N does; words that a system left untranslated, say, then shorten the vector.
    """

    table: str = EMBEDDED
    tokenize: str = "13a"
    all_words: bool = True

    @property
    def dimension(self) -> int:
        return open_vectors(self.table).dimension

    def __call__(self, sentences: Sequence[str]) -> FloatArray:
        vectors = open_vectors(self.table)
        tokens = Tokenizer(self.tokenize, lowercase=True)(sentences)
        means = vectors.centroids(tokens)
        if not self.all_words:
            return means
        known = np.append(0, np.cumsum((vectors.rows(tokens.types) >= 0)[tokens.ids]))
        counts = np.diff(known[tokens.offsets])
        return means * (counts / np.maximum(tokens.lengths, 1))[:, None]

    def signature(self) -> str:
        words = "all" if self.all_words else "known"
        return f"{open_vectors(self.table).signature()}.{self.tokenize}.{words}"


def _syntax25() -> SentenceVectors:
    from cupel.nnrk.syntax import Syntax

    return Syntax()


def _minilm() -> SentenceVectors:
    from cupel.nnrk.contextual import SentenceVector

    return SentenceVector()


VECTORS: dict[str, Callable[[], SentenceVectors]] = {
    "wiki-gw50": Average,
    "wiki-gw50-full": lambda: Average(FULL),
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
