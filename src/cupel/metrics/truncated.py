"""Truncated: does the translation end in the middle?

Measures: The share of segments, in percent, whose translation stops before the end of the sentence.
Lower is better.

Use: To find output that was cut off, by a limit of length or by a system that stopped too early.

Needs: Sources, and no references. Any two languages that end a sentence with a punctuation mark.

Formula:
    flagged = the source ends with a mark, the translation does not, and it is short

A mark is one of . ! ? … : ; and their like in other scripts, or a closing quotation mark or bracket.
Short is more than `deviations` standard deviations below the usual length (see length), or ends in
a comma or a hyphen.

Paper: None: the check was made for Cupel.

Equal to: No other program was compared; docs/checks.md has its precision and recall.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Annotated

from cupel.metric import Signature
from cupel.metrics.length import UsualLength
from cupel.options import Range
from cupel.registry import register

_MARKS = set(".!?…:;。！？：；．｡。؟؛।॥։፡።၊။។៕⋯")
_OPEN_ENDS = tuple(",，、-–—، (（")


@register("truncated", "translations that stop in the middle; needs no reference")
@dataclass(frozen=True)
class Truncated(UsualLength):
    """The check."""

    deviations: Annotated[
        float, "How many standard deviations below the usual are short.", Range(0, 1000)
    ] = 0.5

    name = "truncated"

    def signature(self) -> Signature:
        return Signature.of(deviations=f"{self.deviations:g}")

    def fault(self, source: str, translation: str) -> float:
        text = translation.rstrip()
        if not text or not _is_whole(source.rstrip()) or _is_whole(text):
            return 0.0
        short = self.deviation(source, translation) < -self.deviations
        return float(short or text.endswith(_OPEN_ENDS))


def _is_whole(text: str) -> bool:
    last = text[-1:]
    closing = last != "" and unicodedata.category(last) in ("Pe", "Pf")
    return last in _MARKS or closing or last in "\"'“”‘’"
