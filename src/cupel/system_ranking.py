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
from cupel.significance import corrected, standard_errors, student_p_values


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
        systems = [replace(ranked, system=names[ranked.system]) for ranked in self.systems]
        return replace(self, systems=systems)

    @property
    def sentence(self) -> str:
        """Who is best."""
        best = [ranked.system for ranked in self.systems if ranked.maybe_best]
        sure = f"at the level {self.level:g}"
        if len(best) == 1:
            return f"The best system by {self.metric} is {best[0]} ({sure})."
        if len(best) == len(self.systems):
            return f"Any of the {len(best)} systems may be the best by {self.metric} ({sure})."
        names = f"{', '.join(best[:-1])} and {best[-1]}"
        return f"The best system by {self.metric} is one of {names} ({sure})."


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
    p_values[upper] = corrected(student_p_values(gains[upper], errors[upper], segments), correction)
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
