"""CDER, cover-disjoint error rate: word error rate that allows blocks to move.

Measures: The edits that turn the translation into the reference, per reference word, where a jump
to another place in the translation costs one edit. In percent, and possibly above 100; lower is
better.

Use: To count edits without punishing a moved phrase word by word. Unlike ter it is computed
exactly, without limits on the search; ter is better known.

Needs: Nothing beyond Cupel. Any language; by default words are split at spaces, so tokenized text
is expected (or tokenize=13a).

Formula:
    D(i, l) = min of D(i-1, l-1) + (0 if e_i = r_l else 1),  D(i-1, l) + 1,  D(i, l-1) + 1,
                     min over i' of D(i', l) + 1
    CDER = 100 * D(I, L) / L

with e the translation of I words and r the reference of L words. Every word of the reference is
covered exactly once; the translation may be covered in any order, in parts several times or not
at all. CDER is never above WER, because an extra stretch of the translation costs at most one
jump. The reference with the lowest rate counts; a system's rate is that of the summed edits and
lengths. With an empty reference the rate is 100 if there is an edit and else 0.

Paper: Gregor Leusch, Nicola Ueffing and Hermann Ney. 2006. CDER: Efficient MT Evaluation Using
Block Movements. EACL 2006.

Equal to: No other program was compared; the tests compare it with the definition above.
"""

from __future__ import annotations

from dataclasses import dataclass

from cupel.kernels.edits import LONG_JUMPS
from cupel.metrics.error_rate import WordErrorRate
from cupel.registry import register


@register(
    "cder", "word error rate that allows blocks to move (Leusch et al. 2006); lower is better"
)
@dataclass(frozen=True)
class Cder(WordErrorRate):
    """The error rate of this distance."""

    name = "cder"
    distance = LONG_JUMPS
