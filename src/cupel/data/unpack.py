"""Unpacking a dataset's archive: safely, once, and whole or not at all.

An archive may come from anywhere. It is first decompressed up to a maximum size, which also checks
its checksum; then every member must be a plain file or folder whose name stays inside. `tarfile`
takes a damaged header inside an archive for its end, so the end is checked as well.
"""

from __future__ import annotations

import errno
import gzip
import shutil
import stat
import struct
import tarfile
import tempfile
import zlib
from pathlib import Path, PurePosixPath
from typing import IO

from cupel.cache import kept_folder
from cupel.checksums import sha256_of
from cupel.errors import CupelError

MAX_BYTES = 2**30  # the largest dataset unpacks to about 60 MB in about 110 files
MAX_MEMBERS = 10_000
_CHUNK = 2**20


def unpack_once(archive: Path, name: str) -> Path:
    """The unpacked content of the archive, in the cache under its checksum."""
    return kept_folder(
        "data", f"{name}-{sha256_of(archive)[:12]}", lambda folder: unpack(archive, folder)
    )


def unpack(
    archive: Path, folder: Path, max_bytes: int = MAX_BYTES, *, one_folder: bool = True
) -> None:
    """Unpack a .tar.gz into `folder`: what its one top folder holds, or all of it."""
    with tempfile.TemporaryFile(dir=folder) as plain:
        _decompress(archive, plain, max_bytes)
        plain.seek(0)
        try:
            with tarfile.open(fileobj=plain, mode="r:") as tar:
                _extract(tar, archive, folder, one_folder)
                _check_end(plain, tar.offset, archive)
        except (tarfile.TarError, EOFError) as error:
            raise damaged(archive, str(error)) from error


def _decompress(archive: Path, plain: IO[bytes], max_bytes: int) -> None:
    total = 0
    try:
        file = archive.open("rb")
    except OSError as error:
        raise CupelError(f"{archive} cannot be read: {error.strerror}.") from error
    try:
        with file, gzip.open(file) as packed:
            while chunk := packed.read(_CHUNK):
                total += len(chunk)
                if total > max_bytes:
                    raise CupelError(
                        f"{archive} is refused: it unpacks to more than {max_bytes:,} bytes, "
                        "far more than any known dataset."
                    )
                plain.write(chunk)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise damaged(archive, str(error)) from error


def _extract(tar: tarfile.TarFile, archive: Path, folder: Path, one_folder: bool) -> None:
    top: str | None = None
    for count, member in enumerate(tar, start=1):
        if count > MAX_MEMBERS:
            raise CupelError(
                f"{archive} is refused: it holds more than {MAX_MEMBERS:,} files, far more than "
                "any known dataset."
            )
        parts = checked_parts(member.name, archive)
        check_plain(member, archive)
        if not parts:
            continue  # the "./" that some packers write
        top = top or parts[0]
        if one_folder and (parts[0] != top or (len(parts) == 1 and not member.isdir())):
            raise CupelError(
                f"{archive} is refused: a dataset's archive holds one folder, but this one holds "
                f"{member.name!r} outside of {top!r}."
            )
        # Python's own rules as well, where this Python has them (3.11.4 and later).
        if hasattr(tarfile, "data_filter"):
            tarfile.data_filter(member, str(folder))
        _place(tar, member, folder.joinpath(*parts[one_folder:]), archive)
    if top is None:
        raise CupelError(f"{archive} is refused: it holds no files.")


def unpack_zip(archive: Path, folder: Path, max_bytes: int = MAX_BYTES) -> None:
    """Unpack a .zip into `folder`, under the same rules."""
    import zipfile

    total = 0
    try:
        with zipfile.ZipFile(archive) as content:
            for count, member in enumerate(content.infolist(), start=1):
                parts = checked_parts(member.filename, archive)
                kind = stat.S_IFMT(member.external_attr >> 16)
                if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
                    raise CupelError(
                        f"{archive} is refused: its member {member.filename!r} is not a plain file."
                    )
                if count > MAX_MEMBERS or not parts or member.is_dir():
                    _check_size(archive, count > MAX_MEMBERS)
                    continue
                target = folder.joinpath(*parts)
                target.parent.mkdir(parents=True, exist_ok=True)
                with content.open(member) as packed, target.open("xb") as file:
                    while chunk := packed.read(_CHUNK):
                        total += len(chunk)
                        _check_size(archive, total > max_bytes)
                        file.write(chunk)
    except (
        zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, struct.error,
    ) as error:  # fmt: skip
        raise damaged(archive, str(error)) from error
    except (FileExistsError, NotADirectoryError) as error:
        raise CupelError(f"{archive} is refused: it holds {error.filename!r} twice.") from error
    except OSError as error:
        # a place before the beginning of the file, or a damaged stream of bz2
        if error.errno not in (errno.EINVAL, None):
            raise
        raise damaged(archive, str(error)) from error


def _check_size(archive: Path, too_large: bool) -> None:
    if too_large:
        raise CupelError(f"{archive} is refused: it holds far more than any known dataset.")


def checked_parts(name: str, archive: Path | str) -> tuple[str, ...]:
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


def check_plain(member: tarfile.TarInfo, archive: Path | str) -> None:
    """Refuse a member that is neither a plain file nor a folder."""
    if not (member.isdir() or member.isfile()) or member.issparse():
        raise CupelError(
            f"{archive} is refused: its member {member.name!r} is {_kind(member)}; only plain "
            "files and folders are unpacked."
        )


def _kind(member: tarfile.TarInfo) -> str:
    if member.issym():
        return f"a symbolic link to {member.linkname!r}"
    if member.islnk():
        return f"a hard link to {member.linkname!r}"
    return "a sparse file" if member.issparse() else "a device or pipe"


def _place(tar: tarfile.TarFile, member: tarfile.TarInfo, target: Path, archive: Path) -> None:
    try:
        if member.isdir():
            target.mkdir(parents=True, exist_ok=True)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        content = tar.extractfile(member)
        assert content is not None  # a plain file always has content
        # Neither owner nor mode is taken from the archive.
        with content, target.open("xb") as file:
            shutil.copyfileobj(content, file, _CHUNK)
    except (FileExistsError, NotADirectoryError) as error:
        raise CupelError(f"{archive} is refused: it holds {member.name!r} twice.") from error


def _check_end(plain: IO[bytes], offset: int, archive: Path) -> None:
    plain.seek(offset)
    rest = plain.read(_CHUNK)
    if not rest or rest.strip(b"\0"):
        raise damaged(archive, "the end of the archive is missing")


def damaged(archive: Path | str, why: str) -> CupelError:
    """The error for an archive that is not whole."""
    return CupelError(
        f"{archive} is damaged or incomplete ({why.rstrip('.').lower()}): get it again."
    )
