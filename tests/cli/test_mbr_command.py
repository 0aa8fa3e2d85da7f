"""`cupel mbr` and `cupel rerank`, run as a program would run them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from commands import run

LISTS: list[dict[str, Any]] = [
    {"candidates": ["the cat sat on the mat", "the cat is on the mat", "a dog"], "source": "die Katze"},
    {"candidates": ["good morning to you", "good morning", "morning good"], "source": "Guten Morgen",
     "scores": {"comet": [0.1, 0.5, 0.3]}},
]  # fmt: skip


@pytest.fixture
def lists(tmp_path: Path) -> Path:
    path = tmp_path / "lists.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in LISTS))
    (tmp_path / "ref.txt").write_text("the cat is on the mat\ngood morning\n")
    return path


def test_text_is_the_chosen_line(lists: Path) -> None:
    assert run("mbr", lists).out == "the cat sat on the mat\ngood morning to you\n"
    assert run("mbr", lists, "--all").out.splitlines()[:3] == LISTS[0]["candidates"]
    (lists.parent / "pseudo.txt").write_text("a dog\na dog\ngood morning\nmorning\n")
    result = run("mbr", lists, "--pseudo-references", lists.parent / "pseudo.txt", "-n", 2)
    assert result.out == "a dog\ngood morning\n"
    (lists.parent / "pseudo.txt").write_text("a dog\na dog\n")
    result = run("mbr", lists, "--pseudo-references", lists.parent / "pseudo.txt", "-n", 2)
    assert "has pseudo-references of 1 segments only" in result.err


def test_records(lists: Path) -> None:
    result = json.loads(run("mbr", lists, "-m", "chrf", "ter", "-f", "json").out)
    assert [row["candidate"] for row in result["rows"]] == [1, 2]
    assert list(result["rows"][0]) == [
        *("segment", "rank", "candidate", "candidates", "utility", "chrf", "ter", "text")
    ]
    assert result["signatures"]["chrf"].startswith("case:mixed")
    first, second = map(
        json.loads, run("mbr", lists, "--json-lines", "--all", "--matrix").out.splitlines()
    )
    assert [row["rank"] for row in first["ranking"]] == [1, 2, 3]
    assert second["matrix"]["chrf"][1][1] == 100.0
    header, *rows = run("mbr", lists, "-f", "tsv", "--all").out.splitlines()
    assert header.split("\t")[:3] == ["segment", "rank", "candidate"]
    assert [row.split("\t")[0] for row in rows] == ["1"] * 3 + ["2"] * 3


def test_workers_choose_alike(lists: Path) -> None:
    text = lists.read_text() * 40
    lists.write_text(text)
    alone, two = (run("mbr", lists, "--json-lines", "--workers", n).out for n in (1, 2))
    assert alone == two
    assert len(alone.splitlines()) == 80


def test_rerank_by_scores_checks_and_references(lists: Path) -> None:
    reference = lists.parent / "ref.txt"
    oracle = run("rerank", lists, "-m", "chrf", "--ref", reference)
    assert oracle.out == "the cat is on the mat\ngood morning\n"
    assert "line 1 has no scores 'comet'" in run("rerank", lists, "-m", "comet").err
    numbers = lists.parent / "numbers"
    numbers.write_text("3\n1\n2\n3\n2\n1\n")
    up = run("rerank", lists, "-m", "mine", "--scores", f"mine={numbers}")
    down = run("rerank", lists, "-m", "mine", "--scores", f"mine={numbers}", "--lower", "mine")
    assert up.out == "the cat sat on the mat\ngood morning to you\n"
    assert down.out == "the cat is on the mat\nmorning good\n"
    assert run("rerank", lists, "-m", "copied", "length").status == 0
    numbers.write_text("3\n1\nx\n")
    assert (
        "line 3: 'x' is no number"
        in run("rerank", lists, "-m", "m", "--scores", f"m={numbers}").err
    )


def test_standing_between_random_and_oracle(lists: Path) -> None:
    reference, chosen = lists.parent / "ref.txt", lists.parent / "chosen.txt"
    chosen.write_text("the cat sat on the mat\ngood morning\n")
    options = ("--ref", reference, "--judge", "chrf", "ter", "-f", "json")
    (chrf, ter) = json.loads(run("rerank", lists, "--chosen", chosen, *options).out)["rows"]
    assert chrf["oracle"] == 100.0
    assert ter["oracle"] == 0.0
    # Edits by segment: 1, 0 and 6 of 6 words, then 2, 0 and 1 (a shift) of 2.
    assert ter["random"] == pytest.approx(100 * (7 / 3 + 1) / 8)
    assert ter["chosen"] == pytest.approx(100 * 1 / 8)
    assert ter["standing"] == pytest.approx(100 * (1 - 3 / 10))
    table = run("rerank", lists, "-m", "chrf", *options[:-2]).out
    assert table.splitlines()[1].split() == [
        "chrf",
        *table.splitlines()[1].split()[1:4],
        "100.0",
        "100%",
    ]


def test_weights_of_metrics_come_from_a_file(lists: Path) -> None:
    weights = lists.parent / "weights.txt"
    weights.write_text("chrf 2\nter 0.5\n")
    result = run(
        "mbr",
        lists,
        "-m",
        "chrf",
        "ter",
        "--combine",
        "mean",
        "--metric-weights",
        weights,
        "--json-lines",
    )
    row = json.loads(result.out.splitlines()[0])
    assert row["utility"] == pytest.approx((2 * row["chrf"] - 0.5 * row["ter"]) / 2.5)
    for text, expected in (
        ("chrf\n", "line 1: a metric and a number"),
        ('{"bleu": 1}', "a weight of 'bleu'"),
    ):
        weights.write_text(text)
        result = run("mbr", lists, "-m", "chrf", "ter", "--metric-weights", weights)
        assert expected in result.err


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    source, out = tmp_path / "lists.jsonl", tmp_path / "out.txt"
    words = "a b c d e f g h i j k l m n o p q r s t".split()
    texts = [" ".join(words[i:] + words[:i]) for i in range(20)]
    lines = [json.dumps({"candidates": [f"{n} {t}" for t in texts]}) + "\n" for n in range(3000)]
    source.write_text("".join(lines))
    command = [
        sys.executable,
        "-m",
        "cupel",
        "mbr",
        str(source),
        "-m",
        "chrf",
        "-o",
        str(out),
        "--resume",
    ]
    process = subprocess.Popen(command, env={**os.environ})
    part = tmp_path / "out.txt.part"
    until = time.monotonic() + 120
    while not (part.is_file() and part.stat().st_size) and time.monotonic() < until:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    done = part.read_bytes().count(b"\n")
    assert 0 < done < 3000
    assert not out.exists()
    other = run("mbr", source, "-m", "ter", "-o", out, "--resume")
    assert "was begun with other options or another file" in other.err
    result = run("mbr", source, "-m", "chrf", "-o", out, "--resume")
    assert result.status == 0
    assert f"{done:,} segments are done already" in result.err
    chosen = out.read_text().splitlines()
    assert [line.split()[0] for line in chosen] == [str(n) for n in range(3000)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lists.jsonl", "out.txt"]
