"""`cupel data`, run as a program would run it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import cupel
import packs
from cupel.cli.data import app
from cupel.data import DATASETS
from cupel.data.find import locate
from cupel.errors import CupelError


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("CUPEL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CUPEL_DATA", str(tmp_path / "one"))
    return tmp_path / "home" / "cupel"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def failure(*arguments: object) -> str:
    error = run(*arguments).exception
    assert isinstance(error, CupelError)
    return str(error)


def test_list_when_piped_is_plain_text_with_whole_paths(tmp_path):
    deep = tmp_path / "one" / "sick"
    packs.build(deep, "sick")
    result = run("list")
    assert result.exit_code == 0
    assert (
        "sick: SICK (SemEval-2014 task 1): 9,840 sentence pairs with relatedness and entailment\n"
        f"  here: {deep}\n"
        "  languages: en\n"
        "  judgments: 9,840 graded sentence pairs\n"
        "  published: https://zenodo.org/record/2787612\n"
        "  licence: CC BY-NC-SA 3.0\n"
        "  used for: ReVal's training sets with SICK, MUTT's templates\n"
    ) in result.stdout
    assert result.stdout.count("  here: no; run `cupel data get ") == sum(
        locate(name) is None for name in DATASETS
    )
    assert "  here: no; run `cupel data get wmt14`\n" in result.stdout
    assert result.stdout.endswith(
        "To get one that is not here, run `cupel data get NAME`. If you have a copy, run `cupel data "
        "add PATH`, or name the folder that holds it in CUPEL_DATA.\n"
    )


def test_plain_data_is_list():
    assert run().stdout == run("list").stdout
    assert run("-f", "json").stdout == run("list", "-f", "json").stdout


def test_list_as_records(tmp_path):
    packs.build(tmp_path / "one" / "sick", "sick")
    answer = json.loads(run("list", "-f", "json").stdout)
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
    header, *lines = run("list", "-f", "tsv").stdout.splitlines()
    assert header.split("\t") == list(by_name["sick"])
    cells = [line.split("\t") for line in lines]
    assert [row[0] for row in cells] == [*DATASETS, "sample"]
    assert {row[0]: row[5:7] for row in cells}["sick"] == ["true", f"{tmp_path}/one/sick"]
    assert {row[0]: row[5:7] for row in cells}["mutt"] == ["false", ""]


def test_list_on_a_terminal_is_a_table(monkeypatch, capsys):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "300")
    from cupel.cli.data import show
    from cupel.cli.output import PlainFormat

    show(PlainFormat.text)
    printed = capsys.readouterr().out
    assert "─" in printed
    assert "https://github.com/UniversalDependencies/UD_English-EWT" in printed


def test_all_here(tmp_path):
    for name in DATASETS:
        (tmp_path / "one" / name).mkdir(parents=True)
    assert run("list").stdout.endswith("All datasets are here.\n")


def test_add(tmp_path, home):
    folder = packs.build(tmp_path / "x", "sick")
    archive = packs.pack_up(folder, tmp_path / "sick.tar.gz", "sick")
    first = run("add", archive)
    assert first.stdout == f"sick: added: {home}/sick\n"
    assert first.stderr == f"cupel: {archive} is the dataset sick.\n"
    again = run("add", folder, "--name", "sick")
    assert again.exit_code == 0
    assert again.stdout == f"sick: was already there and is left as it is: {home}/sick\n"


def test_add_the_wrong_thing(tmp_path, home):
    packs.write_lines(tmp_path / "sick" / "SICK.txt", 10)
    assert failure("add", tmp_path / "sick") == (
        f"{tmp_path}/sick is not sick: SICK.txt: 9841 lines expected, 10 found."
    )
    assert not home.exists()


def test_verify(tmp_path):
    packs.build(tmp_path / "one" / "sick", "sick")
    packs.build(tmp_path / "one" / "da13", "da13")
    good = run("verify", "sick")
    assert (good.exit_code, good.stdout) == (0, f"sick: in order: {tmp_path}/one/sick\n")
    packs.write_lines(tmp_path / "one" / "da13" / "sys.fr-en", 7)
    everything = run("verify")
    assert everything.exit_code == 1
    assert everything.stdout == (
        f"da13: wrong: {tmp_path}/one/da13\n"
        "  sys.fr-en: 70 lines expected, 7 found.\n"
        f"sick: in order: {tmp_path}/one/sick\n"
    )
    records = run("verify", "-f", "json")
    assert records.exit_code == 1
    assert json.loads(records.stdout)["rows"] == [
        {
            "name": "da13",
            "folder": f"{tmp_path}/one/da13",
            "problem": "sys.fr-en: 70 lines expected, 7 found.",
        },
        {"name": "sick", "folder": f"{tmp_path}/one/sick", "problem": None},
    ]


def test_verify_what_is_not_here(tmp_path, home):
    assert failure("verify", "mutt").startswith("The dataset mutt is not here (looked for mutt/ ")
    assert failure("verify", "wmt99").startswith("There is no dataset 'wmt99'; there are wmt12, ")
    assert failure("verify") == (
        f"No dataset is installed (looked in {tmp_path}/one, {home}): `cupel data list` says which "
        "there are, and `cupel data get NAME` gets one."
    )


def test_a_format_before_the_command_is_not_ignored():
    assert failure("-f", "json", "verify") == (
        "Write -f after the command: cupel data verify -f json."
    )


def test_help_has_examples():
    for command in ("list", "get", "add", "verify"):
        text = " ".join(run(command, "--help").stdout.split())
        assert f"Example: cupel data {command}" in text


def test_listing_unpacks_nothing(tmp_path):
    folder = packs.build(tmp_path / "x", "sick")
    (tmp_path / "one").mkdir()
    packs.pack_up(folder, tmp_path / "one" / "sick.tar.gz", "sick")
    assert f"  here: {tmp_path}{os.sep}one{os.sep}sick.tar.gz\n" in run("list").stdout
    assert not (tmp_path / "cache").exists()
