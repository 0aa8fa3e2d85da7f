"""Repeats: does the translation run in a loop?

Measures: The share of segments, in percent, in which the same words follow each other again and
again, as they do when a neural system does not stop. Lower is better.

Use: To find loops in the output of neural systems and language models.

Needs: Sources, and no references. Any language; words of scripts without spaces are their
characters.

Formula:
    a loop = the same p words, `times` times or more in a row, p from 1 to 30

In scripts without spaces, and for punctuation marks, a single character must occur twice as often.
Words are compared without case. A segment whose source has a loop of as many words is not flagged.

Paper: None: the check was made for Cupel.

Equal to: No other program was compared; docs/checks.md has its precision and recall.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from cupel.errors import CupelError
from cupel.metric import Signature
from cupel.metrics.check import Check
from cupel.options import Range
from cupel.registry import register
from cupel.text.scripts import words

_LONGEST = 30


@register("repeats", "segments in which the translation runs in a loop; needs no reference")
@dataclass(frozen=True)
class Repeats(Check):
    """The check."""

    times: Annotated[int, "How often the same words must follow each other.", Range(most=1000)] = 3

    name = "repeats"

    def __post_init__(self) -> None:
        if self.times < 2:
            raise CupelError(f"repeats:times is 2 or more, not {self.times}.")

    def signature(self) -> Signature:
        return Signature.of(times=self.times)

    def fault(self, source: str, translation: str) -> float:
        loop = self._longest_loop(words(translation.lower()))
        return float(loop > 0 and loop > self._longest_loop(words(source.lower())))

    def _longest_loop(self, tokens: Sequence[str]) -> int:
        """The most words that are one loop, 0 where there is none."""
        longest = 0
        for period in range(1, min(_LONGEST, len(tokens) // self.times) + 1):
            equal = 0  # words that equal the one `period` before
            for at in range(period, len(tokens)):
                equal = equal + 1 if tokens[at] == tokens[at - period] else 0
                least = period * (self.times - 1)
                if period == 1 and len(tokens[at]) == 1:
                    least = 2 * self.times - 1
                if equal >= least:
                    longest = max(longest, equal + period)
        return longest
