"""The catalog, held against the real packs."""

from __future__ import annotations

import csv
import hashlib
from collections import defaultdict

import pytest

from cupel.data import DATASETS, verify, wmt_pairs
from cupel.data.catalog import MUTT_TRIALS
from cupel.data.find import locate
from cupel.data.load import wmt_files

LANGUAGES = {
    "Czech": "cs",
    "English": "en",
    "French": "fr",
    "German": "de",
    "Hindi": "hi",
    "Russian": "ru",
    "Spanish": "es",
}


def test_every_dataset_says_what_it_is():
    assert list(DATASETS) == ["wmt12", "wmt13", "wmt14", "da13", "sick", "mutt", "ud-english-ewt"]
    for name, dataset in DATASETS.items():
        assert dataset.name == name
        assert min(map(len, (dataset.what, dataset.licence, dataset.used_for))) > 5
        assert dataset.published.startswith("https://")
        assert len(bytes.fromhex(dataset.sha256)) == 32


def test_the_counts_that_the_descriptions_give():
    systems = {
        name: sum(entry.count for entry in dataset.files if "system-outputs" in entry.pattern)
        for name, dataset in DATASETS.items()
        if dataset.kind == "wmt"
    }
    assert systems == {"wmt12": 103, "wmt13": 94, "wmt14": 48}
    for name, count in systems.items():
        assert f"{count} system outputs" in DATASETS[name].what
    assert sum(MUTT_TRIALS.values()) == 2217


@pytest.mark.parametrize("name", DATASETS)
def test_the_real_pack_is_in_order(pack, name):
    pack(name)
    assert verify(name).problems == ()


@pytest.mark.parametrize("name", DATASETS)
def test_the_known_archive_has_the_known_checksum(pack, name):
    pack(name)
    place = locate(name)
    assert place is not None
    if place.is_dir():
        pytest.skip(f"{name} is here as a folder, not as an archive")
    assert hashlib.sha256(place.read_bytes()).hexdigest() == DATASETS[name].sha256


@pytest.mark.parametrize(
    ("name", "unjudged"),
    [
        ("wmt12", {}),
        ("wmt13", {"cs-en": 1, "de-en": 6, "es-en": 5, "fr-en": 6, "ru-en": 23}),
        ("wmt14", {}),
    ],
)
def test_every_judged_system_has_an_output_of_that_name(pack, name, unjudged):
    folder = pack(name)
    judged: dict[str, set[str]] = defaultdict(set)
    with (folder / "judgments.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            pair = f"{LANGUAGES[row['srclang']]}-{LANGUAGES[row['trglang']]}"
            judged[pair] |= {row[f"system{n}Id"] for n in range(1, 6)}
    assert set(judged) <= set(wmt_pairs(name))
    outputs = {pair: set(wmt_files(folder, name, pair).systems) for pair in wmt_pairs(name)}
    assert all(systems <= outputs[pair] for pair, systems in judged.items())
    without = {pair: len(systems - judged[pair]) for pair, systems in outputs.items()}
    assert {pair: count for pair, count in without.items() if count} == unjudged
