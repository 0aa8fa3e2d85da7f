"""Unpacking: what is refused, what is damaged, and what happens when processes race or die."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import tarfile
import time
from multiprocessing import get_context
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cupel.checksums import sha256_of
from cupel.data import archives
from cupel.data.archives import unpack, unpack_once
from cupel.errors import CupelError
from cupel.folders import writing_folder


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("CUPEL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def file(name: str, content: bytes = b"text\n", **fields) -> tuple[tarfile.TarInfo, bytes]:
    member = tarfile.TarInfo(name)
    member.size = len(content)
    for field, value in fields.items():
        setattr(member, field, value)
    return member, content


def special(name: str, kind: bytes, linkname: str = "") -> tuple[tarfile.TarInfo, bytes]:
    return file(name, b"", type=kind, linkname=linkname)


def plain_tar(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for member, content in members:
            tar.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def archive_of(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    path.write_bytes(gzip.compress(plain_tar(*members), mtime=0))
    return path


def refusal(archive: Path, folder: Path, **options) -> str:
    folder.mkdir()
    with pytest.raises(CupelError) as told:
        unpack(archive, folder, **options)
    return str(told.value)


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_the_top_folder_is_dropped(tmp_path):
    archive = archive_of(
        tmp_path / "p.tar.gz",
        special("./", tarfile.DIRTYPE),
        special("./pack/", tarfile.DIRTYPE),
        file("./pack/README.md", b"read\n"),
        file("pack/deep/er/file", b"a\r\nb", mode=0o4777),
        special("pack/empty", tarfile.DIRTYPE),
    )
    (tmp_path / "out").mkdir()
    unpack(archive, tmp_path / "out")
    assert tree(tmp_path / "out") == {"README.md": b"read\n", "deep/er/file": b"a\r\nb"}
    assert (tmp_path / "out" / "empty").is_dir()
    assert not (tmp_path / "out" / "deep/er/file").stat().st_mode & 0o7111


@pytest.mark.parametrize(
    "name",
    ["/etc/passwd", "pack/../../outside", "..", "pack\\..\\outside", "c:/windows"],
)
def test_a_name_that_escapes(tmp_path, name):
    archive = archive_of(tmp_path / "p.tar.gz", file("pack/a"), file(name))
    assert refusal(archive, tmp_path / "out") == (
        f"{archive} is refused: its member {name!r} would be written outside the dataset's folder."
    )
    assert not (tmp_path / "outside").exists()


@given(
    names=st.lists(
        st.lists(st.sampled_from(["..", ".", "", "pack", "a", "é"]), min_size=1, max_size=5).map(
            "/".join
        ),
        max_size=4,
    )
)
def test_whatever_the_names_nothing_is_written_outside(tmp_path_factory, names):
    place = tmp_path_factory.mktemp("names")
    archive = archive_of(place / "p.tar.gz", *(file(name) for name in names))
    (place / "deep" / "out").mkdir(parents=True)
    with contextlib.suppress(CupelError):
        unpack(archive, place / "deep" / "out")
    assert [path.name for path in place.iterdir()] in (["p.tar.gz", "deep"], ["deep", "p.tar.gz"])
    assert [path.name for path in (place / "deep").iterdir()] == ["out"]


@pytest.mark.parametrize(
    ("member", "kind"),
    [
        (special("pack/x", tarfile.SYMTYPE, "/etc/passwd"), "a symbolic link to '/etc/passwd'"),
        (special("pack/x", tarfile.SYMTYPE, "a"), "a symbolic link to 'a'"),
        (special("pack/x", tarfile.LNKTYPE, "pack/a"), "a hard link to 'pack/a'"),
        (special("pack/x", tarfile.CHRTYPE), "a device or pipe"),
        (special("pack/x", tarfile.BLKTYPE), "a device or pipe"),
        (special("pack/x", tarfile.FIFOTYPE), "a device or pipe"),
    ],
)
def test_links_and_devices(tmp_path, member, kind):
    archive = archive_of(tmp_path / "p.tar.gz", file("pack/a"), member)
    assert refusal(archive, tmp_path / "out") == (
        f"{archive} is refused: its member 'pack/x' is {kind}; only plain files and folders are "
        "unpacked."
    )


@pytest.mark.parametrize("second", ["other/b", "loose"])
def test_more_than_one_folder(tmp_path, second):
    archive = archive_of(tmp_path / "p.tar.gz", file("pack/a"), file(second))
    assert refusal(archive, tmp_path / "out") == (
        f"{archive} is refused: a dataset's archive holds one folder, but this one holds "
        f"{second!r} outside of 'pack'."
    )


def test_no_files(tmp_path):
    archive = archive_of(tmp_path / "p.tar.gz")
    assert refusal(archive, tmp_path / "out") == f"{archive} is refused: it holds no files."


@pytest.mark.parametrize(
    "members",
    [
        (file("pack/a"), file("pack/a", b"again")),
        (file("pack/a"), file("pack/a/b")),
        (file("pack/a/b"), file("pack/a")),
    ],
)
def test_the_same_name_twice(tmp_path, members):
    archive = archive_of(tmp_path / "p.tar.gz", *members)
    assert refusal(archive, tmp_path / "out") == (
        f"{archive} is refused: it holds {members[1][0].name!r} twice."
    )


def test_a_bomb(tmp_path):
    archive = archive_of(tmp_path / "p.tar.gz", file("pack/zeros", bytes(3_000_000)))
    assert archive.stat().st_size < 10_000
    assert refusal(archive, tmp_path / "out", max_bytes=1_000_000) == (
        f"{archive} is refused: it unpacks to more than 1,000,000 bytes, far more than any known "
        "dataset."
    )
    assert tree(tmp_path / "out") == {}


def test_too_many_files(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "MAX_MEMBERS", 5)
    archive = archive_of(tmp_path / "p.tar.gz", *(file(f"pack/{n}") for n in range(6)))
    assert refusal(archive, tmp_path / "out") == (
        f"{archive} is refused: it holds more than 5 files, far more than any known dataset."
    )


def some_members() -> list[tuple[tarfile.TarInfo, bytes]]:
    # Content that does not compress, so that a cut at any tenth is in the middle of a file.
    return [file(f"pack/{n}", os.urandom(3000)) for n in range(5)]


@pytest.mark.parametrize("kept", [0, 5, 100, 5000, -20, -1])
def test_a_truncated_archive(tmp_path, kept):
    archive = archive_of(tmp_path / "p.tar.gz", *some_members())
    archive.write_bytes(archive.read_bytes()[:kept])
    told = refusal(archive, tmp_path / "out")
    assert told.startswith(f"{archive} is damaged or incomplete (")
    assert told.endswith("): get it again.")


def test_one_wrong_byte(tmp_path):
    archive = archive_of(tmp_path / "p.tar.gz", *some_members())
    content = bytearray(archive.read_bytes())
    content[len(content) // 2] ^= 0x01
    archive.write_bytes(bytes(content))
    told = refusal(archive, tmp_path / "out")
    assert told.startswith(f"{archive} is damaged or incomplete (")
    assert told.endswith("): get it again.")


def test_not_an_archive_at_all(tmp_path):
    archive = tmp_path / "p.tar.gz"
    archive.write_text("<html>404</html>")
    assert refusal(archive, tmp_path / "out") == (
        f"{archive} is damaged or incomplete (not a gzipped file (b'<h')): get it again."
    )


@pytest.mark.parametrize("kept", [512 * 3, 512 * 8, 512 * 7 + 100])
def test_a_tar_cut_before_it_was_compressed(tmp_path, kept):
    """The gzip layer is in order; only the missing end tells."""
    archive = tmp_path / "p.tar.gz"
    archive.write_bytes(gzip.compress(plain_tar(*some_members())[:kept]))
    told = refusal(archive, tmp_path / "out")
    assert told.startswith(f"{archive} is damaged or incomplete (")


def test_a_damaged_header_in_the_middle_is_not_the_end(tmp_path):
    content = bytearray(plain_tar(*some_members()))
    content[7 * 512] ^= 0xFF  # the second member's header
    archive = tmp_path / "p.tar.gz"
    archive.write_bytes(gzip.compress(bytes(content)))
    assert refusal(archive, tmp_path / "out") == (
        f"{archive} is damaged or incomplete (the end of the archive is missing): get it again."
    )


def test_a_missing_archive(tmp_path):
    archive = tmp_path / "p.tar.gz"
    assert refusal(archive, tmp_path / "out") == (
        f"{archive} cannot be read: No such file or directory."
    )


def test_once(tmp_path, cache, monkeypatch):
    archive = archive_of(tmp_path / "pack.tar.gz", file("pack/a", b"1"))
    first = unpack_once(archive, "pack")
    assert first == cache / "data" / f"pack-{sha256_of(archive)[:12]}"
    assert tree(first) == {"a": b"1"}
    monkeypatch.setattr(archives, "unpack", lambda *_: pytest.fail("unpacked again"))
    assert unpack_once(archive, "pack") == first


def test_another_archive_of_that_name_has_a_place_of_its_own(tmp_path):
    archive = archive_of(tmp_path / "pack.tar.gz", file("pack/a", b"1"))
    first = unpack_once(archive, "pack")
    archive_of(archive, file("pack/a", b"22"))
    second = unpack_once(archive, "pack")
    assert (tree(first), tree(second)) == ({"a": b"1"}, {"a": b"22"})


def test_a_refused_archive_leaves_nothing_in_the_cache(tmp_path, cache):
    archive = archive_of(tmp_path / "pack.tar.gz", file("pack/a"), file("../b"))
    with pytest.raises(CupelError):
        unpack_once(archive, "pack")
    assert list((cache / "data").iterdir()) == []


def _unpack_at(moment: float, archive: Path, answers) -> None:
    time.sleep(max(0.0, moment - time.time()))
    answers.put(str(unpack_once(archive, "pack")))


def test_processes_that_start_together(tmp_path, cache):
    members = [file(f"pack/{n}", bytes([n % 256]) * 2000) for n in range(300)]
    archive = archive_of(tmp_path / "pack.tar.gz", *members)
    context = get_context("spawn")
    answers = context.SimpleQueue()
    moment = time.time() + 2
    processes = [
        context.Process(target=_unpack_at, args=(moment, archive, answers)) for _ in range(4)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    expected = cache / "data" / f"pack-{sha256_of(archive)[:12]}"
    assert [process.exitcode for process in processes] == [0, 0, 0, 0]
    assert {answers.get() for _ in processes} == {str(expected)}
    assert tree(expected) == {member.name[5:]: content for member, content in members}
    assert list((cache / "data").iterdir()) == [expected]


def _stop_half_way(archive: Path, cache: Path, answers) -> None:
    target = cache / "data" / f"pack-{sha256_of(archive)[:12]}"
    with writing_folder(target) as beside:
        unpack(archive, beside)
        (beside / "a").unlink()
        answers.put("half way")
        time.sleep(60)


def test_a_process_killed_in_the_middle(tmp_path, cache):
    archive = archive_of(tmp_path / "pack.tar.gz", file("pack/a", b"1"), file("pack/b", b"2"))
    context = get_context("spawn")
    answers = context.SimpleQueue()
    process = context.Process(target=_stop_half_way, args=(archive, cache, answers))
    process.start()
    assert answers.get() == "half way"
    process.kill()
    process.join()
    [stale] = (cache / "data").iterdir()
    assert stale.name.startswith(".cupel-")
    assert tree(unpack_once(archive, "pack")) == {"a": b"1", "b": b"2"}
