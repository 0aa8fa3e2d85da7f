"""A result carries its question, and is computed once more from it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import run

REFERENCE = ["The cat sat on the mat.", "It is raining again, isn't it?", "Prices rose 3.5%."]
GOOD = ["The cat sat on a mat.", "It is raining again, is it not?", "Prices rose by 3.5%."]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, lines in {"ref": REFERENCE, "a": GOOD, "b": GOOD[::-1]}.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    (tmp_path / "mine.py").write_text("def one(hypothesis, reference):\n    return 1.0\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("options", "file", "rows"),
    [
        ("-m bleu chrf++ ter --ci --paired ar -f json -o", "s.json", 6),
        ("-m bleu:tokenize=char wer -sl -w 2 -f json -o", "s.json", 6),
        ("-m chrf --stream -sl -f json -o", "s.json", 6),
        ("-m chrf -sl -o", "s.parquet", 6),
        ("-m chrf --stream -sl -o", "s.parquet", 6),
        ("-m chrf ter --clusters --report", "s.html", 4),
    ],
)
def test_a_result_comes_out_the_same(options: str, file: str, rows: int, folder: Path) -> None:
    assert run("score", "ref", "-i", f"{folder}/a", "./b", *options.split(), file).status == 0
    done = run("again", file)
    assert done == (0, f"The same: {rows} rows of `cupel score`, exactly.\n", "")
    assert str(folder).encode() not in (folder / file).read_bytes()
    assert sorted(path.name for path in folder.iterdir()) == ["a", "b", "mine.py", "ref", file]


def test_a_changed_number_is_shown(folder: Path) -> None:
    run("score", "ref", "-i", "a", "b", "-m", "chrf", "-f", "json", "-o", "s.json")
    document = json.loads(Path("s.json").read_text())
    document["rows"][1]["score"] += 0.5
    Path("s.json").write_text(json.dumps(document))
    done = run("again", "s.json")
    assert done.status == 1
    assert done.out.startswith("Row 2, score: ")
    assert done.out.endswith("Numbers that differ: 1, in a result of 2 rows.\n")
    document["rows"].pop()
    Path("s.json").write_text(json.dumps(document))
    assert run("again", "s.json").out == "The result has 1 row; now there are 2.\n"


def test_files_are_found_by_content(folder: Path) -> None:
    run("score", "ref", "-i", "a", "-f", "json", "-o", "s.json")
    (folder / "other").mkdir()
    Path("a").rename("other/renamed")
    done = run("again", "s.json")
    assert (done.status, done.err) == (
        2,
        "cupel: There is no a with the content that was scored (SHA-256 "
        f"{json.loads(Path('s.json').read_text())['question']['inputs']['a']['sha256'][:12]}...) in "
        f"{folder}: name its folder with --folder.\n",
    )
    assert run("again", "s.json", "--folder", "other").status == 0
    Path("other/renamed").write_text("changed\n")
    assert run("again", "s.json", "-d", "other").status == 2


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        ({"command": "score", "values": {"report": "x"}}, "cannot have 'report'"),
        ({"command": "score", "values": {"keep": "x"}}, "cannot have 'keep'"),
        ({"command": "data get", "values": {}}, "cannot be computed again"),
        ({"command": "score", "values": {"metrics": ["os:system"]}, "inputs": {}}, "standard input"),
        (
            {"command": "score", "values": {"metrics": ["mine:one"], "references": ["ref"], "systems": ["a"]}},
            "'mine:one', which is not part of Cupel: if you trust it, add --plugins",
        ),
        (
            {"command": "score", "values": {"references": ["/dev/zero"], "systems": ["a"]}},
            "names '/dev/zero' as 'references', and does not say what is in that file",
        ),
        (None, "does not say what was asked"),
    ],
)  # fmt: skip
def test_a_stranger_s_result_runs_nothing(record: object, sentence: str) -> None:
    Path("s.json").write_text(json.dumps({"question": record, "rows": []}))
    done = run("again", "s.json")
    assert (done.status, done.out) == (2, "")
    assert sentence in done.err


def test_a_plugin_runs_where_it_is_trusted() -> None:
    run("score", "ref", "-i", "a", "-m", "mine:one", "-f", "json", "-o", "s.json")
    assert run("again", "s.json").status == 2
    assert run("again", "s.json", "--plugins").out == "The same: 1 row of `cupel score`, exactly.\n"
