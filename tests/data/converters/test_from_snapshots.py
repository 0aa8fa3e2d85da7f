"""Datasets built from the real files of public repositories are the packs, byte for byte."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path

import pytest

import list_dataset_files
import snapshots
from cupel.data import DATASETS
from cupel.data.converters.strict_pairs import names_by_content, read_strict_pairs

NAMES = ("wmt12", "wmt13", "wmt14", "da13", "sick", "mutt", "ud-english-ewt")


@pytest.mark.parametrize("name", NAMES)
def test_the_dataset_is_the_pack(name: str, tmp_path: Path, pack) -> None:
    sources = snapshots.stage(name, tmp_path / "sources")
    built = tmp_path / "built"
    built.mkdir()
    DATASETS[name].convert(sources, built)
    assert snapshots.differences(built, pack(name)) == []


@pytest.mark.parametrize("name", NAMES)
def test_the_list_is_made_by_the_tool(name: str) -> None:
    rows = list_dataset_files.listed(name, snapshots.folders())
    assert list(rows) == snapshots.listed(name)


def test_rankings_from_pairs_are_the_original_ones(tmp_path: Path, pack) -> None:
    """WMT13 fr-en is public in both forms: all 9,996 rankings come out as they were."""
    meteor, trueskill = DATASETS["wmt13"].repositories
    texts = pack("wmt13") / "system-outputs" / "newstest2013" / "fr-en"
    names = ["fr-en.rank", *(f"fr-en.sys{n}.sgm" for n in range(1, 20))]
    paths = [f"training_wmt13/{name}" for name in names]
    for name, content in zip(names, snapshots.read(meteor, paths), strict=True):
        (tmp_path / name).write_bytes(content)
    systems = names_by_content(tmp_path.glob("*.sgm"), texts.iterdir())
    rebuilt = Counter(
        (segment, tuple(ranks.items()))
        for segment, ranks in read_strict_pairs(tmp_path / "fr-en.rank", systems)
    )
    (official,) = snapshots.read(trueskill, ["data/sample-fr-en-train.csv"])
    original: Counter = Counter()
    for row in csv.DictReader(io.StringIO(official.decode())):
        given = {row[f"system{n}Id"]: int(row[f"system{n}rank"]) for n in range(1, 6)}
        levels = sorted(set(given.values()))
        dense = {system: levels.index(given[system]) + 1 for system in sorted(given)}
        original[int(row["srcIndex"]), tuple(dense.items())] += 1
    assert rebuilt == original
    assert rebuilt.total() == 9_996
