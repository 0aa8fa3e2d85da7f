"""Text as ReVal's model reads it: trees whose nodes are rows of a matrix of word vectors.

Words are taken in lower case, as GloVe 6B spells them; see `cupel.text.unknown_words` for those
that have no vector. HTML entities become the characters they stand for before a sentence is parsed,
as the tokenizer of the Stanford parser did for the paper: the judges saw `Ukraine's` where a system
of WMT12 wrote `Ukraine&#39;s`, and a tree of that is a tree of other words.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cupel.arrays import Float32Array
from cupel.learned.reval.model.forest import Forest
from cupel.metric import Signature
from cupel.syntax.parser import Parser, TreeSource
from cupel.syntax.trees import Trees
from cupel.text.tokens import number
from cupel.text.unknown_words import check_unknown, unknown_vectors
from cupel.text.vectors import Vectors

_ENTITY = re.compile(r"&(?:#\d+|#[xX][0-9a-fA-F]+|[A-Za-z]+\d*);")


@dataclass(frozen=True)
class Unescaped:
    """The analyser sentences -> `Trees` that parses what HTML entities stand for."""

    parser: Parser

    def __call__(self, sentences: Sequence[str]) -> Trees:
        return self.parser([unescaped(text) for text in sentences])

    def signature(self) -> Signature:
        return self.parser.signature() + Signature.of(entities="unescaped")


def unescaped(text: str) -> str:
    r"""HTML entities as characters; a bare `&` stays.

    >>> unescaped("Ukraine&#39;s R&D &quot;now&quot;")
    'Ukraine\'s R&D "now"'
    """
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), text) if "&" in text else text


def plain(source: TreeSource) -> TreeSource:
    """A parser that reads entities; trees that are given as they are."""
    return Unescaped(source) if isinstance(source, Parser) else source


def forest_of(trees: Trees) -> tuple[Forest, list[str]]:
    """The trees with numbers of lower-cased words at their nodes, and these words."""
    ids, words = number((word.lower() for word in trees.words.types), len(trees.words.types))
    return Forest(ids[trees.words.ids], trees.heads, trees.offsets), words


def word_matrix(words: Sequence[str], vectors: Vectors, unknown: str = "hash") -> Float32Array:
    """(len(words), dimension): the vector of each word."""
    check_unknown(unknown)
    rows = vectors.rows(words)
    dimension = int(vectors.matrix.shape[1])
    matrix = np.zeros((len(words), dimension), np.float32)
    inside = rows >= 0
    matrix[inside] = vectors.matrix[rows[inside]]
    missing = np.flatnonzero(~inside)
    matrix[missing] = unknown_vectors([words[row] for row in missing.tolist()], dimension, unknown)
    return matrix
