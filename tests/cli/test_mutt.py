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

COLUMNS = "suite corruption kind references metric accuracy low high ties trials".split()


def run(*arguments: object) -> Done:
    return commands.run("mutt", *arguments)


def failure(*arguments: object) -> str:
    done = run(*arguments)
    assert done.status == 2
    return done.err.splitlines()[-1].removeprefix("cupel: ")


def test_a_table_of_metrics_by_corruptions() -> None:
    result = run("-m", "chrf", "wer", "--suite", "sample")
    assert result.status == 0
    lines = result.out.splitlines()
    assert lines[0] == "sample, 3 references"
    assert lines[1].split() == [
        "metric", "neg_subj", "neg_verb", "sem_opps", "passive~", "near_syms~", "det_sub~",
        "double_PP", "remove_prep", "swap_chunks", "shuffled", "avg",
    ]  # fmt: skip
    assert [line.split()[0] for line in lines[2:4]] == ["chrf", "wer"]
    assert any(line.startswith("wer|case:") for line in lines)


def test_machine_readable_rows() -> None:
    arguments = ("-m", "chrf", "--suite", "sample", "--reference-counts", "1", "3")
    document = json.loads(run(*arguments, "-f", "json").out)
    assert list(document["rows"][0]) == COLUMNS
    assert list(document["signatures"]) == ["chrf"]
    assert len(document["rows"]) == 20
    assert [row["references"] for row in document["rows"]] == [1] * 10 + [3] * 10
    header, *lines = run(*arguments, "-f", "tsv").out.splitlines()
    assert header.split("\t") == COLUMNS
    assert len(lines) == 20
    first = dict(zip(COLUMNS, lines[0].split("\t"), strict=True))
    assert first["kind"] == "meaning-altering"
    assert float(first["low"]) < float(first["accuracy"]) < float(first["high"])


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


def test_failures_are_shown() -> None:
    arguments = ("-m", "w2v-avg", "--suite", "sample", "--corruption", "shuffled")
    text = run(*arguments, "--failures", "1").out
    assert "w2v-avg, shuffled, 3 references\n" in text
    assert "A young woman is playing the violin in a park" in text
    assert "The violin is playing a young woman in a park" in text
    document = json.loads(run(*arguments, "--failures", "2", "-f", "json").out)
    assert len(document["failures"]) == 2


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


def test_exit_status_1_when_an_accuracy_is_too_low() -> None:
    arguments = ("-m", "chrf", "--suite", "sample", "--corruption", "neg_verb", "shuffled")
    assert run(*arguments, "--min-accuracy", "0.1").status == 0
    result = run(*arguments, "--min-accuracy", "0.8")
    assert result.status == 1
    assert "chrf: shuffled with 3 references: accuracy 0.5" in result.err
    assert "neg_verb" not in result.err


def test_formula_and_threshold() -> None:
    arguments = ("-m", "w2v-avg", "--suite", "sample", "--corruption", "swap_chunks")
    assert " 0.0*" in run(*arguments).out
    assert "100.0*" in run(*arguments, "--formula", "difference", "--threshold", "0").out


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


def test_a_constant_metric_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "constant_metric_module.py").write_text("def one(h, r):\n    return 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    result = run(
        "-m", "constant_metric_module:one", "--suite", "sample", "--corruption", "neg_verb"
    )
    assert result.status == 0
    assert "ties everywhere" in result.err
    assert " 0.0*" in result.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--suite", "sample"), "no metric to test: name at least one, or `paper`, or `all`"),
        (("-m", "chrf", "chrf", "--suite", "sample"), "'chrf' is asked for twice"),
        (("-m", "chrf", "--suite", "nothing"), "no suite 'nothing'"),
        (
            ("-m", "chrf", "--suite", "sample", "--reference-counts", "9"),
            "9 references were asked for",
        ),
        (
            ("-m", "chrf", "--suite", "sample", "--min-accuracy", "90"),
            "it should be at least 0 and at most 1",
        ),
        (("-m", "chrf", "--suite", "sample", "--corruption", "typo"), "no corruption 'typo'"),
        (("-m", "chrf", "--consistency", "double_PP"), "There is no template for 'double_PP'"),
        (("--consistency", "passive", "--texts", "x"), "--consistency tests no trials"),
        (("--suite", "sample", "--lower", "x", "-m", "chrf"), "Lower is better for 'x', but"),
        (("-m", "chrf", "--save", "x.jsonl", "--suite", "sample", "mutt"), "--save writes one"),
    ],
)
def test_bad_usage(arguments: tuple[str, ...], message: str) -> None:
    assert message in failure(*arguments)


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
