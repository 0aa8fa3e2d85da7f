"""System scores against brute force, an independent TrueSkill and optimiser, and WMT14 itself."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_rankings import brute_force, rankings

from counting import calls
from cupel.errors import CupelError
from cupel.human.clusters import rank_clusters
from cupel.human.comparisons import comparisons
from cupel.human.hopkins_may import most_probable_means
from cupel.human.rankings import Rankings, wmt_rankings
from cupel.human.system_scores import SYSTEM_SCORES, expected_wins, official_scores
from cupel.human.trueskill import trueskill

PAIRS = ["cs-en", "de-en", "fr-en", "hi-en", "ru-en"]


def counted(given: Rankings, weights) -> tuple[np.ndarray, np.ndarray]:
    n = len(given.systems)
    wins, ties = np.zeros((n, n)), np.zeros((n, n))
    strict, tied = brute_force(given)
    for _, better, worse, row, _ in strict:
        wins[better, worse] += weights[row]
    for _, one, other, row, _ in tied:
        ties[one, other] += weights[row]
        ties[other, one] += weights[row]
    return wins, ties


def by_loop(name: str, wins, ties) -> list[float]:
    n = len(wins)
    scores = []
    for i in range(n):
        won, lost, tied = wins[i].sum(), wins[:, i].sum(), ties[i].sum()
        rates = [
            wins[i, j] / (wins[i, j] + wins[j, i]) for j in range(n) if wins[i, j] + wins[j, i] > 0
        ]
        parts = {
            "wins-with-ties": (won + tied, won + tied + lost),
            "wins-without-ties": (won, won + lost),
            "expected-wins": (sum(rates), len(rates)),
        }
        part, whole = parts[name]
        scores.append(part / whole if whole else math.nan)
    return scores


@settings(deadline=None)  # the first call imports SciPy
@given(rankings(), st.data())
def test_counts_and_wins_are_those_of_a_loop(given, data):
    whole = st.lists(st.integers(0, 3), min_size=len(given), max_size=len(given))
    drawn = data.draw(st.lists(whole, min_size=1, max_size=3))
    weights = np.array(drawn, float).reshape(len(drawn), len(given))
    wins, ties = comparisons(given, weights)
    for number, row in enumerate(weights):
        expected = counted(given, row)
        assert np.array_equal(wins[number], expected[0])
        assert np.array_equal(ties[number], expected[1])
        for name in ("wins-with-ties", "wins-without-ties", "expected-wins"):
            assert SYSTEM_SCORES[name](given, row) == pytest.approx(
                by_loop(name, *expected), nan_ok=True
            )
            assert np.array_equal(
                SYSTEM_SCORES[name](given, weights)[number],
                SYSTEM_SCORES[name](given, row),
                equal_nan=True,
            )


@pytest.mark.parametrize("name", SYSTEM_SCORES)
def test_weights_are_repetitions(pack, name):
    """Weights 0, 1, 2 are rows left out, kept and doubled; no weights are all ones."""
    pack("wmt14")
    given = wmt_rankings("wmt14")["cs-en"].rows(np.arange(300))
    weights = np.random.default_rng(0).integers(0, 3, 300).astype(float)
    repeated = given.rows(np.repeat(np.arange(300), weights.astype(int)))
    method = SYSTEM_SCORES[name]
    assert method(given, weights) == pytest.approx(method(repeated), abs=1e-9)
    assert np.array_equal(method(given), method(given, np.ones(300)))


def test_weights_of_another_length(pack):
    pack("wmt14")
    with pytest.raises(CupelError) as told:
        expected_wins(wmt_rankings("wmt14")["cs-en"], np.ones(3))
    assert str(told.value) == "There are 1957 rankings, but weights for 3 are given."


def test_a_system_never_compared_has_no_score():
    given = Rankings(
        "cs-en",
        ("a", "b", "c"),
        np.zeros(1, int),
        np.zeros(1, int),
        ("j",),
        np.array([[0, 1]]),
        np.array([[1, 2]]),
    )
    for method in SYSTEM_SCORES.values():
        score = method(given)
        assert score[0] > score[1]
        assert np.isnan(score[2])
    assert [system.system for system in rank_clusters(given, resamples=10)] == ["a", "b"]


def log_posterior(mean, wins, ties) -> float:
    """Hopkins and May's model as written in its docstring."""
    normal, spread, total = NormalDist(), math.sqrt(2 * (0.25 + 1)), -sum(m * m for m in mean) / 2
    for i in range(len(mean)):
        for j in range(len(mean)):
            gap = mean[i] - mean[j]
            better = normal.cdf((gap - 0.5) / spread)
            tied = normal.cdf((0.5 - gap) / spread) - normal.cdf((-0.5 - gap) / spread)
            total += wins[i, j] * math.log(better) + ties[i, j] / 2 * math.log(tied)
    return total


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([1, 5, 200]))
def test_hopkins_may_is_the_top_of_the_posterior(seed, scale):
    generator = np.random.default_rng(seed)
    wins = generator.integers(0, scale + 1, (4, 4)).astype(float) * (1 - np.eye(4))
    ties = np.triu(generator.integers(0, scale + 1, (4, 4)), 1).astype(float)
    ties += ties.T
    mean = most_probable_means(wins, ties)
    if not (wins.sum(0) + wins.sum(1) + ties.sum(0)).all():
        return
    top = log_posterior(mean, wins, ties)
    for step in (1e-3, 1e-2, 0.3):
        for direction in generator.normal(size=(6, 4)):
            assert log_posterior(mean + step * direction, wins, ties) < top


