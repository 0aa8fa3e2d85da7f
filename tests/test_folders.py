"""Where things live, and that a write is whole or not at all."""

from __future__ import annotations

import errno
import os
import resource
import stat
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

from cupel import folders
from cupel.errors import CupelError


def entries(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"CUPEL_CACHE": "/c/own", "XDG_CACHE_HOME": "/x"}, "/c/own"),
        ({"XDG_CACHE_HOME": "/x"}, "/x/cupel"),
        ({"XDG_CACHE_HOME": "relative"}, "/home/me/.cache/cupel"),
        ({"CUPEL_CACHE": "", "XDG_CACHE_HOME": ""}, "/home/me/.cache/cupel"),
        ({"CUPEL_CACHE": "~/mine"}, "/home/me/mine"),
    ],
)
def test_cache_folder(monkeypatch, variables, expected):
    for name in ("CUPEL_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "/home/me", **variables}.items():
        monkeypatch.setenv(name, value)
    assert folders.cache_folder() == Path(expected)


def test_data_folder(monkeypatch):
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setenv("XDG_DATA_HOME", "/x")
    assert folders.data_folder() == Path("/x/cupel")
    monkeypatch.delenv("XDG_DATA_HOME")
    assert folders.data_folder() == Path("/home/me/.local/share/cupel")


def test_writing_makes_the_folder_and_leaves_only_the_file(tmp_path):
    target = tmp_path / "deep" / "er" / "scores.tsv"
    with folders.writing(target) as beside:
        assert beside.parent == target.parent
        assert beside.suffix == ".tsv"
        beside.write_text("whole")
        assert not target.exists()
    assert target.read_text() == "whole"
    assert entries(target.parent) == ["scores.tsv"]


def test_a_writer_that_looks_at_the_suffix_finds_it(tmp_path):
    target = tmp_path / "statistics.npz"
    with folders.writing(target) as beside:
        np.savez(beside, a=np.arange(3))
    assert np.load(target)["a"].tolist() == [0, 1, 2]
    assert entries(tmp_path) == ["statistics.npz"]


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt(), SystemExit(3)])
def test_an_exception_leaves_the_old_file(tmp_path, error):
    target = tmp_path / "scores.tsv"
    target.write_text("old")

    def write() -> None:
        with folders.writing(target) as beside:
            beside.write_text("half of the n")
            raise error

    with pytest.raises(type(error)):
        write()
    assert target.read_text() == "old"
    assert entries(tmp_path) == ["scores.tsv"]


def test_a_new_file_has_the_usual_permissions(tmp_path):
    umask = os.umask(0o022)
    try:
        folders.write_text(tmp_path / "a.txt", "a")
    finally:
        os.umask(umask)
    assert stat.S_IMODE((tmp_path / "a.txt").stat().st_mode) == 0o644


