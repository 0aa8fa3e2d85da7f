"""The input of RED and its family: the trees of references and the words of translations.

Translations are split as the references' parser splits, without being parsed. With the user's own
trees, too, the split is spaCy's English one unless `tokenize` names another: so trees that
`cupel parse` wrote score as if they had been parsed here, and trees of the Penn Treebank or of
Universal Dependencies, which split English in the same way, fit as well. For trees of other
languages, name the tokenizer that they were made with, or the nearest (`tokenize=13a`, or `none` for
translations that are tokenized already).

Systems write quotes in many ways, and some write SGML entities such as &quot;. With `normalize`
(the default) they count as equal, as in mteval's tokenizer and, for quotes, in METEOR's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING, Self

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.batch import Batch
from cupel.errors import MissingPart
from cupel.metric import Signature, mean_statistics
from cupel.metrics.parsed import Parsed
from cupel.syntax.models import find_model, parser_missing
from cupel.syntax.ngrams import DepNgrams
from cupel.syntax.parser import OWN, Parser, TreeSource, Words, reference_trees, tree_source
from cupel.syntax.trees import Trees
from cupel.text.tokens import Tokens
from cupel.text.vocabulary import vocabulary

if TYPE_CHECKING:
    from cupel.corpus import Corpus
    from cupel.kernels.chains import Forest, Text

DISTANCES = ("relative", "cosine", "absolute")


@dataclass(frozen=True, eq=False)
class TreePairs:
    """Every hypothesis of a batch with each of its references, one pair after the other.

    hypotheses  (p,)  rows of `words`
    references  (p,)  rows of `trees` and of `reference_words`, which have the ids of `words`
    offsets     (n+1,)  the pairs of item i
    vocabulary  the name of the list that the ids point into
    """

    words: Tokens
    trees: Trees
    reference_words: Tokens
    hypotheses: IntArray
    references: IntArray
    offsets: IntArray
    vocabulary: str = "trees"

    @property
    def lengths(self) -> IntArray:
        """(p,) how many words each pair's hypothesis has."""
        return self.words.lengths[self.hypotheses]


@dataclass(frozen=True)
class TranslationWords:
    """The analyser sentences -> `Tokens` as a parser splits them, optionally with entities decoded."""

    parser: Parser
    unescape: bool

    def __call__(self, sentences: Sequence[str]) -> Tokens:
        if self.unescape:
            sentences = [unescape(text) if "&" in text else text for text in sentences]
        return Words(self.parser)(sentences)


@dataclass(frozen=True)
class TreeText:
    """Where trees and words come from: the options that these metrics share.

    `cupel.metrics.shared_options` says what each does.
    """

    trees: str | None
    model: str | None
    heads: str
    tokenize: str
    lowercase: bool
    normalize: bool

    @property
    def source(self) -> TreeSource:
        return tree_source(self.trees, self.model, self.heads, self.tokenize)

    @property
    def words(self) -> TranslationWords:
        return TranslationWords(Parser(self.model, tokenize=self.tokenize), self.normalize)

    def signature(self) -> Signature:
        own = Signature.of(case="lc" if self.lowercase else "mixed", norm=self.normalize)
        if self.trees is None:
            return own + self.source.signature()
        words = self.tokenize if self.tokenize != OWN else find_model(self.model)
        return own + self.source.signature() + Signature.of(words=words)

    def check(self, corpus: Corpus) -> None:
        """Raise an error about the user's trees before anything is scored."""
        if self.trees is None:
            return
        self.source([text for texts in corpus.references for text in texts])
        missing = parser_missing() if self.tokenize == OWN else None
        if missing:
            raise MissingPart(
                f"{missing.rstrip('.')}; or name another tokenizer for the translations, as "
                "tokenize=13a."
            )

    def pairs(self, batch: Batch) -> TreePairs:
        """The batch's trees, words and pairs."""
        trees, rows = reference_trees(batch, self.source)
        split = batch.analyse(self.words)
        words, theirs = vocabulary(self.lowercase, self.normalize).renumbered(split, trees.words)
        return TreePairs(
            words,
            trees,
            theirs,
            np.repeat(batch.hypothesis_index, batch.reference_counts),
            rows[batch.reference_index],
            batch.reference_offsets,
            f"trees lowercase:{self.lowercase} normalize:{self.normalize}",
        )


class DepNgramMetric(Parsed):
    """What RED, REDp and DEPREF share: pairs of a translation and a reference's trees are scored.

    Statistics: [score with the best reference, 1].
    """

    learns = False

    @property
    def text(self) -> TreeText:
        """Where trees and words come from."""
        raise NotImplementedError

    def pair_scores(self, pairs: TreePairs) -> FloatArray:
        """(pairs,) the score of each hypothesis with each of its references."""
        raise NotImplementedError

    def prepare(self, corpus: Corpus) -> Self:
        self.text.check(corpus)
        return self

    def statistics(self, batch: Batch) -> FloatArray:
        pairs = self.text.pairs(batch)
        return mean_statistics(np.maximum.reduceat(self.pair_scores(pairs), pairs.offsets[:-1]))


def text_of(pairs: TreePairs) -> Text:
    """The translations as kernels take them."""
    from cupel.kernels.chains import Text

    return Text(pairs.words.ids, pairs.words.offsets)


def forest(pairs: TreePairs, ngrams: DepNgrams) -> Forest:
    """The references as kernels take them."""
    from cupel.kernels.chains import Forest

    return Forest(
        pairs.reference_words.ids,
        pairs.trees.offsets,
        pairs.trees.heads,
        ngrams.structures,
        ngrams.offsets,
    )