def test_hopkins_may_where_one_always_wins():
    wins = np.zeros((2, 3, 3))
    wins[0, 0, 1:] = 1e5
    wins[1, 2, :2] = 3
    mean = most_probable_means(wins, np.zeros((2, 3, 3)))
    assert np.isfinite(mean).all()
    assert mean[0, 0] > 3
    assert mean[0, 1] == pytest.approx(mean[0, 2])


def slow_tournament(wins, ties, uniforms, sigma, beta, margin) -> list[float]:
    """Match by match from the papers' equations, with another normal distribution."""
    normal = NormalDist()
    n = len(wins)
    ratings = [[0.0, sigma**2] for _ in range(n)]
    for choice, fate in uniforms:
        first = max(range(n), key=lambda i: (ratings[i][1], -i))
        others = [j for j in range(n) if j != first]
        chances = np.array([math.exp(-abs(ratings[first][0] - ratings[j][0])) for j in others])
        second = others[int(np.searchsorted(np.cumsum(chances), choice * chances.sum(), "right"))]
        a, b = ratings[first], ratings[second]
        c = math.sqrt(2 * beta**2 + a[1] + b[1])
        fates = np.cumsum([wins[first, second], wins[second, first], ties[first, second]])
        outcome = int(np.searchsorted(fates, fate * fates[-1], "right"))
        if outcome == 1:
            a, b = b, a
        t, e = (a[0] - b[0]) / c, margin / c
        if outcome < 2:
            v = normal.pdf(t - e) / normal.cdf(t - e)
            w = v * (v + t - e)
        else:
            mass = normal.cdf(e - t) - normal.cdf(-e - t)
            v = (normal.pdf(-e - t) - normal.pdf(e - t)) / mass
            w = v**2 + ((e - t) * normal.pdf(e - t) + (e + t) * normal.pdf(e + t)) / mass
        a[0], b[0] = a[0] + a[1] / c * v, b[0] - b[1] / c * v
        a[1], b[1] = a[1] * (1 - a[1] / c**2 * w), b[1] * (1 - b[1] / c**2 * w)
    return [mean for mean, _ in ratings]


def test_the_tournament_is_that_of_the_papers():
    from cupel.kernels.trueskill import tournament

    generator = np.random.default_rng(5)
    wins = generator.integers(1, 9, (5, 5)).astype(float) * (1 - np.eye(5))
    ties = np.triu(generator.integers(1, 5, (5, 5)), 1).astype(float)
    ties += ties.T
    uniforms = generator.random((400, 2))
    for beta in (0.5, 5.0):
        margin = NormalDist().inv_cdf(0.625) * math.sqrt(2) * beta
        assert tournament(wins, ties, uniforms, 0.5, beta, margin) == pytest.approx(
            slow_tournament(wins, ties, uniforms, 0.5, beta, margin), abs=1e-9
        )


