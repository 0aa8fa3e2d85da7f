"""Real files of the public repositories that datasets are made from.

CUPEL_SNAPSHOTS is a path list of folders that hold them as OWNER/NAME or OWNER+NAME: git clones, with a
work tree or bare, or just the files. Tests that need them are skipped without it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import pytest

from cupel.data import DATASETS
from cupel.data.dataset import Repository
from list_dataset_files import contents, git_folder

VARIABLE = "CUPEL_SNAPSHOTS"


class Listed(NamedTuple):
    """A line of resources/datasets/NAME.tsv."""

    sha256: str
    size: int
    repository: str
    path: str


def folders() -> list[Path]:
    """The folders with snapshots; the test is skipped where there are none."""
    places = [Path(place) for place in os.environ.get(VARIABLE, "").split(os.pathsep) if place]
    if not places:
        pytest.skip(f"set {VARIABLE} to a folder with clones of the repositories (OWNER/NAME)")
    return places


def listed(name: str) -> list[Listed]:
    table = (files("cupel") / "resources" / "datasets" / f"{name}.tsv").read_text("utf-8")
    rows = [line.split("\t") for line in table.splitlines()]
    return [Listed(sha256, int(size), repository, path) for sha256, size, repository, path in rows]


def stage(name: str, target: Path) -> dict[str, Path]:
    """A folder for each repository with the files that the recipe lists, each checked."""
    for repository in DATASETS[name].repositories:
        mine = [file for file in listed(name) if file.repository == repository.name]
        paths = [file.path for file in mine]
        for file, content in zip(mine, read(repository, paths), strict=True):
            assert (len(content), hashlib.sha256(content).hexdigest()) == (file.size, file.sha256)
            place = target / repository.name / file.path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
    return {repository.name: target / repository.name for repository in DATASETS[name].repositories}


def read(repository: Repository, paths: Sequence[str]) -> Iterator[bytes]:
    """The contents of files of a repository; the test is skipped without a snapshot of it."""
    try:
        return contents(git_folder(repository.name, folders()), repository.commit, paths)
    except SystemExit as missing:
        for folder in folders():
            for place in (repository.name, repository.name.replace("/", "+")):
                if all((folder / place / path).is_file() for path in paths):
                    return ((folder / place / path).read_bytes() for path in paths)
        pytest.skip(str(missing))


def differences(one: Path, other: Path, apart_from: Iterable[str] = ("README.md",)) -> list[str]:
    """The files that only one of two folders has, or that differ in some byte."""
    names = [
        {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        for folder in (one, other)
    ]
    both = names[0] & names[1]
    unlike = {name for name in both if (one / name).read_bytes() != (other / name).read_bytes()}
    return sorted(((names[0] ^ names[1]) | unlike) - set(apart_from))
