"""Finding, adding and verifying datasets."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import packs
from cupel.data import DATASETS, add, find, verify
from cupel.data.find import locate
from cupel.errors import CupelError, MissingPart


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch) -> Path:
    """An empty data folder and cache; CUPEL_DATA names two folders, of which one is not there."""
    monkeypatch.setenv("CUPEL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    (tmp_path / "one").mkdir()
    listed = [tmp_path / "one", tmp_path / "gone"]
    monkeypatch.setenv("CUPEL_DATA", os.pathsep.join(map(str, [*listed, ""])))
    return tmp_path / "home" / "cupel"


def sentence(call, *arguments, **options) -> str:
    with pytest.raises(CupelError) as told:
        call(*arguments, **options)
    return str(told.value)


def test_a_missing_dataset(tmp_path, home):
    with pytest.raises(MissingPart) as told:
        find("wmt14")
    assert str(told.value) == (
        "The dataset wmt14 is not here (looked for wmt14/ and wmt14.tar.gz in "
        f"{tmp_path}/one, {tmp_path}/gone, {home}): run `cupel data get wmt14`."
    )


def test_an_unknown_dataset():
    assert sentence(find, "wmt99") == (
        f"There is no dataset 'wmt99'; there are {', '.join(DATASETS)}, sample."
    )
    assert sentence(find, "../one").startswith("There is no dataset '../one'; there are wmt12, ")


def test_a_folder_is_used_where_it_lies(tmp_path):
    packs.build(tmp_path / "one" / "sick", "sick")
    assert find("sick") == tmp_path / "one" / "sick"
    assert not (tmp_path / "cache").exists()


def test_an_archive_is_unpacked_into_the_cache(tmp_path):
    packs.pack_up(packs.build(tmp_path / "x", "sick"), tmp_path / "one" / "sick.tar.gz", "sick")
    folder = find("sick")
    assert folder.parent == tmp_path / "cache" / "data"
    assert (folder / "SICK.txt").read_bytes() == (tmp_path / "x" / "SICK.txt").read_bytes()
    assert locate("sick") == tmp_path / "one" / "sick.tar.gz"


def test_the_first_folder_of_the_list_comes_first_and_the_data_folder_last(
    tmp_path, home, monkeypatch
):
    for place in (home, tmp_path / "two", tmp_path / "one"):
        packs.build(place / "sick", "sick")
    assert find("sick") == tmp_path / "one" / "sick"
    monkeypatch.setenv("CUPEL_DATA", os.pathsep.join([f"{tmp_path}/two", f"{tmp_path}/one"]))
    assert find("sick") == tmp_path / "two" / "sick"
    monkeypatch.delenv("CUPEL_DATA")
    assert find("sick") == home / "sick"


def test_a_file_named_like_the_folder_is_not_a_dataset(tmp_path):
    (tmp_path / "one" / "sick").write_text("")
    (tmp_path / "one" / "sick.tar.gz").mkdir()
    assert locate("sick") is None


@pytest.mark.parametrize("name", DATASETS)
def test_a_whole_dataset_is_in_order(tmp_path, name):
    packs.build(tmp_path / "one" / name, name)
    report = verify(name)
    assert (report.name, report.folder) == (name, tmp_path / "one" / name)
    assert report.problems == ()


def test_verify_names_each_problem_with_both_counts(tmp_path):
    folder = packs.build(tmp_path / "one" / "wmt12", "wmt12")
    outputs = folder / "system-outputs" / "newstest2012"
    packs.write_lines(folder / "sources" / "newstest2012-src.de", 3)
    packs.write_lines(outputs / "cs-en" / "newstest2012.cs-en.system2", 5)
    packs.write_lines(folder / "judgments.csv", 12_339)
    (outputs / "fr-en" / "newstest2012.fr-en.system0").unlink()
    (outputs / "en-fr" / "newstest2012.en-fr.system1").write_bytes(b"a\nb\xff\nc\nd\n")
    (folder / "references" / "newstest2012-ref.es").write_bytes(b"")
    found = verify("wmt12").problems
    assert found[:6] == (
        "system-outputs/newstest2012/fr-en/newstest2012.*: 15 files expected, 14 found.",
        "judgments.csv: 12340 lines expected, 12339 found.",
        "references/newstest2012-ref.es is empty.",
        "system-outputs/newstest2012/cs-en/newstest2012.cs-en.system2: 4 lines expected, as in "
        "references/newstest2012-ref.en, 5 found.",
        "sources/newstest2012-src.de: 4 lines expected, as in references/newstest2012-ref.en, "
        "3 found.",
        "sources/newstest2012-src.en: 0 lines expected, as in references/newstest2012-ref.es, "
        "4 found.",
    )
    assert [problem.split(":")[0].split(".")[-1] for problem in found[6:17]] == [
        f"system{n}" for n in (0, 1, 10, 2, 3, 4, 5, 6, 7, 8, 9)
    ]
    assert len(found) == 18
    assert found[17].startswith("system-outputs/newstest2012/en-fr/newstest2012.en-fr.system1")


def test_verify_holds_a_campaign_against_its_sources(tmp_path):
    folder = packs.build(tmp_path / "one" / "ted21", "ted21")
    packs.write_lines(folder / "references" / "zh-en.0.txt", 530)
    packs.write_lines(folder / "system-outputs" / "en-de" / "12.txt", 528)
    packs.write_lines(folder / "documents" / "en-de.docs", 1)
    with (folder / "human-scores" / "zh-en.mqm.seg.score").open("a") as file:
        file.write("0\t-1\nref\tNone\n")
    (folder / "sources" / "en-de.txt").write_text("one\n" * 529)
    assert verify("ted21").problems == (
        "references/zh-en.0.txt: 529 lines expected, as in sources/zh-en.txt, 530 found.",
        "human-scores/zh-en.mqm.seg.score: 529 scores of 0 expected, as in sources/zh-en.txt, "
        "530 found.",
        "human-scores/zh-en.mqm.seg.score: there is no output of the system 'ref'.",
        "documents/en-de.docs: 529 lines expected, as in sources/en-de.txt, 1 found.",
        "system-outputs/en-de/12.txt: 529 lines expected, as in sources/en-de.txt, 528 found.",
    )
    (folder / "sources" / "zh-en.txt").unlink()
    assert verify("ted21").problems[:1] == ("sources/zh-en.txt: 1 file expected, 0 found.",)


@pytest.mark.parametrize(
    ("part", "content", "problem"),
    [
        (
            "a",
            "[]",
            "trials/passive_b.json does not hold the same trials as trials/passive_a.json: 0, ",
        ),
        ("b", "[{}]", "trials/passive_b.json is not in COCO caption form: "),
        ("r5", '{"annotations": 3}', "trials/passive_r5.json is not in COCO caption form: "),
        ("r5", "[\n{", "trials/passive_r5.json, line 2, column 2: this is not JSON"),
        (
            "r10",
            '[{"image_id": 0, "caption": "one"}]',
            "trials/passive_r10.json does not hold the same trials as trials/passive_a.json: "
            "214, numbered from 0, were expected, 1 found.",
        ),
    ],
)
def test_verify_reads_the_trials(tmp_path, part, content, problem):
    folder = packs.build(tmp_path / "one" / "mutt", "mutt")
    (folder / "trials" / f"passive_{part}.json").write_text(content)
    assert verify("mutt").problems[0].startswith(problem)


def test_add_a_folder(tmp_path, home):
    source = packs.build(tmp_path / "wmt14", "wmt14")
    (source / ".git").mkdir()
    (added,) = add(source)
    assert (added.name, added.folder, added.already) == ("wmt14", home / "wmt14", False)
    assert verify("wmt14").folder == home / "wmt14"
    assert verify("wmt14").ok
    assert not (home / "wmt14" / ".git").exists()


def test_add_an_archive_of_another_name(tmp_path, home):
    folder = packs.build(tmp_path / "x", "mutt")
    archive = packs.pack_up(folder, tmp_path / "download.tar.gz", "MUTT-master")
    (added,) = add(archive)
    assert (added.name, added.folder) == ("mutt", home / "mutt")
    assert added.origin == f"{archive} is the dataset mutt."
    assert find("mutt") == home / "mutt"


def test_add_twice(tmp_path, home):
    source = packs.build(tmp_path / "sick", "sick")
    assert not add(source)[0].already
    shutil.rmtree(source)
    (again,) = add(source)
    assert again.already
    assert again.folder == home / "sick"


def test_add_refuses_what_does_not_check_out(tmp_path, home):
    source = packs.build(tmp_path / "da13", "da13")
    (source / "ref.fr-en").unlink()
    packs.write_lines(source / "sys.fr-en", 7)
    expected = (
        "is not da13: ref.fr-en: 1 file expected, 0 found; sys.fr-en: 70 lines expected, 7 found."
    )
    assert sentence(add, source) == f"{source} {expected}"
    archive = packs.pack_up(source, tmp_path / "da13.tar.gz", "da13")
    assert sentence(add, archive) == f"{archive} {expected}"
    assert list(home.iterdir()) == []


def test_add_the_wrong_folder_says_the_first_things_that_are_missing(tmp_path):
    (tmp_path / "wmt13").mkdir()
    assert sentence(add, tmp_path / "wmt13") == (
        f"{tmp_path}/wmt13 is not wmt13: judgments.csv: 1 file expected, 0 found; "
        "references/newstest2013-ref.*: 6 files expected, 0 found; "
        "sources/newstest2013-src.*: 6 files expected, 0 found; and 5 more."
    )


def test_add_nothing_under_no_known_name(tmp_path):
    assert sentence(add, tmp_path / "absent") == (
        f"{tmp_path}/absent does not exist: give the folder or archive (.tar.gz, .tgz, .zip) to add."
    )


def test_add_nothing(tmp_path):
    assert sentence(add, tmp_path / "sick") == (
        f"{tmp_path}/sick does not exist: give the folder or archive (.tar.gz, .tgz, .zip) to add."
    )


def test_add_where_nothing_can_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    source = packs.build(tmp_path / "sick", "sick")
    assert sentence(add, source) == (
        f"{tmp_path}/file/cupel/sick cannot be written: a part of that path is a file, not a "
        "folder; choose another name."
    )


def test_add_into_a_read_only_folder(tmp_path, home):
    home.mkdir(parents=True)
    home.chmod(0o555)
    if os.access(home, os.W_OK):
        pytest.skip("this user may write into read-only folders, as root does")
    source = packs.build(tmp_path / "sick", "sick")
    assert sentence(add, source) == (
        f"{home}/sick cannot be written: permission is denied; choose another folder or change "
        "its permissions."
    )
    home.chmod(0o755)


def test_add_what_cannot_be_read(tmp_path, home):
    source = packs.build(tmp_path / "ud-english-ewt", "ud-english-ewt")
    (source / "extra").write_text("")
    (source / "extra").chmod(0o000)
    if os.access(source / "extra", os.R_OK):
        pytest.skip("this user may read everything, as root does")
    assert sentence(add, source) == f"{source}/extra cannot be read: Permission denied."
    assert list(home.iterdir()) == []
