"""Metrics against people: one pipeline for rankings and grades.

The evidence of each language pair gives a value of every metric and the same on resamples; from these
follow intervals, the average over language pairs, which is resampled along, and tests between metrics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from cupel.arrays import FloatArray
from cupel.errors import CupelError
from cupel.meta.comparison import permuted_p_values, williams_p_values
from cupel.meta.correlations import FEWEST_SYSTEMS
from cupel.meta.graded import TESTS, Graded
from cupel.meta.measured import Evidence, Measured
from cupel.meta.ranked import Ranked
from cupel.meta.ranking import Ranking, average_ranking
from cupel.meta.result import AVERAGE, Agreement, Evaluation
from cupel.questions.judge import Judge
from cupel.significance import interval, widened


def evaluated(evidence: Sequence[Evidence], question: Judge) -> Evaluation:
    """Agreement of every metric with people, on each language pair and on average."""
    left_out: dict[str, str] = {}
    for part in evidence if question.level == "system" else ():
        count = part.judged_systems(question)
        if count < FEWEST_SYSTEMS:
            left_out[part.pair] = (
                f"{part.pair} has {count} judged systems: a correlation needs {FEWEST_SYSTEMS}."
            )
    used = {part.pair: part for part in evidence if part.pair not in left_out}
    if not used:
        raise CupelError("There is no language pair to evaluate: " + " ".join(left_out.values()))
    measured = {pair: part.measured(question) for pair, part in used.items()}
    metrics = tuple(dict.fromkeys(name for part in used.values() for name in part.scores))
    nothing = np.full(question.resamples, np.nan)
    replicates = {
        pair: np.stack([part.replicates.get(name, nothing) for name in metrics], axis=1)
        for pair, part in measured.items()
    }
    replicates[AVERAGE] = np.mean(list(replicates.values()), axis=0)
    measured[AVERAGE] = _average(measured, metrics, replicates[AVERAGE])
    units = {pair: part.units for pair, part in used.items()}
    units[AVERAGE] = sum(units.values())
    evaluation = Evaluation(
        question,
        metrics,
        [
            agreement
            for pair, part in measured.items()
            for agreement in _agreements(pair, part, units[pair])
        ],
        replicates,
        left_out,
        points=_points(evidence, question),
        graded=tuple(part for part in used.values() if isinstance(part, Graded)),
    )
    return _compared(evaluation, used)


def _average(
    measured: Mapping[str, Measured], metrics: Sequence[str], replicates: FloatArray
) -> Measured:
    """The mean over language pairs of each metric that all of them have."""
    parts = measured.values()
    shared = [name for name in metrics if all(name in part.values for part in parts)]
    reasons = {
        name: next(
            f"{p.reasons[name]} on {pair}" for pair, p in measured.items() if name in p.reasons
        )
        for name in shared
        if any(name in part.reasons for part in parts)
    }
    return Measured(
        {name: float(np.mean([part.values[name] for part in parts])) for name in shared},
        dict(zip(metrics, replicates.T, strict=True)),
        sum(part.n for part in parts),
        reasons,
    )


def _agreements(pair: str, part: Measured, units: int) -> list[Agreement]:
    agreements = []
    for metric, value in part.values.items():
        bounds = interval(part.replicates[metric])
        low, high = widened(value, bounds.low, bounds.high, units)
        reason, p_value = part.reasons.get(metric, ""), part.p_values.get(metric)
        agreements.append(Agreement(pair, metric, value, low, high, part.n, reason, p_value))
    return agreements


def _points(evidence: Sequence[Evidence], question: Judge) -> list[dict[str, object]]:
    """Records: pair, item, human, and one entry per metric, None where it has no score."""
    points = [point for part in evidence for point in part.points(question)]
    names = dict.fromkeys(name for point in points for name in point)
    return [{name: point.get(name) for name in names} for point in points]


def _compared(evaluation: Evaluation, used: Mapping[str, Evidence]) -> Evaluation:
    """The same with p-values of "row is better than column", by the test that was asked for."""
    question, metrics = evaluation.question, evaluation.metrics
    comparisons: dict[str, FloatArray] = {}
    rankings: dict[str, Ranking] = {}
    if question.compare == "bootstrap":
        comparisons[AVERAGE] = evaluation.p_values()
    elif question.compare == "williams":
        for pair, part in used.items():
            places = [metrics.index(name) for name in part.scores]
            comparisons[pair] = np.full((len(metrics), len(metrics)), np.nan)
            p = williams_p_values(*part.correlations(question))
            comparisons[pair][np.ix_(places, places)] = p
    elif question.compare in TESTS:
        ranked = [part for part in used.values() if isinstance(part, Ranked)]
        if ranked:
            comparisons[AVERAGE] = permuted_p_values(
                metrics, lambda a, b: [part.permuted(a, b, question) for part in ranked]
            )
        rankings = {part.pair: part.ranking(question) for part in evaluation.graded}
        if rankings:
            rankings[AVERAGE] = _average_ranking(list(rankings.values()), question)
        comparisons |= {pair: _both_ways(ranking, metrics) for pair, ranking in rankings.items()}
    evaluation = replace(evaluation, comparisons=comparisons, rankings=rankings)
    if question.correct:
        corrected = {pair: evaluation.corrected(pair, question.correct) for pair in comparisons}
        evaluation = replace(evaluation, comparisons=corrected)
    return evaluation


def _average_ranking(rankings: Sequence[Ranking], question: Judge) -> Ranking:
    if len(rankings) == 1:
        return rankings[0]
    return average_ranking(rankings, rounding=0.0 if question.like_mtme else 1e-12)


def _both_ways(ranking: Ranking, metrics: Sequence[str]) -> FloatArray:
    """(metrics, metrics): p of "row is better than column", also of the worse one of two."""
    p = np.full((len(metrics), len(metrics)), np.nan)
    place = {metric: at for at, metric in enumerate(metrics)}
    for i, first in enumerate(ranking.names):
        for j, second in enumerate(ranking.names[i + 1 :], start=i + 1):
            a, b = place[first], place[second]
            null = ranking.draws_of(first, second)
            difference = ranking.values[i] - ranking.values[j]
            p[a, b] = ranking.p_values[i, j]
            p[b, a] = np.mean(null[:, 0] - null[:, 1] <= difference + 1e-12)
    np.fill_diagonal(p, 0.5)
    return p
