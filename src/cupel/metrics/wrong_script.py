"""Wrong script: letters of a script that the target language does not use.

Measures: The share of a segment's letters that belong to another script than the target language's,
in percent, where they are too many to be right. Lower is better.

Use: To find text left in the source language, or in a third one, where the scripts differ. Not
between languages of one script: see wrong-language and copied.

Needs: Translations alone. Any language: what its scripts are is learned from the references, or
where there are none from the translations of all systems, unless `script` names them.

Formula:
    wrong-script = 100 * |letters of other scripts| / |letters|

Scripts of at least 20% of the letters learned from are the language's own. Those of half a percent or
more may be right in names and terms: they count where they are more than half of a segment's letters.
All others count where they are `least` of them or more. A Chinese character counts as three letters.

Paper: None: the check was made for Cupel.

Equal to: No other program was compared; docs/checks.md has its precision and recall.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Annotated, ClassVar, Self

from cupel.metric import Signature
from cupel.metrics.check import Check
from cupel.options import Range
from cupel.registry import register
from cupel.text.scripts import scripts

if TYPE_CHECKING:
    from cupel.corpus import Corpus

_OWN, _USUAL = 0.2, 0.005


@register("wrong-script", "letters of a script that is not the target language's")
@dataclass(frozen=True)
class WrongScript(Check):
    """The check."""

    script: Annotated[
        str | None, "Scripts of the target language, such as latin or han+latin (default: learned)."
    ] = None
    least: Annotated[
        float, "Share of letters of an unusual script from which they count.", Range(0, 1)
    ] = 0.02
    _usual: frozenset[str] = frozenset()

    name = "wrong-script"
    needs: ClassVar[tuple[str, ...]] = ()

    def prepare(self, corpus: Corpus) -> Self:
        if self.script is not None:
            return self
        texts = (
            chain(*corpus.references) if corpus.has_references else chain(*corpus.systems.values())
        )
        counts = scripts(texts)
        share = {name: count / counts.total() for name, count in counts.items()}
        own = sorted(name.lower() for name in share if share[name] >= _OWN)
        usual = frozenset(name for name in share if share[name] >= _USUAL)
        return replace(self, script="+".join(own), _usual=usual)

    def signature(self) -> Signature:
        return Signature.of(script=self.script or "learned", least=f"{self.least:g}")

    def fault(self, source: str, translation: str) -> float:
        counts = scripts([translation])
        if not counts or not self.script:
            return 0.0
        own = set(self.script.upper().split("+"))
        shares = {name: n / counts.total() for name, n in counts.items() if name not in own}
        unusual = sum(share for name, share in shares.items() if name not in self._usual)
        others = sum(shares.values())
        return others if others > 0.5 or unusual >= self.least else 0.0
