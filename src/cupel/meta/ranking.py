"""Metrics in order of a statistic, with ranks that only significant differences separate.

As mt-metrics-eval's `CompareMetrics` and `TaskSetResults.AverageCorrMatrix`: every pair of metrics
is tested, a metric that one of the current cluster beats significantly opens the next cluster, and
over several tasks the weighted mean is tested with the draws that the tasks have made already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from cupel.arrays import FloatArray
from cupel.errors import CupelError
from cupel.meta.agreement import agreements
from cupel.meta.permutation import TRIALS, Stopping, permutation_test
from cupel.meta.statistic import Random, Statistic, generator

ALPHA = 0.05


@dataclass(frozen=True)
class Ranking:
    """Metrics by decreasing value; equal ones by name.

    names, values, ranks: of those that have a value; ranks from 1, shared within a cluster
    p_values    (metrics, metrics): [i, j] for i < j, of "i is no better than j"; 0 elsewhere
    draws       (name, name) -> (trials, 2), in the order of `names`
    undefined   metrics whose statistic has no value
    bounds      the least and greatest value that is possible
    """

    names: tuple[str, ...]
    values: tuple[float, ...]
    ranks: tuple[int, ...]
    p_values: FloatArray
    draws: Mapping[tuple[str, str], FloatArray] = field(repr=False)
    undefined: tuple[str, ...] = ()
    bounds: tuple[float, float] = (-1.0, 1.0)

    def value(self, name: str) -> float | None:
        """Of one metric."""
        return self.values[self.names.index(name)] if name in self.names else None

    def rank(self, name: str) -> int | None:
        """Of one metric."""
        return self.ranks[self.names.index(name)] if name in self.names else None

    def draws_of(self, first: str, second: str) -> FloatArray:
        """(trials, 2): the two metrics under permutations, whichever is the better."""
        if (first, second) in self.draws:
            return self.draws[first, second]
        return self.draws[second, first][:, ::-1]


def rank_metrics(
    statistic: Statistic,
    human: npt.ArrayLike,
    metrics: Mapping[str, npt.ArrayLike],
    *,
    swap: str = "both",
    trials: int = TRIALS,
    stopping: Stopping | None = None,
    alpha: float = ALPHA,
    random: Random = 0,
    undefined_as_zero: bool = False,
) -> Ranking:
    """All metrics, tested against each other; trials = 0 tests nothing (all ranks are then apart).

    undefined_as_zero: a metric without a value is ranked with 0, as mt-metrics-eval does; else it
    is left out.
    """
    draws = generator(random)
    each = agreements(statistic, human, metrics, random=draws)
    values = {name: agreement.value for name, agreement in each.items()}
    if undefined_as_zero:
        values = {name: value or 0.0 for name, value in values.items()}

    def test(first: str, second: str) -> tuple[float, FloatArray]:
        tested = permutation_test(
            statistic, human, metrics[first], metrics[second],
            swap=swap, trials=trials, stopping=stopping, random=draws,
        )  # fmt: skip
        return tested.p_value, tested.draws

    return in_order(values, statistic.bounds, test if trials else None, alpha)


Test = Callable[[str, str], tuple[float, FloatArray]]
"""Two metrics, the better one first -> p and draws."""


def in_order(
    values: Mapping[str, float | None],
    bounds: tuple[float, float],
    test: Test | None = None,
    alpha: float = ALPHA,
) -> Ranking:
    """Metrics by their values, NaN or None where there is none; without a test all ranks are apart."""
    defined = {name: v for name, v in values.items() if v is not None and not np.isnan(v)}
    names = sorted(defined, key=lambda name: (-defined[name], name))
    p = np.zeros((len(names), len(names)))
    made = {}
    for i, first in enumerate(names if test else ()):
        for j, second in enumerate(names[i + 1 :], start=i + 1):
            assert test is not None
            p[i, j], made[first, second] = test(first, second)
    return Ranking(
        tuple(names),
        tuple(defined[name] for name in names),
        tuple(cluster_ranks(p, alpha)),
        p,
        made,
        tuple(name for name in values if name not in defined),
        bounds,
    )


def cluster_ranks(p_values: FloatArray, alpha: float = ALPHA) -> list[int]:
    """Ranks from 1: a metric opens a new cluster when any of the current one beats it, p <= alpha.

    p_values: (metrics, metrics), by decreasing value, [i, j] for i < j.
    """
    ranks: list[int] = []
    start = 0
    for i in range(len(p_values)):
        if (p_values[start:i, i] <= alpha).any():
            start = i
            ranks.append(ranks[-1] + 1)
        else:
            ranks.append(ranks[-1] if ranks else 1)
    return ranks


def average_ranking(
    tasks: Sequence[Ranking],
    weights: Sequence[float] | None = None,
    alpha: float = ALPHA,
    rounding: float = 0.0,
) -> Ranking:
    """The weighted mean of several tasks, each brought to [0, 1], for metrics that all of them have.

    weights: sum to 1; equal by default. A task that ended its trials early repeats them. rounding:
    means that differ by no more are equal; at 0, as in mt-metrics-eval, rounding may decide.
    """
    shares = _shares(tasks, weights)
    means = average_values(tasks, shares)
    names = tuple(means)
    p = np.zeros((len(names), len(names)))
    made = {}
    if all(task.draws for task in tasks):
        for i, first in enumerate(names):
            for j, second in enumerate(names[i + 1 :], start=i + 1):
                draws = _scaled_draws(tasks, shares, first, second)
                made[first, second] = draws.sum(axis=0)
                null = (draws[..., 0] - draws[..., 1]).sum(axis=0)
                p[i, j] = np.mean(null >= means[first] - means[second] - rounding)
    undefined = {name for task in tasks for name in (*task.names, *task.undefined)} - set(names)
    return Ranking(
        names, tuple(means.values()), tuple(cluster_ranks(p, alpha)), p, made,
        tuple(sorted(undefined)), (0.0, 1.0),
    )  # fmt: skip


def average_values(
    tasks: Sequence[Ranking], weights: Sequence[float] | None = None
) -> dict[str, float]:
    """The weighted mean value of each metric that all tasks have, each task brought to [0, 1]."""
    means = _means(tasks, weights, lambda task: [_scaled(task, value) for value in task.values])
    return dict(sorted(means.items(), key=lambda item: -item[1]))


def average_ranks(
    tasks: Sequence[Ranking], weights: Sequence[float] | None = None
) -> dict[str, float]:
    """The weighted mean rank of each metric that all tasks have, best first."""
    means = _means(tasks, weights, lambda task: task.ranks)
    return dict(sorted(means.items(), key=lambda item: item[1]))


def _means(
    tasks: Sequence[Ranking],
    weights: Sequence[float] | None,
    numbers: Callable[[Ranking], Sequence[float]],
) -> dict[str, float]:
    terms: dict[str, list[float]] = {}
    for task, weight in zip(tasks, _shares(tasks, weights), strict=True):
        for name, number in zip(task.names, numbers(task), strict=True):
            terms.setdefault(name, []).append(number * weight)
    return {name: sum(parts) for name, parts in terms.items() if len(parts) == len(tasks)}


def _scaled(task: Ranking, value: float) -> float:
    low, high = task.bounds
    return (value - low) / (high - low)


def _shares(tasks: Sequence[Ranking], weights: Sequence[float] | None) -> Sequence[float]:
    if not tasks:
        raise CupelError("There are no tasks to average.")
    shares = [1 / len(tasks)] * len(tasks) if weights is None else weights
    if len(shares) != len(tasks):
        raise CupelError(f"{len(shares)} weights were given for {len(tasks)} tasks.")
    return shares


def _scaled_draws(
    tasks: Sequence[Ranking], weights: Sequence[float], first: str, second: str
) -> FloatArray:
    """(tasks, trials, 2): weighted, on [0, 1], each task's draws repeated to the longest."""
    scaled = [
        weight * (task.draws_of(first, second) - task.bounds[0]) / (task.bounds[1] - task.bounds[0])
        for task, weight in zip(tasks, weights, strict=True)
    ]
    longest = max(map(len, scaled))
    return np.stack([np.resize(draws, (longest, 2)) for draws in scaled])
