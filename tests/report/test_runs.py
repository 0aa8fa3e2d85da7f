"""Runs as files: what is read, and the sentence for each that cannot be."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from cupel import __version__
from cupel.errors import CupelError
from cupel.report.runs import other_versions, read_run

ROW = {"system": "a", "metric": "bleu", "score": 30.0}
SEGMENT = {"system": "a", "segment": 1, "bleu": 30.0}
META = {
    "dataset": "wmt14", "pair": "avg", "level": "segment", "statistic": "tau-wmt14",
    "metric": "bleu", "value": 0.3, "low": 0.2, "high": 0.4, "n": 100,
}  # fmt: skip
MUTT = {
    "suite": "mutt", "corruption": "neg_subj", "kind": "meaning-altering", "references": 5,
    "metric": "bleu", "accuracy": 0.9, "low": 0.8, "high": 0.95, "ties": 0, "trials": 100,
}  # fmt: skip


def document(rows: list[Any], **changes: Any) -> dict[str, Any]:
    return {"version": __version__, "signatures": {"bleu": "tok:13a"}, "rows": rows} | changes


def written(folder: Path, content: object) -> Path:
    path = folder / "run.json"
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("row", "kind"), [(ROW, "score"), (SEGMENT, "segments"), (META, "meta"), (MUTT, "mutt")]
)
def test_the_kind_of_a_run_shows_in_its_columns(
    tmp_path: Path, row: dict[str, Any], kind: str
) -> None:
    run = read_run(written(tmp_path, document([row], points=[])))
    assert (run.kind, run.rows, run.extras) == (kind, [row], {"points": []})


TWO = [ROW, ROW | {"system": "b"}]
BAD: list[tuple[object, str]] = [
    ("", r"run\.json is empty: print a run into it with `cupel score -f json -o .*run\.json`\."),
    (json.dumps(document(TWO))[:-40], r"run\.json is not whole: it stops being JSON at line 1 "),
    ("system\tmetric\tscore\n", r"run\.json is not JSON: a run is what `cupel score -f json`"),
    ("[1, 2]", r"run\.json is not JSON|run\.json is not a run of Cupel"),
    ('{"rows": 3, "version": "0.1"}', r'an object with "rows" was expected'),
    ({"rows": [ROW]}, r'does not say which version made it \("version"\)'),
    (document([]), r"has no rows: there is nothing to report\."),
    (document([ROW, 5]), r"row 2: an object was expected, not 5\."),
    (document([{"name": 1}]), r"is not a run that can be shown: its columns are name;"),
    (document([ROW, {"system": "b", "metric": "bleu"}]), r"row 2: the column 'score' is missing"),
    (document([ROW, ROW | {"x": 1}]), r"row 2: the column 'x' is not in the first row"),
    (document([ROW | {"score": "30"}]), r'row 1: score is "30", not a number\.'),
    (document([ROW | {"score": True}]), r"row 1: score is true, not a number\."),
    (document([ROW | {"score": None}]), r"row 1: score is null, not a number\."),
    (document([ROW | {"score": float("inf")}]), r"row 1: score is inf, not a finite number\."),
    (document([ROW | {"system": 3}]), r"row 1: system is 3, not text\."),
    (document([ROW | {"low": "x"}]), r'row 1: low is "x", not a number\.'),
    (document([ROW, ROW]), r"row 2: a, bleu is in row 1 as well\."),
    (document([*TWO, ROW | {"metric": "ter"}]), r"has no ter score of system 'b'\."),
    (document([ROW], signatures={"bleu": 3}), r'"signatures" was expected to map metrics'),
    (document([SEGMENT, SEGMENT | {"segment": 3}]),
     r"row 2: segment 3 of system 'a', where segment 2 was expected\."),
    (document([SEGMENT, SEGMENT | {"segment": 2}, SEGMENT | {"system": "b"}]),
     r"has 1 segments of system 'b' and 2 of others\."),
    (document([{"score": 1.0, "metric": "bleu"}], version="0.0.1"),
     r"has no column 'system', and was made by version 0\.0\.1; make it again with"),
    (document([MUTT | {"references": None}]), r"row 1: references is null, not a number\."),
    ("[" * 100_000, r"run\.json is not JSON|nested too deeply"),
    (document([ROW | {"score": 10**400}]), r"row 1: score is 1000+…, not a finite number\."),
    (document([ROW | {"score": 1e300}]), r"row 1: score is 1e\+300, not a finite number\."),
    (json.dumps(document([ROW])).replace("30.0", "1" + "0" * 5000),
     r"run\.json has a number that no run of Cupel has; make it again\."),
    (document([ROW | {"low": 29.0, "high": None}]), r"row 1: low and high go together;"),
    (document([ROW | {"low": 29.0}]), r"row 1: low and high go together;"),
    (document([ROW | {"low": 31.0, "high": 29.0}]), r"row 1: low, 31\.0, lies above high, 29\.0\."),
    (document([ROW | {"p_value": 3}]), r"row 1: p_value is 3, not between 0 and 1\."),
    (document([{"system": "a", "segment": 1}]), r"has no scores: a column for each metric was"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "sentence"), BAD)
def test_a_bad_run_is_told_in_one_sentence(tmp_path: Path, content: object, sentence: str) -> None:
    with pytest.raises(CupelError) as error:
        read_run(written(tmp_path, content))
    assert re.search(sentence, str(error.value)), str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_that_is_not_there_or_not_text(tmp_path: Path) -> None:
    with pytest.raises(CupelError, match=r"none\.json cannot be read: No such file"):
        read_run(tmp_path / "none.json")
    (tmp_path / "x.json").write_bytes(b'{"rows": "\xff"}')
    with pytest.raises(CupelError, match=r"x\.json is not UTF-8 text at byte 11"):
        read_run(tmp_path / "x.json")


@pytest.mark.parametrize("nothing", [None, float("nan")])
def test_an_agreement_may_be_undefined(tmp_path: Path, nothing: float | None) -> None:
    """`cupel meta` has no correlation for a metric that gives every system the same score."""
    empty = dict.fromkeys(("value", "low", "high"), nothing)
    run = read_run(written(tmp_path, document([META | empty])))
    assert [run.rows[0][column] for column in empty] == [None, None, None]


def test_another_version_is_shown_with_a_remark(tmp_path: Path) -> None:
    run = read_run(written(tmp_path, document([ROW], version="9.9")))
    (sentence,) = other_versions([run])
    assert sentence.endswith(
        f"was made by Cupel 9.9, this is {__version__}: its numbers may differ from those of a "
        "new run."
    )
