"""Files of candidates in every format, and what is wrong with one."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from cupel.choosing.reading import Reading, read_candidates
from cupel.choosing.segment import Candidates
from cupel.errors import CupelError

MOSES = """0 ||| ein Haus  ||| LM= -3.2 ||| -1.5
0 ||| das Haus ||| LM= -3 ||| -0.5
1 ||| gut ||| LM= -1 ||| -0.1
"""
FAIRSEQ = """2026-01-01 | INFO | fairseq_cli.generate | loading
S-1\tgood
T-1\tgut
H-1\t-0.1\tg@@ ut
D-1\t-0.1\tgut
P-1\t-0.1
S-0\ta house
H-0\t-0.5\tdas Ha@@ us
D-0\t-0.5\tdas Haus
H-0\t-1.5\tein Ha@@ us
D-0\t-1.5\tein Haus
"""


def read(tmp_path: Path, text: str, **options: object) -> list[Candidates]:
    path = tmp_path / "lists"
    path.write_text(text, encoding="utf-8")
    return list(read_candidates(path, Reading(**options)))  # type: ignore[arg-type]


def test_json_lines(tmp_path: Path) -> None:
    objects = [
        {
            "candidates": ["a", "b"],
            "source": "x",
            "weights": [1, 3],
            "scores": {"comet": [0.1, 0.2]},
        },
        {"candidates": [{"text": "c", "score": -1}, {"text": "d", "score": -2}]},
        {"candidates": ["e"], "references": ["f", "g"], "logprobs": [0, 0]},
    ]
    first, second, third = read(tmp_path, "\n".join(map(json.dumps, objects)) + "\n\n")
    assert (list(first.texts), first.source) == (["a", "b"], "x")
    assert first.weights is not None
    assert first.weights.tolist() == [0.25, 0.75]
    assert first.scores["comet"].tolist() == [0.1, 0.2]
    assert second.scores["model"].tolist() == [-1, -2]
    assert second.weights is None
    assert (third.references, third.place) == (["f", "g"], f"{tmp_path / 'lists'}, line 3")


def test_decoders_scores_become_weights(tmp_path: Path) -> None:
    plain, _ = read(tmp_path, MOSES)
    assert plain.weights is None
    assert plain.scores["model"].tolist() == [-1.5, -0.5]
    weighted, _ = read(tmp_path, MOSES, use_scores=True)
    assert weighted.weights == pytest.approx(np.exp([-1.5, -0.5]) / np.exp([-1.5, -0.5]).sum())
    flat, _ = read(tmp_path, MOSES, use_scores=True, temperature=1e9)
    assert flat.weights == pytest.approx([0.5, 0.5])


def test_moses_fairseq_and_hugging_face_agree(tmp_path: Path) -> None:
    moses = read(tmp_path, MOSES)
    fairseq = read(tmp_path, FAIRSEQ)
    assert [sorted(one.texts) for one in fairseq] == [sorted(one.texts) for one in moses]
    assert [one.source for one in fairseq] == ["a house", "good"]
    lists = [[{"generated_text": "ein Haus"}, {"generated_text": "das Haus"}], ["gut"]]
    for text in (json.dumps(lists), json.dumps(lists, indent=1), "\n".join(map(json.dumps, lists))):
        found = read(tmp_path, text)
        assert [list(one.texts) for one in found] == [list(one.texts) for one in moses]


def test_blocks_of_lines(tmp_path: Path) -> None:
    found = read(tmp_path, "a\nb\n\nd\n", per_segment=2)
    assert [list(one.texts) for one in found] == [["a", "b"], ["", "d"]]


@pytest.mark.parametrize(
    ("text", "options", "sentence"),
    [
        ("", {}, "is empty: there are no candidates"),
        (
            "a\nb\nc\n",
            {"per_segment": 2},
            "has 3 lines, and each segment should have 2 candidates: segment 2 has 1",
        ),
        ("a\n", {}, "line 1: these are no candidates in JSON, nor of Moses or fairseq"),
        ('{"candidates": []}', {}, "line 1 has no candidates: give at least one"),
        ('{"texts": ["a"]}', {}, "has no 'candidates'; its keys are 'texts'"),
        ('{"candidates": ["a"], "weights": [NaN]}', {}, "number 1 of the weights is nan"),
        ('{"candidates": ["a"], "weights": ["x"]}', {}, "the weights are not all numbers"),
        ('{"candidates": ["a"], "scores": {"c": [1, 2]}}', {}, "1 candidates have 2 scores 'c'"),
        (
            '{"candidates": ["a"], "scores": [1]}',
            {},
            "the scores are a list; an object with a list",
        ),
        (
            '{"candidates": ["a"], "weights": [1], "logprobs": [0]}',
            {},
            "there are weights and logprobs; give one of them",
        ),
        ('{"candidates": "a"}', {}, ": text was found where a list was expected"),
        (
            '{"candidates": [{"x": 1}]}',
            {},
            "candidate 1 has no text under any of text, generated_text",
        ),
        ('{"candidates": ["a"]}\n[1]', {}, "line 2: a list was found where an object was expected"),
        ('{"candidates": ["a"]', {}, "this is not JSON"),
        ("[[1]]", {}, "number 1 of the candidates is no text, but int"),
        ("0 ||| a\n2 ||| b\n", {}, "line 2: segment 2 follows segment 0; all lines"),
        ("0 ||| a\nb\n", {}, "line 2: this is no line of an n-best list"),
        ("H-1\t-1\ta\n", {}, "has no candidates of segment 0"),
        ("H-0\ta\n", {}, "line 1: H-NUMBER, a score and a text were expected"),
        ("0 ||| a\n", {"use_scores": True}, "have no scores of the decoder to use"),
    ],
)
def test_bad_files_are_one_sentence(
    tmp_path: Path, text: str, options: dict[str, object], sentence: str
) -> None:
    with pytest.raises(CupelError, match=sentence.replace("(", r"\(")):
        read(tmp_path, text, **options)
