"""The named datasets, read at their first use from TOML.

`resources/datasets/catalog.toml` has those that Cupel knows. A `catalog.toml` in a folder of
CUPEL_DATA, or in the user's data folder, adds others, in the same form. None of them is part of
this package but the embedded sample. The counts are those of the archives whose checksums are
given; your own copy with the same files will do as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from cupel.data.dataset import Dataset
from cupel.errors import CupelError
from cupel.folders import search_folders
from cupel.reading.jsons import read_toml

FILE = "catalog.toml"
RESOURCES = Path(__file__).parent.parent / "resources"


class Catalog(Mapping[str, Dataset]):
    """The datasets by name: those that are in Cupel itself (embedded), or all others.

    The files are read when an entry is first asked for, so that importing this costs nothing.
    """

    def __init__(self, embedded: bool) -> None:
        self._embedded = embedded

    def __getitem__(self, name: str) -> Dataset:
        return self._entries()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries())

    def __len__(self) -> int:
        return len(self._entries())

    def _entries(self) -> dict[str, Dataset]:
        return _entries(tuple(search_folders()), self._embedded)


DATASETS = Catalog(embedded=False)
EMBEDDED = Catalog(embedded=True)
"""What comes with Cupel and is always here."""


def of_kind(kind: str) -> list[str]:
    """The names of the datasets of a kind (see `Kind`), the embedded ones first."""
    return [
        name
        for catalog in (EMBEDDED, DATASETS)
        for name, dataset in catalog.items()
        if dataset.kind == kind
    ]


@lru_cache(maxsize=8)
def _entries(folders: tuple[Path, ...], embedded: bool) -> dict[str, Dataset]:
    # Of two entries of a name the first is taken: Cupel's own, then in the order of the folders.
    catalogs = (folder / FILE for folder in (RESOURCES / "datasets", *folders))
    entries: dict[str, Dataset] = {}
    for path in filter(Path.is_file, catalogs):
        for name, entry in read_toml(path).items():
            entries.setdefault(name, _parsed(name, entry, path))
    return {name: entry for name, entry in entries.items() if entry.embedded is embedded}


def _parsed(name: str, entry: Any, path: Path) -> Dataset:
    try:
        dataset = Dataset.parsed(name, entry)
        assert dataset.files is not None  # they are made of the entry, too
        return dataset
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise CupelError(
            f"{path}: the entry {name!r} is not in order ({error}); {RESOURCES}/datasets/{FILE} says "
            "what it consists of."
        ) from None
