"""Numbers: numbers of the source that are missing or changed in the translation.

Measures: The share of the source's numbers that the translation does not have, or has with another
unit, in percent. Lower is better.

Use: Where numbers matter: news, medicine, manuals, finance. A number that is rightly converted, such
as miles into kilometres, counts as changed.

Needs: Sources, and no references. Any two languages; thousands and millions in words are read in
English, German, French, Spanish, Italian, Portuguese, Dutch, Czech, Russian, Chinese, Japanese and
Hindi.

Formula:
    numbers = 100 * |numbers of the source without partner| / |numbers of the source|

Partners have the same value however it is written: 1,234.5 or 1.234,5; 3.5 million or 350万; 14:30
or 2:30 (an hour may differ by 12). A number has one partner. Where both have a unit (%, km, mg, € ...),
it must be the same. English words up to ninety-nine are read in translations. Whole numbers up to `small`
may be missing, because they are often written as words or as the name of a month, but not if the translation
has another number in their place.

Paper: None: the check was made for Cupel.

Equal to: No other program was compared; docs/checks.md has its precision and recall.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from cupel.metric import Signature
from cupel.metrics.check import Check
from cupel.options import Range
from cupel.registry import register
from cupel.text.numbers import Number, english_words, numbers

_HALF_A_DAY = 12


@register("numbers", "numbers of the source that are missing or changed; needs no reference")
@dataclass(frozen=True)
class Numbers(Check):
    """The check."""

    small: Annotated[
        int, "Whole numbers up to this one may be written as words.", Range(0, 1_000_000)
    ] = 12

    name = "numbers"

    def signature(self) -> Signature:
        return Signature.of(small=self.small)

    def fault(self, source: str, translation: str) -> float:
        ours, theirs = numbers(source), numbers(translation)
        written = [] if len(theirs) >= len(ours) else english_words(translation)
        alone = []
        for number in ours:
            partner = next((n for n in (*theirs, *written) if _partners(number, n)), None)
            if partner is None:
                alone.append(number)
            else:
                (theirs if partner in theirs else written).remove(partner)
        others = sum(not number.minutes and min(number.readings) > 0 for number in theirs)
        small = sum(map(self._is_small, alone))
        wrong = len(alone) - small + min(small, others)
        return wrong / len(ours) if ours else 0.0

    def _is_small(self, number: Number) -> bool:
        return all(r <= self.small and r == int(r) for r in number.readings) and not number.scaled


def _partners(one: Number, other: Number) -> bool:
    if one.unit and other.unit and one.unit != other.unit:
        return False
    return one.equals(other) or _hours(one, other)


def _hours(one: Number, other: Number) -> bool:
    first, second = min(one.readings), min(other.readings)
    whole = first == int(first) and second == int(second)
    return whole and abs(first - second) == _HALF_A_DAY and max(first, second) < 2 * _HALF_A_DAY
