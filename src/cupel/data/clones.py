"""Clones of the public repositories that datasets are made from: which datasets they give."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cupel.data.added import Added
from cupel.data.catalog import DATASETS
from cupel.data.get import get
from cupel.data.get_git import git_folder
from cupel.data.recipes import recipe
from cupel.data.recipes.listed import listed_files


def datasets_of_clone(folder: Path) -> dict[str, list[str]]:
    """Dataset -> the other repositories that its recipe needs, for each that reads this one."""
    result = {}
    for name in DATASETS:
        try:
            needed = [repository.name for repository in recipe(name).repositories]
        except KeyError:  # a dataset without a recipe
            continue
        files = listed_files(name)
        own = [
            repository
            for repository in needed
            if _is_clone(folder, repository, [f.path for f in files if f.repository == repository])
        ]
        if own:
            result[name] = [repository for repository in needed if repository not in own]
    return result


def build_from_clone(names: Sequence[str], folder: Path) -> list[Added]:
    """The datasets, built by their recipes from the files of the clone, each verified."""
    return get(names, folder)


def _is_clone(folder: Path, repository: str, paths: Sequence[str]) -> bool:
    """By its files, or where it has a git directory by its name or its origin."""
    if paths and all((folder / path).is_file() for path in paths):
        return True
    git = git_folder(folder)
    if git is None:
        return False
    owner, name = repository.lower().split("/")
    called = {place.name.lower().removesuffix(".git") for place in (folder, folder.parent)}
    if called & {f"{owner}+{name}", f"{owner}-{name}"}:
        return True
    try:
        origin = (git / "config").read_text("utf-8", "replace").lower()
    except OSError:
        return False
    return f"{owner}/{name}.git\n" in origin or f"{owner}/{name}\n" in origin
