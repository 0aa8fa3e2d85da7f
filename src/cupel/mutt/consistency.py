"""How consistent people and metrics are about one corruption (section 5: Table 3, Figures 2, 3).

Every pair that a template finds in SICK is one item: people gave it a relatedness, and a metric
scores the corruption against the original as its only reference; an error rate is negated, so
that more always means more alike. The paper's point is that metrics agree with one another but
not with people, whose scores for one and the same transformation spread widely.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cupel.arrays import FloatArray
from cupel.corpus import Corpus
from cupel.errors import CupelError
from cupel.metric import Metric
from cupel.mutt.templates import Match
from cupel.registry import named_metrics
from cupel.scoring import score_corpus

PEOPLE = "gold"


@dataclass(frozen=True)
class Consistency:
    """The scores of people (`gold`) and metrics for the pairs of one corruption."""

    corruption: str
    scores: Mapping[str, FloatArray]

    def correlations(self) -> FloatArray:
        """Pearson's r between all columns, gold first."""
        return np.atleast_2d(np.corrcoef(list(self.scores.values())))

    def rows(self) -> list[dict[str, Any]]:
        """Flat records: corruption, first, second, pearson, n."""
        matrix, names = self.correlations(), list(self.scores)
        return [
            {
                "corruption": self.corruption,
                "first": first,
                "second": second,
                "pearson": float(matrix[i, j]),
                "n": len(self.scores[PEOPLE]),
            }
            for i, first in enumerate(names)
            for j, second in enumerate(names)
            if i < j
        ]

    def spread(self) -> dict[str, tuple[float, float]]:
        """Mean and standard deviation of each column, as the legend of Figure 2 has them."""
        return {name: (float(v.mean()), float(v.std())) for name, v in self.scores.items()}


def consistency(
    matches: Sequence[Match], metrics: Sequence[str | Metric], corruption: str = "neg_subj"
) -> Consistency:
    """People and metrics on the pairs of one corruption, from `cupel.mutt.templates.find`."""
    pairs = [match for match in matches if match.corruption == corruption]
    scored = [match for match in pairs if match.relatedness is not None]
    if len(scored) < 3:
        raise CupelError(
            f"The corruption {corruption!r} has {len(scored)} pairs with human scores; "
            "at least 3 are needed."
        )
    corpus = Corpus({"corrupted": [m.corrupted for m in scored]}, [[m.original] for m in scored])
    scores = score_corpus(corpus, named_metrics(metrics))
    columns: dict[str, FloatArray] = {PEOPLE: np.array([m.relatedness for m in scored], np.float64)}
    for label, metric in scores.metrics.items():
        values = scores.segment_scores(label)
        columns[label] = values if metric.higher_is_better else -values
    return Consistency(corruption, columns)
