from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from cupel.errors import CupelError
from cupel.meta.agreement import agreement, agreements
from cupel.meta.statistic import STATISTICS, Statistic

NAN = float("nan")


def test_gaps_weigh_segments_not_pairs() -> None:
    """Averaged by item each segment counts once, however many of its translations are judged."""
    human = np.array([[3.0, 1.0], [2.0, 2.0], [1.0, NAN]])
    metric = np.array([[3.0, 2.0], [2.0, 1.0], [1.0, 9.0]])
    value = agreement(Statistic("acc-23", "item"), human, metric)
    assert (value.value, value.n) == (0.5, 2)
    pooled = agreement(Statistic("acc-23", "item", weighted=True), human, metric)
    assert (pooled.value, pooled.n) == (3 / 5, 5)


def test_the_threshold_that_serves_best() -> None:
    """People tie the first two; a threshold of 0.25 makes the metric do so too."""
    human = np.array([[1.0], [1.0], [5.0]])
    metric = np.array([[0.5], [0.75], [2.0]])
    value = agreement(Statistic("acc-eq", "item"), human, metric)
    assert (value.value, value.epsilon, value.n) == (1.0, 0.25, 1)
    assert agreement(Statistic("tau-eq", "item"), human, metric).value == 1.0
    assert agreement(Statistic("acc-23", "item"), human, metric).value == pytest.approx(2 / 3)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["none", "item", "sys"]))
def test_calibration_equals_trying_every_threshold(seed: int, average: str) -> None:
    generator = np.random.default_rng(seed)
    human = generator.integers(0, 3, (4, 5)).astype(float)
    metric = generator.integers(0, 9, (4, 5)) / 4
    human[generator.random((4, 5)) < 0.2] = NAN
    best = agreement(Statistic("acc-eq", average), human, metric)
    sizes = {abs(a - b) for a, b in itertools.product(metric.ravel(), repeat=2)}
    tried = [
        agreement(Statistic("acc-23", average, epsilon=size), human, metric).value
        for size in sorted(sizes)
    ]
    if best.value is None:
        assert set(tried) == {None}
    else:
        assert best.value == pytest.approx(max(value for value in tried if value is not None))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 40), st.sampled_from([1.0, 0.4]))
def test_many_pairs_are_never_all_in_memory(seed: int, n: int, rate: float) -> None:
    """Where all translations are one group, buckets of sizes find the same threshold."""
    generator = np.random.default_rng(seed)
    human = generator.integers(0, 4, (1, n)).astype(float)
    metric = np.round(human + generator.normal(size=(1, n)), int(generator.integers(0, 4)))
    for name in ("acc-eq", "tau-eq"):
        statistic = Statistic(name, sample_rate=rate)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("cupel.kernels.groups._MANY", -1)
            bucketed = agreement(statistic, human, metric, random=seed)
        assert bucketed == agreement(statistic, human, metric, random=seed)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 120))
def test_kendall_of_long_groups(seed: int, n: int) -> None:
    """Groups of many are counted by sorting, small ones pair by pair."""
    generator = np.random.default_rng(seed)
    human, metric = generator.integers(0, 6, (2, n, 1)).astype(float)
    for name, variant in (("tau-b", "b"), ("tau-c", "c")):
        expected = scipy.stats.kendalltau(human[:, 0], metric[:, 0], variant=variant)[0]
        value = agreement(Statistic(name), human, metric).value
        assert (value is None) == np.isnan(expected)
        assert value is None or value == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("name", sorted(set(STATISTICS) - {"accuracy", "kendall-like"}))
@pytest.mark.parametrize("average", ["none", "item", "sys"])
def test_no_judgment_no_value(name: str, average: str) -> None:
    nothing = np.full((3, 4), NAN)
    scores = np.arange(12.0).reshape(3, 4)
    assert agreement(Statistic(name, average), nothing, scores).value is None
    assert agreement(Statistic(name, average), scores, nothing).value is None


@pytest.mark.parametrize("name", ["pearson", "spearman", "tau-b", "tau-c"])
def test_constant_scores_have_no_correlation(name: str) -> None:
    scores, constant = np.arange(12.0).reshape(3, 4), np.full((3, 4), 0.1)
    for average in ("none", "item", "sys"):
        assert agreement(Statistic(name, average), scores, constant).value is None
        assert agreement(Statistic(name, average), constant, scores).value is None
        zero = agreement(Statistic(name, average, zeros=True), constant, scores)
        assert zero.value == 0.0
    mixed = np.where(np.arange(4) == 2, 5.0, scores)
    assert agreement(Statistic(name, "item"), scores, mixed).n == 3


