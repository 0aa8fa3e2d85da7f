"""Metrics against graded judgments: direct assessment, MQM, any score that people gave.

Judgments are a matrix (systems, segments) with NaN where nobody judged. Pearson, Spearman and
Kendall go over all judged translations at once; acc-eq over pairs of translations of one segment.
Intervals resample segments: all translations of one are drawn together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from cupel.arrays import FloatArray
from cupel.errors import CupelError
from cupel.meta import correlations
from cupel.meta.comparison import Permuted, perm_both_pearson, permuted_p_values
from cupel.meta.evaluation import (
    FEWEST_SYSTEMS,
    SYSTEM_STATISTICS,
    evaluated,
    too_few_systems,
)
from cupel.meta.resampling import draws, superiority, weighted_sums
from cupel.meta.result import Evaluation
from cupel.meta.scorecache import MetricScores
from cupel.meta.ties import acc_eq
from cupel.significance import BOOTSTRAP_RESAMPLES, DEFAULT_SEED


@dataclass(frozen=True)
class Graded:
    """One language pair: human scores (systems, segments), and the scores of every metric."""

    pair: str
    human: FloatArray
    scores: Mapping[str, MetricScores]


def graded_level(
    judged: Sequence[Graded],
    statistic: str = "pearson",
    *,
    resamples: int = BOOTSTRAP_RESAMPLES,
    seed: int = DEFAULT_SEED,
) -> Evaluation:
    """Agreement of every metric with graded judgments; n: judged translations."""
    compute = GRADED_STATISTICS[statistic]

    def of_pair(one: Graded) -> tuple[FloatArray, FloatArray, int]:
        rated = np.isfinite(one.human)
        if not rated.any():
            raise CupelError(f"Nobody judged a translation of {one.pair}.")
        results = [compute(s.segments, one.human, resamples, seed) for s in one.scores.values()]
        values = np.array([value for value, _ in results])
        return values, np.stack([r for _, r in results], axis=1), int(rated.sum())

    return evaluated(judged, statistic, "segment", of_pair, {})


def _pearson(
    metric: FloatArray, human: FloatArray, resamples: int, seed: int
) -> tuple[float, FloatArray]:
    rated = np.isfinite(human)
    value = float(correlations.pearson(metric[rated], human[rated]))
    x = np.where(rated, metric - metric[rated].mean(), 0.0)
    y = np.where(rated, human - human[rated].mean(), 0.0)
    sums = np.stack([rated, x, y, x * x, y * y, x * y], axis=-1).sum(axis=0)
    n, sx, sy, sxx, syy, sxy = np.moveaxis(weighted_sums(sums, resamples, seed), -1, 0)
    scale = (sxx - sx * sx / n) * (syy - sy * sy / n)
    with np.errstate(divide="ignore", invalid="ignore"):
        return value, (sxy - sx * sy / n) / np.sqrt(scale)


def _drawn(
    statistic: Callable[[FloatArray, FloatArray], float],
) -> Callable[[FloatArray, FloatArray, int, int], tuple[float, FloatArray]]:
    """A statistic that is no function of sums: computed again for every draw of segments."""

    def compute(
        metric: FloatArray, human: FloatArray, resamples: int, seed: int
    ) -> tuple[float, FloatArray]:
        rated = np.isfinite(human)
        value = float(statistic(metric[rated], human[rated]))
        replicates = np.empty(resamples)
        for block, drawn in draws(human.shape[1], resamples, seed):
            for number, columns in enumerate(drawn, start=block.start):
                h, m = human[:, columns], metric[:, columns]
                kept = np.isfinite(h)
                replicates[number] = statistic(m[kept], h[kept])
        return value, replicates

    return compute


def _acc_eq(
    metric: FloatArray, human: FloatArray, resamples: int, seed: int
) -> tuple[float, FloatArray]:
    """The interval keeps epsilon as calibrated on all segments."""
    best = acc_eq(metric, human)
    i, j = np.triu_indices(len(metric), 1)
    difference, judged = metric[i] - metric[j], human[i] - human[j]
    predicted = np.where(np.abs(difference) <= best.epsilon, 0.0, np.sign(difference))
    rated = np.isfinite(judged)
    right = rated & (predicted == np.sign(np.where(rated, judged, 0.0)))
    sums = weighted_sums(
        np.stack([right.sum(0), rated.sum(0)], axis=-1).astype(float), resamples, seed
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        return best.accuracy, sums[:, 0] / sums[:, 1]


GRADED_STATISTICS = {
    "pearson": _pearson,
    "spearman": _drawn(lambda x, y: float(correlations.spearman(x, y))),
    "tau-b": _drawn(correlations.kendall_b),
    "tau-c": _drawn(correlations.kendall_c),
    "acc-eq": _acc_eq,
}


def perm_both_grades(graded: Sequence[Graded], seed: int = DEFAULT_SEED) -> FloatArray:
    """(metrics, metrics): p of "row is better than column" by PERM-BOTH, for Pearson's r."""

    def permuted(first: str, second: str) -> list[Permuted]:
        return [
            perm_both_pearson(
                one.scores[first].segments[rated],
                one.scores[second].segments[rated],
                one.human[rated],
                seed=seed,
            )
            for one in graded
            for rated in [np.isfinite(one.human)]
        ]

    return permuted_p_values(list(graded[0].scores), permuted)


