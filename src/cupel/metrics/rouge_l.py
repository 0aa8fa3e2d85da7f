"""ROUGE-L (Lin 2004): the longest common subsequence of words, as pycocoevalcap computes it.

    P = max over references r of LCS(h, r) / |h|,    R = max over r of LCS(h, r) / |r|
    F = (1 + beta^2) P R / (R + beta^2 P)

The best precision and the best recall may come from different references; beta is 1.2. The score
is between 0 and 1, and that of a system the mean over segments.

Words are what stands between single blanks: two blanks in a row have an empty word between them,
and an empty text is one empty word. pycocoevalcap does so, and its scores depend on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.metric import Metric, Signature, mean_score, mean_statistics, ratio
from cupel.registry import register
from cupel.text.tokenizers import Tokenizer
from cupel.text.tokens import Tokens, intern


@dataclass(frozen=True)
class BetweenBlanks:
    """The analyser sentences -> `Tokens` that splits at every blank, empty tokens and all."""

    tokenizer: Tokenizer

    def __call__(self, sentences: Sequence[str]) -> Tokens:
        if self.tokenizer.lowercase:
            sentences = [sentence.lower() for sentence in sentences]
        if self.tokenizer.name != "none":  # which drops trailing blanks
            sentences = self.tokenizer.lines(sentences)
        return intern([sentence.split(" ") for sentence in sentences])


@register("rouge-l", "longest common subsequence of words (Lin 2004), as pycocoevalcap")
@dataclass(frozen=True)
class RougeL(Metric):
    """Statistics: [score, 1]. `tokenize=none` takes the text as it is given."""

    tokenize: str = "none"
    lowercase: bool = False
    beta: float = 1.2

    name = "rouge-l"
    decimals = 4
    higher_is_better = True

    def __post_init__(self) -> None:
        _ = self.tokenizer

    @property
    def tokenizer(self) -> Tokenizer:
        return Tokenizer(self.tokenize, self.lowercase)

    def signature(self) -> Signature:
        return self.tokenizer.entries() + Signature.of(beta=self.beta)

    def statistics(self, batch: Batch) -> FloatArray:
        precision, recall, _ = self.detail_statistics(batch).T
        beta2 = self.beta**2
        return mean_statistics(ratio((1 + beta2) * precision * recall, recall + beta2 * precision))

    def score(self, statistics: FloatArray) -> FloatArray:
        return mean_score(statistics)

    def detail_statistics(self, batch: Batch) -> FloatArray:
        """(n, 3): [precision, recall, 1]."""
        from cupel.kernels.edits import lcs_lengths

        tokens = batch.analyse(BetweenBlanks(self.tokenizer))
        common = lcs_lengths(
            tokens.ids,
            tokens.offsets,
            batch.hypothesis_index,
            batch.reference_index,
            batch.reference_offsets,
        )
        first = batch.reference_offsets[:-1]
        most = np.maximum.reduceat(common, first)
        precision = most / tokens.lengths[batch.hypothesis_index]
        recall = np.maximum.reduceat(common / tokens.lengths[batch.reference_index], first)
        return np.stack([precision, recall, np.ones(len(batch))], axis=-1)

    def details(self, statistics: FloatArray) -> dict[str, FloatArray]:
        """Precision and recall, means over segments."""
        segments = statistics[..., 2]
        return {
            "precision": ratio(statistics[..., 0], segments),
            "recall": ratio(statistics[..., 1], segments),
        }