def test_pairwise_accuracy_keeps_language_pairs_apart() -> None:
    human, metric = np.array([1.0, 2.0, 9.0, 8.0, 8.0]), np.array([1.0, 3.0, 0.0, 0.0, -1.0])
    apart = agreement(Statistic("accuracy", blocks=(2, 3)), human, metric)
    assert (apart.value, apart.n) == (2 / 4, 4)
    together = agreement(Statistic("accuracy"), human, metric)
    assert together.n == 10
    with pytest.raises(CupelError, match="Blocks of 4 systems were named, but there are 5"):
        agreement(Statistic("accuracy", blocks=(2, 2)), human, metric)
    with pytest.raises(CupelError, match="one score per system, not 2"):
        agreement(Statistic("accuracy"), np.ones((5, 2)), np.ones((5, 2)))


def test_soft_accuracy_of_equal_systems() -> None:
    generator = np.random.default_rng(0)
    row = generator.normal(size=300)
    human = np.stack([row, row, generator.normal(size=300)])
    assert agreement(Statistic("spa"), human, human).value == 1.0
    turned = agreement(Statistic("spa"), human, -human).value
    assert turned is not None
    assert turned < 1


def test_soft_accuracy_with_gaps_compares_the_segments_of_both() -> None:
    generator = np.random.default_rng(1)
    human = generator.normal(size=(4, 90))
    metrics = {str(i): human + generator.normal(size=human.shape) for i in range(3)}
    statistic = Statistic("spa")
    whole = agreements(statistic, human, metrics)
    assert whole == {k: agreement(statistic, human, v) for k, v in metrics.items()}
    some = human.copy()
    some[:, ::7] = NAN  # of whole segments: the same as without them
    kept = ~np.isnan(some[0])
    expected = agreement(statistic, human[:, kept], metrics["0"][:, kept])
    assert agreement(statistic, some, metrics["0"]) == expected
    assert agreement(replace(statistic, packed=True), some, metrics["0"]) == expected
    some[0, 1] = some[1, 2] = NAN
    uneven = agreement(statistic, some, metrics["0"]).value
    assert expected.value is not None
    assert uneven == pytest.approx(expected.value, abs=0.1)
    with pytest.raises(CupelError, match="306 judgments cannot be cut into 4 rows"):
        agreement(replace(statistic, packed=True), some, metrics["0"])


def test_sampled_pairs_follow_the_seed() -> None:
    generator = np.random.default_rng(2)
    human = generator.integers(0, 4, (6, 40)).astype(float)
    metric = human + generator.normal(size=human.shape)
    statistic = Statistic("acc-eq", "item", sample_rate=0.2)
    values = [agreement(statistic, human, metric, random=seed).value for seed in (1, 1, 2)]
    assert values[0] == values[1] != values[2]
    draws = np.random.RandomState(1)
    both = agreements(statistic, human, {"a": metric, "b": metric}, random=draws)
    assert both["a"].value == values[0] != both["b"].value


def test_bad_input() -> None:
    scores = np.arange(6.0).reshape(2, 3)
    with pytest.raises(CupelError, match=r"have the shape \(3, 2\), those of people \(2, 3\)"):
        agreement(Statistic("pearson"), scores, scores.T)
    with pytest.raises(CupelError, match="system 2 on segment 3 is infinite"):
        agreement(Statistic("pearson"), scores, np.where(scores == 5, np.inf, scores))
    for name, match in (("tau", "no statistic 'tau': it should be one of pearson"),):
        with pytest.raises(CupelError, match=match):
            Statistic(name)
    with pytest.raises(CupelError, match="cannot be averaged by 'segment'"):
        Statistic("pearson", "segment")
    with pytest.raises(CupelError, match=r"share of pairs is 0: it should be in \(0, 1\]"):
        Statistic("acc-eq", sample_rate=0)
    with pytest.raises(CupelError, match="threshold is -1: it should be 0 or more"):
        Statistic("acc-23", epsilon=-1)
    with pytest.raises(CupelError, match="tau-c takes no tie threshold"):
        Statistic("tau-c", epsilon=1)
    with pytest.raises(CupelError, match="Only Pearson's r is defined over differences"):
        agreement(Statistic("spearman", differences=True), scores, scores)
    with pytest.raises(CupelError, match="no p-value for acc-23"):
        agreement(Statistic("acc-23"), scores, scores, p_value=True)
