"""`cupel align`, run as a program would run it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import commands
from commands import Done

THREE = "meteor:modules=exact,stem,synonym"


@pytest.fixture
def files(tmp_path) -> tuple[Path, Path]:
    reference, hypothesis = tmp_path / "ref.txt", tmp_path / "hyp.txt"
    reference.write_text("The dog sleeps.\nA quick answer to the problem\n")
    hypothesis.write_text("Nothing\nthe fast answers to problem\n")
    return reference, hypothesis


def run(*arguments: object) -> Done:
    return commands.run("align", *arguments)


def test_text_shows_who_matched_whom(files):
    reference, hypothesis = files
    result = run(reference, "-i", hypothesis, "-m", THREE, "--segment", 2)
    assert result.out == (
        "hyp.txt, segment 2: 0.3558  precision 0.8364  recall 0.7667  chunks 3  penalty 0.5417\n"
        "hypothesis   the fast answers to problem\n"
        "reference 1  a quick answer to the problem\n"
        "\n"
        "hypothesis  reference  matched by  weight  chunk\n"
        "fast            quick     synonym     0.8      1\n"
        "answers        answer        stem     0.6      1\n"
        "to                 to       exact       1      1\n"
        "the               the       exact       1      2\n"
        "problem       problem       exact       1      3\n"
        "\n"
        "unmatched in the hypothesis: (nothing)\n"
        "unmatched in the reference: a\n"
    )


def test_a_segment_without_links(files):
    reference, hypothesis = files
    result = run(reference, "-i", hypothesis, "-m", THREE, "--segment", 1)
    assert result.out == (
        "hyp.txt, segment 1: 0.0000  precision 0  recall 0  chunks 0\n"
        "hypothesis   nothing\n"
        "reference 1  the dog sleeps .\n"
        "\n"
        "unmatched in the hypothesis: nothing\n"
        "unmatched in the reference: the dog sleeps .\n"
    )


def test_json_has_links_and_segments(files):
    reference, hypothesis = files
    document = json.loads(run(reference, "-i", hypothesis, "-m", THREE, "-f", "json").out)
    assert document["signatures"] == {
        THREE: "lang:en|task:rank|modules:exact,stem,synonym|tok:meteor-1.5-norm"
    }
    assert [row["segment"] for row in document["segments"]] == [1, 2]
    assert document["segments"][1]["reference"] == "a quick answer to the problem".split()
    assert document["rows"][1] == {
        "system": "hyp.txt",
        "segment": 2,
        "kind": "stem",
        "weight": 0.6,
        "chunk": 1,
        "hypothesis": "answers",
        "hypothesis_at": [3],
        "reference": "answer",
        "reference_at": [3],
    }


def test_tsv_has_a_line_per_link(files):
    reference, hypothesis = files
    lines = run(reference, "-i", hypothesis, "-m", THREE, "-f", "tsv").out.splitlines()
    assert lines[0].split("\t")[:3] == ["system", "segment", "kind"]
    assert lines[1] == "hyp.txt\t2\tsynonym\t0.8\t1\tfast\t2\tquick\t2"
    assert len(lines) == 6


def failure(*arguments: object) -> str:
    done = run(*arguments)
    assert done.status == 2
    return done.err.splitlines()[-1].removeprefix("cupel: ")


def test_what_cannot_be_done_is_told_in_a_sentence(files):
    reference, hypothesis = files
    asked = (reference, "-i", hypothesis, "-m")
    assert failure(*asked, THREE, "--segment", 3) == "There is no segment 3: 2 were read."
    assert failure(*asked, "bleu").startswith(
        "The metric 'bleu' does not align words; those that do are: "
    )
    assert "meteor" in failure(*asked, "bleu")
