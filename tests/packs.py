"""Small datasets in the shape of the real ones, for tests without the real ones."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Sequence
from pathlib import Path

from cupel.data.catalog import DATASETS
from cupel.data.dataset import Expected

LINES = 4


def build(folder: Path, name: str) -> Path:
    """A dataset in which every file is there and every count is right."""
    dataset = DATASETS[name]
    if dataset.kind == "graded":
        return _build_campaign(folder, dataset.files)
    for expected in dataset.files:
        for number in range(expected.count):
            path = folder / expected.pattern.replace("*", _filled(name, expected.pattern, number))
            write_lines(path, expected.lines or LINES)
    if name == "mutt":
        _build_trials(folder)
    return folder


def pack_up(folder: Path, archive: Path, top: str) -> Path:
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(folder, arcname=top)
    return archive


def write_lines(path: Path, count: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"line {n}\n" for n in range(1, count + 1)), encoding="utf-8")


def _filled(name: str, pattern: str, number: int) -> str:
    if "system-outputs" not in pattern:
        return ("cs", "de", "en", "es", "fr", "ru")[number]
    pair = pattern.split("/")[2]
    return f"system{number}.{pair}" if name == "wmt14" else f"{pair}.system{number}"


def _build_campaign(folder: Path, files: Sequence[Expected]) -> Path:
    """Every text and every system's scores have as many lines as the source of the pair."""
    lines, systems = LINES, 0
    for expected in files:
        lines = expected.lines or lines
        systems = expected.count if "system-outputs" in expected.pattern else systems
        if "human-scores" in expected.pattern:
            path = folder / expected.pattern
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(f"{n}\t-{n}.5\n" * lines for n in range(systems)))
        else:
            for number in range(expected.count):
                write_lines(folder / expected.pattern.replace("*", str(number)), lines)
    return folder


def _build_trials(folder: Path) -> None:
    for corruption, counts in DATASETS["mutt"].parts.items():
        for part, copies in (("a", 1), ("b", 1), ("r5", 5), ("r10", 10), ("r20", 20)):
            entries = [
                {"image_id": n, "caption": f"{part} {n}.{copy}"}
                for n in range(counts["trials"])
                for copy in range(copies)
            ]
            whole = entries if copies == 1 else {"type": "captions", "annotations": entries}
            (folder / "trials" / f"{corruption}_{part}.json").write_text(json.dumps(whole))
