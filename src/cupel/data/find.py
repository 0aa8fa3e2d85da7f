"""Finding a dataset: the folders of CUPEL_DATA, then the user's data folder.

In each, a dataset is a folder NAME/ or an archive NAME.tar.gz; an archive is unpacked into the
cache at its first use.
"""

from __future__ import annotations

from pathlib import Path

from cupel.data.catalog import DATASETS, EMBEDDED, RESOURCES, of_kind
from cupel.data.dataset import Dataset
from cupel.errors import CupelError, MissingPart
from cupel.folders import search_folders

_SUFFIX = ".tar.gz"


def find(name: str) -> Path:
    """The folder of the dataset, unpacked if necessary."""
    place = locate(name)
    if place is None:
        places = ", ".join(str(folder) for folder in search_folders())
        raise MissingPart(
            f"The dataset {name} is not here (looked for {name}/ and {name}{_SUFFIX} in {places}): "
            f"run `cupel data get {name}`."
        )
    return _unpacked(place, name)


def locate(name: str) -> Path | None:
    """The dataset's folder or archive, or None; nothing is unpacked."""
    return _embedded(name) if dataset(name).embedded else _locate(name)


def campaign_folder(name: str) -> Path | None:
    """A campaign: a dataset, a path, or what was added under a name of its own."""
    if name in of_kind("graded"):
        return find(name)
    return Path(name) if Path(name).is_dir() else named_folder(name)


def named_folder(name: str) -> Path | None:
    """What has that name where datasets are: a folder, or an archive, unpacked."""
    if name in EMBEDDED:
        return _embedded(name)
    if Path(name).name != name or name.startswith("."):
        return None
    place = _locate(name)
    return place and _unpacked(place, name)


def dataset(name: str) -> Dataset:
    """The dataset of that name, or an error that lists them all."""
    if entry := DATASETS.get(name) or EMBEDDED.get(name):
        return entry
    raise CupelError(
        f"There is no dataset {name!r}; there are {', '.join((*DATASETS, *EMBEDDED))}."
    )


def _embedded(name: str) -> Path:
    return RESOURCES / name / "campaign"


def _locate(name: str) -> Path | None:
    for folder in search_folders():
        if (folder / name).is_dir():
            return folder / name
        if (archive := folder / f"{name}{_SUFFIX}").is_file():
            return archive
    return None


def _unpacked(place: Path, name: str) -> Path:
    if place.is_dir():
        return place
    from cupel.data.archives import unpack_once  # keeps `import cupel.data` quick

    return unpack_once(place, name)
