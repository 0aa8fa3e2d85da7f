"""The files of repositories as converters find them: copied as they are, or read out of archives."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from cupel.data.archives import archived_files
from cupel.errors import CupelError
from cupel.reading.lines import decode_lines


def copy_files(folder: Path, pattern: str, target: Path) -> None:
    """Copy the files of `folder` that match the pattern to the same places in `target`."""
    paths = sorted(path for path in folder.glob(pattern) if path.is_file())
    if not paths:
        raise CupelError(f"{folder} has no file {pattern}, which the dataset is made from.")
    for path in paths:
        place = target / path.relative_to(folder)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)


def only(sources: Mapping[str, Path]) -> Path:
    """The folder of the only repository."""
    (folder,) = sources.values()
    return folder


def archived_lines(archive: Path, end: str) -> tuple[str, Iterator[str]]:
    """What errors call the first file in an archive whose name ends so, and its lines."""
    for name, content in archived_files(archive).items():
        if name.endswith(end):
            place = f"{archive}:{name}"
            return place, decode_lines(io.BytesIO(content), place)
    raise CupelError(f"{archive} has no file {end}, which the dataset is made from.")
