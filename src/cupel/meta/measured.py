"""What one language pair says of metrics, whether people ranked translations or graded them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from cupel.arrays import FloatArray
from cupel.questions.judge import Judge

MOST_POINTS = 600
"""Translations of each language pair that a scatter plot shows, spread evenly."""

Point = dict[str, Any]
"""What a scatter plot shows: pair, item, human, and one entry per metric; higher is better in all."""


@dataclass(frozen=True)
class Measured:
    """How far each metric agrees with people on one language pair.

    values, replicates: by metric, as it is and on resamples; NaN without a value. n: judgments.
    reasons: why there is no value. p_values: of no correlation, where they were asked for.
    """

    values: Mapping[str, float]
    replicates: Mapping[str, FloatArray]
    n: int
    reasons: Mapping[str, str] = field(default_factory=dict)
    p_values: Mapping[str, float] = field(default_factory=dict)


class Evidence(Protocol):
    """The judgments of one language pair, with the scores of metrics: rankings or grades."""

    @property
    def pair(self) -> str:
        """The language pair."""

    @property
    def scores(self) -> Mapping[str, Any]:
        """By metric."""

    @property
    def units(self) -> int:
        """How many segments there are to draw from, where few widen an interval; else 0."""

    def judged_systems(self, question: Judge) -> int:
        """How many systems people judged."""

    def measured(self, question: Judge) -> Measured:
        """The value of each metric, as it is and on resampled judgments."""

    def correlations(self, question: Judge) -> tuple[FloatArray, FloatArray, int]:
        """For Williams' test: each metric with people (m,), each two metrics (m, m), and n."""

    def points(self, question: Judge) -> Iterator[Point]:
        """For a scatter plot."""


def point(pair: str, item: str, human: float, scores: Mapping[str, Any]) -> Point:
    """One judged item; a score that is missing is None."""
    numbers = {name: float(s) if np.isfinite(s) else None for name, s in scores.items()}
    return {"pair": pair, "item": item, "human": float(human), **numbers}
