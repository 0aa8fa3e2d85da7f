"""Rows that need a training, and rows that compare two translations directly."""

from __future__ import annotations

import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cupel.batch import Batch, FloatArray
from cupel.cli.commands import question_of
from cupel.corpus import Corpus
from cupel.errors import CupelError
from cupel.human.rankings import Rankings
from cupel.metric import Metric, Signature, mean_score, mean_statistics
from cupel.papers import pairwise, training
from cupel.papers.published import find_table, tables
from cupel.questions.field import fields_of


def trained_cells() -> list[Any]:
    return [c for table in tables().values() for c in table.cells if "train" in c.settings]


def test_every_training_is_a_command_that_exists() -> None:
    arguments = {cell.settings["train"] for cell in trained_cells()}
    assert len(arguments) >= 20
    for one in arguments:
        name, *words = shlex.split(one)
        fields = fields_of(question_of(f"train {name}"))
        known = {option for field in fields for option in field.names}
        assert {word for word in words if word.startswith("--")} <= known, one


def test_full_trains_once_and_puts_the_model_into_the_metric(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUPEL_CACHE", str(tmp_path))
    commands: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[bytes]:
        commands.append(command)
        Path(command[-1]).mkdir(parents=True)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(subprocess, "run", run)
    told: list[str] = []
    cells = [c for c in find_table("reval-3").cells if c.row in ("L(50,150)", "METEOR")]
    models, failed = training.with_models(cells, told.append)
    done = {c.key: c for c in models}
    assert failed == {}
    assert len(commands) == 1  # seven cells, one training
    assert commands[0][1:5] == ["-m", "cupel", "train", "reval"]
    assert told == ["cupel train reval --train wmt13 --set L --hidden 50 --memory 150"]
    one = done["reval-3", "L(50,150)", "cs-en"].settings
    assert one["metric"] == f"reval:weights={commands[0][-1]}"
    assert "recorded" not in one
    assert done["reval-3", "METEOR", "cs-en"].settings["metric"] == "meteor"


def test_what_a_broken_training_left_is_taken_up_or_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUPEL_CACHE", str(tmp_path))
    seen: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[bytes]:
        folder = Path(command[-1])
        folder.mkdir(parents=True, exist_ok=True)
        seen.append(sorted(path.name for path in folder.iterdir()))
        (folder / ("half" if len(seen) == 1 else "checkpoint.safetensors")).touch()
        return subprocess.CompletedProcess(command, int(len(seen) < 3))

    monkeypatch.setattr(subprocess, "run", run)
    for _ in range(2):
        with pytest.raises(CupelError):
            training.trained("nnrk --x", lambda _: None)
    folder = training.trained("nnrk --x", lambda _: None)
    assert seen == [[], [], ["checkpoint.safetensors"]]
    assert training.trained("nnrk --x", lambda _: None) == folder
    assert len(seen) == 3


def test_a_training_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUPEL_CACHE", str(tmp_path))
    monkeypatch.setattr(
        subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 2)
    )
    with pytest.raises(CupelError, match=r"`cupel train reval --x` failed with status 2"):
        training.trained("reval --x", lambda _: None)


def test_a_training_that_fails_costs_its_own_cells_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUPEL_CACHE", str(tmp_path))
    told: list[str] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[bytes]:
        told.append(shlex.join(command[4:-2]))
        Path(command[-1]).mkdir(parents=True)
        return subprocess.CompletedProcess(command, int("LNF" in command))

    monkeypatch.setattr(subprocess, "run", run)
    cells = [c for c in find_table("reval-3").cells if c.row in ("L(50,150)", "LNF(50,150)")]
    models, failed = training.with_models(cells, lambda _: None)
    assert {c.row for c in models} == {"L(50,150)"}
    ((reason, lost),) = failed.items()
    assert reason == (
        "`cupel train reval --train wmt13 --set LNF --hidden 50 --memory 150` failed with status 1."
    )
    assert {c.row for c in lost} == {"LNF(50,150)"}
    assert len(told) == 2  # each training once, also the one that fails


@dataclass(frozen=True)
class Longer(Metric):
    """Prefers the longer translation; equal lengths tie."""

    name = "longer"
    higher_is_better = True

    def signature(self) -> Signature:
        return Signature.of(kind="longer")

    def statistics(self, batch: Batch) -> FloatArray:
        return mean_statistics(np.array([float(len(text)) for text in batch.hypotheses]))

    def score(self, statistics: FloatArray) -> FloatArray:
        return mean_score(statistics)

    def prefer(self, first: Batch, second: Batch) -> FloatArray:
        pairs = zip(first.hypotheses, second.hypotheses, strict=True)
        return np.array([0.5 + 0.4 * np.sign(len(a) - len(b)) for a, b in pairs])


def test_tau_of_direct_comparisons(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two judges rank a, b, c of one segment: the metric agrees with 2 + 2, ties 1 + 1 of 3 + 3."""
    rankings = Rankings(
        "cs-en",
        ("a", "b", "c"),
        np.array([0, 0]),
        np.array([0, 1]),
        ("j", "k"),
        np.array([[0, 1, 2, -1, -1], [2, 0, 1, -1, -1]]),
        np.array([[3, 1, 2, -1, -1], [2, 3, 1, -1, -1]]),  # b, c, a both times
    )
    corpus = Corpus({"a": ["x"], "b": ["xxx"], "c": ["xxx"]}, [["r"]])
    monkeypatch.setattr(pairwise, "wmt_rankings", lambda _: {"cs-en": rankings})
    monkeypatch.setattr(pairwise, "ranked_corpus", lambda *_: corpus)
    taus = [
        pairwise.pairwise_tau("wmt12", "cs-en", Longer(), f"tau-{year}")
        for year in ("wmt12", "wmt13", "wmt14")
    ]
    assert taus == pytest.approx([(4 - 2) / 6, 1.0, 4 / 6])


def test_a_metric_that_cannot_compare(monkeypatch: pytest.MonkeyPatch) -> None:
    from cupel.registry import get_metric

    monkeypatch.setattr(pairwise, "wmt_rankings", lambda _: {"cs-en": None})
    monkeypatch.setattr(pairwise, "ranked_corpus", lambda *_: None)
    with pytest.raises(CupelError, match="'wer' does not compare two translations directly"):
        pairwise.pairwise_tau("wmt12", "cs-en", get_metric("wer"), "tau-wmt12")
