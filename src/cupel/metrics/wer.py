"""WER, word error rate: Levenshtein's distance (1966) between words, over reference length.

    WER = 100 * (insertions + deletions + substitutions) / reference length

With several references it is the multi-reference WER of Nießen et al. (2000): the closest one
counts. Empty references: see `cupel.metrics.error_rate`.
"""

from __future__ import annotations

from dataclasses import dataclass

from cupel.metrics.error_rate import WordErrorRate
from cupel.registry import register


@register("wer", "word error rate: edit distance between words; lower is better")
@dataclass(frozen=True)
class Wer(WordErrorRate):
    """The error rate of this distance."""

    name = "wer"

    @property
    def distance(self) -> int:
        from cupel.kernels.edits import WORD_ERRORS

        return WORD_ERRORS
