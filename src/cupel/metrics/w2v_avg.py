"""W2V-AVG, the toy metric of Boag et al. (2016, section 3.2): cosine of sentence centroids.

    W2V-AVG = cosine of (mean of v_w over the words w of h) and (mean of v_w over those of r)

A true bag of words: word order changes nothing, to the last bit. The score of a system is the
mean over segments. Words without a vector are left out; a sentence without any known word has the
similarity 0 to every other, itself included. A cosine may fall below 0; real sentences, which
share function words, score from about 0.7 upwards.

The paper does not say how several references count. Here the best one does (`multiple=best`), as
for most metrics, and as six of its eight rows suggest; `multiple=mean` takes the mean of the
similarities (nearer to the row *negated action*, which falls with more references). The paper's
vectors were word2vec's, which tell passives from actives more sharply than GloVe's do; those are
the default here (see `cupel.text.vectors`), and any others come with `vectors=FILE`.

`content=yes` averages content words only, the step that the paper recommends (section 7.4).

The default tokens are Penn Treebank's (`ptb`) in lower case: GloVe 6B was trained on such tokens
(it has `'s` and `n't` but neither `dog's` nor `don't`), so they leave out an eighth fewer of
wmt14's words than `13a` does, and they drop punctuation, which says nothing about meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.errors import CupelError
from cupel.metric import Metric, Signature, mean_score, mean_statistics, ratio
from cupel.registry import register
from cupel.text.tokenizers import Tokenizer
from cupel.text.vectors import EMBEDDED, open_vectors

if TYPE_CHECKING:
    from cupel.corpus import Corpus

MULTIPLE = ("best", "mean")


@register("w2v-avg", "cosine of averaged word vectors (Boag et al. 2016)")
@dataclass(frozen=True)
class W2vAvg(Metric):
    """Statistics: [segment score, 1]."""

    vectors: str = EMBEDDED
    tokenize: str = "ptb"
    lowercase: bool = True
    multiple: str = "best"
    content: bool = False

    name = "w2v-avg"
    decimals = 4
    higher_is_better = True

    def __post_init__(self) -> None:
        if self.multiple not in MULTIPLE:
            raise CupelError(
                f"Unknown way {self.multiple!r} to take several references for W2V-AVG; known "
                f"are: {', '.join(MULTIPLE)}."
            )
        _ = self.tokenizer

    @property
    def tokenizer(self) -> Tokenizer:
        return Tokenizer(self.tokenize, self.lowercase)

    def signature(self) -> Signature:
        return self.tokenizer.entries() + Signature.of(
            words="content" if self.content else "all",
            multiple=self.multiple,
            vectors=open_vectors(self.vectors).signature(),
        )

    def prepare(self, corpus: Corpus) -> Self:
        open_vectors(self.vectors)  # a bad file is an error before anything is scored
        return self

    def statistics(self, batch: Batch) -> FloatArray:
        from cupel.text.content_words import is_content

        tokens = batch.analyse(self.tokenizer)
        kept = is_content(tokens.types) if self.content else None
        centroids = open_vectors(self.vectors).centroids(tokens, kept)
        hypotheses = np.repeat(batch.hypothesis_index, batch.reference_counts)
        similarity = cosines(centroids[hypotheses], centroids[batch.reference_index])
        first = batch.reference_offsets[:-1]
        if self.multiple == "best":
            return mean_statistics(np.maximum.reduceat(similarity, first))
        return mean_statistics(np.add.reduceat(similarity, first) / batch.reference_counts)

    def score(self, statistics: FloatArray) -> FloatArray:
        return mean_score(statistics)


def cosines(first: FloatArray, second: FloatArray) -> FloatArray:
    """Cosines of the rows, exactly 1 for equal ones; 0 with a zero row."""
    products = np.einsum("ij,ij->i", first, second)
    squares = np.einsum("ij,ij->i", first, first) * np.einsum("ij,ij->i", second, second)
    return np.clip(ratio(products, np.sqrt(squares)), -1.0, 1.0)
