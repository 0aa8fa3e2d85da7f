"""CDER, cover-disjoint error rate (Leusch, Ueffing and Ney 2006): WER with block movements.

Every word of the reference is covered exactly once; the hypothesis may be covered in any order,
in parts several times or not at all, by long jumps within it that cost 1 each:

    D(i, l) = min of D(i-1, l-1) + (0 if e_i = r_l else 1),  D(i-1, l) + 1,  D(i, l-1) + 1,
                     min over i' of D(i', l) + 1
    CDER = 100 * D(I, L) / L

with e the hypothesis of I words, r the reference of L words. It is never above WER: an unwanted
stretch of the hypothesis costs at most one jump. So D is 1, and not I, for an empty reference;
what the rate is then, see `cupel.metrics.error_rate`.
"""

from __future__ import annotations

from dataclasses import dataclass

from cupel.metrics.error_rate import WordErrorRate
from cupel.registry import register


@register("cder", "edit distance with block movements (Leusch et al. 2006); lower is better")
@dataclass(frozen=True)
class Cder(WordErrorRate):
    """The error rate of this distance."""

    name = "cder"

    @property
    def distance(self) -> int:
        from cupel.kernels.edits import LONG_JUMPS

        return LONG_JUMPS
