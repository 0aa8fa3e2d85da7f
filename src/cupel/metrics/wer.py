"""WER, word error rate: edit distance between words, per reference word.

Measures: The insertions, deletions and substitutions that turn the translation into the
reference, per reference word. In percent, and possibly above 100; lower is better.

Use: For speech recognition, and where word order must be kept. For translation ter and cder are
fairer, because a phrase in another place costs them one edit.

Needs: Nothing beyond Cupel. Any language; by default words are split at spaces, so tokenized text
is expected (or tokenize=13a).

Formula:
    WER = 100 * (insertions + deletions + substitutions) / reference length

The reference with the lowest rate counts (the multi-reference WER of Nießen et al. 2000); a
system's rate is that of the summed edits and lengths. With an empty reference the rate is 100 if
there is an edit and else 0.

Paper: Vladimir Levenshtein. 1966. Binary Codes Capable of Correcting Deletions, Insertions and
Reversals. Soviet Physics Doklady 10(8). Sonja Nießen, Franz Josef Och, Gregor Leusch and Hermann
Ney. 2000. An Evaluation Tool for Machine Translation: Fast Evaluation for MT Research. LREC 2000.

Equal to: No other program was compared; the tests compare it with the definition above.
"""

from __future__ import annotations

from dataclasses import dataclass

from cupel.kernels.edits import WORD_ERRORS
from cupel.metrics.error_rate import WordErrorRate
from cupel.registry import register


@register("wer", "word error rate: edit distance per reference word; lower is better")
@dataclass(frozen=True)
class Wer(WordErrorRate):
    """The error rate of this distance."""

    name = "wer"
    distance = WORD_ERRORS
