"""PER, position-independent error rate (Tillmann et al. 1997): WER without word order.

    PER = 100 * (max(|reference|, |hypothesis|) - matched words) / |reference|

as Leusch et al. (2003) write it; each word of the reference can be matched once. It is never above
WER. Empty references: see `cupel.metrics.error_rate`.
"""

from __future__ import annotations

from dataclasses import dataclass

from cupel.batch import Batch, FloatArray
from cupel.metric import Metric, Signature
from cupel.metrics.error_rate import best_edits, error_rate, text_signature
from cupel.registry import register
from cupel.text.tokenizers import Tokenizer


@register("per", "position-independent error rate (Tillmann et al. 1997); lower is better")
@dataclass(frozen=True)
class Per(Metric):
    """Statistics: [edits, reference length] of the reference with the lowest rate; of equal ones the first."""

    tokenize: str = "none"
    lowercase: bool = False

    name = "per"
    higher_is_better = False

    def __post_init__(self) -> None:
        _ = self.tokenizer

    @property
    def tokenizer(self) -> Tokenizer:
        return Tokenizer(self.tokenize, self.lowercase)

    def signature(self) -> Signature:
        return text_signature(self.tokenizer)

    def statistics(self, batch: Batch) -> FloatArray:
        from cupel.kernels.edits import POSITION_INDEPENDENT

        return best_edits(batch, self.tokenizer, POSITION_INDEPENDENT)

    def score(self, statistics: FloatArray) -> FloatArray:
        return error_rate(statistics)
