"""Exports of Appraise, logs of Pearmut, ratings of mt-metrics-eval: read alike, by what they look like."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cupel.errors import CupelError
from cupel.human.raw.annotations import Annotations, MarkedError, Notes
from cupel.human.raw.appraise import add_texts
from cupel.human.raw.formats import read_annotations

ESA = """\
anna,A,1,TGT,eng,deu,80,doc1,False,"[{""start_i"": 2, ""end_i"": 4, ""severity"": ""minor"", ""error_type"": null}]",100.5,130.5
anna,B,1,TGT,eng,deu,95,doc1,False,[],131,140
anna,A,1,CHK,eng,deu,70,doc1,False,"[{""start_i"": ""missing"", ""end_i"": ""missing"", ""severity"": ""major""}]",150,160
anna,A,2,BAD,eng,deu,5,doc1,False,[],160,170
anna,A,9,TGT,eng,deu,5,eng-tutorial,False,[],160,170
anna,A,1,TGT,eng,deu,44,doc1,True,[],170,180
ben,A,1,TGT,ces,deu,60,doc1,False,None,1,2
"""
DUMP = """\
taskID,systemID,username,email,groups,segmentID,score,startTime,endTime,durationInSeconds,itemType,campaignName,documentID,isCompleteDocument,mqm
1,A,anna,a@b,g,4,33,1.0,3.5,2.5,TGT,c,doc,False,[{"start_i": 0, "end_i": 1, "severity": "major"}]
1,A,anna,a@b,g,5,44,1.0,3.5,2.5,TGT,c,doc,False,[]
"""


def write(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def read(path: Path, notes: Notes | None = None, **options: Any) -> list[Annotations]:
    return read_annotations([path], notes or Notes(), **options)


def refused(path: Path) -> str:
    with pytest.raises(CupelError) as raised:
        read(path)
    return str(raised.value).replace(str(path), "FILE")


def test_an_export_of_esa(tmp_path: Path) -> None:
    notes = Notes()
    first, second = read(write(tmp_path, "x.csv", ESA), notes)
    assert (first.pair, first.kind, second.pair) == ("en-de", "esa", "cs-de")
    a, b = first.judgments
    # Shown twice (CHK): the mean of the scores, the errors of the second time.
    assert (a.rater, a.system, a.place, a.score, a.seconds) == ("anna", "A", ("doc1", "1"), 75, 10)
    assert a.errors == [MarkedError(0, 0, "missing", "major")]
    assert (b.system, b.score, b.errors, b.seconds) == ("B", 95, [], 9)
    assert notes.sentences() == [
        "1 items of type BAD, which check the raters, left out",
        "1 items of tutorials, left out",
        "1 scores of whole documents, left out",
        "1 translations judged more than once by one rater, with different judgments",
    ]
    first, _ = read(write(tmp_path, "x.csv", ESA), repeated="first")
    assert first.judgments[0].score == 80
    assert first.judgments[0].errors == [MarkedError(2, 5, "", "minor")]


def test_an_export_of_direct_assessment(tmp_path: Path) -> None:
    rows = "u,A,1,TGT,zho,eng,76,1511470503.271,1511470509.224\nu,B,1,TGT,zho,eng,50,1,2,7,8\n"
    [one] = read(write(tmp_path, "x.csv", rows))
    assert (one.pair, one.kind, one.systems) == ("zh-en", "da", ["A", "B"])
    assert one.judgments[0].seconds == pytest.approx(5.953)
    [one] = read(write(tmp_path, "x.csv", "u,A,1,REF,zho,eng,7\nu,A,1,TGT,zho,eng,7\n"), form="esa")
    assert one.kind == "esa"


def test_an_export_with_a_header_and_bare_json(tmp_path: Path) -> None:
    [one] = read(write(tmp_path, "wmt.en-de.csv", DUMP))
    assert [judgment.score for judgment in one.judgments] == [33, 44]
    assert one.judgments[0].errors == [MarkedError(0, 2, "", "major")]
    assert one.judgments[0].seconds == 2.5
    path = write(tmp_path, "mine.csv", DUMP)
    assert refused(path) == "FILE does not say which language pair it is of (--pair)."
    assert read(path, pair="en-cs")[0].pair == "en-cs"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "FILE is empty; annotations were expected."),
        ("u,A,1,TGT,eng,deu\n", "FILE, line 1: this looks like none of the formats"),
        ("u,A,1,XXX,eng,deu,5\n", "FILE, line 1: user, system, segment, item type (TGT, CHK"),
        ("u,A,1,TGT,eng,deu,high\n", "FILE, line 1: the score is 'high' where a number"),
        ("u,A,1,TGT,eng,deu,5\nu,,1,TGT,eng,deu,5\n", "FILE, line 2: the system is empty."),
        ("u,A,1,TGT,eng,deu,5,1\n", "FILE, line 1: 8 fields are no known form of this export."),
        ("u,A,1,TGT,eng,deu,5,d,False,{},1,2\n", "FILE, line 1: the errors are an object; a list"),
        ("u,A,1,TGT,eng,deu,5,d,False,[1],1,2\n", "FILE, line 1: an error is a number; an object"),
        ("u,A,1,TGT,eng,deu,5,d,False,[{}],1,2\n", "FILE, line 1: an error has no severity."),
        ("u,A,1,BAD,eng,deu,5\n", "FILE has no judgments."),
        ("systemID,username,a,b,c,d,e\n", "FILE, line 1: there is no column 'segmentID'."),
    ],
)
def test_exports_that_are_refused(tmp_path: Path, text: str, sentence: str) -> None:
    assert refused(write(tmp_path, "x.csv", text)).startswith(sentence)


def test_texts_from_batches(tmp_path: Path) -> None:
    items = [
        {"itemType": "TGT", "documentID": "doc1", "itemID": 1, "sourceText": "s",
         "targetID": system, "targetText": f"t{system}"}
        for system in ("A+C", "B")
    ]  # fmt: skip
    batches = write(tmp_path, "batches.json", json.dumps([{"items": [*items, {}]}]))
    first, _ = read(write(tmp_path, "x.csv", ESA))
    add_texts(first.judgments, [batches], Notes())
    assert [(one.source, one.target) for one in first.judgments] == [("s", "tA+C"), ("s", "tB")]
    first.judgments[0].segment = "77"
    with pytest.raises(CupelError, match=r"line 3: the batches have no item 77 of document 'doc1'"):
        add_texts(first.judgments, [batches], Notes())


def entry(user: str, item: int | str, *scores: float | None, **more: object) -> str:
    annotation = [
        {"M": {"score": score, "error_spans": [{"start_i": 1, "end_i": 1, "severity": "minor"}]}}
        for score in scores
    ]
    items = [
        {"item_id": f"cs-de_DE_#_news_#_d{item}_#_{n}", "src": f"s{n}", "tgt": {"M": "xyz"}}
        for n in range(len(scores))
    ]
    record = {"user_id": user, "item_i": item, "annotation": annotation, "item": items, **more}
    return json.dumps(record) + "\n"


def test_a_log_of_pearmut(tmp_path: Path) -> None:
    log = (
        entry("u", "welcome_0", 50)
        + entry("u", 0, 10, 20)
        + entry("u", 0, 30, 40, actions=[{"time": 5.0, "action": "load"}, {"time": 9.0}])
        + entry("v", 0, 70, 80)
        + entry("w", 1, 1)
        + json.dumps({"user_id": "w", "item_i": 1, "annotation": "__RESET__"}) + "\n"
        + entry("w", 2, None, actions=[{"action": "submit_skip"}])
    )  # fmt: skip
    notes = Notes()
    [one] = read(write(tmp_path, "log.jsonl", log), notes)
    assert (one.pair, one.kind, one.raters) == ("cs-de", "esa", ["u", "v"])
    first = one.judgments[0]
    assert (first.score, first.source, first.target, first.seconds) == (30, "s0", "xyz", 2.0)
    assert first.errors == [MarkedError(1, 2, "", "minor")]
    assert first.document == "cs-de_DE_#_news_#_d0"
    assert len(notes.counts) == 4
    download = json.dumps({"campaign": [json.loads(line) for line in log.splitlines()]}, indent=1)
    [other] = read(write(tmp_path, "annotations.json", download))
    assert [judgment.score for judgment in other.judgments] == [30, 40, 70, 80]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"item_i": 0, "user_id": ""}\n', "FILE, line 1: the field 'user_id' is empty where text"),
        (entry("u", 0, 5).replace("5, ", '"good", '), "FILE, line 1: the score of 'M' is text"),
        (entry("u", 0, 5)[:-3] + "\n", "FILE, line 1, column"),
        (
            entry("u", 0, 5).replace('"annotation": [', '"annotation": [{}, '),
            "FILE, line 1: there are",
        ),
        (entry("u", 0, 5).replace("5, ", "NaN, "), "FILE, line 1: the score of 'M' is nan where a"),
        (
            entry("u", 0, 5, actions=[1]),
            "FILE, line 1: 'actions' has a number; objects were expected.",
        ),
        (entry("u", 0, 5).replace('"s0"', "[]"), "FILE, line 1: 'src' is a list where text was"),
        (
            entry("u", 0, 5).replace('{"M": "xyz"}', "5"),
            "FILE, line 1: 'tgt' is a number; an object",
        ),
        ("{}\n", "FILE has no judgments."),
        ("[1]\n", "FILE is neither a log of Pearmut nor a download of its annotations."),
    ],
)
def test_logs_that_are_refused(tmp_path: Path, text: str, sentence: str) -> None:
    assert refused(write(tmp_path, "en-de.jsonl", text)).startswith(sentence)


RATING: dict[str, object] = {
    "source": "s", "hypothesis": "t", "document_id": "d", "segment_id": 0, "system_id": "A",
    "rater_id": "r1", "src_lang": "en", "tgt_lang": "de",
    "errors": [{"start": 0, "end": 1, "category": "Style", "severity": "Minor", "score": None,
                "is_source_error": False}],
}  # fmt: skip


def test_standalone_ratings(tmp_path: Path) -> None:
    text = json.dumps(RATING) + "\n"
    [one] = read(write(tmp_path, "x.jsonl", text))
    assert (one.pair, one.kind) == ("en-de", "mqm")
    assert one.judgments[0].errors == [MarkedError(0, 1, "Style", "Minor")]
    assert one.judgments[0].segment == "1"
    assert refused(write(tmp_path, "x.jsonl", text + text)) == (
        "FILE, line 2: rater 'r1' judges segment 1 of system 'A' a second time; the first is in "
        "FILE, line 1 (--repeated first, last or mean accepts it)."
    )
    changes: list[tuple[dict[str, object], str]] = [
        ({"segment_id": -1}, "FILE, line 1: 'segment_id' is -1; a number from 0 was expected."),
        (
            {"errors": [{"start": 5, "end": 1, "severity": "x"}]},
            "FILE, line 1: an error begins at 5",
        ),
        (
            {"system_id": None},
            "FILE, line 1: the field 'system_id' is null where text was expected.",
        ),
    ]
    for change, sentence in changes:
        assert refused(write(tmp_path, "x.jsonl", json.dumps(RATING | change))).startswith(sentence)


def test_ratings_of_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "set" / "human-scores"
    folder.mkdir(parents=True)
    line = 'A\t{"errors": []}\tr1\nA\tNone\nB\tNone\nB\t{"errors": [], "score": 3}\n'
    write(folder, "en-de.esa.r1.seg.rating", line)
    write(folder, "en-de.esa.merged.seg.rating", line)
    [one] = read(tmp_path / "set")
    assert (one.pair, one.kind) == ("en-de", "esa")
    assert [(j.rater, j.system, j.segment, j.score) for j in one.judgments] == [
        ("r1", "A", "1", None),
        ("r1", "B", "2", 3.0),
    ]
    path = write(folder, "en-de.esa.r1.seg.rating", line + "B\tNone\n")
    assert refused(path) == "FILE has 3 lines for system 'B' and 2 for 'A'."
    assert refused(write(folder, path.name, "A\n")).startswith(
        "FILE, line 1: a system, a rating and"
    )
    assert (
        refused(write(folder, path.name, "A\t[]\n"))
        == "FILE, line 1: the rating is no JSON object."
    )
    assert refused(write(folder, path.name, "A\tNone\n")) == "FILE has no ratings."
    assert refused(tmp_path).startswith(
        "FILE has no ratings, human-scores/PAIR.NAME.RATER.seg.rating"
    )


def test_one_kind_of_judgment_at_a_time(tmp_path: Path) -> None:
    paths = [write(tmp_path, "a.csv", ESA), write(tmp_path, "b.csv", "u,A,1,TGT,eng,deu,5\n")]
    with pytest.raises(CupelError, match="has da judgments, and files before it esa ones of en-de"):
        read_annotations(paths, Notes())
