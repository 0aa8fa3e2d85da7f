"""`cupel data add`: what it recognises, and what it says of anything else."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import cupel
import packs
import sacrebleu_cache
import snapshots
from cupel.corpus import Corpus
from cupel.data import add, load_test_set, verify
from cupel.errors import CupelError
from cupel.reading import read_lines
from sacrebleu_cache import Texts, write

SOURCE = ["Ein Hund & eine Katze.", "Zwei.", "Drei."]
TARGET = ["A dog & a cat.", "Two.", "Three."]


@pytest.fixture(scope="module")
def wmt12(pack: Callable[[str], Path]) -> Path:
    return pack("wmt12")


@pytest.fixture(scope="module")
def texts(newstest: Callable[[str, str], Corpus]) -> Texts:
    return sacrebleu_cache.real_texts(newstest("wmt14", "de-en"))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CUPEL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CUPEL_DATA", "")
    monkeypatch.setenv("SACREBLEU", str(tmp_path / "no-cache"))
    return tmp_path / "home" / "cupel"


def sentence(path: Path, name: str | None = None) -> str:
    with pytest.raises(CupelError) as error:
        add(path, name)
    return str(error.value)


def campaign(folder: Path) -> Path:
    write(folder / "sources" / "de-en.txt", SOURCE)
    write(folder / "references" / "de-en.refA.txt", TARGET)
    write(folder / "references" / "de-en.refB.txt", [text.lower() for text in TARGET])
    for number, system in enumerate(("good", "bad")):
        texts = [text[number:] for text in TARGET]
        write(folder / "system-outputs" / "de-en" / f"{system}.txt", texts)
    scores = [f"{system}\t{value}" for system in ("good", "bad") for value in (3, 1, 2)]
    write(folder / "human-scores" / "de-en.mqm.seg.score", scores)
    write(folder / "documents" / "de-en.docs", ["news\tone", "news\tone", "talk\ttwo"])
    return folder


def sgm(texts: list[str], kind: str) -> list[str]:
    return sacrebleu_cache.sgm(texts, kind, "newstest2019")


def rows(name: str, *fields: str, **options: str) -> list[list[str]]:
    return list(load_test_set(name, "de-en", **options).rows(fields))


def test_a_campaign_is_found_by_its_name(tmp_path: Path, home: Path) -> None:
    folder = campaign(tmp_path / "mine")
    (added,) = add(folder)
    assert (added.name, added.folder, added.already) == ("mine", home / "mine", False)
    assert added.origin == f"{folder} is a campaign in the layout of mt-metrics-eval (de-en)."
    shutil.rmtree(folder)
    assert rows("mine", "src", "ref", "docid") == [
        [source, target, document]
        for source, target, document in zip(SOURCE, TARGET, ("one", "one", "two"), strict=True)
    ]
    assert rows("mine", "ref:B", subset="talk") == [["three."]]
    assert [len(refs) for refs in load_test_set("mine", "de-en").corpus({"x": TARGET}).references] == [
        2, 2, 2
    ]  # fmt: skip
    one = load_test_set("mine/B", "de-en").corpus({"x": TARGET})
    assert (one.number_of_references, one.test_set["test"]) == (1, "mine/B")
    evaluation = cupel.evaluate("mine", "chrf", pairs=["de-en"])
    assert "chrf" in str(evaluation.rows())


def test_a_campaign_with_a_line_too_few(tmp_path: Path, home: Path) -> None:
    folder = campaign(tmp_path / "mine")
    bad = write(folder / "system-outputs" / "de-en" / "bad.txt", TARGET[:2])
    assert sentence(folder) == f"{folder}/sources/de-en.txt has 3 segments, but {bad} has 2."
    assert sentence(folder, "a/b") == "'a/b' is not a name: use letters, digits, - and _ (--name)."
    assert list(home.glob("*")) == []


@pytest.mark.parametrize("form", ["folder", "tgz", "zip"])
def test_a_release_of_wmt_in_sgm(tmp_path: Path, home: Path, form: str) -> None:
    release = tmp_path / "test"
    write(release / "sgm" / "newstest2019-deen-src.de.sgm", sgm(SOURCE, "src"))
    write(release / "sgm" / "newstest2019-deen-ref.en.sgm", sgm(TARGET, "ref"))
    write(release / "sgm" / "newstestB2019-deen-ref.en.sgm", sgm(TARGET[::-1], "ref"))
    write(release / "de-en" / "newstest2019.online.0.de-en", TARGET)
    source = release
    if form == "tgz":
        source = packs.pack_up(release, tmp_path / "test.tgz", "./test")
    elif form == "zip":
        source = Path(shutil.make_archive(str(tmp_path / "test"), "zip", release))
    (added,) = add(source)
    assert (added.name, added.folder) == ("newstest2019", home / "newstest2019")
    assert added.origin == f"{source} holds the official test set newstest2019."
    assert rows("newstest2019", "src", "ref:A", "ref:B", "docid", "domain", "origlang") == [
        [source, target, other, "news.0", "news", "de"]
        for source, target, other in zip(SOURCE, TARGET, TARGET[::-1], strict=True)
    ]
    output = home / "newstest2019" / "system-outputs" / "de-en" / "newstest2019.online.0.de-en.txt"
    assert output.read_text("utf-8").splitlines() == TARGET


def test_a_release_of_wmt_in_xml(tmp_path: Path, home: Path) -> None:
    texts = Texts(SOURCE, TARGET, TARGET, TARGET[::-1])
    write(
        tmp_path / "new" / "xml" / "newstest2021.de-en.all.xml",
        sacrebleu_cache.xml(texts, "x", True),
    )
    (added,) = add(tmp_path / "new", "wmt21-news")
    assert added.folder == home / "wmt21-news"
    assert rows("wmt21-news", "ref:A", "ref:C", "domain", "origlang") == [
        [one, other, "news", "de"] for one, other in zip(TARGET, TARGET[::-1], strict=True)
    ]


def test_the_official_wmt12_is_the_dataset(tmp_path: Path, home: Path, wmt12: Path) -> None:
    release = tmp_path / "wmt_data"
    for part in ("sources", "references", "system-outputs"):
        shutil.copytree(
            wmt12 / part, release / "wmt12-data" / "plain" / part, copy_function=os.symlink
        )
    shutil.copy(wmt12 / "judgments.csv", release / "wmt12.RNK_results.csv")
    (release / "wmt12-data" / "plain" / "sources" / ".DS_Store").write_bytes(b"\0")
    (added,) = add(release)
    assert (
        added.origin
        == f"{release} is the official release of newstest2012 with its judgments: wmt12."
    )
    assert verify("wmt12").ok
    for path in (path for path in wmt12.rglob("newstest2012*") if path.is_file()):
        assert read_lines(home / "wmt12" / path.relative_to(wmt12)) == read_lines(path)
    assert sentence(release, "sick").startswith(f"{release} is not sick: SICK.txt: 1 file expected")
    # Without one system it is no longer the dataset, but still a test set.
    shutil.rmtree(home)
    next((release / "wmt12-data").rglob("newstest2012.cs-en.onlineA")).unlink()
    different = "system-outputs/newstest2012/cs-en/newstest2012.*: 6 files expected, 5 found."
    assert sentence(release, "wmt12") == f"{release} is not wmt12: {different}"
    (added,) = add(release)
    assert added.name == "newstest2012"
    assert added.origin == (
        f"{release} holds the official test set newstest2012; it is not the dataset wmt12: "
        f"{different}"
    )
    assert [path.name for path in home.iterdir()] == ["newstest2012"]


def test_a_release_whose_texts_do_not_match(tmp_path: Path, home: Path) -> None:
    write(tmp_path / "x" / "newstest2019-deen-src.de", SOURCE)
    write(tmp_path / "x" / "newstest2019-deen-ref.en", TARGET[:1])
    archive = packs.pack_up(tmp_path / "x", tmp_path / "x.tar.gz", "x")
    assert sentence(archive) == (
        f"{archive}/x/newstest2019-deen-src.de has 3 segments, "
        f"but {archive}/x/newstest2019-deen-ref.en has 1."
    )
    assert list(home.glob("*")) == []


def test_a_cache_of_sacrebleu(
    tmp_path: Path, home: Path, texts: Texts, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = sacrebleu_cache.build(tmp_path / "colleague", texts)
    monkeypatch.setenv("SACREBLEU", str(cache))
    expected = rows("wmt20/tworefs", "all")
    added = add(cache)
    names = "mtnt2019, multi30k/2018, wmt14/full, wmt17, wmt18, wmt20/tworefs, wmt21/systems, wmt22"
    assert {one.origin for one in added} == {
        f"{cache} is a cache of sacreBLEU with the test sets {names}; it is read where it is."
    }
    monkeypatch.setenv("SACREBLEU", str(tmp_path / "no-cache"))
    assert [one.already for one in add(cache, "wmt14/full")] == [False]
    assert [one.name for one in add(cache) if not one.already] == [
        name for name in names.split(", ") if name != "wmt14/full"
    ]
    assert [one.already for one in add(cache / "wmt17")] == [True]
    shutil.rmtree(cache)
    assert rows("wmt20/tworefs", "all") == expected
    assert (home / "sacrebleu" / "wmt14_full" / "wmt14" / "full" / "wmt14_full.de-en.ref").is_file()


def test_a_damaged_cache_adds_nothing(tmp_path: Path, home: Path) -> None:
    folder = tmp_path / "cache2" / "wmt17"
    write(folder / "wmt17.de-en.src", SOURCE)
    write(folder / "wmt17.de-en.ref", TARGET[:2])
    assert sentence(folder.parent) == (
        "The test set wmt17 (de-en) is damaged: its field ref has 2 segments, the source has 3 (in "
        f"{folder}): remove it and get it again."
    )
    assert not any(home.rglob("wmt17*"))


def test_a_clone(tmp_path: Path, home: Path) -> None:
    (folder,) = snapshots.stage("sick", tmp_path / "clones").values()
    (added,) = add(folder)
    assert (added.name, added.already) == ("sick", False)
    assert added.origin == f"{folder} is a clone of a repository from which Cupel builds sick."
    assert verify("sick").ok
    assert add(folder, "sick")[0].already


def test_a_clone_that_lacks_a_file(tmp_path: Path, home: Path) -> None:
    """Its origin says what it is; the files of the recipe are not there."""
    folder = tmp_path / "MUTT"
    subprocess.run(["git", "init", "-q", folder], check=True)
    origin = "https://github.com/text-machine-lab/MUTT.git"
    subprocess.run(["git", "-C", folder, "remote", "add", "origin", origin], check=True)
    assert sentence(folder, "sick").endswith(": it does not have data/sick/SICK.txt.")
    assert list(home.glob("*")) == []


def test_anything_else(tmp_path: Path) -> None:
    write(tmp_path / "x" / "notes.txt", SOURCE)
    assert sentence(tmp_path / "x") == (
        f"{tmp_path}/x is not recognised: it is no dataset ({', '.join(cupel.data.DATASETS)}), has no "
        "sources/ and references/ as mt-metrics-eval's folders have, no newstest files of WMT (.sgm, .xml "
        "or plain), no test set of sacreBLEU's cache, and is no clone of a repository that datasets are "
        "made from."
    )
    assert sentence(tmp_path / "x" / "notes.txt") == (
        f"{tmp_path}/x/notes.txt is neither a folder nor an archive (.tar.gz, .tgz, .zip)."
    )


def test_archives_that_lead_out_are_refused(tmp_path: Path, home: Path) -> None:
    bad_zip, bad_tar, broken = tmp_path / "a.zip", tmp_path / "a.tgz", tmp_path / "b.zip"
    with zipfile.ZipFile(bad_zip, "w") as archive:
        archive.writestr("../../evil.txt", "x")
    with tarfile.open(bad_tar, "w:gz") as tar:
        link = tarfile.TarInfo("x/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    with zipfile.ZipFile(tmp_path / "link.zip", "w") as archive:
        member = zipfile.ZipInfo("link")
        member.external_attr = 0o120777 << 16
        archive.writestr(member, "/etc/passwd")
    broken.write_bytes(bad_zip.read_bytes()[:40])
    assert "'../../evil.txt' would be written outside" in sentence(bad_zip)
    assert "is a symbolic link to '/etc/passwd'" in sentence(bad_tar)
    assert sentence(tmp_path / "link.zip").endswith(
        "its member 'link' is a symbolic link; only plain files and folders are unpacked."
    )
    assert sentence(broken).startswith(f"{broken} is damaged or incomplete (")
    assert list(home.glob("*")) == []
    assert not list(tmp_path.rglob("evil*"))
