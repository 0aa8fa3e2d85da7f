"""Finding a dataset: the folders of CUPEL_DATA, then the user's data folder.

In each, a dataset is a folder NAME/ or an archive NAME.tar.gz; an archive is unpacked into the
cache at its first use.
"""

from __future__ import annotations

from pathlib import Path

from cupel.data.catalog import CAMPAIGNS, DATASETS, EMBEDDED
from cupel.data.dataset import Dataset
from cupel.data.unpack import unpack_once
from cupel.errors import CupelError, MissingPart
from cupel.folders import search_folders

RESOURCES = Path(__file__).parent.parent / "resources"
SUFFIX = ".tar.gz"


def find(name: str) -> Path:
    """The folder of the dataset, unpacked if necessary."""
    place = locate(name)
    if place is None:
        raise MissingPart(_missing(name))
    return place if place.is_dir() else unpack_once(place, name)


def locate(name: str) -> Path | None:
    """The dataset's folder or archive, or None; nothing is unpacked."""
    dataset(name)
    if name in EMBEDDED:
        return RESOURCES / name / "campaign"
    for folder in search_folders():
        for place in (folder / name, folder / f"{name}{SUFFIX}"):
            if place.is_dir() if place.name == name else place.is_file():
                return place
    return None


def campaign_folder(name: str) -> Path | None:
    """A campaign: a dataset, a path, or what was added under a name of its own."""
    if name in CAMPAIGNS:
        return find(name)
    return Path(name) if Path(name).is_dir() else named_folder(name)


def named_folder(name: str) -> Path | None:
    """What has that name where datasets are: a folder, or an archive, unpacked."""
    if name in EMBEDDED:
        return find(name)
    if Path(name).name != name or name.startswith("."):
        return None
    for folder in search_folders():
        if (folder / name).is_dir():
            return folder / name
        if (archive := folder / f"{name}{SUFFIX}").is_file():
            return unpack_once(archive, name)
    return None


def dataset(name: str) -> Dataset:
    """The dataset of that name, or an error that lists them all."""
    if entry := DATASETS.get(name) or EMBEDDED.get(name):
        return entry
    raise CupelError(
        f"There is no dataset {name!r}; there are {', '.join((*DATASETS, *EMBEDDED))}."
    )


def _missing(name: str) -> str:
    places = ", ".join(str(folder) for folder in search_folders())
    return (
        f"The dataset {name} is not here (looked for {name}/ and {name}{SUFFIX} in {places}): "
        f"run `cupel data get {name}`."
    )
