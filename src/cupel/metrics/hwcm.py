"""HWCM, the headword chain metric: precision of chains of heads and dependents.

Measures: How many of the chains that lead down the translation's dependency tree also occur in
the tree of a reference. From 0 to 1; higher is better.

Use: To compare with published results of this metric. It parses translations as well as
references, which is slow, and parsers make more mistakes on bad translations: red and redp parse
references only and agree better with people.

Needs: pip install 'cupel[syntax]' (spaCy with its English model), or trees of both sides.
English; other languages with a spaCy model or trees.

Formula:
    HWCM = 1/D * sum over n = 1..D of (sum of countclip(g)) / (sum of count(g))

g: the headword chains of n words in the translation's tree, paths of n - 1 arcs from a head down
to a dependent; count(g): how often the translation's tree has the chain; countclip(g): the same,
but at most the largest count in any one reference's tree. A length of which the tree has no
chain, or none that matches, has the precision epsilon. The score of a system is the mean over
segments.

Paper: Ding Liu and Daniel Gildea. 2005. Syntactic Features for Evaluation of Machine Translation.
Workshop on Intrinsic and Extrinsic Evaluation Measures for MT and/or Summarization, ACL 2005. The
formula is formula 1 of Wu et al. (2013), DCU Participation in WMT2013 Metrics Task.

Equal to: It was not compared with the authors' program; the tests compare the counts with their
definition and with the example of the paper. The tables of the RED papers were computed with D =
4, Penn2Malt heads and epsilon = 0.001.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import numpy.typing as npt

from cupel.arrays import FloatArray, IntArray
from cupel.batch import Batch
from cupel.errors import CupelError
from cupel.metric import Signature, mean_statistics, ratio
from cupel.metrics import shared_options as option
from cupel.metrics.parsed import Parsed
from cupel.options import Range
from cupel.registry import register
from cupel.syntax.models import parser_missing
from cupel.syntax.parser import OWN, TreeSource, tree_source
from cupel.syntax.trees import Trees
from cupel.text.tokens import Tokens, number, offsets_of


@register(
    "hwcm",
    "precision of headword chains, with both sides parsed (Liu and Gildea 2005)",
    check=parser_missing,
)
@dataclass(frozen=True)
class Hwcm(Parsed):
    """Statistics: [segment score, 1]."""

    max_length: Annotated[
        int, "D, the number of words of the longest headword chains.", Range(most=100)
    ] = 4
    epsilon: Annotated[float, "Value that replaces a precision of 0."] = 0.0
    lowercase: Annotated[bool, "Compare words in lower case; the parser gets the original."] = False
    heads: Annotated[
        str | None,
        "Which word heads a phrase: native or penn2malt (default: penn2malt for a parser's trees, "
        "native for your own).",
    ] = None
    parser: option.SpacyModel = None
    tokenize: option.TreeTokenize = OWN
    trees: option.BothTrees = None

    name = "hwcm"

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

    def counts(self, batch: Batch) -> tuple[FloatArray, FloatArray]:
        """(n, D) each: clipped matches and number of the translation's chains of 1..D words."""
        from cupel.kernels.ngrams import CLIPPED, NO_WEIGHTS, clipped_matches

        matches, totals = [], []
        for chains in headword_chains(batch.analyse(self.source), self.max_length, self.lowercase):
            matched, _ = clipped_matches(
                chains.ids,
                chains.offsets,
                batch.hypothesis_index,
                batch.reference_index,
                batch.reference_offsets,
                1,
                NO_WEIGHTS,
                CLIPPED,
            )
            matches.append(matched[:, 0])
            totals.append(chains.lengths[batch.hypothesis_index])
        return np.column_stack(matches).astype(float), np.column_stack(totals).astype(float)


def headword_chains(trees: Trees, longest: int, lowercase: bool = False) -> Iterator[Tokens]:
    """The headword chains of n = 1..longest words of each tree, numbered as if they were words.

    Equal chains have equal numbers; `types` is that of words for n = 1, and empty above. Every word
    ends one chain of each length that its depth allows, so a chain of n words is numbered by the
    chain of n - 1 words that ends at its head and by its last word; the n-gram kernel then counts
    chains as if they were words.
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
