"""PER, position-independent error rate (Tillmann et al. 1997): WER without word order.

    PER = 100 * (max(|reference|, |hypothesis|) - matched words) / |reference|

as Leusch et al. (2003) write it; each word of the reference can be matched once. It is never above
WER. Empty references: see `cupel.metrics.error_rate`.
"""

from __future__ import annotations

from dataclasses import dataclass

from cupel.metrics.error_rate import WordErrorRate
from cupel.registry import register


@register("per", "position-independent error rate (Tillmann et al. 1997); lower is better")
@dataclass(frozen=True)
class Per(WordErrorRate):
    """The error rate of this distance."""

    name = "per"

    @property
    def distance(self) -> int:
        from cupel.kernels.edits import POSITION_INDEPENDENT

        return POSITION_INDEPENDENT
