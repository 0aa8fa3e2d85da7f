"""Which segments changed between two systems, and by how much each contributes to the difference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cupel.arrays import FloatArray
from cupel.diagnose.comparison import bootstrap_differences, compare
from cupel.metric import Metric, Vector
from cupel.scores import Scores
from cupel.significance import quantile_interval


@dataclass(frozen=True)
class Change:
    """One system against the first under one metric, over all segments.

    difference, low, high, p_value  of the scores
    differ, better, worse           how many segments have another text, a better and a worse score
    shares                          (segments,) the contributions, which sum up to the difference
    """

    system: str
    first: str
    metric: str
    higher_is_better: bool
    first_score: float
    score: float
    difference: float
    low: float
    high: float
    p_value: float
    differ: int
    better: int
    worse: int
    shares: FloatArray


def changes(scores: Scores, weights: FloatArray) -> list[Change]:
    """Every system and metric. weights: of the paired bootstrap."""
    result = []
    first, *others = scores.systems
    everything = np.arange(len(scores.corpus))
    for label, metric in scores.metrics.items():
        if isinstance(metric, Vector):
            continue
        statistics = scores.statistics[label]
        compared = compare(metric.score, statistics)
        by_segment = [np.asarray(metric.segment_scores(rows), np.float64) for rows in statistics]
        drawn = bootstrap_differences(metric.score, statistics, everything, weights)
        lows, highs = quantile_interval(drawn).tolist()
        for at, system in enumerate(others):
            gain = (by_segment[at + 1] - by_segment[0]) * (1 if metric.higher_is_better else -1)
            result.append(
                Change(
                    system, first, label, metric.higher_is_better,
                    float(compared.scores[0]), float(compared.scores[at + 1]),
                    float(compared.differences[at]), lows[at], highs[at],
                    float(compared.p_values[at]), _differ(scores, first, system, gain),
                    int((gain > 0).sum()), int((gain < 0).sum()), compared.shares[at],
                )
            )  # fmt: skip
    return result


def _differ(scores: Scores, first: str, system: str, gain: FloatArray) -> int:
    if not scores.corpus.has_texts:
        return int((gain != 0).sum())
    one, other = scores.corpus.systems[first], scores.corpus.systems[system]
    return sum(a != b for a, b in zip(one, other, strict=True))


def strongest_segments(change: Change, most: int) -> list[int]:
    """Segments, from 0, that contribute most to the difference or against it."""
    order = np.argsort(-np.abs(change.shares), kind="stable")[:most]
    return [int(row) for row in order if change.shares[row] != 0]


def segment_rows(
    change: Change, scores: Scores, most: int
) -> list[dict[str, float | int | str | None]]:
    """Flat records of those segments."""
    metric: Metric = scores.metrics[change.metric]
    statistics = scores.statistics[change.metric]
    systems = scores.systems
    rows = strongest_segments(change, most)
    values = [
        np.asarray(metric.segment_scores(statistics[systems.index(name)][rows]), np.float64)
        for name in (change.first, change.system)
    ]
    return [
        {
            "system": change.system,
            "metric": change.metric,
            "segment": row + 1,
            "first_score": float(values[0][at]),
            "score": float(values[1][at]),
            "contribution": float(change.shares[row]),
            "share": float(change.shares[row] / change.difference) if change.difference else None,
        }
        for at, row in enumerate(rows)
    ]
