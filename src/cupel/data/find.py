"""Finding a dataset: the folders of CUPEL_DATA, then the user's data folder.

In each, a dataset is a folder NAME/ or an archive NAME.tar.gz; an archive is unpacked into the
cache at its first use.
"""

from __future__ import annotations

import os
from pathlib import Path

from cupel.data.catalog import DATASETS, Dataset
from cupel.data.unpack import unpack_once
from cupel.errors import CupelError, MissingPart
from cupel.folders import data_folder

VARIABLE = "CUPEL_DATA"
SUFFIX = ".tar.gz"


def find(name: str) -> Path:
    """The folder of the dataset, unpacked if necessary."""
    place = locate(name)
    if place is None:
        raise MissingPart(_missing(dataset(name)))
    return place if place.is_dir() else unpack_once(place, name)


def locate(name: str) -> Path | None:
    """The dataset's folder or archive, or None; nothing is unpacked."""
    dataset(name)
    for folder in search_folders():
        for place in (folder / name, folder / f"{name}{SUFFIX}"):
            if place.is_dir() if place.name == name else place.is_file():
                return place
    return None


def search_folders() -> list[Path]:
    """Where datasets are looked for, in order."""
    listed = os.environ.get(VARIABLE, "").split(os.pathsep)
    return [*(Path(entry).expanduser() for entry in listed if entry), data_folder()]


def dataset(name: str) -> Dataset:
    """The dataset of that name, or an error that lists them all."""
    if name not in DATASETS:
        raise CupelError(f"There is no dataset {name!r}; there are {', '.join(DATASETS)}.")
    return DATASETS[name]


def _missing(dataset: Dataset) -> str:
    name = dataset.name
    places = ", ".join(str(folder) for folder in search_folders())
    return (
        f"The dataset {name} is not here (looked for {name}/ and {name}{SUFFIX} in {places}): "
        f"get it ({dataset.published}), then run `cupel data add PATH` or name its folder in {VARIABLE}."
    )
