"""The n-grams of a whole corpus, numbered: what NIST's information and CIDEr's document
frequencies are counted over.

They form a trie: an n-gram is a continuation of its first n-1 words. Numbers are in order of first
appearance, so that what stands together in a text stands together here. The table is frozen and made
of plain arrays: workers get it once, and finding an n-gram takes a few steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cupel.arrays import Int32Array, IntArray
from cupel.text.tokens import Tokens

if TYPE_CHECKING:
    from cupel.kernels.tries import Continuations


@dataclass(frozen=True)
class NgramTable:
    """Numbers of all n-grams (n = 1..orders) of some text.

    vocabulary: token -> number of the 1-gram. levels: the n-grams for n = 2..orders.
    """

    vocabulary: Mapping[str, int]
    levels: tuple[Continuations, ...]

    @property
    def orders(self) -> int:
        return len(self.levels) + 1

    def sizes(self) -> list[int]:
        """How many distinct n-grams of each order there are."""
        return [len(self.vocabulary), *(len(level.lasts) for level in self.levels)]

    def lasts(self, n: int) -> Int32Array:
        """For each n-gram (n >= 2) its last word."""
        return self.levels[n - 2].lasts

    def prefixes(self, n: int) -> Int32Array:
        """For each n-gram (n >= 2) the number of its first n-1 words."""
        return self.levels[n - 2].parents

    def words(self, tokens: Tokens) -> Int32Array:
        """(types,): the number of each token's type, -1 where the table does not have it."""
        find = self.vocabulary.get
        return np.fromiter((find(word, -1) for word in tokens.types), np.int32, len(tokens.types))


def build(tokens: Tokens, orders: int) -> tuple[NgramTable, Int32Array]:
    """The table of all n-grams of `tokens`, and (total, orders) the number of the n-gram that starts
    at each of them, -1 where the sentence ends before it does.
    """
    from cupel.kernels.tries import number_continuations

    columns = np.empty((orders, len(tokens.ids)), np.int32)
    columns[0] = tokens.ids
    levels: list[Continuations] = []
    for n in range(2, orders + 1):
        shorter = len(levels[-1].lasts) if levels else len(tokens.types)
        level = number_continuations(
            tokens.ids, tokens.offsets, n, shorter, columns[n - 2], columns[n - 1]
        )
        levels.append(level)
    vocabulary = {word: number for number, word in enumerate(tokens.types)}
    return NgramTable(vocabulary, tuple(levels)), columns.T


def table_counts(numbers: Int32Array, size: int) -> IntArray:
    """(size,): how often each n-gram occurs among those of one column of numbers."""
    return np.bincount(numbers + 1, minlength=size + 1)[1:]
