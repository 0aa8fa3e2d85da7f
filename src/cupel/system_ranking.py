"""Several systems at once: which ones differ, in which groups, and which may be the best.

All of it follows from the scores of one paired bootstrap, (systems, resamples): the same resampled
test sets for every system and metric. The standard deviation of a difference over resamples is its
standard error, and the difference divided by it has, where there is none, nearly Student's t
distribution; for a mean over segments this is the paired t-test (Efron and Tibshirani 1993,
chapters 6 and 12). So a p-value can be smaller than one over the number of resamples, which a
correction for hundreds of pairs needs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.errors import CupelError

CORRECTIONS = ("holm", "bh")


@dataclass(frozen=True)
class Ranked:
    """A system, best first; ranks and clusters count from 1.

    low, high   the range of its ranks: it is significantly worse than low - 1 systems, and better
                than all but high
    cluster     systems of a better one are significantly better, those of a worse one worse
    maybe_best  whether it is in the smallest set that contains the best system at the level
    """

    system: str
    score: float
    low: int
    high: int
    cluster: int
    maybe_best: bool


@dataclass(frozen=True)
class Ranking:
    """The systems under one metric. p_values: (systems, systems) in their order, corrected."""

    metric: str
    systems: Sequence[Ranked]
    p_values: FloatArray
    level: float

    def renamed(self, names: Mapping[str, str]) -> Ranking:
        """The same with other names of the systems."""
        systems = [replace(one, system=names[one.system]) for one in self.systems]
        return replace(self, systems=systems)

    @property
    def sentence(self) -> str:
        """Who is best."""
        best = [one.system for one in self.systems if one.maybe_best]
        sure = f"at the level {self.level:g}"
        if len(best) == 1:
            return f"The best system by {self.metric} is {best[0]} ({sure})."
        if len(best) == len(self.systems):
            return f"Any of the {len(best)} systems may be the best by {self.metric} ({sure})."
        names = f"{', '.join(best[:-1])} and {best[-1]}"
        return f"The best system by {self.metric} is one of {names} ({sure})."


def standard_errors(drawn: FloatArray, segments: int) -> FloatArray:
    """(systems, systems): of the difference of each two. drawn: (systems, resamples).

    A bootstrap divides by n where an unbiased variance divides by n - 1: hence the factor.
    """
    covariance = np.atleast_2d(np.cov(drawn))
    own = np.diag(covariance)
    variance = np.clip(own[:, None] + own - 2 * covariance, 0, None)
    noise = 1e-12 * (own[:, None] + own)  # what rounding leaves of equal systems
    variance[variance <= noise] = 0.0
    return np.asarray(np.sqrt(variance * segments / max(segments - 1, 1)))


def tail(gains: FloatArray, errors: FloatArray, segments: int) -> FloatArray:
    """P(T > gain / error) with Student's T of n - 1 degrees of freedom; 1 where both are 0."""
    from scipy.special import stdtr

    gains, errors = np.broadcast_arrays(gains, errors)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = gains / errors
    p = np.asarray(stdtr(max(segments - 1, 1), -ratio), np.float64)
    return np.where(gains == 0, np.where(errors == 0, 1.0, p), p)


def corrected(p_values: FloatArray, method: str = "holm") -> FloatArray:
    """(m,) p-values of m tests, corrected for their number.

    holm: the chance of a single error among all is at most the level (Holm 1979). bh: the expected
    share of errors among what is called different is (Benjamini and Hochberg 1995). NaN is no test.
    """
    if method not in CORRECTIONS:
        raise CupelError(f"Unknown correction {method!r}: it is 'holm' or 'bh'.")
    tested = np.flatnonzero(np.isfinite(p_values))
    m = len(tested)
    order = tested[np.argsort(p_values[tested], kind="stable")]
    p = p_values[order]
    if method == "holm":
        p = np.maximum.accumulate(p * np.arange(m, 0, -1))
    else:
        p = np.minimum.accumulate((p * m / np.arange(1, m + 1))[::-1])[::-1]
    result = np.full(len(p_values), np.nan)
    result[order] = np.minimum(p, 1.0)
    return result


def cluster_numbers(best: IntArray, worst: IntArray) -> IntArray:
    """(systems,) from 1: a cluster begins where all ranks above are better than all from here on.

    best, worst: the ranges of ranks of systems in their order, the best first.
    """
    above, below = np.maximum.accumulate(worst), np.minimum.accumulate(best[::-1])[::-1]
    return np.asarray(1 + np.cumsum(np.append(False, above[:-1] < below[1:])[: len(best)]))


def ranking(
    metric: str,
    names: Sequence[str],
    actual: FloatArray,
    drawn: FloatArray,
    *,
    segments: int,
    higher_is_better: bool = True,
    level: float = 0.05,
    correction: str = "holm",
) -> Ranking:
    """The systems, best first. actual: (systems,) scores; drawn: (systems, resamples)."""
    if not 0 < level < 1:
        raise CupelError(f"The level must be between 0 and 1, not {level}.")
    if segments < 2 or len(names) < 2:
        raise CupelError("Clusters need at least two systems and two segments.")
    sign = 1.0 if higher_is_better else -1.0
    order = np.argsort(-sign * actual, kind="stable")
    score, drawn = sign * actual[order], sign * drawn[order]
    count = len(order)
    gains = score[:, None] - score  # above 0 where the row is better
    errors = standard_errors(drawn, segments)
    upper = np.triu_indices(count, 1)
    p_values = np.full((count, count), np.nan)
    p_values[upper] = corrected(
        np.minimum(1, 2 * tail(gains[upper], errors[upper], segments)), correction
    )
    p_values.T[upper] = p_values[upper]
    better = np.triu(p_values <= level)
    low, high = 1 + better.sum(axis=0), count - better.sum(axis=1)
    best = _maybe_best(gains, drawn, errors, segments, level)
    systems = [
        Ranked(names[at], float(actual[at]), int(a), int(b), int(c), bool(m))
        for at, a, b, c, m in zip(order, low, high, cluster_numbers(low, high), best, strict=True)
    ]
    return Ranking(metric, systems, p_values, level)


def _maybe_best(
    gains: FloatArray, drawn: FloatArray, errors: FloatArray, segments: int, level: float
) -> FloatArray:
    """(systems,): whether a system may be the best: none is clearly better.

    Each is compared with the strongest of its rivals, and the largest lead that rivals have by
    chance is the largest in a resample, too: so the true best is dropped in at most `level` of all
    test sets, however many systems there are (multiple comparisons with the best, Hsu 1996, with
    the bootstrap in place of a table). Leads have Student's distribution, those of resamples the
    normal one, so the former are turned into the quantiles of the latter.
    """
    from scipy.special import ndtri, stdtr

    kept = np.ones(len(gains), bool)
    scale = np.where(errors > 0, errors, np.inf)
    centred = drawn - drawn.mean(axis=1, keepdims=True)
    centred *= np.sqrt(segments / (segments - 1))  # as in `standard_errors`
    for at in range(len(gains)):
        lead = -gains[at]  # of each rival
        largest = ndtri(stdtr(segments - 1, np.max(lead / scale[at])))
        by_chance = ((centred - centred[at]) / scale[at][:, None]).max(axis=0)
        p = (np.sum(by_chance >= largest) + 1) / (drawn.shape[1] + 1)
        sure = np.any((lead > 0) & (errors[at] == 0))  # the same lead on every resample
        kept[at] = not sure and (p > level or largest <= 0)
    return kept
