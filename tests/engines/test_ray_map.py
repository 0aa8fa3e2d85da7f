"""`cupel mbr --engine ray`: the choices of one process, in the same order."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from cupel.cli import main
from cupel.data import sample
from cupel.engines import ray as on_ray


def mbr(words: list[str], status: int = 0) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["cupel", "mbr", *words])
        with pytest.raises(SystemExit) as end:
            main()
    assert end.value.code == status


def candidates(folder: Path, segments: int = 200) -> Path:
    """As many segments, each with all translations of one of the sample's."""
    corpus = sample()
    path = folder / "candidates.txt"
    lines = [
        f"{texts[n % len(corpus)]} {n}"
        for n in range(segments)
        for texts in corpus.systems.values()
    ]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_without_ray(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(on_ray, "find_spec", lambda name: None)
    path, number = str(candidates(tmp_path, 2)), str(len(sample().systems))
    out = tmp_path / "out.txt"
    mbr([path, "-n", number, "--engine", "ray", "-o", str(out)], status=2)
    assert capsys.readouterr().err == "cupel: --engine ray needs Ray: pip install 'cupel[ray]'.\n"
    assert not out.exists()
    mbr([path, "-n", number, "--address", "auto"], status=2)
    assert "--address is for --engine ray" in capsys.readouterr().err


def test_the_same_choices(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="needs Ray: pip install 'cupel[ray]'")
    path, number = str(candidates(tmp_path)), str(len(sample().systems))
    here, there = tmp_path / "here.tsv", tmp_path / "there.tsv"
    mbr([path, "-n", number, "-m", "chrf", "-f", "tsv", "-o", str(here)])
    mbr([path, "-n", number, "-m", "chrf", "-f", "tsv", "-o", str(there), "--engine", "ray"])
    assert len(here.read_text().splitlines()) == 201
    assert there.read_text() == here.read_text()
