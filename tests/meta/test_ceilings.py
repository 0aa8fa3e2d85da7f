"""Noise ceilings: values by hand and as `cupel meta` computes them, intervals, single raters."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kendalltau

from cupel.errors import CupelError
from cupel.human.raw.rated import Rated
from cupel.meta import correlations
from cupel.meta.agreement import agreement
from cupel.meta.ceilings import against_others, agreement_rows, two_raters
from cupel.meta.statistic import Statistic

NAN = np.nan


def rated(*scores: list[list[float]] | np.ndarray) -> Rated:
    matrices = {f"r{number}": np.array(one, float) for number, one in enumerate(scores, start=1)}
    systems, segments = matrices["r1"].shape
    names = [f"s{number}" for number in range(systems)]
    places = [("d", str(number)) for number in range(segments)]
    return Rated("en-de", "mqm", "google", names, places, matrices)


def noisy(spread: float, seed: int = 3) -> Rated:
    generator = np.random.default_rng(seed)
    truth = generator.integers(-9, 1, (6, 40)) + np.arange(6)[:, None]
    return rated(*(np.round(truth + generator.normal(0, spread, truth.shape)) for _ in range(3)))


def values(of: Rated, measure: str, rater: str | None = None, **options) -> dict[str, float]:
    rows = agreement_rows(of, **options)
    return {
        row["statistic"]: row["value"]
        for row in rows
        if row["measure"] == measure and row["rater"] == rater
    }


def test_one_rater_against_the_mean_of_the_others() -> None:
    one, two, three = against_others(rated([[1, 2]], [[3, NAN]], [[5, 8]]))
    np.testing.assert_array_equal(one.others, [[4, 8]])
    np.testing.assert_array_equal(two.others, [[3, NAN]])
    np.testing.assert_array_equal(two.grades, [[3, NAN]])
    np.testing.assert_array_equal(three.others, [[2, 2]])
    assert len(two_raters(rated([[1, NAN]], [[NAN, 2]]))) == 0


def test_the_statistics_are_those_of_metrics() -> None:
    of = noisy(2.0)
    by_rater = {name: values(of, "ceiling", name, resamples=2) for name in of.scores}
    for one in against_others(of):
        grades, others = one.grades, one.others
        assert by_rater[one.rater] == pytest.approx(
            {
                "pearson": float(correlations.pearson(grades.ravel(), others.ravel())),
                "tau-b": kendalltau(grades.ravel(), others.ravel()).statistic,
                "acc-eq": agreement(Statistic("acc-eq", average="item"), others, grades).value,
                "accuracy": float(correlations.pairwise_accuracy(grades.mean(1), others.mean(1))),
            },
            abs=1e-12,
        )
    for statistic, value in values(of, "ceiling", resamples=2).items():
        assert value == pytest.approx(np.mean([v[statistic] for v in by_rater.values()]))


def test_raters_who_agree_and_raters_who_guess() -> None:
    same = values(noisy(0.0), "ceiling", resamples=2)
    assert same == pytest.approx({"pearson": 1, "tau-b": 1, "acc-eq": 1, "accuracy": 1})
    assert set(values(noisy(0.0), "agreement", resamples=2).values()) == {1.0}
    close, far = (values(noisy(spread), "ceiling", resamples=2) for spread in (1.0, 8.0))
    assert all(close[name] > far[name] for name in ("pearson", "tau-b", "acc-eq"))


def test_intervals_hold_the_values_and_repeat_with_the_seed() -> None:
    rows = agreement_rows(noisy(2.0), resamples=100, seed=5)
    for row in rows:
        if row["rater"] is None and row["statistic"] != "accuracy":
            assert row["low"] < row["value"] < row["high"], row
    assert rows == agreement_rows(noisy(2.0), resamples=100, seed=5)


def test_rows_of_single_raters() -> None:
    rows = agreement_rows(rated([[1, 3], [1, 1]], [[2, NAN], [5, 5]]), resamples=2)
    scores = [row for row in rows if row["measure"] == "scores"]
    assert [(row["rater"], row["statistic"], row["value"], row["n"]) for row in scores] == [
        ("r1", "mean", 1.5, 4),
        ("r1", "deviation", 1.0, 4),
        ("r2", "mean", 4.0, 3),
        ("r2", "deviation", pytest.approx(np.sqrt(3)), 3),
    ]


def test_nothing_to_compare() -> None:
    with pytest.raises(CupelError, match="No translation of en-de was judged by two raters"):
        agreement_rows(rated([[1, NAN]], [[NAN, 2]]))


def test_a_statistic_without_a_value() -> None:
    rows = agreement_rows(rated([[1, 1]], [[2, 2]]), resamples=3)
    without = {row["statistic"] for row in rows if row["value"] is None}
    assert {"pearson", "tau-b", "acc-eq", "accuracy", "pairwise", "kappa"} <= without
    assert all(row["low"] is None for row in rows if row["value"] is None)


def test_tau_of_many_different_scores() -> None:
    generator = np.random.default_rng(1)
    of = rated(*(generator.normal(0, 1, (5, 120)) for _ in range(2)))
    grades, others = of.scores.values()
    expected = kendalltau(grades.ravel(), others.ravel()).statistic
    assert values(of, "agreement", resamples=2)["tau-b"] == pytest.approx(expected, abs=1e-12)