def test_line_ends_are_written_as_they_are(tmp_path):
    folders.write_text(tmp_path / "a.txt", "a\r\nb\n\u2028")
    assert (tmp_path / "a.txt").read_bytes() == b"a\r\nb\n\xe2\x80\xa8"


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    folders.write_bytes(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_a_folder_is_not_overwritten(tmp_path):
    with pytest.raises(CupelError) as told, folders.writing(tmp_path):
        pass
    assert str(told.value) == f"{tmp_path} cannot be written: it exists and is not a file."


def test_a_file_in_the_way_of_a_folder(tmp_path):
    (tmp_path / "file").write_text("")
    target = tmp_path / "file" / "scores.tsv"
    with pytest.raises(CupelError) as told:
        folders.write_text(target, "")
    assert str(told.value) == (
        f"{target} cannot be written: a part of that path is a file, not a folder; "
        "choose another name."
    )


def test_a_name_that_is_too_long(tmp_path):
    target = tmp_path / ("n" * 300)
    with pytest.raises(CupelError) as told:
        folders.write_text(target, "")
    assert str(told.value) == (
        f"{target} cannot be written: the name is too long; choose another name."
    )
    assert entries(tmp_path) == []


@pytest.mark.parametrize("check", [folders.check_writable, folders.check_fillable])
def test_what_can_be_written_passes_and_nothing_is_left(tmp_path, check):
    check(tmp_path / "new")
    check(tmp_path / "deep" / "er" / "new")
    assert entries(tmp_path) == []


def test_checks_find_what_writing_would(tmp_path):
    (tmp_path / "file").write_text("old")
    folders.check_writable(tmp_path / "file")
    in_the_way = "a part of that path is a file, not a folder; choose another name."
    for check, target, sentence in (
        (folders.check_writable, tmp_path, "it exists and is not a file."),
        (folders.check_writable, tmp_path / "file" / "deep" / "er", in_the_way),
        (folders.check_fillable, tmp_path / "file", in_the_way),
        (folders.check_fillable, tmp_path / "file" / "deep", in_the_way),
        (
            folders.check_writable,
            tmp_path / ("n" * 300),
            "the name is too long; choose another name.",
        ),
    ):
        with pytest.raises(CupelError) as told:
            check(target)
        assert str(told.value) == f"{target} cannot be written: {sentence}"
    assert (tmp_path / "file").read_text() == "old"
    assert entries(tmp_path) == ["file"]


def test_a_read_only_folder(tmp_path):
    tmp_path.chmod(0o555)
    if os.access(tmp_path, os.W_OK):
        pytest.skip("this user may write into read-only folders, as root does")
    target = tmp_path / "scores.tsv"
    for write in (folders.writing, folders.writing_folder):
        with pytest.raises(CupelError) as told, write(target):
            pytest.fail("the block must not run where nothing can be written")
        assert str(told.value) == (
            f"{target} cannot be written: permission is denied; choose another folder or change "
            "its permissions."
        )
    for check in (folders.check_writable, folders.check_fillable):
        with pytest.raises(CupelError, match="permission is denied"):
            check(target)
    tmp_path.chmod(0o755)


def test_a_read_only_disk(tmp_path, monkeypatch):
    def refuse(path, *arguments, **options):
        raise OSError(errno.EROFS, "Read-only file system", str(path))

    monkeypatch.setattr(Path, "mkdir", refuse)
    target = tmp_path / "new" / "folder"
    with pytest.raises(CupelError) as told, folders.writing_folder(target):
        pass
    assert str(told.value) == (
        f"{target} cannot be written: the disk is read-only; choose another folder."
    )


def _write_too_much(target: Path, answers) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    try:
        folders.write_bytes(target, b"x" * 5000)
    except CupelError as error:
        answers.put(str(error))


def test_a_disk_that_takes_no_more(tmp_path):
    target = tmp_path / "scores.bin"
    target.write_bytes(b"old")
    context = get_context("spawn")
    answers = context.SimpleQueue()
    process = context.Process(target=_write_too_much, args=(target, answers))
    process.start()
    process.join()
    assert answers.get() == (
        f"{target} cannot be written: the file would be too large for the disk; "
        "free some space there and try again."
    )
    assert target.read_bytes() == b"old"
    assert entries(tmp_path) == ["scores.bin"]


@pytest.mark.parametrize("filename", [None, "/elsewhere/source.txt"])
def test_a_full_disk(tmp_path, filename):
    target = tmp_path / "scores.bin"
    with pytest.raises(CupelError) as told, folders.writing(target):
        raise OSError(errno.ENOSPC, "No space left on device", filename)
    assert str(told.value) == (
        f"{target} cannot be written: the disk is full; free some space there and try again."
    )
    assert entries(tmp_path) == []


def test_trouble_with_another_file_is_not_blamed_on_this_one(tmp_path):
    with pytest.raises(FileNotFoundError), folders.writing(tmp_path / "out"):
        Path("/no/such/input").read_text()
    with pytest.raises(PermissionError), folders.writing(tmp_path / "out"):
        raise PermissionError(errno.EACCES, "Permission denied", "/some/input")
    assert entries(tmp_path) == []


def test_a_folder_appears_whole(tmp_path):
    target = tmp_path / "deep" / "made"
    with folders.writing_folder(target) as beside:
        (beside / "inner").mkdir()
        (beside / "inner" / "a").write_text("a")
        assert not target.exists()
    assert (target / "inner" / "a").read_text() == "a"
    assert entries(target.parent) == ["made"]


def test_a_folder_that_was_interrupted_is_gone(tmp_path):
    def write() -> None:
        with folders.writing_folder(tmp_path / "made") as beside:
            (beside / "a").write_text("a")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()
    assert entries(tmp_path) == []


def test_the_second_of_two_folders_is_discarded(tmp_path):
    target = tmp_path / "made"
    with folders.writing_folder(target) as loser:
        (loser / "a").write_text("loser")
        with folders.writing_folder(target) as winner:
            (winner / "a").write_text("winner")
    assert (target / "a").read_text() == "winner"
    assert entries(tmp_path) == ["made"]


def test_a_file_where_the_folder_should_be(tmp_path):
    target = tmp_path / "made"
    target.write_text("a file")
    with pytest.raises(CupelError) as told, folders.writing_folder(target) as beside:
        (beside / "a").write_text("a")
    assert str(told.value) == (
        f"{target} cannot be written: a part of that path is a file, not a folder; "
        "choose another name."
    )
    assert entries(tmp_path) == ["made"]


def test_what_killed_processes_left_behind_is_swept(tmp_path):
    old, young, other = (tmp_path / name for name in (".cupel-old", ".cupel-young", ".mine"))
    for folder in (old, young, other):
        folder.mkdir()
        (folder / "half").write_text("written")
    (tmp_path / ".cupel-file").write_text("half")
    for entry in (old, other, tmp_path / ".cupel-file"):
        os.utime(entry, (0, 0))
    with folders.writing_folder(tmp_path / "new") as beside:
        (beside / "file").write_text("whole")
    assert entries(tmp_path) == [".cupel-young", ".mine", "new"]
