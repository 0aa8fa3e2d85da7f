"""Metrics against people, language pair by language pair: values, intervals, who is better.

Segment level: human rankings give pairs, and a WMT tau counts how many a metric orders alike.
System level: human rankings (or the campaign's official scores) give each system a score, and a
correlation compares those with the metric's. Intervals come from resampling the rankings, as in
the WMT14 metrics task; the average over language pairs is resampled along.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

import numpy as np

from cupel.arrays import FloatArray
from cupel.errors import CupelError
from cupel.human.rankings import Rankings
from cupel.human.system_scores import SYSTEM_SCORES
from cupel.human.tau import TAUS, HumanPairs, agreement
from cupel.meta import correlations
from cupel.meta.comparison import (
    PERMUTATIONS,
    Permuted,
    perm_both_pairs,
    permuted_p_values,
    williams,
)
from cupel.meta.result import AVERAGE, Agreement, Evaluation
from cupel.meta.scorecache import MetricScores
from cupel.significance import (
    BOOTSTRAP_RESAMPLES,
    DEFAULT_SEED,
    bootstrap_sums,
    bootstrap_weights,
    drawn_indices,
    interval,
)

FEWEST_SYSTEMS = 3
OVER = ("judgments", "segments", "systems", "both")
"""What intervals resample: rankings, or segments, systems, or segments and systems both."""

Correlation = Callable[[FloatArray, FloatArray], FloatArray]
SYSTEM_STATISTICS: dict[str, Correlation] = {
    "pearson": correlations.pearson,
    "spearman": correlations.spearman,
    "spearman-no-ties": correlations.spearman_no_ties,
    "kendall": correlations.kendall,
    "accuracy": correlations.pairwise_accuracy,
}
SEGMENT_STATISTICS = tuple(f"tau-{name}" for name in TAUS)


@dataclass(frozen=True)
class Judged:
    """One language pair: its rankings, the scores of every metric, official human scores if any.

    The systems of `scores` are those of the rankings, in the same order.
    """

    pair: str
    rankings: Rankings
    scores: Mapping[str, MetricScores]
    official: FloatArray | None = None


class _HasScores(Protocol):
    @property
    def pair(self) -> str: ...
    @property
    def scores(self) -> Mapping[str, MetricScores]: ...


OneJudged = TypeVar("OneJudged", bound=_HasScores)


def segment_level(
    judged: Sequence[Judged],
    statistic: str = "tau-wmt14",
    *,
    over: str = "judgments",
    resamples: int = BOOTSTRAP_RESAMPLES,
    seed: int = DEFAULT_SEED,
) -> Evaluation:
    """A WMT tau of every metric on every language pair; n: human pairs. over: see `OVER`."""
    tau = TAUS[statistic.removeprefix("tau-")]

    def compute(one: Judged) -> tuple[FloatArray, FloatArray, int]:
        pairs = one.rankings.pairs()
        matrices = [s.segments for s in one.scores.values()]
        if over == "judgments":
            counts = [agreement(pairs, m, len(one.rankings)) for m in matrices]
            stacked = np.stack(counts, axis=1)
            return tau(stacked.sum(0)), tau(bootstrap_sums(stacked, resamples, seed)), len(pairs)
        each = replace(pairs, row=np.arange(len(pairs)))
        stacked = np.stack([agreement(each, m, len(pairs)) for m in matrices], axis=1)
        drawn = drawn_pairs(pairs, stacked, matrices[0].shape, over, resamples, seed)
        return tau(stacked.sum(0)), tau(drawn), len(pairs)

    return evaluated(judged, statistic, "segment", compute, {})


def system_level(
    judged: Sequence[Judged],
    statistic: str = "pearson",
    *,
    human: str = "official",
    average_resamples: bool = False,
    over: str = "judgments",
    resamples: int = BOOTSTRAP_RESAMPLES,
    seed: int = DEFAULT_SEED,
) -> Evaluation:
    """A correlation over systems of every metric on every language pair; n: systems.

    human: `official`, or a way to get scores from rankings (`SYSTEM_SCORES`). Intervals resample
    what `over` says (see `OVER`): rankings and segments change people's scores (by expected wins
    where the official scores are the yardstick, which cannot be resampled); segments change the
    metric's too, which is then the mean of its segment scores; systems are drawn with both their
    scores. average_resamples: report the mean over resamples, as the WMT14 task did.
    """
    correlation = SYSTEM_STATISTICS[statistic]
    left_out: dict[str, str] = {}
    enough: list[Judged] = []
    for one in judged:
        count = int(np.isfinite(_human_scores(one, human)).sum())
        if count < FEWEST_SYSTEMS:
            left_out[one.pair] = too_few_systems(one.pair, count)
        else:
            enough.append(one)

    def compute(one: Judged) -> tuple[FloatArray, FloatArray, int]:
        actual = _human_scores(one, human)
        judged = np.isfinite(actual)  # a system that nobody saw has no score
        scores = np.stack([s.systems[judged] for s in one.scores.values()])
        replicates = np.stack(
            [
                correlation(machine[..., judged], people[..., judged])
                if over in ("judgments", "segments")
                else _over_systems(
                    correlation, machine[..., judged], people[..., judged], resamples, seed
                )
                for machine, people in _resampled(one, human, actual, over, resamples, seed)
            ],
            axis=1,
        )
        values = (
            np.nanmean(replicates, axis=0)
            if average_resamples
            else correlation(scores, actual[judged])
        )
        return values, replicates, scores.shape[1]

    return evaluated(enough, statistic, "system", compute, left_out)


def drawn_pairs(
    pairs: HumanPairs,
    counts: FloatArray,
    shape: tuple[int, ...],
    over: str,
    resamples: int,
    seed: int,
) -> FloatArray:
    """Sums of counts (pairs, ...) when segments, systems or both are drawn with replacement.

    shape: (systems, segments). A pair counts as often as its segment was drawn, and as its two
    systems were, multiplied.
    """
    systems, segments = shape
    flat = counts.reshape(len(counts), -1)
    sums = np.empty((resamples, flat.shape[1]))
    held = max(len(counts), segments)
    draws = (
        bootstrap_weights(segments, resamples, seed, held),
        bootstrap_weights(systems, resamples, seed + 1, held),
    )
    for (block, by_segment), (_, by_system) in zip(*draws, strict=True):
        weights = np.ones((len(by_segment), len(counts)))
        if over in ("segments", "both"):
            weights *= by_segment[:, pairs.segment]
        if over in ("systems", "both"):
            weights *= by_system[:, pairs.better] * by_system[:, pairs.worse]
        sums[block] = weights @ flat
    return sums.reshape(resamples, *counts.shape[1:])


def too_few_systems(pair: str, count: int) -> str:
    """The sentence about a language pair whose correlation is undefined."""
    return f"{pair} has {count} judged systems: a correlation needs {FEWEST_SYSTEMS}."


def williams_p_values(one: Judged, human: str = "official") -> FloatArray:
    """(metrics, metrics): p of "row correlates better than column" by Williams' test."""
    actual = _human_scores(one, human)
    judged = np.isfinite(actual)
    scores = np.stack([s.systems[judged] for s in one.scores.values()])
    r = correlations.pearson(scores, actual[judged])
    between = np.array([[float(correlations.pearson(a, b)) for b in scores] for a in scores])
    return williams(r[:, None], r[None, :], between, scores.shape[1])


