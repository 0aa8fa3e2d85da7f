"""Reading archives from anywhere (.tar.gz, .zip): safely, within bounds, and whole or not at all.

Every member must be a plain file or folder whose name stays inside. A dataset's archive is first
decompressed up to a maximum size, which also checks its checksum; `tarfile` takes a damaged header
inside an archive for its end, so the end is checked as well. No library does all of this: they
unpack what the archive says, as large as it says.
"""

from __future__ import annotations

import errno
import gzip
import stat
import struct
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, Any

from cupel.cache import kept_folder
from cupel.checksums import sha256_of
from cupel.data.store import Artifact, Store, chunks_of
from cupel.errors import CupelError

SUFFIXES = (".tar.gz", ".tgz", ".zip")
MAX_BYTES = 2**30  # the largest dataset unpacks to about 60 MB in about 110 files
MAX_MEMBERS = 10_000
FILE, FOLDER = "a file", "a folder"
_CHUNK = 2**20


@dataclass(frozen=True)
class Member:
    """A member of an archive. `kind` says in words what it is: `a file`, `a folder`, `a link`."""

    name: str
    parts: tuple[str, ...]
    kind: str
    open: Callable[[], IO[bytes] | None]
    archive: str

    def content(self) -> IO[bytes]:
        """A file's content, open for reading."""
        self.check_is(FILE)
        content = self.open()
        assert content is not None  # a plain file always has content
        return content

    def check_is(self, *kinds: str) -> None:
        """Refuse a member of any other kind."""
        if self.kind not in kinds:
            raise CupelError(
                f"{self.archive} is refused: its member {self.name!r} is {self.kind}; only plain "
                "files and folders are unpacked."
            )


def unpack_once(archive: Path, name: str) -> Path:
    """The unpacked content of the archive, in the cache under its checksum."""
    return kept_folder(
        "data", f"{name}-{sha256_of(archive)[:12]}", lambda folder: unpack(archive, folder)
    )


def unpack(
    archive: Path, folder: Path, max_bytes: int = MAX_BYTES, *, one_folder: bool = True
) -> None:
    """Unpack an archive into `folder`: what its one top folder holds, or all of it."""
    top: str | None = None
    total = 0
    with open_archive(archive, max_bytes, folder) as members:
        for count, member in enumerate(members, start=1):
            if count > MAX_MEMBERS:
                raise _too_large(archive, f"holds more than {MAX_MEMBERS:,} files")
            member.check_is(FILE, FOLDER)
            if not member.parts:
                continue  # the "./" that some packers write
            top = top or member.parts[0]
            loose = len(member.parts) == 1 and member.kind == FILE
            if one_folder and (member.parts[0] != top or loose):
                raise CupelError(
                    f"{archive} is refused: a dataset's archive holds one folder, but this one holds "
                    f"{member.name!r} outside of {top!r}."
                )
            total = _write(member, folder.joinpath(*member.parts[one_folder:]), total, max_bytes)
    if top is None:
        raise CupelError(f"{archive} is refused: it holds no files.")


def archived_files(archive: Path) -> dict[str, bytes]:
    """The content of each plain file, by its name without folders; nothing is written anywhere."""
    with open_archive(archive) as members:
        files = (member for member in members if member.kind == FILE)
        return {member.parts[-1]: member.content().read() for member in files}


@contextmanager
def open_archive(
    archive: Path, max_bytes: int = MAX_BYTES, scratch: Path | None = None
) -> Iterator[Iterator[Member]]:
    """The members of an archive, in its order; one that is damaged or too large is an error.

    scratch: a folder for temporary files, in place of the system's
    """
    try:
        file = archive.open("rb")
    except OSError as error:
        raise CupelError(f"{archive} cannot be read: {error.strerror}.") from error
    with file, _explaining_damage(archive):
        if file.read(2) == b"PK":
            yield _zip_members(file, archive)
            return
        file.seek(0)
        with tempfile.TemporaryFile(dir=scratch) as plain, gzip.open(file) as packed:
            while chunk := packed.read(_CHUNK):
                if plain.tell() + len(chunk) > max_bytes:
                    raise _too_large(archive, f"unpacks to more than {max_bytes:,} bytes")
                plain.write(chunk)
            plain.seek(0)
            with tarfile.open(fileobj=plain, mode="r:") as tar:
                yield _tar_members(tar, archive)
                plain.seek(tar.offset)
                rest = plain.read(_CHUNK)
                if not rest or rest.strip(b"\0"):
                    raise EOFError("the end of the archive is missing")


