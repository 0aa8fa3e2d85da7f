"""Scores of segments and of systems, whoever gave them: people or a metric.

Direct assessment, MQM and a metric's score files all come down to this one shape. The readers are
in `score_files` (WMT metrics task), `da13` (that pack) and `evalset` (the folders of mt-metrics-eval).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from cupel.arrays import FloatArray

LEVELS = {"segment": "seg", "document": "doc", "domain": "domain", "system": "sys"}
"""What scores are given to, and how the names of score files call it: `NAME.seg.score`."""


@dataclass(frozen=True)
class ScoreSet:
    """The scores that one metric or one campaign gave the systems of one language pair.

    segment_scores: system -> (segments,), NaN where there is no score; all of the same length.
    document_scores, domain_scores: the same for documents and domains. system_scores: system ->
    score. Each may be empty. higher_is_better: False for error counts.
    """

    name: str
    pair: str
    segment_scores: Mapping[str, FloatArray] = field(default_factory=dict)
    system_scores: Mapping[str, float] = field(default_factory=dict)
    higher_is_better: bool = True
    testset: str = ""
    document_scores: Mapping[str, FloatArray] = field(default_factory=dict)
    domain_scores: Mapping[str, FloatArray] = field(default_factory=dict)

    @property
    def systems(self) -> list[str]:
        """Every system that has a score of any kind."""
        return list(dict.fromkeys(system for level in LEVELS for system in self.at(level)))

    def at(self, level: str) -> Mapping[str, FloatArray]:
        """The scores of a level of `LEVELS`, system -> (items,); of systems there is one item."""
        if level == "system":
            return {system: np.array([score]) for system, score in self.system_scores.items()}
        scores: Mapping[str, FloatArray] = getattr(self, f"{level}_scores")
        return scores

    def matrix(self, systems: Sequence[str], level: str = "segment") -> FloatArray:
        """(systems, items): the scores in that order, NaN for a system without any."""
        scores = self.at(level)
        nothing = np.full(max(map(len, scores.values()), default=0), np.nan)
        return np.array([scores.get(system, nothing) for system in systems])

    def means(self) -> dict[str, float]:
        """The mean of each system's segment scores, those that are missing left out."""
        rated = {system: row[~np.isnan(row)] for system, row in self.segment_scores.items()}
        return {
            system: float(row.mean()) if len(row) else float("nan") for system, row in rated.items()
        }
