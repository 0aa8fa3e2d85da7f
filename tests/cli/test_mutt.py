"""`cupel mutt`, run as a program would run it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

import commands
from commands import Done
from cupel.errors import MissingPart
from cupel.syntax.models import find_model


def run(*arguments: object) -> Done:
    return commands.run("mutt", *arguments)


def failure(*arguments: object) -> str:
    done = run(*arguments)
    assert done.status == 2
    return done.err.splitlines()[-1].removeprefix("cupel: ")


def test_latex_and_html(tmp_path: Path) -> None:
    arguments = ("-m", "chrf", "--suite", "sample", "--corruption", "neg_verb", "passive")
    latex = run(*arguments, "-f", "latex").out
    assert r"\begin{tabular}{lrrr}" in latex
    assert r"neg\_verb & passive\textasciitilde{} & avg" in latex
    run(*arguments, "--report", tmp_path / "page.html", "--failures", "1")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "Unit tests of metrics: sample" in page
    assert re.findall(r"<th[^>]*>([^<]+)</th>", page)[:3] == ["Corruption", "Kind", "chrf"]
    assert "Trials that failed" in page


def test_charts_of_accuracies(tmp_path: Path) -> None:
    arguments = ("-m", "chrf", "wer", "--suite", "sample", "--corruption", "neg_verb", "passive")
    assert run(*arguments, "--reference-counts", "1", "3", "--plots", tmp_path).status == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "sample-neg_verb.svg", "sample-passive.svg",
    ]  # fmt: skip
    drawn = (tmp_path / "sample-neg_verb.svg").read_text()
    assert ElementTree.fromstring(drawn).tag.endswith("svg")
    for bar in ("chrf, 1", "chrf, 3", "wer, 1", "wer, 3"):
        assert bar in drawn


def test_trials_from_a_users_text(tmp_path: Path) -> None:
    try:
        find_model()
    except MissingPart as missing:
        pytest.skip(str(missing))
    text, reference = tmp_path / "text.txt", tmp_path / "reference.txt"
    text.write_text("A man is playing a guitar in the park.\nYes.\n")
    reference.write_text("Somebody plays the guitar outdoors.\nSure.\n")
    saved = tmp_path / "own.jsonl"
    result = run("-m", "chrf", "--generate", text, reference, "--save", saved, "-f", "json")
    assert result.status == 0, result.err
    rows = json.loads(result.out)["rows"]
    assert {row["suite"] for row in rows} == {"text"}
    assert "passive" in {row["corruption"] for row in rows}
    assert "No sem_opps could be made; 2 sentences were tried." in result.err
    again = json.loads(run("-m", "chrf", "--suite", saved, "-f", "json").out)["rows"]
    assert [row["accuracy"] for row in again] == [row["accuracy"] for row in rows]
    text.write_text("Yes.\nNo.\n")
    assert "2 sentences were tried" in failure("-m", "chrf", "--generate", text)
    reference.write_text("Sure.\n")
    assert "has 2 segments, but" in failure("-m", "chrf", "--generate", text, reference)


def test_texts_out_and_scores_in(tmp_path: Path) -> None:
    suite = ("--suite", "sample", "--corruption", "neg_verb", "passive")
    result = run(*suite, "--texts", tmp_path / "texts")
    assert (result.status, result.out) == (0, "")
    assert "The texts of 71 trials were written to" in result.err
    for name, sign in (("original", 1), ("corrupted", -1)):
        lines = (tmp_path / "texts" / f"{name}.txt").read_text().splitlines()
        path = tmp_path / f"{name}.txt"
        path.write_text("".join(f"{sign * len(line)}\n" for line in lines))
    files = [f"judge={tmp_path / name}.txt" for name in ("original", "corrupted")]
    rows = json.loads(run(*suite, "--scores", *files, "-f", "json").out)["rows"]
    assert [(row["metric"], row["accuracy"], row["ties"]) for row in rows] == [
        ("judge", 1.0, 0), ("judge", 0.0, 0)
    ]  # fmt: skip
    both = run("-m", "chrf", *suite, "--scores", *files, "--lower", "judge", "-f", "json")
    rows = json.loads(both.out)["rows"]
    assert [row["metric"] for row in rows] == ["chrf", "judge"] * 2
    assert rows[1]["accuracy"] == 0
    assert "original.txt, line 71: the scores of system 'original' end here after 71" in failure(
        "--suite", "sample", "--scores", *files
    )
    assert "one suite with one number of references" in failure(
        *suite, "--reference-counts", "1", "3", "--scores", *files
    )
    assert "Lower is better for 'x'" in failure(*suite, "--scores", *files, "--lower", "x")


def test_consistency_with_plots(pack: Callable[[str], Path], tmp_path: Path) -> None:
    pack("sick")
    result = run("--consistency", "shuffled", "-m", "chrf", "wer", "--plots", tmp_path, "-f", "tsv")
    assert result.status == 0, result.err
    assert result.out.splitlines()[0] == "corruption\tfirst\tsecond\tpearson\tn"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "shuffled-chrf.svg", "shuffled-gold.svg", "shuffled-wer.svg",
    ]  # fmt: skip
    table = run("--consistency", "shuffled", "-m", "chrf")
    assert table.out.splitlines()[0].split() == [
        "pearson", "gold", "chrf", "mean", "deviation",
    ]  # fmt: skip
