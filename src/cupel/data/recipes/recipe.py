"""What a recipe is: the public repositories of a dataset, and the function that converts their files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

Build = Callable[[Mapping[str, Path], Path], None]
"""Takes a folder for each repository, with the files that the recipe lists, and the folder to fill."""


@dataclass(frozen=True)
class Repository:
    """A public repository at one commit."""

    name: str  # OWNER/NAME
    commit: str
    archive_bytes: int  # about the size of its whole archive


@dataclass(frozen=True)
class Recipe:
    """How a dataset is made from public files."""

    dataset: str
    repositories: tuple[Repository, ...]
    build: Build
    lost: str = ""  # one sentence: what the public files no longer have
