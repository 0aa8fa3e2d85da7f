"""What a search reads: the features of every translation, and the human judgments of them.

Features are computed once per language pair and kept in the cache; a setting of the parameters
then costs one `rescore` of the rows, two gathers over the human pairs, and a mean over segments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from cupel.arrays import FloatArray, IntArray
from cupel.human.rankings import Rankings
from cupel.meta.correlations import FEWEST_SYSTEMS, spearman_no_ties
from cupel.metric import Metric, Tunable

Parameters = Mapping[str, float]


class TunableMetric(Metric, Tunable, Protocol):
    """What can be tuned."""


@dataclass(frozen=True)
class Agreement:
    """rho on systems (NaN where there are too few) and tau on segments, of one language pair."""

    systems: float
    segments: float


@dataclass(frozen=True, eq=False)
class Material:
    """One language pair.

    features       (systems * segments, ...) of each translation, system by system
    lines          how many segments there are
    human          (systems,) people's scores, NaN where a system was never compared
    better, worse  (p,) rows of the features: people preferred the one to the other
    times          (p,) how often they did
    """

    dataset: str
    pair: str
    metric: TunableMetric
    features: FloatArray
    lines: int
    human: FloatArray
    better: IntArray
    worse: IntArray
    times: FloatArray

    @property
    def enough_systems(self) -> bool:
        """Whether people judged enough systems for a correlation."""
        return int(np.isfinite(self.human).sum()) >= FEWEST_SYSTEMS

    def agreement(self, parameters: Parameters) -> Agreement:
        """How well the metric with these parameters agrees with people."""
        scores = self.metric.rescore(self.features, parameters)
        if not self.metric.higher_is_better:
            scores = -scores
        return Agreement(self._rho(scores), self._tau(scores))

    def _tau(self, scores: FloatArray) -> float:
        """(C - D) / (C + D) over all strict preferences; NaN where the metric ties them all."""
        signs = np.sign(scores[self.better] - scores[self.worse])
        apart = float(self.times @ np.abs(signs))
        return float(self.times @ signs) / apart if apart else float("nan")

    def _rho(self, scores: FloatArray) -> float:
        if self.lines == 0 or not self.enough_systems:
            return float("nan")
        judged = np.isfinite(self.human)
        means = scores.reshape(-1, self.lines).mean(axis=1)
        return float(spearman_no_ties(means[judged], self.human[judged]))

    def segments_only(self) -> Material:
        """The same without translations that nobody judged: all that tau needs, and no rho."""
        rows, places = np.unique(np.concatenate([self.better, self.worse]), return_inverse=True)
        better, worse = np.split(places, 2)
        return replace(self, features=self.features[rows], lines=0, better=better, worse=worse)


def material(
    dataset: str,
    rankings: Rankings,
    metric: TunableMetric,
    features: FloatArray,
    human: FloatArray,
    chosen: npt.NDArray[np.bool_] | None = None,
) -> Material:
    """The material of the chosen lines (all, if None).

    features: (systems, segments, ...), systems as in the rankings.
    """
    systems, segments = features.shape[:2]
    kept = np.arange(segments) if chosen is None else np.flatnonzero(chosen)
    place = np.full(segments, -1)
    place[kept] = np.arange(len(kept))
    pairs = rankings.pairs()
    inside = place[pairs.segment] >= 0
    line = place[pairs.segment[inside]]
    better = pairs.better[inside] * len(kept) + line
    worse = pairs.worse[inside] * len(kept) + line
    both, times = np.unique(better * (systems * len(kept)) + worse, return_counts=True)
    return Material(
        dataset,
        rankings.pair,
        metric,
        np.ascontiguousarray(features[:, kept]).reshape(-1, *features.shape[2:]),
        len(kept),
        human,
        *np.divmod(both, max(systems * len(kept), 1)),
        times.astype(np.float64),
    )
