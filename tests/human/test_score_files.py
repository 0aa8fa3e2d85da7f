"""The score files of the WMT metrics task, there and back, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cupel.errors import CupelError
from cupel.human.score_files import (
    read_seg_scores,
    read_sys_scores,
    write_seg_scores,
    write_sys_scores,
)
from cupel.human.scores import ScoreSet

SYSTEMS = {"cs-en": ["newstest2014.x.1.cs-en", "y"]}


def put(tmp_path, *rows, name="m.seg.score"):
    path = tmp_path / name
    path.write_text("".join(row.replace(" ", "\t") + "\n" for row in rows))
    return path


def sentence(tmp_path, call, *rows, **options) -> str:
    path = put(tmp_path, *rows)
    with pytest.raises(CupelError) as told:
        call(path, **options)
    return str(told.value).replace(str(tmp_path) + "/", "")


def test_there_and_back(tmp_path):
    sets = [
        ScoreSet(
            "bleu",
            pair,
            {"a": np.array([0.1, 1 / 3, -2e-7]), "b": np.array([1.0, 2.0, 3.0])},
            {"a": 0.30000000000000004, "b": 12.5},
            testset="newstest2014",
        )
        for pair in ("cs-en", "de-en")
    ]
    write_seg_scores(tmp_path / "bleu.seg.score", sets)
    write_sys_scores(tmp_path / "bleu.sys.score", sets)
    first = (tmp_path / "bleu.seg.score").read_text().splitlines()[0]
    assert first == "bleu\tcs-en\tnewstest2014\ta\t1\t0.1"
    segments = read_seg_scores(tmp_path / "bleu.seg.score")
    systems = read_sys_scores(tmp_path / "bleu.sys.score")
    for given, by_segment, by_system in zip(sets, segments, systems, strict=True):
        assert (by_segment.name, by_segment.pair, by_segment.testset) == (
            "bleu",
            given.pair,
            "newstest2014",
        )
        assert by_system.system_scores == given.system_scores
        for system, scores in given.segment_scores.items():
            assert np.array_equal(by_segment.segment_scores[system], scores)


def test_a_missing_score_is_not_written(tmp_path):
    given = ScoreSet("da", "cs-en", {"a": np.array([1.0, np.nan])})
    write_seg_scores(tmp_path / "x", [given])
    assert (tmp_path / "x").read_text() == "da\tcs-en\ttestset\ta\t1\t1.0\n"
    assert given.means() == {"a": 1.0}
    assert np.array_equal(given.matrix(["b", "a"]), [[np.nan] * 2, [1, np.nan]], equal_nan=True)


def test_a_failing_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "x"
    path.write_text("old")

    def sets():
        yield ScoreSet("m", "cs-en", system_scores={"a": 1.0})
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_sys_scores(path, sets())
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["x"]


def test_systems_by_their_short_names(tmp_path):
    rows = ["m cs-en newstest2014 x.1 0.5", "m cs-en newstest2014 y 1", "m en-cs t z 3"]
    (scores,) = read_sys_scores(put(tmp_path, *rows), SYSTEMS)
    assert scores.system_scores == {"newstest2014.x.1.cs-en": 0.5, "y": 1.0}


@pytest.mark.parametrize(
    ("rows", "name", "score"),
    [
        (["m cs-en t y 0.5 non-ensemble yes"], "m", 0.5),  # 2016-2019
        (["m cs-en t news refA y 0.25"], "m-refA", 0.25),  # 2021 and later
    ],
)
def test_other_years_forms(tmp_path, rows, name, score):
    (scores,) = read_sys_scores(put(tmp_path, *rows), SYSTEMS)
    assert (scores.name, scores.system_scores) == (name, {"y": score})


def test_segments_in_the_form_of_2021(tmp_path):
    rows = [f"m cs-en t news doc1 ref{r} y {n} {n}.5" for r in "AB" for n in (2, 1)]
    first, second = read_seg_scores(put(tmp_path, *rows), SYSTEMS, {"cs-en": 2})
    assert (first.name, second.name) == ("m-refA", "m-refB")
    assert first.segment_scores["y"].tolist() == [1.5, 2.5]


GOOD = ["m cs-en t y 1 0.5", "m cs-en t y 2 0.5"]


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (["m cs-en t y 1 nan"], "line 1: the score is nan; every score must be a finite number."),
        (
            [*GOOD, "m cs-en t y 3 -inf"],
            "line 3: the score is -inf; every score must be a finite number.",
        ),
        ([*GOOD, "m cs-en t y 3 good"], "line 3: the score is 'good' where a number was expected."),
        (
            [*GOOD, "m cs-en t Y2 1 1"],
            "line 3: there is no system 'Y2' for cs-en; did you mean 'y'?",
        ),
        (
            [*GOOD, "m cs-en t y 2 0.7"],
            "line 3: there is a second score of system 'y', segment 2, for cs-en; the first is in line 2.",
        ),
        ([*GOOD, "m cs-en t y 4 1"], "line 3: the segment is 4, but cs-en has 3 segments."),
        (
            [*GOOD, "m cs-en t y 0 1"],
            "line 3: the segment is '0' where a number from 1 on was expected.",
        ),
        (
            [*GOOD, "m cs-en t y 3"],
            "line 3: 6 fields were expected, as in the first line, but 5 were found.",
        ),
        (
            ["m cs-en y 3"],
            "line 1: 6 fields divided by tabs were expected (METRIC, PAIR, TESTSET, SYSTEM, "
            "SEGMENT, SCORE), but 4 were found.",
        ),
    ],
)
def test_a_bad_segment_row(tmp_path, rows, told):
    found = sentence(tmp_path, read_seg_scores, *rows, systems=SYSTEMS, segments={"cs-en": 3})
    assert found == f"m.seg.score, {told}"


def test_a_missing_segment(tmp_path):
    told = sentence(tmp_path, read_seg_scores, *GOOD, systems=SYSTEMS, segments={"cs-en": 3})
    assert told == (
        "m.seg.score has no score of system 'y', segment 3, for cs-en; 2 of 3 segments have one."
    )
    told = sentence(tmp_path, read_seg_scores, *GOOD, "m cs-en t z 2 1")
    assert told == (
        "m.seg.score has no score of system 'z', segment 1, for cs-en; 1 of 2 segments have one."
    )


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("m cs-en t y NaN", "the score is NaN; every score must be a finite number."),
        (
            "m cs-en t y 2",
            "there is a second score of system 'y' for cs-en; the first is in line 1.",
        ),
        ("m cs-en t online 2", "there is no system 'online' for cs-en."),
    ],
)
def test_a_bad_system_row(tmp_path, row, told):
    found = sentence(tmp_path, read_sys_scores, "m cs-en t y 1", row, systems=SYSTEMS)
    assert found == f"m.seg.score, line 2: {told}"


def test_an_empty_file(tmp_path):
    assert sentence(tmp_path, read_sys_scores) == (
        "m.seg.score is empty; one row a line was expected."
    )


def test_a_system_without_segment_scores_has_no_mean():
    assert math.isnan(ScoreSet("m", "p", {"a": np.array([np.nan])}).means()["a"])
