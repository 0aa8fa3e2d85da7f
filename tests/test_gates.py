"""Gates for builds: what passes, what fails, how often by mistake, and how it is reported."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest
from scipy import stats

import cupel
from cupel import gates
from cupel.errors import CupelError

SEGMENTS = 200


def pair(gain: float, seed: int = 0, segments: int = SEGMENTS, lower: bool = False) -> cupel.Scores:
    """`old` and `new`, which is better by `gain` on average."""
    generator = np.random.default_rng(seed)
    old = generator.normal(50, 10, segments)
    new = old + gain + generator.normal(0, 2, segments)
    rows = {"old": -old if lower else old, "new": -new if lower else new}
    return cupel.score(scores={"q": rows}, lower=["q"] if lower else [])


@pytest.mark.parametrize("lower", [False, True])
def test_non_inferiority_is_a_one_sided_test(lower: bool) -> None:
    scores = pair(-0.1, lower=lower)
    rows = [scores.segment_scores("q", name) for name in ("old", "new")]
    gain = (rows[1] - rows[0]) * (-1 if lower else 1)
    for margin in (0.0, 0.2, 1.0):
        (outcome,) = gates.not_worse(scores, "old", {"q": margin}, resamples=20_000)
        expected = stats.ttest_1samp(gain, -margin, alternative="greater").pvalue
        assert outcome.p_value == pytest.approx(expected, rel=0.05, abs=1e-4)
        assert outcome.passed == (expected <= 0.05)
        assert outcome.passed == ("It is not shown" not in outcome.sentence)


def test_a_system_that_is_worse_by_the_margin_passes_in_one_of_twenty_builds() -> None:
    """The worst case that the test allows; the share of passes is alpha, up to three deviations."""
    builds = 600
    passed = sum(
        gates.not_worse(pair(-1.0, seed, 60), "old", {"q": 1.0}, resamples=300, seed=seed)[0].passed
        for seed in range(builds)
    )
    assert passed / builds <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / builds)
    assert passed / builds >= 0.05 - 3 * np.sqrt(0.05 * 0.95 / builds)


def test_equal_systems_pass_with_a_margin_and_not_without() -> None:
    row = np.arange(10.0)
    scores = cupel.score(scores={"q": {"old": row, "new": row}})
    assert gates.not_worse(scores, "old", {"q": 0.1})[0].passed
    assert not gates.not_worse(scores, "old", {"q": 0.0})[0].passed


def test_floors_respect_the_direction() -> None:
    scores = cupel.score(["a b c"], ["a b d"], ["ter", "chrf"])
    ter = scores["ter"]
    assert isinstance(ter, float)
    passed = gates.fail_under(scores, {"ter": ter, "chrf": 99})
    assert [one.passed for one in passed] == [True, False]
    assert passed[0].sentence == f"ter of system, {ter:.2f}, is not above {ter:g}."
    assert passed[1].sentence.endswith("is below 99.")
    assert not gates.fail_under(scores, {"ter": ter - 1})[0].passed
    assert gates.fail_under(scores, {"ter": 1}, but="system") == []


def test_limits_are_read_from_the_last_equals_sign() -> None:
    given = gates.limits(["bleu:tokenize=intl=30", "ter=5e1"], "--x", ["bleu:tokenize=intl", "ter"])
    assert given == {"bleu:tokenize=intl": 30.0, "ter": 50.0}
    for text, sentence in (
        ("bleu", "--x 'bleu' is not METRIC=NUMBER, such as bleu=30."),
        ("bleu=nan", "--x 'bleu=nan' is not METRIC=NUMBER, such as bleu=30."),
        ("blue=3", "--x names 'blue', but the metrics are bleu, ter; did you mean 'bleu'?"),
    ):
        with pytest.raises(CupelError) as error:
            gates.limits([text], "--x", ["bleu", "ter"])
        assert str(error.value) == sentence


def test_limits_name_metrics_in_any_letters() -> None:
    assert gates.limits(["BLEU=30", "chrF++=5"], "--x", ["bleu", "chrf++"]) == {
        "bleu": 30.0,
        "chrf++": 5.0,
    }
    with pytest.raises(CupelError, match="--x names 'bleu' twice"):
        gates.limits(["BLEU=30", "bleu=5"], "--x", ["bleu"])


@pytest.mark.parametrize(
    ("margins", "alpha", "sentence"),
    [
        ({"q": -1.0}, 0.05, "The margin of q must be 0 or more, not -1"),
        ({"q": 1.0}, 0.0, "alpha must be above 0 and at most 0.5, not 0"),
        ({}, 0.05, "A margin is needed"),
        ({"r": 1.0}, 0.05, "A gate names 'r', but the metrics are q"),
    ],
)
def test_bad_requests(margins: dict[str, float], alpha: float, sentence: str) -> None:
    with pytest.raises(CupelError, match=sentence):
        gates.not_worse(pair(0), "old", margins, alpha=alpha)


def test_reports_hold_what_was_decided() -> None:
    row = [1.0, 2.0, 4.0]
    scores = cupel.score(scores={"q<x>": {"old": row, "a|b\x01": row[::-1]}})
    outcomes = gates.not_worse(scores, "old", {"q<x>": 0.5}) + gates.fail_under(
        scores, {"q<x>": 2}, but="old"
    )
    root = ElementTree.fromstring(gates.junit(outcomes))
    assert root.attrib == {"tests": "2", "failures": "1", "errors": "0"}
    cases = root.findall("testsuite/testcase")
    assert [case.get("name") for case in cases] == ["q<x> not-worse-than 0.5", "q<x> fail-under 2"]
    assert cases[0].get("classname") == "a|b?"
    failure = cases[0].find("failure")
    assert failure is not None
    assert "It is not shown" in str(failure.get("message"))
    page = gates.markdown(scores, outcomes)
    assert page.startswith(
        "### Translation quality: 1 of 2 gates failed\n\n| System | q\\<x\\> |\n"
    )
    assert "| a\\|b" in page
    assert page.count("**Failed:**") == 1
