"""How many segments would show a difference, and what a test set could have shown.

The difference of two systems on n segments has a standard error that falls with the root of n. From
the outputs of both on some segments it is estimated by the jackknife: psi_i = (n - 1) (mean - d_i)
where d_i is the difference without segment i, and the variance of psi over n is the square of the
error (Efron and Tibshirani 1993, chapter 11), for any metric. The power of a two-sided paired test
at level alpha is then that of the t-test (noncentral t with n - 1 degrees of freedom).
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from cupel.arrays import FloatArray
from cupel.errors import CupelError
from cupel.metric import Metric, Vector
from cupel.scores import Scores

FEWEST = 10
"""With fewer segments, how much they vary cannot be seen."""
MOST = 100_000_000


@dataclass(frozen=True)
class Plan:
    """A system against the first under one metric.

    seen        the difference on these segments, and its standard error
    difference  the one that was asked for, or None
    needed      segments that show it with the power asked for, in the share `power` of test sets;
                low and high: the 95% interval, since the variation is estimated
    power_here  the power that these segments have for it
    detectable  the smallest difference that these segments show with that power
    """

    metric: str
    system: str
    baseline: str
    segments: int
    seen: float
    error: float
    alpha: float
    power: float
    detectable: float
    difference: float | None = None
    needed: int | None = None
    needed_low: int | None = None
    needed_high: int | None = None
    power_here: float | None = None

    def row(self) -> dict[str, Any]:
        """A flat record."""
        return asdict(self)


def plan(
    scores: Scores,
    metric: str,
    difference: float | None = None,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
) -> list[Plan]:
    """Each system against the first. difference: above 0, in points of the metric."""
    _check(scores, metric, difference, power, alpha)
    first, *others = scores.systems
    statistics = scores.statistics[metric]
    return [
        _plan(scores, metric, (first, other), statistics[[0, row]], difference, power, alpha)
        for row, other in enumerate(others, start=1)
    ]


def _check(
    scores: Scores, metric: str, difference: float | None, power: float, alpha: float
) -> None:
    if difference is not None and not (difference > 0 and math.isfinite(difference)):
        raise CupelError(f"The difference to be shown must be above 0, not {difference:g}.")
    for name, value in (("power", power), ("alpha", alpha)):
        if not 0 < value < 1:
            raise CupelError(f"The {name} must be between 0 and 1, not {value:g}.")
    if power <= alpha:
        raise CupelError(f"The power, {power:g}, must be above alpha, {alpha:g}.")
    if len(scores.systems) < 2:
        raise CupelError("A plan needs the outputs of two systems, to see how much they differ.")
    if len(scores.corpus) < FEWEST:
        raise CupelError(
            f"A plan needs at least {FEWEST} segments, to see how much their scores vary; there are "
            f"{len(scores.corpus)}."
        )
    if isinstance(scores.metrics[metric], Vector):
        raise CupelError(f"{metric} is a vector of features, without one score to plan for.")


def _plan(
    scores: Scores,
    metric: str,
    names: tuple[str, str],
    statistics: FloatArray,
    difference: float | None,
    power: float,
    alpha: float,
) -> Plan:
    n = statistics.shape[1]
    psi = pseudo_values(scores.metrics[metric], statistics)
    variance = float(psi.var(ddof=1))
    seen = scores.system_score(metric, names[1]) - scores.system_score(metric, names[0])
    scale = 1e-9 * max(1.0, abs(scores.system_score(metric, names[0])))
    if variance <= scale**2:
        what = "have the same score" if abs(seen) <= scale else "differ by the same amount"
        raise CupelError(
            f"{names[0]} and {names[1]} {what} by {metric} on every segment: there is no variation "
            "to plan with."
        )
    spread = math.sqrt(variance)
    detectable = _detectable(spread, n, power, alpha)
    bare = Plan(
        metric, names[1], names[0], n, seen, spread / math.sqrt(n), alpha, power, detectable
    )
    if difference is None:
        return bare
    # The variance of a variance, from the fourth moment.
    centred = (psi - psi.mean()) ** 2
    wobble = 1.96 * float(centred.std(ddof=1)) / math.sqrt(n) / variance
    sizes = [
        segments_needed(difference, math.sqrt(variance * max(factor, 0.05)), power, alpha)
        for factor in (1.0, 1 - wobble, 1 + wobble)
    ]
    if sizes[0] < FEWEST:
        low, high = sorted(scores.system_score(metric, name) for name in names)
        raise CupelError(
            f"A difference of {difference:g} is out of scale for {metric}, by which these systems have "
            f"{low:.3g} and {high:.3g}: fewer than {FEWEST} segments would show it; give a smaller "
            f"one, such as {detectable:.2g}."
        )
    here = power_of(difference, spread, n, alpha)
    return replace(
        bare,
        difference=difference,
        needed=sizes[0],
        needed_low=sizes[1],
        needed_high=sizes[2],
        power_here=here,
    )


def pseudo_values(metric: Metric, statistics: FloatArray) -> FloatArray:
    """(n,): how much each segment moves the difference, second minus first. statistics: (2, n, k)."""
    n = statistics.shape[1]
    rest = statistics.sum(axis=1, keepdims=True) - statistics
    without = np.asarray(metric.score(rest[1]) - metric.score(rest[0]), np.float64)
    return np.asarray((n - 1) * (without.mean() - without), np.float64)


def power_of(difference: float, spread: float, segments: float, alpha: float = 0.05) -> float:
    """How often n segments show a difference. spread: standard deviation of one segment's part."""
    from scipy.special import nctdtr, stdtrit

    degrees = max(segments - 1, 1)
    limit = stdtrit(degrees, 1 - alpha / 2)
    moved = difference * math.sqrt(segments) / spread
    if moved > limit + 6:  # nctdtr has no value far out, where the power is 1
        return 1.0
    other_side = nctdtr(degrees, moved, -limit) if moved < 3 else 0.0
    return float(1 - nctdtr(degrees, moved, limit) + other_side)


def segments_needed(
    difference: float, spread: float, power: float = 0.8, alpha: float = 0.05
) -> int:
    """The smallest number of segments with that power."""
    low, high = 1, 2
    while power_of(difference, spread, high, alpha) < power:
        low, high = high, high * 2
        if high > MOST:
            raise CupelError(
                f"More than {MOST:,} segments would be needed to show a difference of {difference:g}."
            )
    while high - low > 1:
        middle = (low + high) // 2
        enough = power_of(difference, spread, middle, alpha) >= power
        low, high = (low, middle) if enough else (middle, high)
    return high


def _detectable(spread: float, segments: int, power: float, alpha: float) -> float:
    """The smallest difference that so many segments show with that power, by bisection."""
    low, high = 0.0, 30 * spread / math.sqrt(segments)
    for _ in range(60):
        middle = (low + high) / 2
        enough = power_of(middle, spread, segments, alpha) >= power
        low, high = (low, middle) if enough else (middle, high)
    return high
