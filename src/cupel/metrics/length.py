"""Length: is the translation far longer or shorter than its source lets expect?

Measures: The share of segments, in percent, whose length in characters is far from what is usual for
this test set. Lower is better.

Use: To find segments that were left out in part, or to which a system added text.

Needs: Sources, and no references. Any two languages: what is usual is learned from all translations
at hand, so that a few dozen segments are needed.

Formula:
    d = (t - c * s) / sqrt(v * (s + 10))

t, s: characters of translation and source; c: the median of t / s; v: the spread, by the median of
the absolute deviations, so that single faults do not change it. A segment is flagged where |d| is
above `deviations`, and where it has no translation at all.

Paper: The model of lengths is that of William A. Gale and Kenneth W. Church. 1993. A Program for
Aligning Sentences in Bilingual Corpora. Computational Linguistics 19(1).

Equal to: No other program was compared; docs/checks.md has its precision and recall.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from statistics import median
from typing import TYPE_CHECKING, Annotated, Self

from cupel.metric import Signature
from cupel.metrics.check import Check
from cupel.options import Range
from cupel.registry import register

if TYPE_CHECKING:
    from cupel.corpus import Corpus

NORMAL = 1.4826
"""Times the median absolute deviation: the standard deviation of a normal distribution."""
_LEAST_SPREAD = 0.5


@dataclass(frozen=True)
class UsualLength(Check):
    """What `length` and `truncated` share: how long translations of this test set usually are."""

    _factor: float | None = None
    _spread: float = 1.0

    def prepare(self, corpus: Corpus) -> Self:
        if self._factor is not None:
            return self
        lengths = [
            (len(source), len(translation))
            for texts in corpus.systems.values()
            for source, translation in zip(corpus.sources or (), texts, strict=True)
            if source and translation
        ]
        if not lengths:
            return replace(self, _factor=1.0)
        factor = median(t / s for s, t in lengths)
        deviations = [abs(t - factor * s) / sqrt(s + 10) for s, t in lengths]
        return replace(
            self, _factor=factor, _spread=max(NORMAL * median(deviations), _LEAST_SPREAD)
        )

    def deviation(self, source: str, translation: str) -> float:
        """How many standard deviations longer than usual the translation is."""
        usual = (1.0 if self._factor is None else self._factor) * len(source)
        return (len(translation) - usual) / (self._spread * sqrt(len(source) + 10))


@register("length", "translations of an unusual length; needs no reference")
@dataclass(frozen=True)
class Length(UsualLength):
    """The check."""

    deviations: Annotated[float, "How many standard deviations are unusual.", Range(0, 1000)] = 4.0

    name = "length"

    def signature(self) -> Signature:
        return Signature.of(deviations=f"{self.deviations:g}")

    def fault(self, source: str, translation: str) -> float:
        if not translation.strip():
            return float(bool(source.strip()))
        return float(abs(self.deviation(source, translation)) > self.deviations)
