"""The segments about which two judges differ most."""

from __future__ import annotations

import numpy as np
import pytest

from cupel.corpus import Corpus
from cupel.meta.disagreements import PEOPLE, disagreements
from cupel.meta.graded import Graded

pytestmark = pytest.mark.quick

HUMAN = np.array([[4.0, 1.0, 2.0], [3.0, np.nan, 0.0]])


def graded(**scores: list[list[float]]) -> Graded:
    corpus = Corpus(
        {"A": ["a1", "a2", "a3"], "B": ["b1", "b2", "b3"]}, ["r1", "r2", "r3"], ["s1", "s2", "s3"]
    )
    arrays = {name: np.array(values) for name, values in scores.items()}
    return Graded("de-en", HUMAN, arrays, "segment", ("A", "B"), ("1", "2", "3"), corpus=corpus)


def test_ranks_are_shares_of_what_was_judged() -> None:
    # People order a1 b1 a3 a2 b3; the metric has b3 first and the others as people do.
    rows = disagreements([graded(m=[[4.0, 1.0, 2.0], [3.0, 9.0, 5.0]])], ["m"])
    first = rows[0]
    assert (first["system"], first["segment"], first["translation"]) == ("B", 3, "b3")
    assert (first["reference"], first["source"]) == ("r3", "s3")
    assert (first["metric_rank"], first["other_rank"]) == (1.0, 0.0)
    assert (first["metric_score"], first["other_score"], first["human"]) == (5.0, 0.0, 0.0)
    assert [row["segment"] for row in rows] == [3, 1, 2]  # each segment once
    assert all(row["other"] == PEOPLE for row in rows)


def test_the_first_metrics_are_compared_with_each_other() -> None:
    one = [[4.0, 1.0, 2.0], [3.0, 0.0, 0.0]]
    other = [[0.0, 1.0, 2.0], [3.0, 0.0, 4.0]]
    rows = disagreements([graded(one=one, other=other)], ["other", "one"])
    assert {(row["metric"], row["other"]) for row in rows} == {
        ("other", PEOPLE), ("other", "one"),
    }  # fmt: skip
    assert disagreements([graded(one=one)], ["one"]) == []  # it agrees with people


def test_only_judged_segments_have_them() -> None:
    system = Graded("de-en", HUMAN[:, :1], {"m": HUMAN[::-1, :1]}, "system", ("A", "B"), ("",))
    assert disagreements([system], ["m"]) == []
