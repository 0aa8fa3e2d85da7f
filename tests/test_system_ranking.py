"""Several systems at once: corrected p-values, ranks, clusters, and the set with the best system."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import cupel
from counting import calls
from cupel.errors import CupelError
from cupel.significance import corrected
from cupel.system_ranking import cluster_numbers


def scores_of(values: np.ndarray, lower: bool = False) -> cupel.Scores:
    """(systems, segments): systems s0, s1, ... under a metric "x"."""
    rows = {f"s{number}": row for number, row in enumerate(values)}
    return cupel.score(scores={"x": rows}, lower=["x"] if lower else [])


def test_corrections() -> None:
    """Holm's by hand; Benjamini and Hochberg's as SciPy has them."""
    p = np.array([0.01, 0.04, 0.03, 0.005])
    assert corrected(p).tolist() == [0.03, 0.06, 0.06, 0.02]
    generator = np.random.default_rng(0)
    for m in (1, 7, 190):
        p = generator.random(m) ** 3
        assert corrected(p, "bh") == pytest.approx(stats.false_discovery_control(p))
        assert (corrected(p, "holm") >= corrected(p, "bh") - 1e-12).all()
    with pytest.raises(CupelError, match="Unknown correction 'sidak'"):
        corrected(p, "sidak")


def test_the_p_values_of_pairs_are_those_of_the_paired_t_test() -> None:
    generator = np.random.default_rng(1)
    values = generator.random(60) + np.array([[0.0], [0.02], [0.05]]) * generator.random((3, 60))
    values += 0.1 * generator.random((3, 60))
    ranking = scores_of(values).clusters(resamples=20_000)["x"]
    order = [int(one.system[1:]) for one in ranking.systems]
    pairs = [(0, 1), (0, 2), (1, 2)]
    expected = corrected(
        np.array([stats.ttest_rel(values[order[i]], values[order[j]]).pvalue for i, j in pairs])
    )
    ours = [ranking.p_values[i, j] for i, j in pairs]
    assert ours == pytest.approx(expected, rel=0.1, abs=1e-4)
    assert np.allclose(ranking.p_values, ranking.p_values.T, equal_nan=True)


@pytest.mark.parametrize("lower", [False, True])
def test_clusters_are_divided_where_all_above_beat_all_below(lower: bool) -> None:
    generator = np.random.default_rng(2)
    noise = generator.normal(size=(4, 500))
    quality = np.array([2.0, 0.0, 2.02, 0.01])[:, None] + noise
    ranking = scores_of(-quality if lower else quality, lower).clusters()["x"]
    assert [{one.system for one in ranking.systems[i : i + 2]} for i in (0, 2)] == [
        {"s0", "s2"}, {"s1", "s3"}
    ]  # fmt: skip
    assert [(one.low, one.high, one.cluster) for one in ranking.systems] == [
        (1, 2, 1), (1, 2, 1), (3, 4, 2), (3, 4, 2)
    ]  # fmt: skip
    assert [one.maybe_best for one in ranking.systems] == [True, True, False, False]
    names = " and ".join(one.system for one in ranking.systems[:2])
    assert ranking.sentence == f"The best system by x is one of {names} (at the level 0.05)."


def test_equal_systems_cannot_be_told_apart() -> None:
    row = np.random.default_rng(3).random(30)
    ranking = scores_of(np.array([row, row, row - 0.5])).clusters()["x"]
    assert ranking.p_values[0, 1] == 1.0
    assert ranking.p_values[0, 2] == 0.0  # the same lead on every segment
    assert [one.maybe_best for one in ranking.systems] == [True, True, False]
    all_equal = scores_of(np.array([row, row])).clusters()["x"]
    assert all_equal.sentence.startswith("Any of the 2 systems may be the best by x")


def test_the_best_set_misses_the_best_in_one_of_twenty_test_sets() -> None:
    """All of one quality, so that each of six is the best: the hardest case there is."""
    generator = np.random.default_rng(4)
    missed = sum(
        not next(
            one for one in scores_of(generator.normal(size=(6, 40))).clusters(
                resamples=300, seed=trial
            )["x"].systems if one.system == "s0"
        ).maybe_best
        for trial in range(400)
    )  # fmt: skip
    assert missed / 400 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)


def test_ranges_to_clusters() -> None:
    assert cluster_numbers(np.array([1, 1, 3, 4]), np.array([2, 3, 3, 4])).tolist() == [1, 1, 1, 2]
    assert cluster_numbers(np.array([1]), np.array([1])).tolist() == [1]


def test_bad_requests() -> None:
    with pytest.raises(CupelError, match="at least two systems and two segments"):
        scores_of(np.zeros((1, 5))).clusters()
    with pytest.raises(CupelError, match="level must be between 0 and 1, not 2"):
        scores_of(np.zeros((2, 5))).clusters(level=2)


def test_twenty_systems_three_thousand_segments_five_metrics() -> None:
    """No loop over segments: ten times as many take the same calls."""
    generator = np.random.default_rng(5)

    def scores_of_segments(count: int) -> cupel.Scores:
        rows = {f"s{n}": generator.random(count) for n in range(20)}
        return cupel.score(scores={f"m{n}": rows for n in range(5)})

    few, many = scores_of_segments(300), scores_of_segments(3000)
    assert len(few.clusters()) == 5
    assert calls(many.clusters) < 2 * calls(few.clusters)


def test_what_was_not_tested_does_not_count() -> None:
    p = corrected(np.array([0.01, 0.04, 0.03, np.nan]))
    assert p[:3].tolist() == pytest.approx([0.03, 0.06, 0.06])
    assert np.isnan(p[3])
