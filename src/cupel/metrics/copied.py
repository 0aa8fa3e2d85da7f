"""Copied: how much of the source stands in the translation as it was.

Measures: The share of the source's words that the translation repeats unchanged, four or more in a
row, in percent. Lower is better; 100 is a segment that was not translated at all.

Use: To find segments that a system left untranslated, in whole or in part. Not for text of which
much must stay as it is, such as source code or lists of names.

Needs: Sources, and no references. Any two languages.

Formula:
    copied = 100 * |words of the source in shared runs| / |words of the source|

A run is `run` words in a row that occur in both texts, at least two of them with small letters only:
names and numbers are rightly kept. A source that is shorter must occur as a whole. In scripts without
spaces a word is a character, and a run is twice as long. Punctuation marks do not count.

Paper: None: the check was made for Cupel.

Equal to: No other program was compared; docs/checks.md has its precision and recall.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from cupel.errors import CupelError
from cupel.metric import Signature
from cupel.metrics.check import Check
from cupel.options import Range
from cupel.registry import register
from cupel.text.scripts import words


@register("copied", "share of the source that was left untranslated; needs no reference")
@dataclass(frozen=True)
class Copied(Check):
    """The check."""

    run: Annotated[int, "Words in a row that count as copied.", Range(most=1000)] = 4

    name = "copied"

    def __post_init__(self) -> None:
        if self.run < 1:
            raise CupelError(f"copied:run is a number of words, 1 or more, not {self.run}.")

    def signature(self) -> Signature:
        return Signature.of(run=self.run)

    def fault(self, source: str, translation: str) -> float:
        ours, theirs = _spoken(source), _spoken(translation)
        run = 2 * self.run if sum(map(len, ours)) < 2 * len(ours) else self.run
        run = min(run, len(ours))
        runs = {tuple(theirs[at : at + run]) for at in range(len(theirs) - run + 1)}
        covered = [False] * len(ours)
        for at in range(len(ours) - run + 1):
            words_in_a_row = tuple(ours[at : at + run])
            if words_in_a_row in runs and sum(map(_is_small, words_in_a_row)) >= 2:
                covered[at : at + run] = [True] * run
        return sum(covered) / len(ours) if ours else 0.0


def _spoken(text: str) -> list[str]:
    return [word for word in words(text) if word[0].isalnum()]


def _is_small(word: str) -> bool:
    """Whether it is a word in small letters, or in a script that has no others."""
    return word[0].isalpha() and word == word.lower()
