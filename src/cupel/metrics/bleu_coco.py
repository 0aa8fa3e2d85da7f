"""BLEU as computed by the caption evaluation of COCO.

Measures: BLEU with small constants in place of smoothing, on lower-case text without punctuation.
From 0 to 1; higher is better.

Use: To compare with published captioning results. For machine translation use bleu.

Needs: Nothing beyond Cupel. English, since the tokenizer ptb is for English.

Formula:
    BLEU = BP * (product over n = 1..N of (m_n + 1e-15) / (t_n + 1e-9)) ** (1/N)
    BP = exp(1 - 1/q) where q = (c + 1e-15) / (r + 1e-9) is below 1, else 1

m_n: clipped matches; t_n: n-grams of the translation; c: its length; r: the reference length
closest to c. With these constants an n-gram order without a match makes the score tiny, not zero,
so that two such sentences can still be compared. The score of a system is that of the summed
counts.

Paper: Xinlei Chen, Hao Fang, Tsung-Yi Lin, Ramakrishna Vedantam, Saurabh Gupta, Piotr Dollár and
C. Lawrence Zitnick. 2015. Microsoft COCO Captions: Data Collection and Evaluation Server.
arXiv:1504.00325.

Equal to: the Bleu scorer of pycocoevalcap 1.2 behind its PTBTokenizer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.metric import Metric, Signature
from cupel.metrics import shared_options as option
from cupel.metrics.bleu import Bleu
from cupel.registry import register

TINY, SMALL = 1e-15, 1e-9


@register("bleu-coco", "BLEU as computed by the caption evaluation of COCO")
@dataclass(frozen=True)
class BleuCoco(Metric):
    """Statistics: those of BLEU."""

    tokenize: option.Tokenize = "ptb"
    lowercase: option.Lowercase = True
    max_ngram_order: option.MaxOrder = 4

    name = "bleu-coco"
    languages: ClassVar[str] = "English"
    made_for: ClassVar[str] = "en"
    captions_only = True
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
