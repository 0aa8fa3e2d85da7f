"""`evaluate.load(".../metric", "chrf++")`: any metric of Cupel, by its name with options."""

from __future__ import annotations

from typing import Any

from cupel.adapters import evaluate_base


class CupelMetric(evaluate_base.AnyMetric):
    """The score of the metric that the configuration names, and its signature."""

    about = (
        "Any metric of Cupel; references: per segment a string or a list of strings; a metric that "
        "reads sources takes them as sources=."
    )

    def _compute(
        self,
        predictions: list[str],
        references: evaluate_base.References,
        sources: list[str] | None = None,
    ) -> dict[str, Any]:
        scores = self.scored(self.spec, predictions, references, sources=sources)
        return {
            "score": scores.system_score("metric"),
            "signature": str(scores.signature("metric")),
        }
