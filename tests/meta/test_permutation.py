from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cupel.errors import CupelError
from cupel.kernels.permutations import toss_coins
from cupel.meta.comparison import correlations_of, williams_p_values
from cupel.meta.permutation import Stopping, permutation_test
from cupel.meta.statistic import Statistic

NAN = float("nan")


def campaign(seed: int = 0, systems: int = 6, segments: int = 30) -> list[np.ndarray]:
    generator = np.random.default_rng(seed)
    human = generator.integers(0, 5, (systems, segments)).astype(float)
    return [human, *(human + generator.normal(0, s, human.shape) for s in (1, 4))]


@pytest.mark.parametrize("before", [0, 1, 311, 312, 623])
def test_coins_are_those_of_the_generator(before: int) -> None:
    ours, theirs = np.random.RandomState(3), np.random.RandomState(3)
    for random in (ours, theirs):
        random.randint(0, 2**32, before, dtype=np.uint32)
    for count in (1, 5, 1000, 3, 624):
        assert (toss_coins(ours, (count,)) == theirs.binomial(1, 0.5, count)).all()
    assert ours.random_sample() == theirs.random_sample()


@pytest.mark.parametrize("swap", ["both", "systems", "segments", "pairs"])
@pytest.mark.parametrize("average", ["none", "item", "sys"])
def test_better_metrics_win(swap: str, average: str) -> None:
    human, good, bad = campaign()
    statistic = Statistic("acc-23" if swap == "pairs" else "pearson", average)
    won = permutation_test(statistic, human, good, bad, swap=swap, trials=200)
    lost = permutation_test(statistic, human, bad, good, swap=swap, trials=200)
    assert won.p_value < 0.05 < 0.9 < lost.p_value
    assert won.difference == -lost.difference > 0
    same = permutation_test(statistic, human, good, good, swap=swap, trials=50)
    assert (same.p_value, same.difference) == (1.0, 0.0)


def test_a_clear_test_ends_early() -> None:
    human, good, bad = campaign()

    def trials(stopping: Stopping | None, *metrics: np.ndarray) -> Any:
        return permutation_test(
            Statistic("pearson"), human, *metrics, trials=500, stopping=stopping
        )

    assert trials(None, good, bad).trials == 100
    assert trials(Stopping(block=50), good, bad).trials == 50
    assert trials(Stopping(block=500), good, bad).trials == 500
    assert trials(Stopping(block=40, low=0.0, high=1.0), good, bad).trials == 500
    long, short = (trials(Stopping(block=b, low=0, high=1), good, bad) for b in (500, 7))
    assert (long.draws == short.draws).all()


def test_pairs_look_only_after_a_trial_that_reached_the_difference() -> None:
    """As published: a test that never reaches it goes on to the end."""
    human, good, bad = campaign(1)
    statistic = Statistic("acc-eq", "item")
    options = {"swap": "pairs", "trials": 60}
    published = permutation_test(
        statistic,
        human,
        good,
        bad,
        stopping=Stopping(block=20),
        **options,  # type: ignore[arg-type]
    )
    mended = permutation_test(
        statistic, human, good, bad,
        stopping=Stopping(block=20, as_published=False), **options,  # type: ignore[arg-type]
    )  # fmt: skip
    assert (published.trials, mended.trials) == (60, 20)
    assert (published.draws[:20] == mended.draws).all()


@pytest.mark.parametrize("name", ["pearson", "spearman", "tau-b", "acc-eq", "spa"])
def test_one_seed_one_result(name: str) -> None:
    human, good, bad = campaign(2)
    human[:, 3] = NAN
    first, second, third = (
        permutation_test(Statistic(name), human, good, bad, trials=10, random=seed)
        for seed in (1, 1, 2)
    )
    assert (first.draws == second.draws).all()
    assert (first.draws != third.draws).any()


def test_constant_segments_are_left_out_of_every_trial() -> None:
    """The sums that Pearson's r is made of cannot tell a constant list from a nearly constant one."""
    human, good, bad = campaign(3)
    good[:, 5], bad[:, 5] = 0.1, 0.7
    human[:, 6] = 2.0
    tested = permutation_test(Statistic("pearson", "item"), human, good, bad, trials=100)
    kept = np.arange(30) != 6
    again = permutation_test(
        Statistic("pearson", "item"), human[:, kept], good[:, kept], bad[:, kept], trials=0
    )
    assert tested.difference == pytest.approx(again.difference, abs=1e-12)
    assert np.abs(tested.draws).max() < 1


def test_a_constant_metric_is_never_the_better_one() -> None:
    human, good, _ = campaign(4)
    for name in ("pearson", "spearman", "tau-b"):
        tested = permutation_test(Statistic(name), human, np.ones_like(good), good, trials=40)
        assert tested.difference < 0
        assert tested.p_value == 1.0


def test_bad_input() -> None:
    human, good, bad = campaign(5)
    with pytest.raises(CupelError, match="Tests cannot exchange 'words': it should be one of both"):
        permutation_test(Statistic("pearson"), human, good, bad, swap="words")
    with pytest.raises(CupelError, match="Verdicts on pairs cannot be exchanged for pearson"):
        permutation_test(Statistic("pearson"), human, good, bad, swap="pairs")
    with pytest.raises(CupelError, match="no permutation test for differences or for weighted"):
        permutation_test(Statistic("pearson", weighted=True), human, good, bad)
    with pytest.raises(CupelError, match="no translation that people and both metrics have"):
        permutation_test(Statistic("pearson"), np.full_like(human, NAN), good, bad)


def test_williams_over_what_was_judged() -> None:
    human, good, bad = campaign(6)

    def p_value(human: np.ndarray, *metrics: np.ndarray, as_published: bool = True) -> float:
        found = correlations_of(Statistic("pearson"), human, metrics, as_published=as_published)
        assert found[0][0] > found[0][1]
        p = williams_p_values(*found)
        assert p[1, 0] == pytest.approx(1 - p[0, 1])
        return float(p[0, 1])

    some = np.where(np.arange(30) % 2, human, NAN)
    odd = np.arange(30) % 2 == 1
    fair = p_value(some, good, bad, as_published=False)
    assert fair == pytest.approx(p_value(human[:, odd], good[:, odd], bad[:, odd]), abs=1e-15)
    assert fair > p_value(some, good, bad)
