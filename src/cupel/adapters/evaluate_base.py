"""What the modules in `cupel/adapters/evaluate` are made of; `evaluate` copies and imports those.

They name their base by this module: a base class imported by name would be taken for the module's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import datasets
import evaluate

from cupel.corpus import Corpus
from cupel.metric import SOURCES, needs_of
from cupel.registry import get_metric
from cupel.scores import Scores
from cupel.scoring import score_corpus

References = Sequence[str | Sequence[str]]


class Module(evaluate.Metric):  # type: ignore[misc]
    """Predictions and references, of which a segment may have one or several."""

    inputs: tuple[str, ...] = ("predictions",)
    about = ""

    def _info(self) -> Any:
        texts = {name: datasets.Value("string") for name in self.inputs}
        one = datasets.Features(texts | {"references": datasets.Value("string")})
        several = datasets.Features(
            texts | {"references": datasets.Sequence(datasets.Value("string"))}
        )
        return evaluate.MetricInfo(
            description=self.about,
            citation="",
            inputs_description=f"\n{self.about}",
            features=[several, one],
        )

    @staticmethod
    def scored(
        name: str,
        predictions: Sequence[str],
        references: References,
        options: Mapping[str, object] | None = None,
        sources: Sequence[str] | None = None,
    ) -> Scores:
        """The one metric of that name on the one system."""
        corpus = Corpus.from_evaluate(
            predictions=predictions, references=references, sources=sources
        )
        return score_corpus(corpus, {"metric": get_metric(name, **(options or {}))})

    @classmethod
    def bleu(
        cls, predictions: Sequence[str], references: References, options: Mapping[str, object]
    ) -> dict[str, Any]:
        """BLEU and what it is made of, as sacreBLEU has it."""
        scores = cls.scored("bleu", predictions, references, options)
        (parts,) = scores.details("metric").values()
        orders = range(1, 1 + sum(name.startswith("matches") for name in parts))
        return {
            "score": scores.system_score("metric"),
            "counts": [int(parts[f"matches{n}"]) for n in orders],
            "totals": [int(parts[f"totals{n}"]) for n in orders],
            "precisions": [parts[f"precision{n}"] for n in orders],
            "bp": parts["brevity-penalty"],
            "sys_len": int(parts["hypothesis-length"]),
            "ref_len": int(parts["reference-length"]),
        }


class AnyMetric(Module):
    """The metric that the configuration names."""

    def _info(self) -> Any:
        self.inputs = ("predictions",)
        if SOURCES in needs_of(get_metric(self.spec)):
            self.inputs = ("predictions", "sources")
        return super()._info()

    @property
    def spec(self) -> str:
        """The metric with its options."""
        return "bleu" if self.config_name == "default" else str(self.config_name)