def perm_both_p_values(
    judged: Sequence[Judged],
    statistic: str = "tau-wmt14",
    *,
    trials: int = PERMUTATIONS,
    seed: int = DEFAULT_SEED,
) -> FloatArray:
    """(metrics, metrics): p of "row is better than column" by PERM-BOTH, on average over pairs."""
    tau = TAUS[statistic.removeprefix("tau-")]

    def permuted(first: str, second: str) -> list[Permuted]:
        return [
            perm_both_pairs(
                one.scores[first].segments,
                one.scores[second].segments,
                one.rankings.pairs(),
                tau,
                trials,
                seed,
            )
            for one in judged
        ]

    return permuted_p_values(list(judged[0].scores), permuted)


def _human_scores(one: Judged, human: str) -> FloatArray:
    if human != "official":
        return SYSTEM_SCORES[human](one.rankings)
    if one.official is None:
        raise CupelError(
            f"There are no official human scores for {one.pair}: choose how to get them from the "
            f"rankings, one of {', '.join(SYSTEM_SCORES)}."
        )
    return one.official


def _resampled(
    one: Judged, human: str, actual: FloatArray, over: str, resamples: int, seed: int
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """For each metric its system scores and people's, (systems,) or (resamples, systems)."""
    matrices = one.scores.values()
    if over == "systems":
        for scores in matrices:
            yield scores.systems, actual
        return
    method = SYSTEM_SCORES["expected-wins" if human == "official" else human]
    rankings = one.rankings
    people = np.empty((resamples, len(rankings.systems)))
    if over == "judgments":
        for block, weights in bootstrap_weights(len(rankings), resamples, seed):
            people[block] = method(rankings, weights)
        for scores in matrices:
            yield scores.systems, people
        return
    segments = next(iter(matrices)).segments.shape[1]
    machines = [np.empty_like(people) for _ in matrices]
    for block, weights in bootstrap_weights(segments, resamples, seed):
        people[block] = method(rankings, weights[:, rankings.segments])
        for machine, scores in zip(machines, matrices, strict=True):
            machine[block] = weights @ scores.segments.T / segments
    for machine in machines:
        yield machine, people


def _over_systems(
    correlation: Correlation, machine: FloatArray, people: FloatArray, resamples: int, seed: int
) -> FloatArray:
    systems = people.shape[-1]
    # Another stream than the segments', which have the seed itself.
    drawn = np.concatenate([rows for _, rows in drawn_indices(systems, resamples, seed + 1)])
    if machine.ndim == 1:
        return correlation(machine[drawn], people[drawn])
    return correlation(
        np.take_along_axis(machine, drawn, axis=1), np.take_along_axis(people, drawn, axis=1)
    )


def evaluated(
    judged: Sequence[OneJudged],
    statistic: str,
    level: str,
    compute: Callable[[OneJudged], tuple[FloatArray, FloatArray, int]],
    left_out: Mapping[str, str],
) -> Evaluation:
    """Agreements of every language pair and of their average.

    compute: one language pair -> values (metrics,), replicates (resamples, metrics), and n.
    """
    if not judged:
        raise CupelError("There is no language pair to evaluate: " + " ".join(left_out.values()))
    metrics = tuple(judged[0].scores)
    computed = {one.pair: compute(one) for one in judged}
    values, replicates, numbers = zip(*computed.values(), strict=True)
    computed[AVERAGE] = (np.mean(values, axis=0), np.mean(replicates, axis=0), sum(numbers))
    agreements = [
        Agreement(pair, metric, float(value), *interval_of(replicate), n)
        for pair, (row, matrix, n) in computed.items()
        for metric, value, replicate in zip(metrics, row, matrix.T, strict=True)
    ]
    drawn = {pair: matrix for pair, (_, matrix, _) in computed.items()}
    return Evaluation(statistic, level, metrics, agreements, drawn, left_out)


def interval_of(replicates: FloatArray) -> tuple[float, float]:
    """The ends of the 95% interval."""
    bounds = interval(replicates)
    return bounds.low, bounds.high
