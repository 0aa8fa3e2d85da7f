"""The n-grams of a whole corpus, numbered: what NIST's information and CIDEr's document
frequencies are counted over.

They form a trie: the n-grams that continue one (n-1)-gram stand next to each other, in order of
their last word, so an n-gram's number is its place among all of its order. The table is frozen
and made of plain arrays: workers get it once, and finding an n-gram takes a few steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from cupel.arrays import Int32Array, IntArray
from cupel.text.tokens import Tokens


@dataclass(frozen=True)
class NgramTable:
    """Numbers of all n-grams (n = 1..orders) of some text.

    vocabulary: token -> number of the 1-gram. For n = 2..orders, the continuations of the
    (n-1)-gram p are the n-grams starts[n-2][p] to starts[n-2][p+1], with last words lasts[n-2].
    """

    vocabulary: Mapping[str, int]
    starts: tuple[IntArray, ...]
    lasts: tuple[Int32Array, ...]

    @property
    def orders(self) -> int:
        return len(self.lasts) + 1

    def sizes(self) -> list[int]:
        """How many distinct n-grams of each order there are."""
        return [len(self.vocabulary), *map(len, self.lasts)]

    def prefixes(self, n: int) -> IntArray:
        """For each n-gram (n >= 2) the number of its first n-1 words."""
        starts = self.starts[n - 2]
        return np.repeat(np.arange(len(starts) - 1), np.diff(starts))

    def numbers(self, tokens: Tokens) -> IntArray:
        """(total, orders): the number of the n-gram that starts at each token.

        -1 where the table does not have it or the sentence ends before it does.
        """
        from cupel.kernels.tries import find_continuations

        find = self.vocabulary.get
        types = np.fromiter((find(word, -1) for word in tokens.types), np.int64, len(tokens.types))
        words = types[tokens.ids] if len(tokens.ids) else np.zeros(0, np.int64)
        numbers = np.full((len(words), self.orders), -1, np.int64)
        numbers[:, 0] = words
        for n, (starts, lasts) in enumerate(zip(self.starts, self.lasts, strict=True), start=2):
            find_continuations(starts, lasts, tokens.offsets, words, n, numbers)
        return numbers


def build(tokens: Tokens, orders: int) -> tuple[NgramTable, IntArray]:
    """The table of all n-grams of `tokens`, and their numbers as `NgramTable.numbers` gives them."""
    from cupel.kernels.tries import number_continuations, places_by_word

    words = tokens.ids.astype(np.int64)
    numbers = np.full((len(words), orders), -1, np.int64)
    numbers[:, 0] = words
    all_starts, all_lasts = [], []
    parents = len(tokens.types)
    by_word = places_by_word(words, parents)
    for n in range(2, orders + 1):
        starts, lasts = number_continuations(words, tokens.offsets, by_word, n, parents, numbers)
        all_starts.append(starts)
        all_lasts.append(lasts)
        parents = len(lasts)
    vocabulary = {word: number for number, word in enumerate(tokens.types)}
    return NgramTable(vocabulary, tuple(all_starts), tuple(all_lasts)), numbers