def take_from_tar(content: Any, where: str, files: Sequence[Artifact], store: Store) -> None:
    """Take listed files out of a repository's `.tar.gz` while it comes in, up to the last of them.

    The archive holds one folder, as GitHub's do. content: has `read(size)`; where: names it in errors
    """
    with (
        _explaining_damage(where),
        gzip.GzipFile(fileobj=content) as plain,
        tarfile.open(fileobj=plain, mode="r|", bufsize=_CHUNK) as tar,
    ):
        _take(_tar_members(tar, where), files, store)


def take_from_archive(
    content: IO[bytes], where: str, files: Sequence[Artifact], store: Store
) -> None:
    """The same out of a file with a `.zip` or a `.tar.gz`."""
    is_zip = content.read(2) == b"PK"
    content.seek(0)
    if is_zip:
        with _explaining_damage(where):
            _take(_zip_members(content, where), files, store)
    else:
        take_from_tar(content, where, files, store)


def _take(members: Iterator[Member], files: Sequence[Artifact], store: Store) -> None:
    needed = {file.name: file for file in files}
    for member in members:
        file = needed.pop("/".join(member.parts[1:]), None)
        if file is not None:
            with member.content() as inside:
                store.receive(file, chunks_of(inside), member.archive)
        if not needed:
            return


def _tar_members(tar: tarfile.TarFile, where: Path | str) -> Iterator[Member]:
    for member in tar:
        kind = FILE if member.isfile() else FOLDER if member.isdir() else "a device or pipe"
        if member.issym() or member.islnk():
            kind = f"a {'symbolic' if member.issym() else 'hard'} link to {member.linkname!r}"
        elif member.issparse():
            kind = "a sparse file"
        parts = _checked_parts(member.name, where)
        yield Member(member.name, parts, kind, partial(tar.extractfile, member), str(where))


def _zip_members(content: IO[bytes], where: Path | str) -> Iterator[Member]:
    with zipfile.ZipFile(content) as archive:
        for member in archive.infolist():
            mode = stat.S_IFMT(member.external_attr >> 16)
            kind = FOLDER if member.is_dir() else FILE
            if mode not in (0, stat.S_IFREG, stat.S_IFDIR):
                kind = "a symbolic link" if mode == stat.S_IFLNK else "a device or pipe"
            parts = _checked_parts(member.filename, where)
            yield Member(member.filename, parts, kind, partial(archive.open, member), str(where))


def _checked_parts(name: str, archive: Path | str) -> tuple[str, ...]:
    """The parts of a member's name, which must stay inside the archive's folder."""
    path = PurePosixPath(name)
    # A backslash or a drive letter would escape where those mean something.
    outside = path.is_absolute() or ".." in path.parts or "\\" in name or "\0" in name
    if outside or name[1:2] == ":":
        raise CupelError(
            f"{archive} is refused: its member {name!r} would be written outside the "
            "dataset's folder."
        )
    return path.parts


def _write(member: Member, target: Path, total: int, max_bytes: int) -> int:
    """Write a member with neither owner nor mode; returns the bytes written so far."""
    try:
        if member.kind == FOLDER:
            target.mkdir(parents=True, exist_ok=True)
            return total
        target.parent.mkdir(parents=True, exist_ok=True)
        with member.content() as content, target.open("xb") as file:
            while chunk := content.read(_CHUNK):
                total += len(chunk)
                if total > max_bytes:
                    raise _too_large(member.archive, f"unpacks to more than {max_bytes:,} bytes")
                file.write(chunk)
    except (FileExistsError, NotADirectoryError) as error:
        raise CupelError(f"{member.archive} is refused: it holds {member.name!r} twice.") from error
    return total


@contextmanager
def _explaining_damage(archive: Path | str) -> Iterator[None]:
    """Whatever the libraries make of an archive that is not whole is one sentence."""
    try:
        yield
    except (
        tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, struct.error,
    ) as error:  # fmt: skip
        raise _damaged(archive, error) from error
    except OSError as error:
        # BadGzipFile, a place before the beginning of the file, or a damaged stream of bz2
        if error.errno not in (errno.EINVAL, None):
            raise
        raise _damaged(archive, error) from error


def _damaged(archive: Path | str, error: Exception) -> CupelError:
    reason = str(error).rstrip(".").lower()
    return CupelError(f"{archive} is damaged or incomplete ({reason}): get it again.")


def _too_large(archive: Path | str, reason: str) -> CupelError:
    return CupelError(f"{archive} is refused: it {reason}, far more than any known dataset.")
