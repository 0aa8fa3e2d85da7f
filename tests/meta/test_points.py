"""Points of scatter plots: one a judged item, human and metric scores beside each other."""

from __future__ import annotations

import numpy as np

from cupel.human.rankings import Rankings
from cupel.meta.evaluation import Judged
from cupel.meta.graded import Graded
from cupel.meta.points import MOST, graded_points, ranked_points
from cupel.meta.scorecache import MetricScores


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
    judged = Judged("cs-en", one_ranking(), {"m": MetricScores(np.zeros((4, 1)), systems)})
    assert ranked_points([judged], "wins-without-ties") == [
        {"pair": "cs-en", "item": "a", "human": 1.0, "m": 3.0},
        {"pair": "cs-en", "item": "b", "human": 0.5, "m": 2.0},
        {"pair": "cs-en", "item": "c", "human": 0.0, "m": None},
    ]
    assert ranked_points([judged], "official") == []  # there are no official scores


def test_translations_that_were_graded() -> None:
    human = np.array([[1.0, np.nan], [2.0, 3.0]])
    graded = Graded("de-en", human, {"m": human * 10})
    assert graded_points([graded]) == [
        {"pair": "de-en", "item": "1-1", "human": 1.0, "m": 10.0},
        {"pair": "de-en", "item": "2-1", "human": 2.0, "m": 20.0},
        {"pair": "de-en", "item": "2-2", "human": 3.0, "m": 30.0},
    ]


def test_many_are_thinned_out_evenly() -> None:
    human = np.arange(5000.0)[None]
    points = graded_points([Graded("de-en", human, {"m": human})])
    assert len(points) == MOST
    assert (points[0]["item"], points[-1]["item"]) == ("1", "5000")
