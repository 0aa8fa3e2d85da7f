"""Adding a dataset to the user's data folder: checked first, then put there whole or not at all."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from cupel.data.catalog import DATASETS, Dataset
from cupel.data.find import SUFFIX, dataset
from cupel.data.unpack import unpack
from cupel.data.verify import problems
from cupel.errors import CupelError
from cupel.folders import data_folder, writing_folder

_SHOWN = 3


@dataclass(frozen=True)
class Added:
    """The dataset's folder, and whether it was there before."""

    name: str
    folder: Path
    already: bool


def add(path: Path | str, name: str | None = None) -> Added:
    """Put a folder or a .tar.gz archive of a dataset into the data folder.

    Its name is `name`, or that of the folder or archive.
    """
    source = Path(path)
    dataset = _named(source, name)
    target = data_folder() / dataset.name
    if target.is_dir():
        return Added(dataset.name, target, already=True)
    _refuse_nothing(source)
    with writing_folder(target) as beside:
        if source.is_dir():
            _check(dataset, source, path)
            _copy(source, beside)
        else:
            unpack(source, beside)
            _check(dataset, beside, path)
    return Added(dataset.name, target, already=False)


def _refuse_nothing(source: Path) -> None:
    if not source.is_dir() and not source.is_file():
        raise CupelError(f"{source} does not exist: give a dataset's folder or {SUFFIX} archive.")


def _named(source: Path, name: str | None) -> Dataset:
    if name is not None:
        return dataset(name)
    guess = source.resolve().name.removesuffix(SUFFIX)
    if guess not in DATASETS:
        _refuse_nothing(source)
        raise CupelError(
            f"{source} is not named after a dataset ({', '.join(DATASETS)}): say which one it is "
            "with --name."
        )
    return DATASETS[guess]


def _check(dataset: Dataset, folder: Path, path: Path | str) -> None:
    wrong = [sentence.rstrip(".") for sentence in problems(dataset, folder)]
    if wrong:
        more = f"; and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
        raise CupelError(f"{path} is not {dataset.name}: {'; '.join(wrong[:_SHOWN])}{more}.")


def _copy(source: Path, target: Path) -> None:
    """Copy plain files and folders, following links, without owners or modes."""
    for entry in sorted(source.iterdir()):
        if entry.name.startswith("."):
            continue  # an editor's or a version control's, no part of the data
        try:
            if entry.is_dir():
                (target / entry.name).mkdir()
                _copy(entry, target / entry.name)
            else:
                shutil.copyfile(entry, target / entry.name)
        except PermissionError as error:
            raise CupelError(f"{entry} cannot be read: {error.strerror}.") from error
