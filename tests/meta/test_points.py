"""Points of scatter plots: one a judged item, human and metric scores beside each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cupel.human.rankings import Rankings
from cupel.meta.graded import Graded
from cupel.meta.measured import MOST_POINTS
from cupel.meta.ranked import Ranked
from cupel.meta.scorecache import MetricScores
from cupel.questions.judge import Judge

QUESTION = Judge(dataset="wmt14")


def one_ranking() -> Rankings:
    """a before b before c, by one judge; nobody saw d."""
    return Rankings(
        "cs-en",
        ("a", "b", "c", "d"),
        np.array([0]),
        np.array([0]),
        ("j",),
        np.array([[0, 1, 2, -1, -1]]),
        np.array([[1, 2, 3, -1, -1]]),
    )


def test_systems_that_were_ranked() -> None:
    systems = np.array([3.0, 2.0, np.nan, 0.0])
    ranked = Ranked("cs-en", one_ranking(), {"m": MetricScores(np.zeros((4, 1)), systems)})
    assert list(ranked.points(replace(QUESTION, human="wins-without-ties"))) == [
        {"pair": "cs-en", "item": "a", "human": 1.0, "m": 3.0},
        {"pair": "cs-en", "item": "b", "human": 0.5, "m": 2.0},
        {"pair": "cs-en", "item": "c", "human": 0.0, "m": None},
    ]
    assert not list(
        ranked.points(replace(QUESTION, human="official"))
    )  # there are no official scores


def test_translations_that_were_graded() -> None:
    human = np.array([[1.0, np.nan], [2.0, 3.0]])
    graded = Graded("de-en", human, {"m": human * 10})
    assert list(graded.points(QUESTION)) == [
        {"pair": "de-en", "item": "1-1", "human": 1.0, "m": 10.0},
        {"pair": "de-en", "item": "2-1", "human": 2.0, "m": 20.0},
        {"pair": "de-en", "item": "2-2", "human": 3.0, "m": 30.0},
    ]


def test_many_are_thinned_out_evenly() -> None:
    human = np.arange(5000.0)[None]
    points = list(Graded("de-en", human, {"m": human}).points(QUESTION))
    assert len(points) == MOST_POINTS
    assert (points[0]["item"], points[-1]["item"]) == ("1", "5000")
