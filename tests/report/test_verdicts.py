"""Is it better? What is said of a system against the first."""

from __future__ import annotations

import pytest

import cupel
from cupel.report.scored import contest
from cupel.report.verdicts import Difference, from_rows, sentence, sentences, uncertainty


def one(metric: str, value: float, p: float, higher: bool = True) -> Difference:
    return Difference(metric, "new", "old", value, p, higher)


@pytest.mark.parametrize(
    ("found", "told"),
    [
        ([one("bleu", 1.0, 0.01)], "new is better than old by bleu."),
        ([one("bleu", 1.0, 0.01), one("ter", -2.0, 0.01, False)],
         "new is better than old by bleu and ter."),
        ([one("bleu", -1.0, 0.01), one("chrf", 0.1, 0.4)],
         "new is worse than old by bleu; the difference by chrf may be due to chance."),
        ([one("bleu", 1.0, 0.3)],
         "It is not clear whether new or old is better: the difference may be due to chance."),
        ([one("bleu", 1.0, 0.3), one("ter", 0.0, 1.0, False)],
         "It is not clear whether new or old is better: the differences may be due to chance."),
        ([one("bleu", 1.0, 0.01), one("ter", 1.0, 0.01, False)],
         "The metrics contradict each other: new is better than old by bleu and worse by ter."),
    ],
)  # fmt: skip
def test_the_sentence(found: list[Difference], told: str) -> None:
    assert sentence(found) == told


def test_numbers_in_words() -> None:
    found = Difference("bleu", "new", "old", -1.25, 0.0002, True, -2.0, -0.5)
    assert found.summary() == "bleu −1.2 (−2.0 to −0.5), p < 0.001"
    assert one("ter", 0.5, 0.0123).summary(2) == "ter +0.50, p = 0.012"


def test_differences_of_scores_have_intervals_and_the_p_values_of_the_paired_test() -> None:
    references = [f"the cat number {n} sat on the mat today" for n in range(30)]
    worse = [text.replace("cat", "dog").replace("sat", "lay") for text in references]
    scores = cupel.score({"old": worse, "new": references}, references, ["bleu", "ter"])
    found = uncertainty(scores, resamples=200, seed=1)
    bleu, ter = found.differences
    assert found.intervals["bleu", "old"] == scores.intervals("bleu", resamples=200, seed=1)["old"]
    (paired,) = scores.paired("bleu", "ar", seed=1)
    assert (bleu.value, bleu.p_value) == (paired.difference, paired.p_value)
    assert bleu.low is not None
    assert bleu.high is not None
    assert bleu.low <= bleu.value <= bleu.high
    assert (bleu.verdict, ter.verdict) == ("better", "better")
    assert ter.value < 0 < ter.gain
    assert sentences([bleu, ter]) == ["new is better than old by bleu and ter."]


def test_from_rows_the_first_system_is_the_baseline() -> None:
    rows = [
        {"system": "old", "metric": "bleu", "score": 30.0, "p_value": None},
        {"system": "new", "metric": "bleu", "score": 31.5, "p_value": 0.02},
    ]
    (found,) = from_rows(rows, {"bleu": True})
    assert (found.system, found.baseline, found.value) == ("new", "old", 1.5)
    assert found.verdict == "better"


def test_two_segments_prove_nothing() -> None:
    scores = cupel.score({"old": ["a b", ""], "new": ["a b c", ""]}, ["a b c", ""], ["ter"])
    (found,) = uncertainty(scores, resamples=100, seed=1).differences
    assert found.verdict == "even"


def test_who_beats_whom() -> None:
    references = [f"the cat number {n} sat on the mat today" for n in range(30)]
    worse = [text.replace("cat", "dog") for text in references]
    scores = cupel.score({"a": worse, "b": references, "c": worse}, references, ["ter"])
    wins = uncertainty(scores, resamples=50, seed=1).wins["ter"]
    assert wins.tolist() == [[0.5, 0.0, 0.5], [1.0, 0.5, 1.0], [0.5, 0.0, 0.5]]
    section = contest({"ter": wins}, scores.systems)
    assert section is not None
    assert "b, a: 100%" in section.content
    assert contest({"ter": wins[:2, :2]}, ["a", "b"]) is None