def test_a_seed_decides(pack):
    pack("wmt14")
    given = wmt_rankings("wmt14")["cs-en"].rows(np.arange(200))
    assert np.array_equal(trueskill(given, seed=1, runs=3), trueskill(given, seed=1, runs=3))
    assert not np.array_equal(trueskill(given, seed=1, runs=3), trueskill(given, seed=2, runs=3))


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize(("method", "least"), [("trueskill", 0.999), ("hopkins-may", 0.995)])
def test_the_official_scores_of_wmt14(pack, method, least, pair):
    """Pearson with the published scores; TrueSkill also comes within .07 of their values."""
    pack("wmt14")
    given = wmt_rankings("wmt14")[pair]
    official = official_scores("wmt14")[pair]
    assert set(official) == set(given.systems)
    published = np.array([official[system] for system in given.systems])
    ours = SYSTEM_SCORES[method](given)
    assert np.corrcoef(ours, published)[0, 1] > least
    if method == "trueskill":
        assert np.abs(ours - published).max() < 0.07


# The clusters of the findings of WMT14 (Bojar et al. 2014), best first, by their sizes.
@pytest.mark.parametrize(
    ("pair", "sizes"), [("fr-en", [1, 3, 1, 1, 1, 1]), ("ru-en", [1, 1, 6, 1, 1, 1, 1, 1])]
)
def test_the_published_clusters_of_wmt14(pack, pair, sizes):
    pack("wmt14")
    found = rank_clusters(wmt_rankings("wmt14")[pair], "trueskill", resamples=300)
    assert np.bincount([system.cluster for system in found])[1:].tolist() == sizes
    assert [system.score for system in found] == sorted((s.score for s in found), reverse=True)


def test_clusters_by_rows_are_no_finer(pack):
    pack("wmt14")
    given = wmt_rankings("wmt14")["de-en"]
    pairs, rows = (rank_clusters(given, unit=unit) for unit in ("pairs", "rows"))
    assert (pairs[-1].cluster, rows[-1].cluster) == (6, 4)
    for one, other in zip(pairs, rows, strict=True):
        assert one.system == other.system
        assert other.worst - other.best >= one.worst - one.best
        assert one.best <= 1 + pairs.index(one) <= one.worst


def test_bad_options(pack):
    pack("wmt14")
    given = wmt_rankings("wmt14")["cs-en"]
    cases: list[tuple[dict[str, Any], str]] = [
        (
            {"method": "elo"},
            "There is no system score 'elo'; there are wins-with-ties, wins-without-ties, "
            "expected-wins, hopkins-may, trueskill.",
        ),
        ({"unit": "judges"}, "Unknown unit 'judges' to resample: it is 'pairs' or 'rows'."),
        ({"resamples": 0}, "The number of resamples must be 1 or more, not 0."),
        ({"p": 5}, "The level p must be between 0 and 1, not 5."),
    ]
    for options, expected in cases:
        with pytest.raises(CupelError) as error:
            rank_clusters(given, **options)
        assert str(error.value) == expected


def test_no_official_scores():
    with pytest.raises(CupelError) as told:
        official_scores("wmt12")
    assert str(told.value) == (
        "wmt12 has no official human scores of systems; those of wmt14 are in its pack, and others "
        "are computed from the rankings: wins-with-ties, wins-without-ties, expected-wins, "
        "hopkins-may, trueskill."
    )


def test_a_bootstrap_takes_no_loop_over_judgments(pack):
    pack("wmt14")
    rankings = wmt_rankings("wmt14")["de-en"]
    even = np.full(len(rankings), 1 / len(rankings))
    draws = np.random.default_rng(0).multinomial(len(rankings), even, size=1000).astype(float)
    assert expected_wins(rankings, draws).shape == (1000, 13)
    assert calls(lambda: expected_wins(rankings, draws)) < 1000 < len(rankings)
