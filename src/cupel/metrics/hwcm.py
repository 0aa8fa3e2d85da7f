"""HWCM, the headword chain metric (Liu and Gildea 2005), as formula 1 of Wu et al. (WMT13) has it.

    HWCM = 1/D * sum over n = 1..D of (sum of countclip(g)) / (sum of count(g))

where g runs over the headword chains of n words in the translation's tree: paths that lead down
from a head to a dependent, n - 1 arcs long. count(g) is how often the translation's tree has the
chain, countclip(g) that number, but at most the most times that any one reference's tree has it.
Both sides are parsed. The system score is the mean over segments.

Every word ends one chain of each length that its depth allows, so a chain of n words is numbered
by the chain of n - 1 words that ends at its head, and by its last word: all chains of a batch are
integers, which the n-gram kernel counts as if they were words.

A length of which the tree has no chain, or none that matches, has the precision 0, or `epsilon`:
the RED paper (section 5.2) "employs an epsilon value of 1e-3 to replace zero". The tables of the
RED papers are those of D = 4 (their WMT10 row is the row N = 4 of the WMT13 paper). Penn2Malt's
heads, which the papers used, agree better with people than spaCy's own on wmt13 (mean tau .217 and
.214; published .217), and words as they are better than in lower case (.217 and .214).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cupel.arrays import FloatArray, IntArray
from cupel.batch import Batch
from cupel.errors import CupelError
from cupel.metric import Metric, Signature, mean_score, mean_statistics, ratio
from cupel.registry import register
from cupel.syntax.models import parser_missing
from cupel.syntax.parser import OWN, TreeSource, tree_source
from cupel.syntax.trees import Trees
from cupel.text.tokens import Tokens, number, offsets_of


@register(
    "hwcm",
    "headword chain precision, both sides parsed (Liu and Gildea 2005)",
    check=parser_missing,
    renamed={"model": "parser"},
)
@dataclass(frozen=True)
class Hwcm(Metric):
    """Statistics: [segment score, 1].

    max_length  D, the longest headword chains
    epsilon     what a precision of 0 is replaced by
    lowercase   compare words in lower case; the parser sees them as they are
    heads       `native` or `penn2malt` (see `cupel.syntax.heads`); None is penn2malt for a parser's
                trees and native for one's own
    parser      a spaCy model; None is en_core_web_sm
    tokenize    `spacy`, or a tokenizer whose words are parsed instead
    trees       a CoNLL-U file with the trees of references and translations, in place of a parser
    """

    max_length: int = 4
    epsilon: float = 0.0
    lowercase: bool = False
    heads: str | None = None
    parser: str | None = None
    tokenize: str = OWN
    trees: str | None = None

    name = "hwcm"
    higher_is_better = True
    decimals = 4

    def __post_init__(self) -> None:
        if self.max_length < 1:
            raise CupelError(f"HWCM needs chains of 1 word or more, not {self.max_length}.")
        if not 0 <= self.epsilon < 1:
            raise CupelError(f"HWCM's epsilon is from 0 to below 1, not {self.epsilon}.")
        _ = self.source

    @property
    def source(self) -> TreeSource:
        """Where the trees come from."""
        heads = self.heads or ("native" if self.trees else "penn2malt")
        return tree_source(self.trees, self.parser, heads, self.tokenize)

    def signature(self) -> Signature:
        return (
            Signature.of(
                case="lc" if self.lowercase else "mixed",
                chains=self.max_length,
                eps=self.epsilon or None,
            )
            + self.source.signature()
        )

    def statistics(self, batch: Batch) -> FloatArray:
        matches, totals = self.counts(batch)
        precisions = ratio(matches, totals)
        return mean_statistics(np.where(precisions > 0, precisions, self.epsilon).mean(axis=1))

    def score(self, statistics: FloatArray) -> FloatArray:
        return mean_score(statistics)

    def counts(self, batch: Batch) -> tuple[FloatArray, FloatArray]:
        """(n, D) each: clipped matches and number of the translation's chains of 1..D words."""
        from cupel.kernels.ngrams import CLIPPED, NO_WEIGHTS, clipped_matches

        matches, totals = [], []
        for chains in headword_chains(batch.analyse(self.source), self.max_length, self.lowercase):
            found, _ = clipped_matches(
                chains.ids,
                chains.offsets,
                batch.hypothesis_index,
                batch.reference_index,
                batch.reference_offsets,
                1,
                NO_WEIGHTS,
                CLIPPED,
            )
            matches.append(found[:, 0])
            totals.append(chains.lengths[batch.hypothesis_index])
        return np.column_stack(matches).astype(float), np.column_stack(totals).astype(float)


def headword_chains(trees: Trees, longest: int, lowercase: bool = False) -> Iterator[Tokens]:
    """The headword chains of n = 1..longest words of each tree, numbered as if they were words.

    Equal chains have equal numbers; `types` is that of words for n = 1, and empty above.
    """
    words, types = trees.words.ids.astype(np.int64), trees.words.types
    if lowercase:
        lowered, types = number([word.lower() for word in types], len(types))
        words = lowered[trees.words.ids].astype(np.int64)
    yield Tokens(words.astype(np.int32), trees.offsets, types)
    chain = words  # of each word, the number of the chain of n - 1 words that ends there, or -1
    for _ in range(2, longest + 1):
        above = np.where(trees.flat_heads >= 0, chain[trees.flat_heads], -1)
        ends = above >= 0
        _, numbers = np.unique(above[ends] * len(types) + words[ends], return_inverse=True)
        chain = np.full(len(words), -1, np.int64)
        chain[ends] = numbers
        yield Tokens(numbers.astype(np.int32), _offsets(ends, trees.offsets), ())


def _offsets(ends: npt.NDArray[np.bool_], offsets: IntArray) -> IntArray:
    """Where each sentence begins once only the words that end a chain are left."""
    return offsets_of(ends, len(ends))[offsets]
