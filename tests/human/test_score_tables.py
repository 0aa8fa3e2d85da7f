"""Direct assessment: pack da13 line by line, and tables whose columns have many names."""

from __future__ import annotations

import numpy as np
import pytest

from cupel.errors import CupelError
from cupel.human.score_tables import da13, da13_pairs, read_score_table

SEGMENTS = {"es-en": 500, "en-de": 140, "en-es": 140, "en-ru": 140}


def put(tmp_path, text):
    path = tmp_path / "da.csv"
    path.write_text(text)
    return path


def sentence(tmp_path, text, **options) -> str:
    path = put(tmp_path, text)
    with pytest.raises(CupelError) as told:
        read_score_table(path, "cs-en", **options)
    return str(told.value).replace(str(tmp_path) + "/", "")


def test_the_pairs_of_da13(pack):
    pack("da13")
    assert sorted(da13_pairs()) == sorted(
        "cs-en de-en en-de en-es en-fr en-ru es-en fr-en ru-en".split()
    )
    for pair in da13_pairs():
        judged = da13(pair)
        assert len(judged) == SEGMENTS.get(pair, 70)
        parts = judged.references, judged.sources, judged.scores, judged.systems, judged.segments
        assert {len(part) for part in parts} == {len(judged)}


def test_lines_of_da13_belong_together(pack, newstest):
    """Each judged output is that system's line of newstest2013, with its reference and source."""
    pack("da13")
    judged = da13("cs-en")
    assert (judged.systems[0], judged.segments[0]) == ("JHU.2903", 1)
    assert judged.scores[0] == 0.258135886762899
    corpus = newstest("wmt13", "cs-en")  # the SIDs count from 0: this is what shows it
    for number, (system, segment) in enumerate(zip(judged.systems, judged.segments, strict=True)):
        output = corpus.systems[f"newstest2013.cs-en.{system}"][segment]
        assert judged.hypotheses[number].split() == output.split()
        assert judged.references[number].split() == corpus.references[segment][0].split()
        assert judged.sources[number].split() == corpus.sources[segment].split()


def test_tokenized_texts_differ(pack):
    pack("da13")
    assert da13("cs-en", tokenized=True).hypotheses != da13("cs-en").hypotheses


def test_an_unknown_pair():
    with pytest.raises(CupelError, match=r"^da13 has no language pair 'hi-en'; it has cs-en, "):
        da13("hi-en")


@pytest.mark.parametrize(
    "text",
    [
        "LP SYSTEM SID HUMAN\ncs-en a 1 0.5\nde-en a 1 9\ncs-en b 3 -1\n",
        "SYS SID RAW.SCR Z.SCR N\na 1 70 0.5 2\nb 3 10 -1 1\n",
        "system,seg_id,z_score\na,1,0.5\nb,3,-1\n",
        "system\tmqm_avg_score\tseg_id\na\t0.5\t1\nb\t-1\t3\n",
    ],
)
def test_tables(tmp_path, text):
    scores = read_score_table(put(tmp_path, text), "cs-en", name="da")
    assert (scores.name, scores.pair) == ("da", "cs-en")
    expected = {"a": [0.5, np.nan, np.nan], "b": [np.nan, np.nan, -1]}
    assert list(scores.segment_scores) == ["a", "b"]
    for system, row in expected.items():
        assert np.array_equal(scores.segment_scores[system], row, equal_nan=True)


def test_segments_from_0(tmp_path):
    scores = read_score_table(put(tmp_path, "SYS SID Z.SCR\na 0 5\na 1 6\n"), "cs-en", first=0)
    assert scores.segment_scores["a"].tolist() == [5, 6]


def test_columns_by_name(tmp_path):
    path = put(tmp_path, "who,line,raw,score\na,2,70,1\n")
    columns = {"system": "who", "segment": "line", "score": "raw"}
    scores = read_score_table(path, "cs-en", columns=columns, segments=3, systems=["a", "b"])
    assert scores.matrix(["a", "b"])[0, 1] == 70
    assert np.isnan(scores.matrix(["a", "b"])).sum() == 5


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("a,1,nan", "the score is nan; every score must be a finite number."),
        ("c,1,1", "there is no system 'c'."),
        ("a,9,1", "the segment is 9, but cs-en has 5 segments."),
        ("a,one,1", "the segment is 'one' where a number from 1 on was expected."),
        ("a,2,3", "there is a second score of system 'a', segment 2; the first is in line 2."),
        ("a,1", "3 fields were expected, as in the header, but 2 were found."),
    ],
)
def test_a_bad_row(tmp_path, row, told):
    text = f"system,seg_id,score\na,2,1\n{row}\n"
    assert sentence(tmp_path, text, systems=["a", "b"], segments=5) == f"da.csv, line 3: {told}"


def test_no_such_column(tmp_path):
    assert sentence(tmp_path, "system,seg_id,points\na,1,2\n") == (
        "da.csv has no column for the score, which may be called 'HUMAN', 'Z.SCR', 'z', 'z_score', "
        "'zscore', 'z_mean', 'mqm_avg_score', 'mqm', 'score'; it has 'system', 'seg_id', 'points'."
    )
    assert sentence(tmp_path, "system,seg_id,score\na,1,2\n", columns={"score": "raw"}) == (
        "da.csv has no column for the score, which may be called 'raw'; "
        "it has 'system', 'seg_id', 'score'."
    )


def test_another_pair_only(tmp_path):
    told = sentence(tmp_path, "LP SYSTEM SID HUMAN\nde-en a 1 9\n")
    assert told == "da.csv has no scores for cs-en."
