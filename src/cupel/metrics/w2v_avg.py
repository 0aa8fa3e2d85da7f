"""W2V-AVG: cosine of averaged word vectors.

Measures: Whether translation and reference use words of similar meaning. From -1 to 1; real
sentences, which share function words, score from about 0.7 upwards; higher is better.

Use: As a baseline that knows nothing of word order. Not to judge translations: a shuffled or
negated sentence scores almost the same.

Needs: Nothing beyond Cupel for English, whose vectors are embedded; 'cupel[vectors]' for the
whole table (vectors=glove-6b-50d). Other languages with vectors=FILE and another tokenizer.

Formula:
    W2V-AVG = cosine of (mean of v_w over the words w of h) and (mean of v_w over those of r)

Words without a vector are left out; a sentence without any known word has similarity 0 to every
other, itself included. The score of a system is the mean over segments. Of several references the
best counts, or with multiple=mean all of them: the paper does not say which. The default tokens
are those of the Penn Treebank in lower case, on which GloVe was trained (it has 's and n't); they
have no punctuation. content=yes averages content words only, as the paper recommends (section
7.4).

Paper: Willie Boag, Renan Campos, Kate Saenko and Anna Rumshisky. 2016. MUTT: Metric Unit TesTing
for Language Generation Tasks. ACL 2016 (section 3.2).

Equal to: It was not compared with the authors' program. The paper used vectors of word2vec, the
default here is GloVe, so numbers differ from its tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Self

import numpy as np

from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.errors import CupelError
from cupel.metric import SegmentMean, Signature, mean_statistics
from cupel.metrics import shared_options as option
from cupel.registry import register
from cupel.text.tokenizers import Tokenizer
from cupel.text.tokens import Tokens
from cupel.text.vectors import EMBEDDED, FULL, INCLUDED, cosines, open_vectors

if TYPE_CHECKING:
    from cupel.corpus import Corpus

MULTIPLE = ("best", "mean")


@register("w2v-avg", "cosine of averaged word vectors (Boag et al. 2016)")
@dataclass(frozen=True)
class W2vAvg(SegmentMean):
    """Statistics: [segment score, 1]."""

    vectors: Annotated[
        str,
        "Word vectors: glove-6b-50d-100k, mpnet-glove-150d-30k, glove-6b-50d, or a file in the format "
        "of GloVe, word2vec or fastText.",
    ] = EMBEDDED
    tokenize: option.Tokenize = "ptb"
    lowercase: option.Lowercase = True
    multiple: option.Multiple = "best"
    content: Annotated[bool, "Average the vectors of content words only."] = False

    name = "w2v-avg"
    languages: ClassVar[str] = "English; others with vectors=FILE"
    decimals = 4
    higher_is_better = True
    learns = False

    @property
    def made_for(self) -> str | None:
        """English, unless you give the vectors."""
        return "en" if self.vectors in (*INCLUDED, FULL) else None

    def __post_init__(self) -> None:
        if self.multiple not in MULTIPLE:
            raise CupelError(
                f"Unknown value {self.multiple!r} of w2v-avg:multiple; known are: "
                f"{', '.join(MULTIPLE)}."
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
        open_vectors(
            self.vectors
        )  # so that an error in a file is reported before anything is scored
        return self

    def statistics(self, batch: Batch) -> FloatArray:
        centroids = self.centroids(batch.analyse(self.tokenizer))
        hypotheses = np.repeat(batch.hypothesis_index, batch.reference_counts)
        similarity = cosines(centroids[hypotheses], centroids[batch.reference_index])
        first = batch.reference_offsets[:-1]
        if self.multiple == "best":
            return mean_statistics(np.maximum.reduceat(similarity, first))
        return mean_statistics(np.add.reduceat(similarity, first) / batch.reference_counts)

    def centroids(self, tokens: Tokens) -> FloatArray:
        """(sentences, dimensions): the mean vector of the words of each, whose cosine is the score."""
        from cupel.text.content_words import is_content

        kept = is_content(tokens.types) if self.content else None
        return open_vectors(self.vectors).centroids(tokens, kept)

    def sentence_vectors(self, sentences: Sequence[str]) -> FloatArray:
        """(sentences, dimensions): vectors whose cosine is the score, for `cupel mbr`."""
        return self.centroids(self.tokenizer(sentences)).astype(np.float64)
