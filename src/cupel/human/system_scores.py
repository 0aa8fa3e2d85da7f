"""Scores of systems from rankings of their outputs, as WMT computed them over the years.

Every method sees the rankings through the counts of `comparisons` only, and takes weights of the
rows: (rows,), or (b, rows) for b resamples at once, which gives (b, systems). A system that was
never compared has the score NaN. Also here: the official scores, where they were published.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cupel.arrays import FloatArray
from cupel.data.find import find
from cupel.data.load import wmt_files, wmt_pairs
from cupel.errors import CupelError
from cupel.human.comparisons import comparisons
from cupel.human.hopkins_may import hopkins_may, most_probable_means
from cupel.human.rankings import Rankings
from cupel.human.score_files import read_sys_scores
from cupel.human.trueskill import tournament_means, trueskill

SystemScore = Callable[..., FloatArray]


def wins_with_ties(rankings: Rankings, weights: FloatArray | None = None) -> FloatArray:
    """How often a system was judged better than or equal to another: WMT11's ">= others".

    score(i) = (wins + ties) / (wins + ties + losses), over all comparisons of i (Callison-Burch et
    al. 2011).
    """
    return _at_least_equal(*comparisons(rankings, weights))


def _at_least_equal(wins: FloatArray, ties: FloatArray) -> FloatArray:
    won, lost, tied = wins.sum(-1), wins.sum(-2), ties.sum(-1)
    return _ratio(won + tied, won + tied + lost)


def wins_without_ties(rankings: Rankings, weights: FloatArray | None = None) -> FloatArray:
    """How often a system was judged better than another, ties ignored: WMT12's "> others".

    score(i) = wins / (wins + losses), over all comparisons of i (Callison-Burch et al. 2012, after
    Bojar et al. 2011).
    """
    return _better(*comparisons(rankings, weights))


def _better(wins: FloatArray, _ties: FloatArray) -> FloatArray:
    won, lost = wins.sum(-1), wins.sum(-2)
    return _ratio(won, won + lost)


def expected_wins(rankings: Rankings, weights: FloatArray | None = None) -> FloatArray:
    """The chance to win against a random other system (Koehn 2012; WMT13).

    score(i) = mean over j != i of wins(i, j) / (wins(i, j) + wins(j, i)), ties ignored. Where i and
    j were never compared, or only tied, the mean is over the others; WMT's script counts 0 there.
    """
    return _expected(*comparisons(rankings, weights))


def _expected(wins: FloatArray, _ties: FloatArray) -> FloatArray:
    rates = _ratio(wins, wins + np.swapaxes(wins, -1, -2))
    met = ~np.isnan(rates)
    return _ratio(np.where(met, rates, 0.0).sum(-1), met.sum(-1).astype(np.float64))


SYSTEM_SCORES: dict[str, SystemScore] = {
    "wins-with-ties": wins_with_ties,
    "wins-without-ties": wins_without_ties,
    "expected-wins": expected_wins,
    "hopkins-may": hopkins_may,
    "trueskill": trueskill,
}
FROM_COUNTS: dict[str, SystemScore] = {
    "wins-with-ties": _at_least_equal,
    "wins-without-ties": _better,
    "expected-wins": _expected,
    "hopkins-may": most_probable_means,
    "trueskill": tournament_means,
}
"""The same from (wins, ties), as `comparisons` gives them."""
OFFICIAL = "official"
YEARS_OWN = {"wmt12": "wins-without-ties", "wmt13": "expected-wins", "wmt14": OFFICIAL}
"""How each year's campaign scored the systems."""


def official_scores(dataset: str) -> dict[str, dict[str, float]]:
    """The published human scores of the systems, by pair and system id (as in `wmt_corpus`).

    Only wmt14 has them: TrueSkill, the mean of 1,000 runs.
    """
    pairs = wmt_pairs(dataset)
    if dataset != "wmt14":
        raise CupelError(
            f"{dataset} has no official human scores of systems; those of wmt14 are in its pack, "
            f"and others are computed from the rankings: {', '.join(SYSTEM_SCORES)}."
        )
    folder = find(dataset)
    systems = {pair: list(wmt_files(folder, dataset, pair).systems) for pair in pairs}
    sets = read_sys_scores(folder / "human-system-scores.txt", systems)
    return {scores.pair: dict(scores.system_scores) for scores in sets}


def official_array(dataset: str, rankings: Rankings) -> FloatArray:
    """(systems,) the official scores in the order of the rankings; NaN where there is none."""
    published = official_scores(dataset)[rankings.pair]
    return np.array([published.get(system, np.nan) for system in rankings.systems])


def years_own_scores(dataset: str, rankings: Rankings) -> FloatArray:
    """(systems,) people's scores of systems, by the campaign's own method."""
    method = YEARS_OWN.get(dataset, "expected-wins")
    if method == OFFICIAL:
        return official_array(dataset, rankings)
    return SYSTEM_SCORES[method](rankings)


def _ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(part / whole, np.float64)