def graded_system_level(
    judged: Sequence[Graded],
    statistic: str = "pearson",
    *,
    resamples: int = BOOTSTRAP_RESAMPLES,
    seed: int = DEFAULT_SEED,
) -> Evaluation:
    """Correlation over systems with the mean of people's scores; n: judged systems.

    Soft pairwise accuracy (`spa`) compares how sure people and the metric are of each pair of
    systems, over the segments that both systems were judged on; it has no interval.
    """
    left_out: dict[str, str] = {}
    enough = []
    for one in judged:
        count = int(np.isfinite(one.human).any(axis=1).sum())
        if count < FEWEST_SYSTEMS:
            left_out[one.pair] = too_few_systems(one.pair, count)
        else:
            enough.append(one)

    def of_pair(one: Graded) -> tuple[FloatArray, FloatArray, int]:
        seen = np.isfinite(one.human).any(axis=1)
        human = one.human[seen]
        if statistic == "spa":
            values = np.array([_spa(s.segments[seen], human, seed) for s in one.scores.values()])
            return values, np.full((resamples, len(values)), np.nan), int(seen.sum())
        correlation = SYSTEM_STATISTICS[statistic]
        rated = np.isfinite(human)
        sums = np.stack([np.where(rated, human, 0.0), rated.astype(float)], axis=-1)
        scores = np.stack([s.systems[seen] for s in one.scores.values()])
        total = sums.sum(axis=1)
        drawn = weighted_sums(np.swapaxes(sums, 0, 1), resamples, seed)
        with np.errstate(divide="ignore", invalid="ignore"):
            resampled = drawn[..., 0] / drawn[..., 1]
        replicates = np.stack([correlation(row, resampled) for row in scores], axis=1)
        return correlation(scores, total[:, 0] / total[:, 1]), replicates, len(total)

    return evaluated(enough, statistic, "system", of_pair, left_out)


def _spa(metric: FloatArray, human: FloatArray, seed: int) -> float:
    i, j = np.triu_indices(len(human), 1)
    judged = np.isfinite(human[i]) & np.isfinite(human[j])
    people = np.where(judged, human[i] - human[j], 0.0).T
    machine = np.where(judged, metric[i] - metric[j], 0.0).T
    sure = superiority(machine, seed=seed), superiority(people, seed=seed)
    return float(correlations.soft_pairwise_accuracy(*sure))


GRADED_SYSTEM_STATISTICS = (*SYSTEM_STATISTICS, "spa")
