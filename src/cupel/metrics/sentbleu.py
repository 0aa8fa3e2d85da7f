"""Sentence BLEU: the mean over segments of smoothed BLEU with effective order.

Segment scores are those of sacreBLEU's `sentence_score` with `effective_order=True`; the system
score is their mean, which corpus BLEU is not.
"""

from __future__ import annotations

from dataclasses import dataclass

from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.metric import Metric, Signature, mean_score, mean_statistics
from cupel.metrics.bleu import Bleu
from cupel.registry import register


@register("sentbleu", "mean of sacreBLEU's sentence-level BLEU over the segments")
@dataclass(frozen=True)
class SentBleu(Metric):
    """Statistics: [segment score, 1]."""

    tokenize: str = "13a"
    lowercase: bool = False
    smooth_method: str = "exp"
    smooth_value: float | None = None
    max_ngram_order: int = 4
    effective_order: bool = True

    name = "sentbleu"
    higher_is_better = True

    def __post_init__(self) -> None:
        _ = self.bleu

    @property
    def bleu(self) -> Bleu:
        return Bleu(
            self.tokenize,
            self.lowercase,
            self.smooth_method,
            self.smooth_value,
            self.max_ngram_order,
            self.effective_order,
        )

    def signature(self) -> Signature:
        return self.bleu.signature() + Signature.of(level="segment")

    def statistics(self, batch: Batch) -> FloatArray:
        return mean_statistics(self.bleu.segment_scores(self.bleu.statistics(batch)))

    def score(self, statistics: FloatArray) -> FloatArray:
        return mean_score(statistics)
