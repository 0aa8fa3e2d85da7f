"""Reading single files out of a .tar.gz that a repository holds."""

from __future__ import annotations

import gzip
import io
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from cupel.errors import CupelError
from cupel.reading.lines import decode_lines


def archived_files(archive: Path) -> dict[str, bytes]:
    """The content of each plain file, by its name without folders; nothing is written anywhere."""
    files: dict[str, bytes] = {}
    try:
        with tarfile.open(archive, "r:gz") as tar:
            for member in tar:
                content = tar.extractfile(member) if member.isfile() else None
                if content is not None:
                    files[PurePosixPath(member.name).name] = content.read()
    except (OSError, tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise CupelError(f"{archive} cannot be unpacked: {error}.") from error
    return files


def archived_lines(
    archive: Path, name: str, files: dict[str, bytes] | None = None
) -> Iterator[str]:
    """The lines of one file of the archive."""
    files = archived_files(archive) if files is None else files
    if name not in files:
        raise CupelError(f"{archive} has no file {name}, which the dataset is made from.")
    return decode_lines(io.BytesIO(files[name]), f"{archive}:{name}")
