"""Score files of other programs: every format gives the same numbers, every fault one sentence."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from cupel.errors import CupelError
from cupel.reading import given_scores
from cupel.reading.given_scores import read_score_table, unchanged

ROWS: list[dict[str, Any]] = [
    {"system": "a", "segment": 1, "qe": 0.5},
    {"system": "b", "segment": 1, "qe": 0.25},
    {"system": "a", "segment": 2, "qe": -1.0},
    {"system": "b", "segment": 2, "qe": 3.0},
]
VALUES = {"a": [0.5, -1.0], "b": [0.25, 3.0]}


def jsonl(path: Path) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))


def comet(path: Path) -> None:
    """What COMET's --to_json writes: the systems' files, with a list each."""
    content = {
        system: [{"src": "x", "mt": "y", "ref": "z", "COMET": score} for score in scores]
        for system, scores in VALUES.items()
    }
    path.write_text(json.dumps(content, indent=4))


def packed(path: Path) -> None:
    with gzip.open(path, "wt") as file:
        file.writelines(json.dumps(row) + "\n" for row in ROWS)


FORMS: dict[str, Callable[[Path], object]] = {
    "x.jsonl": jsonl,
    "x.jsonl.gz": packed,
    "x.json": comet,
    "rows.json": lambda path: path.write_text(json.dumps({"version": "1", "rows": ROWS})),
    "list.json": lambda path: path.write_text(json.dumps(ROWS)),
    "x.tsv": lambda path: pl.DataFrame(ROWS).write_csv(path, separator="\t"),
    "x.csv": lambda path: pl.DataFrame(ROWS).write_csv(path),
    "x.parquet": lambda path: pl.DataFrame(ROWS).write_parquet(path),
    "x.seg.score": lambda path: path.write_text("a\t0.5\na\t-1\nb\t0.25\nb\t3\n"),
    "spaces.seg.score": lambda path: path.write_text("a 0.5\na -1\nb 0.25\nb 3\n"),
    "x.npz": lambda path: np.savez(path, a=np.array(VALUES["a"]), b=np.array(VALUES["b"])),
}


@pytest.mark.parametrize("name", FORMS)
def test_every_format_gives_the_same_numbers(tmp_path: Path, name: str) -> None:
    FORMS[name](tmp_path / name)
    table = read_score_table(str(tmp_path / name))
    assert {system: scores.values for system, scores in table.systems.items()} == VALUES


def test_arrays_of_all_systems(tmp_path: Path) -> None:
    matrix = np.array(list(VALUES.values()))
    np.save(tmp_path / "x.npy", matrix)
    np.savez(tmp_path / "x.npz", qe=matrix, systems=np.array(["a", "b"]))
    ordered = read_score_table(str(tmp_path / "x.npy"))
    assert ordered.ordered
    assert [one.values for one in ordered.systems.values()] == list(VALUES.values())
    named = read_score_table(str(tmp_path / "x.npz"), "qe")
    assert {system: scores.values for system, scores in named.systems.items()} == VALUES


def test_metricx_is_recognised(tmp_path: Path) -> None:
    """The fields that its predict.py writes; it counts errors."""
    row = {"source": "s", "hypothesis": "h", "reference": "r", "prediction": 2.5, "label": 1}
    (tmp_path / "m.jsonl").write_text(json.dumps(row) + "\n")
    table = read_score_table(str(tmp_path / "m.jsonl"))
    assert (table.column, table.is_errors) == ("prediction", True)
    assert table.systems[""].texts == ["h"]


@pytest.mark.parametrize(
    ("name", "content", "column", "sentence"),
    [
        ("x.tsv", "system\tsegment\tq\na\t1\t1\na\t1\t2\n", None,
         "x.tsv, line 3: there is a second score of system 'a', segment 1; the first is in line 2."),
        ("x.tsv", "system\tsegment\tq\na\t1\tnan\n", "q",
         "x.tsv, line 2: 'q' is nan; every score must be a finite number."),
        ("x.csv", "system,q\na,1\na,high\n", "q",
         "x.csv, line 3: 'q' is 'high' where a number was expected."),
        ("x.csv", "system,q,q\na,1,2\n", "q", "x.csv, line 1: there are two columns named 'q'."),
        ("x.csv", "system,comet\na,1\n", "Comet",
         "x.csv, line 2: there is no column 'Comet'; there is 'system', 'comet'; "
         "did you mean 'comet'?"),
        ("x.csv", "system,q,r\na,1,2\n", None,
         "x.csv, line 2: it is not clear which column has the scores, of 'system', 'q', 'r'; name "
         "it: x.csv:COLUMN."),
        ("x.jsonl", '{"q": 1}\n{"r": 2}\n', None, "x.jsonl, line 2: there is no field 'q'."),
        ("x.jsonl", '{"q": NaN}\n', "q",
         "x.jsonl, line 1: 'q' is nan; every score must be a finite number."),
        ("x.jsonl", '{"q": 1, "q": 2}\n', "q",
         "x.jsonl, line 1: an object has the key 'q' twice."),
        ("x.jsonl", '{"q": null}\n', "q", "x.jsonl, line 1: 'q' is null where a number was expected."),
        ("x.jsonl", '{"q": true}\n', "q",
         "x.jsonl, line 1: 'q' is a truth value where a number was expected."),
        ("x.jsonl", '{"system": "", "q": 1}\n', "q",
         "x.jsonl, line 1: 'system' is empty where a name or a number was expected."),
        ("x.json", '{"a": [{"COMET": 1}], "a": [{"COMET": 2}]}', None,
         "x.json: an object has the key 'a' twice."),
        ("x.json", '{"a": 3}', None,
         "x.json: a number was found of 'a' where a list of objects with scores was expected."),
        ("x.json", '{"a": [3]}', None,
         "x.json, entry 1 of 'a': a number was found where an object was expected."),
        ("x.seg.score", "a\t1\na\t2\t3\n", None,
         "x.seg.score, line 2: a system and a score were expected, but 'a', '2', '3' was found."),
        ("x.txt", "1\n\n", None, "x.txt, line 2: 'score' is '' where a number was expected."),
        ("x.jsonl", "", None, "x.jsonl has no scores: it is empty."),
        ("x.npy", "nothing", None, "x.npy is not a NumPy file with numbers, or it is damaged."),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    content: str,
    column: str | None,
    sentence: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(content)
    with pytest.raises(CupelError) as error:
        read_score_table(name, column)
    assert str(error.value) == sentence


def test_arrays_that_do_not_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", np.zeros((2, 2, 2)))
    np.savez("x.npz", qe=np.array([1.0, np.inf]), words=np.array(["a"]))
    with pytest.raises(CupelError, match=r"x\.npy: 'score' has the shape \(2, 2, 2\)"):
        read_score_table("x.npy")
    with pytest.raises(CupelError, match=r"x\.npz, row 1, segment 2: 'score' is inf"):
        read_score_table("x.npz", "qe")
    with pytest.raises(CupelError, match=r"x\.npz has no array 'q'; it has 'qe', 'words'"):
        read_score_table("x.npz", "q")
    np.savez("y.npz", words=np.array(["a"]))
    with pytest.raises(CupelError, match="array 'words': a row of numbers was expected"):
        read_score_table("y.npz")


def test_a_file_that_changes_while_it_is_read(tmp_path: Path) -> None:
    """Another program writes on; the size stays, the content does not."""
    path = tmp_path / "x.jsonl"
    jsonl(path)

    def read(and_then: str) -> str:
        with unchanged(str(path)) as digest:
            read_score_table(str(path))
            path.write_text(path.read_text().replace("0.5", and_then))
        return digest

    assert read("0.5") == given_scores._sha256(str(path))
    with pytest.raises(CupelError, match=r"x\.jsonl changed while it was read"):
        read("0.6")
