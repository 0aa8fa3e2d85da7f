"""WER, word error rate: Levenshtein's distance (1966) between words, over reference length.

    WER = 100 * (insertions + deletions + substitutions) / reference length

With several references it is the multi-reference WER of Nießen et al. (2000): the closest one
counts. Empty references: see `cupel.metrics.error_rate`.
"""

from __future__ import annotations

from dataclasses import dataclass

from cupel.batch import Batch, FloatArray
from cupel.metric import Metric, Signature
from cupel.metrics.error_rate import best_edits, error_rate, text_signature
from cupel.registry import register
from cupel.text.tokenizers import Tokenizer


@register("wer", "word error rate: edit distance between words; lower is better")
@dataclass(frozen=True)
class Wer(Metric):
    """Statistics: [edits, reference length] of the reference with the lowest rate; of equal ones the first."""

    tokenize: str = "none"
    lowercase: bool = False

    name = "wer"
    higher_is_better = False

    def __post_init__(self) -> None:
        _ = self.tokenizer

    @property
    def tokenizer(self) -> Tokenizer:
        return Tokenizer(self.tokenize, self.lowercase)

    def signature(self) -> Signature:
        return text_signature(self.tokenizer)

    def statistics(self, batch: Batch) -> FloatArray:
        from cupel.kernels.edits import WORD_ERRORS

        return best_edits(batch, self.tokenizer, WORD_ERRORS)

    def score(self, statistics: FloatArray) -> FloatArray:
        return error_rate(statistics)
