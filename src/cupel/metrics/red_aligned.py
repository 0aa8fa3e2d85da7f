"""Dep-ngrams matched through METEOR's aligner (Yu et al. 2014, section 3), for REDp and DEPREF.

The aligner runs over the words of the parser, in lower case, so that its matches are positions in
the tree. It runs twice: for exact, stem and synonym matches, which say where each word of a
dep-ngram is matched, and for paraphrases, alone or jointly with the other matchers. A dep-ngram
matches if each of its words is matched, in the order of the reference, and for fixed and floating
structures without a gap.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cupel.arrays import FloatArray, Int32Array, IntArray
from cupel.metrics import shared_options as option
from cupel.metrics.meteor import align_pairs
from cupel.metrics.meteor_tasks import MODULES, check_modules, matchers_of
from cupel.metrics.red_text import TreePairs
from cupel.text.meteor_lexicon import Analysis, MeteorAnalysis
from cupel.text.paraphrases import find_table
from cupel.text.tokens import Tokens

if TYPE_CHECKING:
    from cupel.kernels.chains import Forest

PARAPHRASE = MODULES[3]
WordMatches = Mapping[int, tuple[int, str]]
"""Word of the reference -> (word of the translation, matcher)."""
PHRASE_RUNS = ("alone", "joint")
"""The run of the aligner from which paraphrases come: with paraphrases only, or with all matchers."""


@dataclass(frozen=True)
class Matches:
    """Rows [reference start, length, hypothesis start, length, module], those of pair p between
    `offsets[p]` and `offsets[p+1]`.
    """

    rows: Int32Array
    offsets: IntArray

    def of(self, pair: int) -> list[list[int]]:
        """Those of one pair, as a list: for display and tests."""
        listed: list[list[int]] = self.rows[self.offsets[pair] : self.offsets[pair + 1]].tolist()
        return listed


@dataclass(frozen=True)
class Aligner:
    """METEOR's matchers of a language over the words of trees and translations."""

    language: option.Language = "en"
    modules: option.Modules = None
    paraphrases: option.Paraphrases = None

    def check(self) -> None:
        """Raise an error for an unknown language or module, or a missing table."""
        check_modules(self.modules, self.language, self.paraphrases)
        _ = self.table

    @property
    def matchers(self) -> tuple[str, ...]:
        return matchers_of(self.modules, self.language)

    @property
    def of_words(self) -> tuple[str, ...]:
        """The matchers of single words."""
        return tuple(name for name in self.matchers if name != PARAPHRASE)

    @property
    def of_phrases(self) -> tuple[str, ...]:
        """The matcher of paraphrases, where it is used."""
        return tuple(name for name in self.matchers if name == PARAPHRASE)

    @property
    def table(self) -> Path | None:
        """The file of the paraphrase table, where it is used."""
        if PARAPHRASE not in self.matchers:
            return None
        return find_table(self.language, self.paraphrases)

    def analysis(self, pairs: TreePairs) -> Analysis:
        """Stems, synonyms and so on of the words: first the translations, then the references."""
        stems, synonyms = "stem" in self.matchers, "synonym" in self.matchers
        analyser = MeteorAnalysis(self.language, stems, synonyms, self.table)
        joined = _joined(pairs.words, pairs.reference_words)
        return analyser.of_tokens(joined, pairs.vocabulary)

    def matches(self, analysis: Analysis, pairs: TreePairs, matchers: tuple[str, ...]) -> Matches:
        """One run of the aligner with some of the matchers."""
        references = len(pairs.words) + pairs.references
        numbers = np.array([MODULES.index(name) for name in matchers], np.int32)
        if len(numbers) == 0:
            return Matches(np.zeros((0, 5), np.int32), np.zeros(len(references) + 1, np.int64))
        _, rows, offsets = align_pairs(
            analysis, self.table, numbers, pairs.hypotheses, references, keep=True
        )
        rows[:, 4] = numbers[rows[:, 4]]
        return Matches(rows, offsets)

    def phrases(self, analysis: Analysis, pairs: TreePairs, run: str) -> Matches:
        """The paraphrases of one run (`PHRASE_RUNS`); none where they are not used.

        Alone, the aligner matches phrases wherever the table has them, also where the words
        match by themselves. Jointly, it takes a paraphrase only where that covers more words.
        """
        if run == PHRASE_RUNS[0] or not self.of_phrases:
            return self.matches(analysis, pairs, self.of_phrases)
        every = self.matches(analysis, pairs, self.matchers)
        chosen = every.rows[:, 4] == MODULES.index(PARAPHRASE)
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(chosen)])
        return Matches(np.ascontiguousarray(every.rows[chosen]), before[every.offsets])


def dep_parts(
    forest: Forest,
    pairs: TreePairs,
    matches: Matches,
    analysis: Analysis,
    longest: int,
    kind: int,
) -> FloatArray:
    """(pairs, longest, 6): sums over dep-ngrams, see `cupel.kernels.chains.aligned_sums`."""
    from cupel.kernels.chains import aligned_sums

    return aligned_sums(
        forest,
        pairs.references,
        matches.rows,
        matches.offsets,
        analysis.words.is_function,
        longest,
        kind,
    )


def paraphrase_parts(
    pairs: TreePairs, matches: Matches, analysis: Analysis, longest: int
) -> FloatArray:
    """(pairs, longest, 3): of the paraphrases whose reference side has n words, the sums of
    C_fun / n and of C_con / n, and their number; longer ones are left out.
    """
    parts = np.zeros((len(pairs.references), longest, 3))
    pair = np.repeat(np.arange(len(pairs.references)), np.diff(matches.offsets))
    start, length = matches.rows[:, 0].astype(np.int64), matches.rows[:, 1].astype(np.int64)
    short = length <= longest
    pair, start, length = pair[short], start[short], length[short]
    theirs = pairs.reference_words
    is_function = analysis.words.is_function[theirs.ids].astype(np.int64)
    running = np.concatenate([np.zeros(1, np.int64), np.cumsum(is_function)])
    first = theirs.offsets[pairs.references[pair]] + start
    functions = running[first + length] - running[first]
    where = (pair, length - 1)
    np.add.at(parts[..., 0], where, functions / length)
    np.add.at(parts[..., 1], where, (length - functions) / length)
    np.add.at(parts[..., 2], where, 1.0)
    return parts


def _joined(first: Tokens, second: Tokens) -> Tokens:
    """All sentences of two texts of one vocabulary."""
    ids = np.concatenate([first.ids, second.ids])
    offsets = np.concatenate([first.offsets, second.offsets[1:] + len(first.ids)])
    return Tokens(ids, offsets, first.types)
