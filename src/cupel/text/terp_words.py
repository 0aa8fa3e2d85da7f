"""The data of sentences and words that TER-Plus needs, for whole batches: `TerpAnalysis`.

Stems, synonym sets and the paraphrase table are METEOR's (`stemmer`, `synonyms`, `paraphrases`).
A word without content cannot move by itself: METEOR's function words, and what has neither letter
nor digit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cupel.arrays import Int32Array, IntArray
from cupel.text.meteor_words import function_words
from cupel.text.paraphrases import Paraphrases, open_paraphrases
from cupel.text.stemmer import stem
from cupel.text.synonyms import load_synonyms
from cupel.text.terp_norm import TerpNorm
from cupel.text.tokens import number

if TYPE_CHECKING:
    from cupel.kernels.terp import PhraseTable, Vocabulary


class Analysis(NamedTuple):
    """Token ids and their sentences, words, phrases: as `cupel.kernels.terp` takes them."""

    ids: Int32Array
    offsets: IntArray
    vocabulary: Vocabulary
    table: PhraseTable


@dataclass(frozen=True)
class TerpAnalysis:
    """The analyser sentences -> `Analysis`; stems, synonyms and phrases only where asked for.

    stop_words  whether function words have no content
    """

    norm: TerpNorm
    stems: bool = True
    synonyms: bool = True
    stop_words: bool = True
    table: Path | None = None

    def __call__(self, sentences: Sequence[str]) -> Analysis:
        tokens = self.norm(sentences)
        return Analysis(
            tokens.ids, tokens.offsets, self._vocabulary(tokens.types), self._table(tokens.types)
        )

    def _vocabulary(self, types: Sequence[str]) -> Vocabulary:
        from cupel.kernels.terp import Vocabulary

        count = len(types)
        if self.synonyms:
            synsets, offsets = load_synonyms().sets(types)
        else:
            synsets, offsets = np.zeros(0, np.int32), np.zeros(count + 1, np.int64)
        masks = np.zeros(count, np.uint64)
        owners = np.repeat(np.arange(count), np.diff(offsets))
        synsets = synsets[np.lexsort((synsets, owners))]
        np.bitwise_or.at(masks, owners, np.uint64(1) << (synsets % 64).astype(np.uint64))
        return Vocabulary(
            stem=number(stem(types), count)[0] if self.stems else np.arange(count, dtype=np.int32),
            synset_masks=masks,
            synset_offsets=offsets,
            synsets=synsets,
            content=np.fromiter(
                (not self.stop_words or _has_content(word) for word in types), np.uint8, count
            ),
        )

    def _table(self, types: Sequence[str]) -> PhraseTable:
        if self.table is None:
            return _no_table()
        paraphrases = open_paraphrases(self.table)
        numbers = paraphrases.numbers(types)
        token = np.full(len(paraphrases.words), -1, np.int32)
        listed = np.flatnonzero(numbers >= 0)
        token[numbers[listed]] = listed
        return _phrase_table(paraphrases)._replace(token=token, number=numbers)


def _has_content(word: str) -> bool:
    return word not in function_words() and any(map(str.isalnum, word))


@cache
def _phrase_table(paraphrases: Paraphrases) -> PhraseTable:
    """The table read both ways, as METEOR does, whose table it is: it has few pairs in both."""
    from cupel.kernels.phrases import CHILDREN, ENTRIES, WORD
    from cupel.kernels.terp import PhraseTable, both_ways

    trie = paraphrases.trie
    word, children, offsets = (
        np.ascontiguousarray(trie.nodes[:, column]) for column in (WORD, CHILDREN, ENTRIES)
    )
    counts = np.diff(children)
    parent = np.zeros(len(word), np.int32)
    parent[1:-1] = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    entries = both_ways(offsets, paraphrases.paraphrases, paraphrases.weights)
    none = np.zeros(0, np.int32)
    return PhraseTable(*entries, word, parent, children, trie.first, token=none, number=none)


@cache
def _no_table() -> PhraseTable:
    from cupel.kernels.terp import PhraseTable

    none = np.zeros(0, np.int32)
    return PhraseTable(none, none, np.zeros(0, np.float32), *(none,) * 6)
