from __future__ import annotations

import numpy as np
import pytest

import cupel
from counting import calls
from cupel import significance
from cupel.batch import Batch
from cupel.errors import CupelError
from cupel.metric import Metric, mean_statistics
from cupel.metrics.bleu import Bleu
from cupel.metrics.function import Function
from cupel.registry import named_metrics


def random_statistics(systems: int, segments: int, k: int = 10) -> np.ndarray:
    generator = np.random.default_rng(0)
    return np.sort(generator.integers(1, 40, (systems, segments, k)), axis=-1)[..., ::-1].astype(
        float
    )


MEAN: Metric = Function("mean", lambda h, r: 0.0)


def test_a_resample_is_a_weighted_sum() -> None:
    """The matrix product equals drawing segments one by one."""
    statistics = random_statistics(2, 30)
    scores = significance.bootstrap_scores(Bleu(), statistics, resamples=50, seed=3)
    drawn = np.random.default_rng(3).choice(30, size=(50, 30), replace=True)
    for system in range(2):
        expected = [Bleu().score(statistics[system, rows].sum(0)) for rows in drawn]
        assert scores[system] == pytest.approx(np.array(expected), abs=1e-9)


def test_blocks_do_not_change_the_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    statistics = random_statistics(2, 31)
    whole = significance.bootstrap_scores(Bleu(), statistics, resamples=40)
    p_whole = significance.paired_randomization(Bleu(), statistics, trials=200)
    monkeypatch.setattr(significance, "_BLOCK", 100)
    assert np.array_equal(significance.bootstrap_scores(Bleu(), statistics, resamples=40), whole)
    p_blocks = significance.paired_randomization(Bleu(), statistics, trials=200)
    assert np.array_equal(p_blocks, p_whole, equal_nan=True)


def test_randomization_equals_a_loop_over_trials() -> None:
    statistics = random_statistics(2, 25)
    trials = 300
    ours = significance.paired_randomization(Bleu(), statistics, trials=trials, seed=9)
    flips = np.random.default_rng(9).integers(2, size=(trials, 25), dtype=bool)
    observed = abs(Bleu().score(statistics[0].sum(0)) - Bleu().score(statistics[1].sum(0)))
    above = 0
    for flip in flips:
        first = np.where(flip[:, None], statistics[0], statistics[1]).sum(0)
        second = np.where(flip[:, None], statistics[1], statistics[0]).sum(0)
        above += int(abs(Bleu().score(first) - Bleu().score(second)) > observed)
    assert np.isnan(ours[0])
    assert ours[1] == (above + 1) / (trials + 1)


def test_the_interval_of_a_mean_has_the_width_that_theory_says() -> None:
    values = np.random.default_rng(5).normal(10, 3, 2000)
    scores = significance.bootstrap_scores(MEAN, mean_statistics(values)[None], resamples=2000)
    interval = significance.interval(scores[0])
    assert interval.half_width == pytest.approx(1.96 * values.std() / np.sqrt(2000), rel=0.06)
    assert interval.mean == pytest.approx(values.mean(), abs=0.01)


@pytest.mark.parametrize("test", ["bs", "ar"])
def test_p_values_tell_a_real_difference_from_none(test: str) -> None:
    generator = np.random.default_rng(2)
    quality = generator.normal(0, 1, 400)
    systems = np.stack([quality, quality + generator.normal(0, 0.5, 400), quality + 0.3])
    statistics = mean_statistics(systems)
    actual = systems.mean(axis=1)
    if test == "bs":
        p = significance.paired_bootstrap(
            significance.bootstrap_scores(MEAN, statistics, 1000), actual
        )
    else:
        p = significance.paired_randomization(MEAN, statistics, trials=2000)
    assert np.isnan(p[0])
    assert p[1] > 0.05
    assert p[2] < 0.01


def test_randomization_of_many_segments() -> None:
    """More segments than a float has powers of two; the draws are those of one call."""
    statistics = random_statistics(2, 1500)
    p = significance.paired_randomization(Bleu(), statistics, trials=50)
    assert 0 < p[1] <= 1
    at_once = np.random.default_rng(9).integers(2, size=(70, 1500), dtype=bool)
    parts = [kept for _, kept in significance._coin_flips(1500, 70, 9)]
    assert np.array_equal(np.concatenate(parts), at_once)


@pytest.mark.parametrize("test", ["bs", "ar"])
def test_a_system_against_itself_is_never_significant(test: str) -> None:
    texts = ["a b c d", "e f g h", "i j"]
    scores = cupel.score({"one": texts, "two": texts}, ["a b c x", "e f", "i j"], ["bleu"])
    (comparison,) = scores.paired("bleu", test, samples=100)
    assert comparison.p_value == 1.0
    assert comparison.difference == 0.0


def test_a_bootstrap_takes_no_loop_over_resamples() -> None:
    def resample(count: int) -> int:
        return calls(lambda: significance.bootstrap_scores(Bleu(), statistics, count))

    statistics = random_statistics(10, 3000)
    resample(10)  # imports
    assert resample(1000) == resample(100)


def test_bad_requests() -> None:
    scores = cupel.score(["a"], ["a"], ["bleu"])
    with pytest.raises(CupelError, match=r"^A paired test needs at least two systems\.$"):
        scores.paired("bleu")
    with pytest.raises(CupelError, match=r"^The number of resamples must be 1 or more, not 0\.$"):
        scores.intervals("bleu", resamples=0)
    two = cupel.score({"a": ["a"], "b": ["b"]}, ["a"], ["bleu"])
    with pytest.raises(CupelError, match=r"^Unknown paired test 'xx': it is 'bs' or 'ar'\.$"):
        two.paired("bleu", "xx")


def test_right_for_metrics_whose_weights_come_from_all_references() -> None:
    """NIST is prepared once, on the whole corpus: a resample does not refit it."""
    hypotheses, references = ["a b c", "d e f", "a e"], ["a b d", "d e f", "a e g"]
    scores = cupel.score({"s": hypotheses}, references, ["nist"])
    metric = scores.metrics["nist"]
    statistics = metric.statistics(Batch(hypotheses, [[r] for r in references]))
    drawn = np.random.default_rng(12345).choice(3, size=(20, 3), replace=True)
    expected = [float(metric.score(statistics[rows].sum(0))) for rows in drawn]
    ours = significance.bootstrap_scores(metric, scores.statistics["nist"], 20)
    assert ours[0] == pytest.approx(expected, abs=1e-12)


def test_randomization_of_a_test_set_of_more_than_a_thousand_segments() -> None:
    """2 ** 1024 is no floating-point number: the number of exchanges must not be computed as one."""
    first = np.stack([np.linspace(0, 1, 1500), np.ones(1500)], axis=1)
    second = first + np.array([0.1, 0.0])
    metric = named_metrics(["rouge-l"])["rouge-l"]
    p = significance.paired_randomization(metric, np.stack([first, second]), trials=99)
    assert p[1] == pytest.approx(0.01)
