"""Which systems differ? Ranges of ranks and clusters, as the findings of WMT print them.

Bojar et al. (2013), section 3.4, and (2014), section 3.3, after Koehn (2012): resample the
judgments, rank the systems again each time, and see over which ranks each system moves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cupel.arrays import FloatArray
from cupel.errors import CupelError
from cupel.human.comparisons import comparisons
from cupel.human.rankings import Rankings
from cupel.human.system_scores import FROM_COUNTS, SYSTEM_SCORES
from cupel.significance import (
    BOOTSTRAP_RESAMPLES,
    DEFAULT_SEED,
    multinomial_counts,
    rank_ranges,
)
from cupel.system_ranking import cluster_numbers

UNITS = ("pairs", "rows")


@dataclass(frozen=True)
class RankedSystem:
    """A system with its score, the range of its ranks, and its cluster; both counted from 1."""

    system: str
    score: float
    best: int
    worst: int
    cluster: int


def rank_clusters(
    rankings: Rankings,
    method: str = "expected-wins",
    *,
    resamples: int = BOOTSTRAP_RESAMPLES,
    p: float = 0.05,
    seed: int = DEFAULT_SEED,
    unit: str = "pairs",
) -> list[RankedSystem]:
    """The systems, best first, in clusters that differ at level p.

    The range of a system is what remains of its ranks over the resamples when p/2 of them is
    dropped at either end; systems whose ranges overlap, directly or through others, share a
    cluster. Systems that were never compared are left out.

    unit: "pairs" resamples the comparisons of two systems, as WMT does (a run of TrueSkill draws
    them by itself); "rows" resamples whole rankings, which keeps together what one judge ranked at
    once, and gives wider ranges and fewer clusters.
    """
    _check(method, unit, resamples, p)
    options = {"seed": seed} if method == "trueskill" else {}
    score = SYSTEM_SCORES[method](rankings, **options)
    chosen = np.flatnonzero(~np.isnan(score))
    chosen = chosen[np.argsort(-score[chosen], kind="stable")]
    counts = _resampled(rankings, method, unit, resamples, seed)
    drawn = FROM_COUNTS[method](*counts, **options)[:, chosen]
    drawn = np.nan_to_num(drawn, nan=-np.inf)  # not drawn at all: the last
    best, worst = rank_ranges(1 + (drawn[:, None, :] > drawn[:, :, None]).sum(-1), p)
    return [
        RankedSystem(rankings.systems[number], float(score[number]), *map(int, place))
        for number, *place in zip(chosen, best, worst, cluster_numbers(best, worst), strict=True)
    ]


def _resampled(
    rankings: Rankings, method: str, unit: str, resamples: int, seed: int
) -> tuple[FloatArray, FloatArray]:
    """(wins, ties), (resamples, systems, systems) each."""
    if unit == "rows":
        even = np.full(len(rankings), 1 / max(len(rankings), 1))
        return comparisons(rankings, multinomial_counts(even, len(rankings), resamples, seed))
    wins, ties = comparisons(rankings)
    n = len(wins)
    if method == "trueskill":
        return np.broadcast_to(wins, (resamples, n, n)), np.broadcast_to(ties, (resamples, n, n))
    cells = np.append(wins.ravel(), np.triu(ties).ravel())
    total = cells.sum()
    drawn = multinomial_counts(cells / max(total, 1), int(total), resamples, seed)
    new_wins, new_ties = drawn.reshape(resamples, 2, n, n).swapaxes(0, 1)
    return new_wins, new_ties + np.swapaxes(new_ties, -1, -2)


def _check(method: str, unit: str, resamples: int, p: float) -> None:
    if method not in SYSTEM_SCORES:
        raise CupelError(
            f"There is no system score {method!r}; there are {', '.join(SYSTEM_SCORES)}."
        )
    if unit not in UNITS:
        raise CupelError(f"Unknown unit {unit!r} to resample: it is 'pairs' or 'rows'.")
    if resamples < 1:
        raise CupelError(f"The number of resamples must be 1 or more, not {resamples}.")
    if not 0 < p < 1:
        raise CupelError(f"The level p must be between 0 and 1, not {p}.")
