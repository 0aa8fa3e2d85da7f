"""`cupel plan`, and what `cupel score --paired` says of people: files in, text out."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cupel.cli import main

Answer = tuple[int, str, str]
WORDS = "the a of market people government said in was new years that with on house city".split()


@pytest.fixture
def cupel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str], Answer]:
    """Runs a command line in a folder with 80 segments: exit status, standard output and error."""
    monkeypatch.chdir(tmp_path)
    generator = np.random.default_rng(9)
    texts = [generator.choice(WORDS, 16) for _ in range(80)]
    for name, share in (("ref", 1.0), ("old.de-en", 0.85), ("new.de-en", 0.89)):
        lines = (" ".join(w if generator.random() < share else "xx" for w in t) for t in texts)
        Path(f"{name}.txt").write_text("\n".join(lines) + "\n")

    def run(line: str) -> Answer:
        monkeypatch.setattr(sys, "argv", ["cupel", *shlex.split(line)])
        with pytest.raises(SystemExit) as end:
            main()
        captured = capsys.readouterr()
        return int(end.value.code or 0), captured.out, captured.err

    return run


def test_a_plan(cupel: Callable[[str], Answer]) -> None:
    line = "plan ref.txt -i old.de-en.txt new.de-en.txt -m chrf++ ter"
    status, out, _ = cupel(f"{line} --difference 0.5")
    assert status == 0
    table, sentences = out.split("\n\n")
    assert [row.split()[:2] for row in table.splitlines()[1:]] == [
        ["new", "chrf++"],
        ["new", "ter"],
    ]
    assert " segments (" in sentences
    assert "would show a difference of 0.5 chrf++ at p < 0.05 on 80% of such test sets" in sentences
    rows = json.loads(cupel(f"{line} --difference 0.5 -f json")[1])["rows"]
    assert [(row["system"], row["metric"]) for row in rows] == [
        ("new.de-en.txt", "chrf++"), ("new.de-en.txt", "ter")
    ]  # fmt: skip
    assert all(row["needed_low"] < row["needed"] < row["needed_high"] for row in rows)
    # Twice the difference takes about a quarter of the segments.
    half = json.loads(cupel(f"{line} --difference 1 -f json")[1])["rows"]
    assert rows[0]["needed"] / half[0]["needed"] == pytest.approx(4, rel=0.01)
    status, out, _ = cupel(line)
    assert "Segments needed" not in out
    assert "These 80 segments show a difference of " in out


def test_what_people_prefer_is_said(cupel: Callable[[str], Answer]) -> None:
    line = "score ref.txt -i old.de-en.txt new.de-en.txt -m chrf ncd --paired ar -l de-en"
    status, out, _ = cupel(f"{line} --report page.html")
    assert status == 0
    *_, known, unknown = out.splitlines()
    assert known.startswith("With such a difference people prefer new to old in ")
    assert "% of cases by chrf (" in known
    assert unknown == (
        "No evidence of what people prefer by ncd: no campaign has been scored with ncd."
    )
    document = json.loads(cupel(f"{line} -f json")[1])
    first, second = (row for row in document["rows"] if row["metric"] == "chrf")
    assert first["preferred"] is None
    assert 0.5 < second["preferred_low"] < second["preferred"] < second["preferred_high"] < 1
    assert f"in {second['preferred']:.0%} of cases by chrf" in known
    assert {one["system"] for one in document["meanings"]} == {"new.de-en.txt"}
    page = Path("page.html").read_text(encoding="utf-8")
    assert f"; people prefer it in {second['preferred']:.0%} (" in page
    assert "; no evidence of what people prefer" in page
    poetry = cupel(f"{line} --domain poetry")[1].splitlines()[-2]
    assert poetry.endswith("by chrf: people judged news, talks and biomedical texts, not poetry.")
