"""`cupel score` with scores of others, clusters, gates and flagged segments: files in, text out."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cupel.cli import main

REFERENCE = [f"The cat sat on mat number {n} and slept until noon." for n in range(40)]
GOOD = [line.replace("slept", "sleeps") for line in REFERENCE]
FAIR = [line.replace("slept until", "sleep to") for line in REFERENCE]
BAD = [line.replace("cat sat on mat", "dog on carpet") for line in REFERENCE]
Answer = tuple[int, str, str]


@pytest.fixture
def cupel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str], Answer]:
    """Runs a command line in a folder with texts: exit status, standard output and error."""
    monkeypatch.chdir(tmp_path)
    for name, lines in (("ref", REFERENCE), ("good", GOOD), ("fair", FAIR), ("bad", BAD)):
        Path(f"{name}.txt").write_text("\n".join(lines) + "\n")

    def run(line: str) -> Answer:
        monkeypatch.setattr(sys, "argv", ["cupel", *shlex.split(line)])
        with pytest.raises(SystemExit) as end:
            main()
        captured = capsys.readouterr()
        return int(end.value.code or 0), captured.out, captured.err

    return run


def test_scores_that_we_wrote_come_back_as_a_metric(cupel: Callable[[str], Answer]) -> None:
    texts = "ref.txt -i good.txt bad.txt"
    assert cupel(f"score {texts} -m rouge-l -sl -f tsv -o ours.tsv")[0] == 0
    own = json.loads(cupel(f"score {texts} -m rouge-l --ci --paired ar -f json")[1])
    given = json.loads(cupel("score --scores ours.tsv:rouge-l --ci --paired ar -f json")[1])
    assert given["rows"] == own["rows"]
    beside = json.loads(cupel(f"score {texts} -m chrf --scores x=ours.tsv:rouge-l -f json")[1])
    assert [row["metric"] for row in beside["rows"]] == ["chrf", "x"] * 2
    assert "scores:rouge-l|sha256:" in beside["signatures"]["x"]
    status, out, _ = cupel("score --scores ours.tsv:rouge-l -sl -b")
    assert (status, len(out.splitlines())) == (0, 80)
    status, _, err = cupel(f"score {texts} --scores ours.tsv:rouge-l --report page.html")
    assert (status, err) == (0, "cupel: Wrote page.html.\n")
    assert cupel("score --scores ours.tsv:rouge-l --report bare.html")[0] == 0


def test_systems_that_are_only_in_a_score_file_are_named(cupel: Callable[[str], Answer]) -> None:
    ones = np.ones(40)
    np.savez("x.npz", **{"good.txt": np.arange(40), "old": ones, "gpt-3.5": ones})  # type: ignore[arg-type]
    np.savez("y.npz", good=np.arange(40), old=np.zeros(40))
    status, out, err = cupel("score ref.txt -i good.txt --scores x.npz y.npz -f json")
    assert [row["score"] for row in json.loads(out)["rows"]] == [19.5, 19.5]
    assert (status, err) == (
        0,
        "cupel: Only the score files have these systems, which are left out: 'old', 'gpt-3.5'.\n",
    )
    assert cupel("score ref.txt -i good.txt --scores x.npz -q")[2] == ""
    Path("gpt-3.1").write_text("\n".join(GOOD) + "\n")
    status, _, err = cupel("score ref.txt -i gpt-3.1 --scores x.npz")
    assert (status, err.split(";")[0]) == (2, "cupel: x.npz has no scores of system 'gpt-3.1'")


def test_a_baseline_with_several_systems_is_noted(cupel: Callable[[str], Answer]) -> None:
    def document(system: str, lines: list[str]) -> str:
        segments = "".join(f'<seg id="{n}">{line}</seg>' for n, line in enumerate(lines, 1))
        return f'<doc docid="d" sysid="{system}">{segments}</doc>'

    for name, kind, documents in (
        ("r.sgm", "refset", document("ref", REFERENCE)),
        ("base.sgm", "tstset", document("a", FAIR) + document("b", BAD)),
    ):
        Path(name).write_text(f'<{kind} setid="s">{documents}</{kind}>')
    line = "score r.sgm -i good.txt -m chrf --margin chrf=99 --not-worse-than"
    err = cupel(f"{line} base.sgm")[2]
    assert err.splitlines()[0] == (
        "cupel: base.sgm has 2 systems: all others are compared with the first, 'a'; "
        "base.sgm:SYSTEM names another."
    )
    assert "2 systems" not in cupel(f"{line} base.sgm:b")[2]


def test_gates_on_scores_alone_name_the_baseline(cupel: Callable[[str], Answer]) -> None:
    values = np.random.default_rng(0).random(50)
    np.savez("x.npz", old=values, new=values + 0.1)
    line = "score --scores q=x.npz --margin q=0.01 --not-worse-than"
    assert cupel(f"{line} old")[0] == 0
    assert cupel(f"{line} new")[0] == 1
    assert cupel(f"{line} nil") == (
        2, "", "cupel: There are no scores of 'nil' to compare with; there are those of old, new.\n"
    )  # fmt: skip
