"""How many segments show a difference: against SciPy, the textbook, and simulated tests."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import nct, t

import cupel
from cupel.corpus import Corpus
from cupel.errors import CupelError
from cupel.metric import mean_statistics
from cupel.planning import plan, power_of, pseudo_values, segments_needed
from cupel.scores import Scores
from cupel.significance import tail

ROUGE = cupel.score(["a b"], ["a b"], metrics=["rouge-l"]).metrics["rouge-l"]


@pytest.mark.parametrize(
    ("difference", "segments"), [(0.1, 30), (0.5, 12), (0.02, 900), (0.4, 200)]
)
def test_power_is_that_of_the_noncentral_t(difference: float, segments: int) -> None:
    limit = t.ppf(0.975, segments - 1)
    moved = difference * math.sqrt(segments) / 0.7
    expected = nct.sf(limit, segments - 1, moved) + nct.cdf(-limit, segments - 1, moved)
    assert power_of(difference, 0.7, segments) == pytest.approx(expected, abs=1e-6)


def test_segments_needed_is_the_textbook_number() -> None:
    # d = 0.5 at 80% power: 34 pairs (Cohen 1988, table 2.4.1 for the paired test)
    assert segments_needed(0.5, 1.0) == 34
    assert segments_needed(0.2, 1.0) == 199
    assert segments_needed(0.2, 1.0, power=0.9) == 265
    # and the smallest number: one less is too few
    assert power_of(0.2, 1.0, 199) >= 0.8 > power_of(0.2, 1.0, 198)


def test_pseudo_values_of_a_mean_are_its_parts() -> None:
    values = np.random.default_rng(1).normal(size=(2, 50))
    statistics = np.stack([mean_statistics(row) for row in values])
    psi = pseudo_values(ROUGE, statistics)
    parts = values[1] - values[0]
    assert psi == pytest.approx(parts - parts.mean())


def test_the_stated_power_is_the_measured_one(newstest: Callable[[str, str], Corpus]) -> None:
    """Plan with 500 segments of two real systems; test on sets of the size planned."""
    corpus = newstest("wmt14", "de-en")
    systems = [name for name in corpus.systems if "CMU" in name or "rbmt4" in name]
    two = Corpus({name: corpus.systems[name] for name in systems}, corpus.references)
    scores = cupel.score(two, metrics=["chrf++"])
    metric, statistics = scores.metrics["chrf++"], scores.statistics["chrf++"]
    generator = np.random.default_rng(12345)
    pilot = statistics[:, generator.permutation(len(corpus))[:500]]
    difference = 0.8
    needed = segments_needed(difference, float(pseudo_values(metric, pilot).std(ddof=1)))
    assert 500 < needed < 2500
    # The real difference is larger: it is moved to 0.8, which a test sees as a shifted difference.
    actual = float(np.diff(metric.score(statistics.sum(axis=1)))[0])
    shown = 0
    for _ in range(300):
        drawn = statistics[:, generator.integers(len(corpus), size=needed)]
        seen = float(np.diff(metric.score(drawn.sum(axis=1)))[0]) - actual + difference
        error = float(pseudo_values(metric, drawn).std(ddof=1)) / math.sqrt(needed)
        shown += 2 * float(tail(np.array(abs(seen)), np.array(error), needed)) < 0.05
    assert shown / 300 == pytest.approx(0.8, abs=0.07)


def scores_of(first: list[str], second: list[str], metric: str = "chrf") -> Scores:
    references = [f"reference number {n} is here" for n in range(len(first))]
    return cupel.score({"a": first, "b": second}, references, metrics=[metric])


def test_what_a_plan_says() -> None:
    generator = np.random.default_rng(3)
    first = [
        f"reference number {n} {'is' if generator.random() < 0.6 else 'was'}" for n in range(60)
    ]
    second = [
        f"reference number {n} {'is' if generator.random() < 0.8 else 'was'}" for n in range(60)
    ]
    (one,) = plan(scores_of(first, second), "chrf", 1.0)
    assert (one.system, one.baseline, one.segments) == ("b", "a", 60)
    assert one.needed_low is not None
    assert one.needed_high is not None
    assert one.needed is not None
    assert one.needed_low < one.needed < one.needed_high
    spread = one.error * math.sqrt(60)
    assert power_of(one.detectable, spread, 60) == pytest.approx(0.8, abs=1e-6)
    assert one.power_here == pytest.approx(power_of(1.0, spread, 60))
    assert plan(scores_of(first, second), "chrf")[0].needed is None


@pytest.mark.parametrize(
    ("first", "second", "options", "sentence"),
    [
        (["x"] * 5, ["y"] * 5, {}, "A plan needs at least 10 segments, to see how much their scores "
         "vary; there are 5."),
        (["x"] * 12, ["x"] * 12, {}, "a and b have the same score by chrf on every segment: there is no "
         "variation to plan with."),
        (["x"] * 12, ["x y"] * 12, {"difference": -0.5}, "The difference to be shown must be above 0, "
         "not -0.5."),
        (["x"] * 12, ["y"] * 12, {"power": 80}, "The power must be between 0 and 1, not 80."),
        (["x"] * 12, ["y"] * 12, {"alpha": 0.9}, "The power, 0.8, must be above alpha, 0.9."),
    ],
)  # fmt: skip
def test_bad_input(
    first: list[str], second: list[str], options: dict[str, float], sentence: str
) -> None:
    with pytest.raises(CupelError) as error:
        plan(scores_of(first, second), "chrf", **{"difference": 1.0, **options})
    assert str(error.value) == sentence


def test_one_system_and_no_variation() -> None:
    one = cupel.score(["x y"] * 12, ["x y"] * 12, metrics=["chrf"])
    with pytest.raises(CupelError, match="needs the outputs of two systems"):
        plan(one, "chrf", 1.0)
    flat = cupel.score({"a": ["x y"] * 12, "b": ["x"] * 12}, ["x y"] * 12, metrics=["rouge-l"])
    with pytest.raises(CupelError, match="differ by the same amount by rouge-l on every segment"):
        plan(flat, "rouge-l", 1.0)
    with pytest.raises(CupelError, match=r"More than 100,000,000 segments would be needed"):
        segments_needed(1e-9, 1.0)


def test_a_difference_that_no_two_systems_have_is_refused() -> None:
    references = [[f"the cat sat on mat {n} in the red house"] for n in range(30)]
    near = [f"the cat sat on mat {n} in a red house" for n in range(30)]
    far = [f"the cat sat on {'mat' if n % 3 else 'floor'} {n} in the old house" for n in range(30)]
    scores = cupel.score({"near": near, "far": far}, references, metrics=["rouge-l"])
    with pytest.raises(CupelError, match=r"A difference of 1 is out of scale for rouge-l, .*such"):
        plan(scores, "rouge-l", 1.0)
    (one,) = plan(scores, "rouge-l", 0.01)
    assert one.needed is not None
    assert one.needed >= 10
