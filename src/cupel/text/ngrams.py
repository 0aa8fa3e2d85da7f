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

from cupel.arrays import FloatArray, Int32Array, IntArray
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
    vocabulary = dict(zip(tokens.types, range(len(tokens.types)), strict=True))
    return NgramTable(vocabulary, tuple(levels)), columns.T


def build_shared(
    tokens: Tokens, orders: int, segments: Int32Array
) -> tuple[NgramTable, tuple[FloatArray, ...]]:
    """A table that has all n-grams which occur in more than one segment, and some others; and in how
    many segments each of its n-grams occurs.

    segments: that of each token. An n-gram is left out where one of its (n-1)-grams is in one segment.
    """
    from cupel.kernels.tries import number_continuations, segment_counts

    counts, shared = segment_counts(tokens.ids, segments, len(tokens.types))
    levels, all_counts = [], [counts]
    numbers = np.empty(len(tokens.ids), np.int32)
    for n in range(2, orders + 1):
        level = number_continuations(tokens.ids, tokens.offsets, n, len(counts), shared, numbers)
        counts, shared = segment_counts(numbers, segments, len(level.lasts))
        levels.append(level)
        all_counts.append(counts)
    vocabulary = dict(zip(tokens.types, range(len(tokens.types)), strict=True))
    return NgramTable(vocabulary, tuple(levels)), tuple(all_counts)


def table_counts(numbers: Int32Array, size: int) -> IntArray:
    """(size,): how often each n-gram occurs among those of one column of numbers."""
    return np.bincount(numbers + 1, minlength=size + 1)[1:]
