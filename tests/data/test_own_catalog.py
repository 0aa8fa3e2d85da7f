"""A dataset is one entry of TOML, as CONTRIBUTING.md says: then it is listed, verified and read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import commands
from cupel.data import DATASETS, find, load_test_set, verify
from cupel.errors import CupelError
from cupel.human.evalset import read_evalset

ENTRY = """
[zoo24]
description = "signs of a zoo, one language pair: 3 grades"
licence = "CC0 1.0"
published = "https://example.org/zoo"
used_for = "showing how a dataset is added"
languages = "de → en"
systems = "1"
judgments = "3 grades (ESA)"
kind = "graded"
human = "esa"

[zoo24.parts]
de-en = {segments = 3, systems = 1, references = 1, ratings = 2}

[zoo24.files]
"spans/{part}.jsonl" = {lines = "ratings"}
"""
FILES = {
    "sources/de-en.txt": "Affen\nBären\nGeier\n",
    "references/de-en.refA.txt": "apes\nbears\nvultures\n",
    "system-outputs/de-en/A.txt": "monkeys\nbears\nvulture\n",
    "documents/de-en.docs": "signs\tapes\nsigns\tbears\nsigns\tbirds\n",
    "human-scores/de-en.esa.seg.score": "A\t70.0\nA\t100.0\nA\tNone\n",
    "spans/de-en.jsonl": "{}\n{}\n",
}


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A folder of CUPEL_DATA with a catalog and the dataset that it names."""
    for name, text in {
        "catalog.toml": ENTRY,
        **{f"zoo24/{k}": v for k, v in FILES.items()},
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.setenv("CUPEL_DATA", str(tmp_path))
    return tmp_path


def test_it_is_listed(folder):
    rows = json.loads(commands.run("data", "list", "-f", "json").out)["rows"]
    (row,) = [row for row in rows if row["name"] == "zoo24"]
    assert (row["place"], row["licence"]) == (str(folder / "zoo24"), "CC0 1.0")
    assert "wmt14" in DATASETS


def test_it_is_verified(folder):
    assert verify("zoo24").problems == ()
    (folder / "zoo24" / "system-outputs" / "de-en" / "A.txt").write_text("monkeys\n")
    (folder / "zoo24" / "spans" / "de-en.jsonl").write_text("{}\n")
    assert verify("zoo24").problems == (
        "spans/de-en.jsonl: 2 lines expected, 1 found.",
        "system-outputs/de-en/A.txt: 3 lines expected, as in sources/de-en.txt, 1 found.",
    )


def test_it_is_read(folder):
    texts = load_test_set("zoo24", "de-en")
    assert next(texts.rows(["src", "ref:A"])) == ["Affen", "apes"]
    judged = read_evalset(find("zoo24"), "de-en")
    assert judged.human["esa"].matrix(["A"])[0, :2].tolist() == [70.0, 100.0]


def test_it_cannot_be_downloaded(folder):
    (folder / "zoo24").rename(folder / "elsewhere")
    done = commands.run("data", "get", "zoo24", "--yes")
    assert (done.status, done.err) == (
        2,
        "cupel: zoo24 cannot be made from public files: get it from https://example.org/zoo and add it "
        "with `cupel data add PATH`.\n",
    )


def test_an_entry_does_not_replace_one_of_cupel(folder):
    catalog = folder / "catalog.toml"
    catalog.write_text(ENTRY.replace("zoo24", "sick"))
    assert DATASETS["sick"].description.startswith("SICK (SemEval-2014 task 1)")


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('kind = "graded"', 'kind = "grades"', "'grades'"),
        ('licence = "CC0 1.0"', "", "licence"),
        ('"ratings"}', '"lines"}', "'lines'"),
        ("[zoo24]", "[zoo24", "is not TOML"),
    ],
)
def test_an_entry_that_is_refused(tmp_path, monkeypatch, old, new, problem):
    (tmp_path / "catalog.toml").write_text(ENTRY.replace(old, new, 1), "utf-8")
    monkeypatch.setenv("CUPEL_DATA", str(tmp_path))
    with pytest.raises(CupelError, match=r"catalog\.toml") as refusal:
        list(DATASETS)
    assert problem in str(refusal.value)
