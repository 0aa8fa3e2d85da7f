"""Taking files of a repository into a dataset as they are."""

from __future__ import annotations

import shutil
from pathlib import Path

from cupel.errors import CupelError


def copy_files(folder: Path, pattern: str, target: Path) -> None:
    """Copy the files of `folder` that match the pattern to the same places in `target`."""
    paths = sorted(path for path in folder.glob(pattern) if path.is_file())
    if not paths:
        raise CupelError(f"{folder} has no file {pattern}, which the dataset is made from.")
    for path in paths:
        place = target / path.relative_to(folder)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)


def write_readme(target: Path, text: str) -> None:
    """The dataset's README.md."""
    (target / "README.md").write_text(text, encoding="utf-8", newline="\n")
