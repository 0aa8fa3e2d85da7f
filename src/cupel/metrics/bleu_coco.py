"""BLEU as COCO's caption evaluation (pycocoevalcap) computes it: sentence BLEU with its constants.

    BLEU = BP * (product over n = 1..N of (m_n + 1e-15) / (t_n + 1e-9)) ** (1/N)
    BP = exp(1 - 1/q) where q = (c + 1e-15) / (r + 1e-9) is below 1

m_n: clipped matches, t_n: n-grams of the hypothesis, c: its length, r: the reference length
closest to c. The constants stand in for smoothing: an order without a match makes the score tiny,
not zero, so that two such sentences still compare. A system's score is that of the summed counts.
Text is what COCO's tokenizer makes of it: PTB tokens in lower case without punctuation. The scale
is from 0 to 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.metric import Metric, Signature
from cupel.metrics.bleu import Bleu
from cupel.registry import register

TINY, SMALL = 1e-15, 1e-9


@register("bleu-coco", "sentence BLEU with the constants of COCO's caption evaluation")
@dataclass(frozen=True)
class BleuCoco(Metric):
    """Statistics: those of BLEU."""

    tokenize: str = "ptb"
    lowercase: bool = True
    max_ngram_order: int = 4

    name = "bleu-coco"
    decimals = 4
    higher_is_better = True

    def __post_init__(self) -> None:
        _ = self.bleu

    @property
    def bleu(self) -> Bleu:
        return Bleu(self.tokenize, self.lowercase, "none", None, self.max_ngram_order)

    def signature(self) -> Signature:
        return self.bleu.signature() + Signature.of(form="coco")

    def statistics(self, batch: Batch) -> FloatArray:
        return self.bleu.statistics(batch)

    def score(self, statistics: FloatArray) -> FloatArray:
        orders = self.max_ngram_order
        length, reference = statistics[..., 0], statistics[..., 1]
        matches, totals = statistics[..., 2 : 2 + orders], statistics[..., 2 + orders :]
        product = np.ones(statistics.shape[:-1])
        for n in range(orders):
            product = product * ((matches[..., n] + TINY) / (totals[..., n] + SMALL))
        ratio = (length + TINY) / (reference + SMALL)
        # The exponent is at most 0; far below, for an empty hypothesis, it is harmless.
        penalty = np.where(ratio < 1, np.exp(np.minimum(1 - 1 / ratio, 0.0)), 1.0)
        score: FloatArray = product ** (1.0 / orders) * penalty
        return score
