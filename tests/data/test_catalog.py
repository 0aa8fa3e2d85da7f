"""The catalog, held against the real packs."""

from __future__ import annotations

import csv
import hashlib
import subprocess
import sys
from collections import defaultdict

import pytest

from cupel.data import DATASETS, find, verify, wmt_pairs
from cupel.data.catalog import of_kind
from cupel.data.find import dataset as entry_of
from cupel.data.find import locate
from cupel.data.load import wmt_files
from cupel.errors import MissingPart
from cupel.reading import read_lines

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
    names = (
        "wmt12 wmt13 wmt14 wmt15-rankings da13 da15 da17 mqm20 mqm21 ted21 bio21 mqm22 esa24 qe23 qe24 flores21 "
        "mlqe sick mutt ud-english-ewt"
    )
    built = ("mqm20", "mqm22", "qe23", "qe24", "flores21")
    assert list(DATASETS) == names.split()
    for name, dataset in DATASETS.items():
        assert dataset.name == name
        assert min(map(len, (dataset.description, dataset.used_for))) > 5
        assert all((dataset.licence, dataset.languages, dataset.systems, dataset.judgments))
        assert dataset.published.startswith("https://")
        # There is no archive of those that only a recipe makes.
        assert len(bytes.fromhex(dataset.sha256)) == (0 if name in built else 32)


def test_importing_the_room_loads_no_downloader_and_reads_no_catalog():
    code = (
        "import sys, cupel.data; names = 'urllib.request http.client tarfile zipfile gzip tomllib "
        "cupel.data.download cupel.data.places'.split(); print(*(n for n in names if n in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"


def test_the_counts_that_the_descriptions_give():
    systems = {
        name: sum(entry.count for entry in dataset.files if "system-outputs" in entry.pattern)
        for name, dataset in DATASETS.items()
        if dataset.kind == "wmt"
    }
    assert systems == {"wmt12": 103, "wmt13": 94, "wmt14": 48}
    for name, count in systems.items():
        assert f"{count} system outputs" in DATASETS[name].description
    assert sum(counts["trials"] for counts in DATASETS["mutt"].parts.values()) == 2217


def test_the_counts_of_the_table(pack):
    """Systems and judgments as the files have them."""
    for name in of_kind("graded"):
        try:
            folder = find(name)
        except MissingPart:
            continue
        outputs = list(folder.glob("system-outputs/*/*.txt"))
        scores = [
            line
            for path in folder.glob("human-scores/*.seg.score")
            for line in read_lines(path)
            if not line.endswith("\tNone")
        ]
        assert entry_of(name).systems == str(len(outputs))
        assert entry_of(name).judgments.startswith(f"{len(scores):,} grades (")
    for name in ("wmt15-rankings", "da15", "da17"):
        lines = sum(expected.lines or 0 for expected in DATASETS[name].files)
        assert DATASETS[name].judgments.startswith(f"{lines:,} ")


@pytest.mark.parametrize("name", DATASETS)
def test_the_size_on_disk(pack, name):
    files = [path for path in pack(name).rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    assert DATASETS[name].size == pytest.approx(size, rel=0.001)


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
