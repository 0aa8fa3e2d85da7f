"""Sentence BLEU: the mean over segments of smoothed BLEU.

Measures: BLEU of each segment by itself, averaged over the segments. From 0 to 100; higher is
better. Corpus BLEU is another number, because it sums n-gram counts before it divides.

Use: Where segments count, as in the segment-level tasks of WMT. Not in place of bleu in tables
that others compare with theirs.

Needs: Nothing beyond Cupel. Any language that one of the tokenizers splits.

Formula:
    sentBLEU = 1/S * sum over segments s of BLEU(s)

with the formula of bleu for each segment, smoothed, and with effective order: n-gram orders for
which the translation is too short are left out.

Paper: Boxing Chen and Colin Cherry. 2014. A Systematic Comparison of Smoothing Techniques for
Sentence-Level BLEU. WMT 2014.

Equal to: sentence_score of sacreBLEU 2.6 with effective_order=True for each segment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.metric import SegmentMean, Signature, mean_statistics
from cupel.metrics import shared_options as option
from cupel.metrics.bleu import Bleu
from cupel.registry import register

if TYPE_CHECKING:
    from cupel.kernels.pair_ngrams import Formula, Part


@register("sentbleu", "mean over segments of smoothed BLEU, as sacreBLEU's sentence scores")
@dataclass(frozen=True)
class SentBleu(SegmentMean):
    """Statistics: [segment score, 1]."""

    tokenize: option.Tokenize = "13a"
    lowercase: option.Lowercase = False
    smooth_method: option.SmoothMethod = "exp"
    smooth_value: option.SmoothValue = None
    max_ngram_order: option.MaxOrder = 4
    effective_order: option.EffectiveOrder = True

    name = "sentbleu"
    higher_is_better = True
    tokenises = True

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

    def formula(self) -> Formula | None:
        return self.bleu.formula()

    def parts(self, sentences: Sequence[str]) -> list[Part]:
        return self.bleu.parts(sentences)

    def bag_scores(self, totals: FloatArray, sizes: FloatArray, matches: FloatArray) -> FloatArray:
        return self.bleu.bag_scores(totals, sizes, matches)

    def statistics(self, batch: Batch) -> FloatArray:
        return mean_statistics(self.bleu.segment_scores(self.bleu.statistics(batch)))
