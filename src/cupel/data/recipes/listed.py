"""The files that a recipe reads, as `resources/recipes/NAME.tsv` lists them."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True)
class ListedFile:
    """A file of a public repository: what it must contain, and where it is."""

    sha256: str
    size: int  # in bytes
    repository: str  # OWNER/NAME
    path: str


def listed_files(name: str) -> list[ListedFile]:
    """The files that the recipe of the dataset reads."""
    table = (files("cupel") / "resources" / "recipes" / f"{name}.tsv").read_text("utf-8")
    rows = (line.split("\t") for line in table.splitlines())
    return [
        ListedFile(sha256, int(size), repository, path) for sha256, size, repository, path in rows
    ]
