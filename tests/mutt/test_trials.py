"""Trials: both formulas, ties, intervals, metrics that learn from references, explanations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cupel.batch import Batch, FloatArray
from cupel.errors import CupelError
from cupel.metric import Metric, Signature, mean_score, mean_statistics
from cupel.metrics.function import Function
from cupel.mutt import Kind, Suite, Trial, TrialSet, run
from cupel.mutt.trials import Formula, successes
from cupel.significance import wilson_interval


@dataclass(frozen=True)
class Length(Metric):
    """The number of characters."""

    higher_is_better: bool = True
    name = "length"

    def signature(self) -> Signature:
        return Signature()

    def statistics(self, batch: Batch) -> FloatArray:
        return mean_statistics(np.array([float(len(text)) for text in batch.hypotheses]))

    def score(self, statistics: FloatArray) -> FloatArray:
        return mean_score(statistics)


def suite(kind: Kind = Kind.altering, *pairs: tuple[str, str]) -> Suite:
    trials = tuple(Trial(a, b, ("r", "s", "t")) for a, b in pairs)
    return Suite("own", (TrialSet("typo", kind, trials),))


PAIRS = [("aaaa", "aaa"), ("aaaa", "bbbb"), ("aa", "aaa"), ("a" * 100, "b" * 90)]


def outcome(kind: Kind, metric: Metric, **options: object) -> list[bool]:
    results = run(suite(kind, *PAIRS), [metric], **options)  # type: ignore[arg-type]
    return results.of("length", "typo").successes.tolist()


def test_the_original_must_score_better() -> None:
    for kind in (Kind.altering, Kind.disrupting):
        assert outcome(kind, Length()) == [True, False, False, True]


def test_of_an_error_rate_the_original_must_have_less() -> None:
    assert outcome(Kind.altering, Length(higher_is_better=False)) == [False, False, True, False]


def test_preserving_takes_the_difference_of_raw_scores_also_of_errors() -> None:
    expected = [False, True, False, True]
    assert outcome(Kind.preserving, Length()) == expected
    assert outcome(Kind.preserving, Length(higher_is_better=False)) == expected


def test_the_formula_and_the_threshold_can_be_chosen() -> None:
    assert outcome(Kind.altering, Length(), formula="difference") == [False, True, False, True]
    assert outcome(Kind.preserving, Length(), formula="order") == [True, False, False, True]
    assert outcome(Kind.preserving, Length(), threshold=0.5) == [True] * 4
    assert outcome(Kind.preserving, Length(), threshold=0.0) == [False, True, False, False]


def test_the_difference_at_a_score_of_zero() -> None:
    zero, small = np.zeros(1), np.full(1, 1e-3)
    assert successes(zero, zero, Formula.difference).tolist() == [True]
    assert successes(zero, small, Formula.difference).tolist() == [False]


def test_ties_are_counted_apart_and_are_no_success() -> None:
    row = run(suite(Kind.altering, *PAIRS), [Length()]).rows()[0]
    low, high = wilson_interval(2, 4)
    assert row == {
        "suite": "own", "corruption": "typo", "kind": "meaning-altering", "references": 3,
        "metric": "length", "accuracy": 0.5, "low": low, "high": high, "ties": 1, "trials": 4,
    }  # fmt: skip


def test_learned_metrics_tie_within_their_precision() -> None:
    """A metric whose signature names a model is learned."""

    @dataclass(frozen=True)
    class Learned(Length):
        name = "learned"

        def signature(self) -> Signature:
            return Signature.of(model="0123456789ab")

        def statistics(self, batch: Batch) -> FloatArray:
            noise = {"aaaa": 5e-7}
            scores = [len(text) + noise.get(text, 0.0) for text in batch.hypotheses]
            return mean_statistics(np.array(scores))

    result = run(suite(Kind.altering, *PAIRS), [Learned()]).results[0]
    assert result.successes.tolist() == [True, False, False, True]
    assert result.ties == 1
    assert result.costs[1] == 0.0


def test_a_suite_named_twice() -> None:
    with pytest.raises(CupelError, match="Two suites are called 'own': leave one out"):
        run([suite(Kind.altering, *PAIRS)] * 2, [Length()])


def test_failing_trials() -> None:
    first, second = run(suite(Kind.altering, *PAIRS), [Length()]).failures()
    assert (first["trial"], first["original"], first["corrupted"]) == (2, "aaaa", "bbbb")
    assert (second["trial"], second["original_score"], second["corrupted_score"]) == (3, 2.0, 3.0)
    assert len(run(suite(Kind.altering, *PAIRS), [Length()]).failures(1)) == 1


def test_wilsons_interval() -> None:
    """The textbook example: 10 of 20, from 0.299 to 0.701; and it never leaves 0 to 1."""
    assert wilson_interval(10, 20) == pytest.approx((0.299, 0.701), abs=1e-3)
    low, high = wilson_interval(0, 10)
    assert low == 0.0
    assert high == pytest.approx(0.2775, abs=1e-4)
    low, high = wilson_interval(10, 10)
    assert low == pytest.approx(0.7225, abs=1e-4)
    assert high == 1.0


@given(st.integers(1, 500), st.data())
def test_the_interval_holds_the_accuracy(trials: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, trials))
    low, high = wilson_interval(count, trials)
    assert 0 <= low <= count / trials <= high <= 1


def test_numbers_of_references() -> None:
    seen: list[int] = []

    def count(hypothesis: str, references: object) -> float:
        seen.append(len(references))  # type: ignore[arg-type]
        return 0.5

    results = run(suite(Kind.altering, *PAIRS), [Function("count", count)], references=[1, 3])
    assert set(seen) == {1, 3}
    assert [row["references"] for row in results.rows()] == [1, 3]
    with pytest.raises(CupelError, match="4 references were asked for, but the trial has 3"):
        run(suite(Kind.altering, *PAIRS), [Length()], references=[4])
    with pytest.raises(CupelError, match="must be 1 or more, not 0"):
        run(suite(Kind.altering, *PAIRS), [Length()], references=[0])


def test_trials_with_different_numbers_of_references() -> None:
    trials = (Trial("a", "b", ("c",)), Trial("aa", "b", ("c", "d")))
    mixed = Suite("own", (TrialSet("typo", Kind.altering, trials),))
    assert run(mixed, [Length()]).rows()[0]["references"] == "var"


def test_repeated_trials_count_as_often() -> None:
    assert run(suite(Kind.altering, *(PAIRS * 3)), [Length()]).rows()[0]["trials"] == 12


def test_a_constant_metric_ties_everywhere_and_is_explained() -> None:
    constant = Function("constant", lambda hypothesis, references: 1.0)
    results = run(suite(Kind.altering, *PAIRS), [constant])
    assert results.results[0].accuracy == 0.0
    assert results.results[0].ties == 4
    (told,) = results.remarks()
    assert "'constant' ties everywhere" in told
    assert "each of the 4 trials" in told
    assert run(suite(Kind.altering, *PAIRS), [Length()]).remarks() == []


def test_a_metric_that_learns_does_so_from_each_corruption_alone() -> None:
    """CIDEr's document frequencies are those of one set, however many are run together."""
    one = TrialSet("one", Kind.altering, (
        Trial("a man sits here", "a man runs here", ("a man sits",)),
        Trial("a dog sits here", "a dog runs here", ("a dog sits",)),
    ))  # fmt: skip
    two = TrialSet("two", Kind.altering, (
        Trial("the cat sits", "the cat runs", ("the cat sits down",)),
        Trial("two birds sit", "two birds run", ("two birds sit",)),
        Trial("a man sits", "a man runs", ("a man sits",)),
    ))  # fmt: skip
    together = run(Suite("both", (one, two)), ["cider", "bleu"])
    alone = run(Suite("one", (one,)), ["cider", "bleu"])
    for metric in ("cider", "bleu"):
        assert np.array_equal(
            together.of(metric, "one").originals, alone.of(metric, "one").originals
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threshold": -0.1}, "must be 0 or more, not -0.1"),
        ({"formula": "ratio"}, "Unknown formula 'ratio'; known are order, difference"),
    ],
)
def test_bad_options(options: dict[str, object], message: str) -> None:
    with pytest.raises(CupelError, match=message):
        run(suite(Kind.altering, *PAIRS), [Length()], **options)  # type: ignore[arg-type]


def test_a_vector_of_features_is_no_score() -> None:
    with pytest.raises(CupelError, match="'bleucomp' is a vector of features"):
        run(suite(Kind.altering, *PAIRS), ["bleucomp"])
