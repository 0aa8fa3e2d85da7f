"""The converters without the public files: packs go back into the public form and are built again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import published
import pytest

import snapshots
from cupel.data import DATASETS
from cupel.data.verify import problems
from cupel.errors import CupelError

FORMS: dict[str, Callable[[Path, Path], None]] = {
    "wmt12": published.wmt12,
    "wmt13": published.wmt13,
    "wmt14": published.wmt14,
    "da13": published.da13,
    "sick": published.sick,
    "mutt": published.mutt,
    "ud-english-ewt": published.ud_english_ewt,
}
MADE_UP = ("training_wmt1", "wmt12.RNK_results.csv", "sample-fr-en-train.csv", "dataset.tar.gz")
"""Parts of the paths of files that packs hold in another form only."""


def build(name: str, sources: Path, target: Path) -> Path:
    target.mkdir()
    folders = {
        repository.name: sources / repository.name for repository in DATASETS[name].repositories
    }
    DATASETS[name].convert(folders, target)
    return target


@pytest.mark.parametrize("name", FORMS)
def test_a_pack_is_built_again(name: str, tmp_path: Path, pack) -> None:
    FORMS[name](pack(name), tmp_path / "sources")
    built = build(name, tmp_path / "sources", tmp_path / "built")
    assert snapshots.differences(built, pack(name)) == []
    assert problems(DATASETS[name], built) == []
    assert (built / "README.md").read_text("utf-8").startswith("# ")
    for file in snapshots.listed(name):
        path = tmp_path / "sources" / file.repository / file.path
        assert path.is_file(), f"{path} is listed, but the pack does not lead back to it"
        if not any(part in file.path for part in MADE_UP):
            assert hashlib.sha256(path.read_bytes()).hexdigest() == file.sha256, file.path


@pytest.mark.parametrize("name", FORMS)
def test_lists_are_well_formed(name: str) -> None:
    files = snapshots.listed(name)
    places = [(file.repository, file.path) for file in files]
    assert places == sorted(set(places))
    assert {file.repository for file in files} == {
        repository.name for repository in DATASETS[name].repositories
    }
    assert all(len(file.sha256) == 64 and int(file.sha256, 16) and file.size for file in files)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CupelError, match=r"MUTT/data/sick has no file SICK\.txt"):
        build("sick", tmp_path / "sources", tmp_path / "built")


def test_a_missing_document_is_named(tmp_path: Path) -> None:
    folder = tmp_path / published.EWT / "not-to-release"
    published.write(folder / "sources/weblog/one.conllu", b"# newdoc id = weblog-one\n\n")
    published.write(folder / "file-lists/files.train", b"weblog/one.conllu\nweblog/two.conllu\n")
    with pytest.raises(CupelError, match=r"files\.train, line 2: .*'weblog/two\.conllu'"):
        build("ud-english-ewt", tmp_path, tmp_path / "built")


def test_a_document_outside_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / published.EWT / "not-to-release"
    published.write(folder / "file-lists/files.train", b"../file-lists/files.train\n")
    (folder / "sources").mkdir()
    with pytest.raises(CupelError, match=r"files\.train, line 1"):
        build("ud-english-ewt", tmp_path, tmp_path / "built")


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ("srclang,trglang\nCzech,English\n", "line 1: the columns srclang, trglang, srcIndex"),
        ('srclang,trglang\n"Czech,English\n', "line 2: this is not CSV"),
        ("srclang,trglang\nCzech\n", "line 2: 2 fields were expected"),
    ],
)
def test_other_judgments_are_refused(table: str, problem: str, tmp_path: Path) -> None:
    base = tmp_path / published.METEOR / "wmt_data"
    for name in ("references/newstest2012-ref.cs", "sources/newstest2012-src.cs",
                 "system-outputs/newstest2012/cs-en/newstest2012.cs-en.jhu"):  # fmt: skip
        published.write(base / "wmt12-data/plain" / name, b"a\n")
    published.write(base / "wmt12-manual-evaluation/wmt12.RNK_results.csv", table.encode())
    with pytest.raises(CupelError, match=rf"wmt12\.RNK_results\.csv, {problem}"):
        build("wmt12", tmp_path, tmp_path / "built")


def test_differences_are_seen(tmp_path: Path) -> None:
    for folder, files in (("one", "abd"), ("other", "acd")):
        for name in files:
            published.write(tmp_path / folder / name, b"" if name == "a" else folder.encode())
    assert snapshots.differences(tmp_path / "one", tmp_path / "other") == ["b", "c", "d"]
