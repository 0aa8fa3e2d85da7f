"""Scores of segments and of systems, whoever gave them: people or a metric.

Direct assessment, MQM and a metric's score files all come down to this one shape. The readers are
in `score_files` (WMT metrics task), `score_tables` (CSV and TSV with named columns, pack da13)
and `evalset` (the folders of mt-metrics-eval).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from cupel.arrays import FloatArray


@dataclass(frozen=True)
class ScoreSet:
    """The scores that one metric or one campaign gave the systems of one language pair.

    segment_scores: system -> (segments,), NaN where there is no score; all of the same length.
    system_scores: system -> score. Either may be empty. higher_is_better: False for error counts.
    """

    name: str
    pair: str
    segment_scores: Mapping[str, FloatArray] = field(default_factory=dict)
    system_scores: Mapping[str, float] = field(default_factory=dict)
    higher_is_better: bool = True
    testset: str = ""

    @property
    def systems(self) -> list[str]:
        """Every system that has a score of either kind."""
        return list(dict.fromkeys([*self.segment_scores, *self.system_scores]))

    def matrix(self, systems: Sequence[str]) -> FloatArray:
        """(systems, segments): the segment scores in that order, NaN for a system without any."""
        length = max(map(len, self.segment_scores.values()), default=0)
        nothing = np.full(length, np.nan)
        return np.array([self.segment_scores.get(system, nothing) for system in systems])

    def means(self) -> dict[str, float]:
        """The mean of each system's segment scores, those that are missing left out."""
        rated = {system: row[~np.isnan(row)] for system, row in self.segment_scores.items()}
        return {
            system: float(row.mean()) if len(row) else float("nan") for system, row in rated.items()
        }
