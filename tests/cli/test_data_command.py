"""`cupel data`, run as a program would run it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import commands
import cupel
import packs
from commands import Done
from cupel.data import DATASETS
from cupel.data.find import locate


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("CUPEL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CUPEL_DATA", str(tmp_path / "one"))
    return tmp_path / "home" / "cupel"


@pytest.fixture
def run() -> Callable[..., Done]:
    """`cupel data` with these words."""
    return lambda *words: commands.run("data", *words)


@pytest.fixture
def failure(run) -> Callable[..., str]:
    """The sentence of a command that is refused."""

    def sentence(*words: object) -> str:
        done = run(*words)
        assert (done.status, done.out) == (2, "")
        assert done.err.startswith("cupel: ")
        return done.err.removeprefix("cupel: ").rstrip("\n")

    return sentence


def test_list_when_piped_is_plain_text_with_whole_paths(tmp_path, run):
    deep = tmp_path / "one" / "sick"
    packs.build(deep, "sick")
    result = run("list")
    assert result.status == 0
    assert (
        "sick: SICK (SemEval-2014 task 1): 9,840 sentence pairs with relatedness and entailment\n"
        f"  here: {deep}\n"
        "  languages: en\n"
        "  judgments: 9,840 graded sentence pairs\n"
        "  published: https://zenodo.org/record/2787612\n"
        "  licence: CC BY-NC-SA 3.0\n"
        "  used for: ReVal's training sets with SICK, MUTT's templates\n"
    ) in result.out
    assert result.out.count("  here: no; run `cupel data get ") == sum(
        locate(name) is None for name in DATASETS
    )
    assert "  here: no; run `cupel data get wmt14`\n" in result.out
    assert result.out.endswith(
        "To get one that is not here, run `cupel data get NAME`. If you have a copy, run `cupel data "
        "add PATH`, or name the folder that holds it in CUPEL_DATA.\n"
    )


def test_plain_data_is_list(run):
    assert run().out == run("list").out
    plain, listed = (json.loads(run(*words, "-f", "json").out) for words in ((), ("list",)))
    assert plain["rows"] == listed["rows"]


def test_list_as_records(tmp_path, run):
    packs.build(tmp_path / "one" / "sick", "sick")
    answer = json.loads(run("list", "-f", "json").out)
    assert answer["version"] == cupel.__version__
    assert [row["name"] for row in answer["rows"]] == [*DATASETS, "sample"]
    by_name = {row["name"]: row for row in answer["rows"]}
    assert by_name["sick"] == {
        "name": "sick",
        "description": DATASETS["sick"].description,
        "licence": "CC BY-NC-SA 3.0",
        "published": "https://zenodo.org/record/2787612",
        "used_for": "ReVal's training sets with SICK, MUTT's templates",
        "here": True,
        "place": f"{tmp_path}/one/sick",
        "languages": "en",
        "systems": "none",
        "judgments": "9,840 graded sentence pairs",
        "bytes": DATASETS["sick"].size,
        "lost": "",
    }
    assert "no judgments of ru-en" in by_name["wmt13"]["lost"]
    assert (by_name["mutt"]["here"], by_name["mutt"]["place"]) == (False, None)
    header, *lines = run("list", "-f", "tsv").out.splitlines()
    assert header.split("\t") == list(by_name["sick"])
    cells = [line.split("\t") for line in lines]
    assert [row[0] for row in cells] == [*DATASETS, "sample"]
    assert {row[0]: row[5:7] for row in cells}["sick"] == ["true", f"{tmp_path}/one/sick"]
    assert {row[0]: row[5:7] for row in cells}["mutt"] == ["false", ""]


def test_list_on_a_terminal_is_a_table(monkeypatch, capsys):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "300")
    from cupel.cli.data import show
    from cupel.questions.data import ListData

    show(ListData())
    printed = capsys.readouterr().out
    assert "─" in printed
    assert "https://github.com/UniversalDependencies/UD_English-EWT" in printed


def test_all_here(tmp_path, run):
    for name in DATASETS:
        (tmp_path / "one" / name).mkdir(parents=True)
    assert run("list").out.endswith("All datasets are here.\n")


def test_add(tmp_path, home, run):
    folder = packs.build(tmp_path / "x", "sick")
    archive = packs.pack_up(folder, tmp_path / "sick.tar.gz", "sick")
    first = run("add", archive)
    assert first.out == f"sick: added: {home}/sick\n"
    assert first.err == f"cupel: {archive} is the dataset sick.\n"
    again = run("add", folder, "--name", "sick")
    assert again.status == 0
    assert again.out == f"sick: was already there and is left as it is: {home}/sick\n"


def test_add_the_wrong_thing(tmp_path, home, failure):
    packs.write_lines(tmp_path / "sick" / "SICK.txt", 10)
    assert failure("add", tmp_path / "sick") == (
        f"{tmp_path}/sick is not sick: SICK.txt: 9841 lines expected, 10 found."
    )
    assert not home.exists()


def test_verify(tmp_path, run):
    packs.build(tmp_path / "one" / "sick", "sick")
    packs.build(tmp_path / "one" / "da13", "da13")
    good = run("verify", "sick")
    assert (good.status, good.out) == (0, f"sick: in order: {tmp_path}/one/sick\n")
    packs.write_lines(tmp_path / "one" / "da13" / "sys.fr-en", 7)
    everything = run("verify")
    assert everything.status == 1
    assert everything.out == (
        f"da13: wrong: {tmp_path}/one/da13\n"
        "  sys.fr-en: 70 lines expected, 7 found.\n"
        f"sick: in order: {tmp_path}/one/sick\n"
    )
    records = run("verify", "-f", "json")
    assert records.status == 1
    assert json.loads(records.out)["rows"] == [
        {
            "name": "da13",
            "folder": f"{tmp_path}/one/da13",
            "problem": "sys.fr-en: 70 lines expected, 7 found.",
        },
        {"name": "sick", "folder": f"{tmp_path}/one/sick", "problem": None},
    ]


def test_verify_what_is_not_here(tmp_path, home, failure):
    assert failure("verify", "mutt").startswith("The dataset mutt is not here (looked for mutt/ ")
    assert failure("verify", "wmt99").startswith("There is no dataset 'wmt99'; there are wmt12, ")
    assert failure("verify") == (
        f"No dataset is installed (looked in {tmp_path}/one, {home}): `cupel data list` says which "
        "there are, and `cupel data get NAME` gets one."
    )


def test_an_unknown_part_of_the_command(failure):
    assert failure("verfy") == (
        "Unknown command 'verfy' (see `cupel data --help`): did you mean verify?"
    )


def test_what_a_killed_run_left_is_swept(home, run):
    copy = home / ".cupel-999999999-0123456789ab"
    copy.mkdir(parents=True)
    os.utime(copy, (0, 0))
    assert run("verify", "--clean").status == 2  # no dataset is installed
    assert not copy.exists()


def test_help_has_examples(run):
    for command in ("list", "get", "add", "verify"):
        text = " ".join(run(command, "--help").out.split())
        assert f"Example: cupel data {command}" in text


def test_listing_unpacks_nothing(tmp_path, run):
    folder = packs.build(tmp_path / "x", "sick")
    (tmp_path / "one").mkdir()
    packs.pack_up(folder, tmp_path / "one" / "sick.tar.gz", "sick")
    assert f"  here: {tmp_path}{os.sep}one{os.sep}sick.tar.gz\n" in run("list").out
    assert not (tmp_path / "cache").exists()
