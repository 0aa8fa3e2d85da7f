"""Taking the files of a recipe out of a repository's archive, in the forms that GitHub gives.

An archive holds one folder, NAME-COMMIT/. Only files that the recipe lists are kept; a `.tar.gz` is
read while it comes in, and no further than the last of them.
"""

from __future__ import annotations

import gzip
import stat
import tarfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from cupel.data.get_store import Store, chunks_of
from cupel.data.recipes.listed import ListedFile
from cupel.data.unpack import check_plain, checked_parts, damaged
from cupel.errors import CupelError

SUFFIXES = (".tar.gz", ".tgz", ".zip")


def take_from_archive(path: Path, files: Sequence[ListedFile], store: Store) -> None:
    """Take the files that a `.tar.gz` or `.zip` archive has."""
    with path.open("rb") as content:
        if content.read(2) == b"PK":
            take_from_zip(content, str(path), files, store)
        else:
            content.seek(0)
            take_from_tar(content, str(path), files, store)


def take_from_tar(content: Any, where: str, files: Sequence[ListedFile], store: Store) -> None:
    """Take the files that a stream with a `.tar.gz` archive has.

    content: an object with `read(size)`; where: names it in errors
    """
    needed = {file.path: file for file in files}
    try:
        with (
            gzip.GzipFile(fileobj=content) as plain,
            tarfile.open(fileobj=plain, mode="r|", bufsize=2**20) as tar,
        ):
            for member in tar:
                file = needed.pop(_path(member.name, where), None)
                if file is not None:
                    check_plain(member, where)
                    _receive(tar.extractfile(member), member.name, file, where, store)
                if not needed:
                    return
    except (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise damaged(where, str(error)) from error


def take_from_zip(
    content: IO[bytes], where: str, files: Sequence[ListedFile], store: Store
) -> None:
    """Take the files that a `.zip` archive has."""
    import zipfile

    needed = {file.path: file for file in files}
    try:
        with zipfile.ZipFile(content) as archive:
            for member in archive.infolist():
                file = needed.pop(_path(member.filename, where), None)
                if file is not None:
                    link = stat.S_ISLNK(member.external_attr >> 16)
                    inside = None if member.is_dir() or link else archive.open(member)
                    _receive(inside, member.filename, file, where, store)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise damaged(where, str(error)) from error


def _path(name: str, where: str) -> str:
    """The path inside the repository of a member's name."""
    return "/".join(checked_parts(name, where)[1:])


def _receive(
    content: IO[bytes] | None, name: str, file: ListedFile, where: str, store: Store
) -> None:
    if content is None:
        raise CupelError(f"{where} is refused: its member {name!r} is not a plain file.")
    with content:
        store.receive(file, chunks_of(content), where)
