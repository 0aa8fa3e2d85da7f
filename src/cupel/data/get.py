"""Getting datasets: their files are downloaded or copied, verified and converted.

A dataset appears in the data folder whole or not at all. What was received is kept in the cache
until all datasets of the call are built, so that a call that failed continues when it is repeated.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cupel.console import Progress
from cupel.data.dataset import Dataset, Repository
from cupel.data.find import dataset, locate
from cupel.data.store import Artifact, Meter, Store, locked
from cupel.data.verify import problems
from cupel.errors import CupelError
from cupel.folders import check_fillable, data_folder, writing_folder

if TYPE_CHECKING:
    from cupel.data.places import Local, Remote


@dataclass(frozen=True)
class Added:
    """A dataset that was asked for: its folder, and whether it was there before.

    origin: what it was recognised as, as a sentence
    """

    name: str
    folder: Path
    already: bool
    origin: str = ""


def get(
    names: str | Sequence[str], source: str | Path | None = None, progress: Progress | None = None
) -> list[Added]:
    """Download and build the datasets in the data folder, except those that are here already.

    names: of one dataset or of several
    source: a clone, an archive, a folder of these or the URL of a mirror; GitHub where it is None
    progress: called with (bytes read, bytes to be read)
    """
    return planned([names] if isinstance(names, str) else names, source).run(progress)


@dataclass(frozen=True)
class Plan:
    """What is to be done for some datasets; nothing is read before `run`."""

    names: tuple[str, ...]
    missing: tuple[Dataset, ...]  # those that are not here
    place: Local | Remote

    @property
    def transfer(self) -> int:
        """How many bytes are to be read, about."""
        return sum(self.place.transfer(*part) for part in _parts(self.missing))

    def run(self, progress: Progress | None = None) -> list[Added]:
        """Get what is not here; the datasets in the order of their names in the call."""
        before = {name for name in self.names if locate(name)}
        if len(before) < len(self.names):
            check_fillable(data_folder())
            with locked([repository.name for repository, _ in _parts(self.missing)]):
                # Another process may have built some of them while this one waited.
                missing = [entry for entry in self.missing if not locate(entry.name)]
                before |= {entry.name for entry in self.missing if entry not in missing}
                _get(missing, self.place, progress)
        folders = {name: locate(name) for name in self.names}
        return [Added(name, folders[name] or data_folder(), name in before) for name in self.names]


def planned(names: Sequence[str], source: str | Path | None = None) -> Plan:
    """The plan for getting these datasets."""
    from cupel.data.places import open_place  # keeps `import cupel.data` quick

    unique = tuple(dict.fromkeys(dataset(name).name for name in names))
    missing = tuple(dataset(name) for name in unique if not locate(name))
    for entry in missing:
        if not entry.converter:
            raise CupelError(
                f"{entry.name} cannot be made from public files: get it from {entry.published} and "
                "add it with `cupel data add PATH`."
            )
    return Plan(unique, missing, open_place(source))


def _parts(datasets: Sequence[Dataset]) -> list[tuple[Repository, list[Artifact]]]:
    """Each repository once, with the files that any of the datasets needs from it."""
    repositories = {
        repository.name: repository for entry in datasets for repository in entry.repositories
    }
    files = dict.fromkeys(file for entry in datasets for file in entry.artifacts)
    return [
        (repository, [file for file in files if file.repository == name])
        for name, repository in repositories.items()
    ]


def _get(datasets: Sequence[Dataset], place: Local | Remote, progress: Progress | None) -> None:
    parts = _parts(datasets)
    stores = {repository.name: Store(repository.name) for repository, _ in parts}
    missing = {
        repository.name: (repository, stores[repository.name].missing(files))
        for repository, files in parts
    }
    total = sum(place.transfer(*part) for part in missing.values() if part[1])
    meter = Meter(progress, total)
    for entry in datasets:
        for name in {repository.name for repository in entry.repositories} & set(missing):
            repository, files = missing.pop(name)
            if files:
                origin = place.fetch(repository, files, stores[name], meter)
                _check_complete(origin, repository, files, stores[name])
        _build(entry, stores)
    for store in stores.values():
        store.remove()


def _check_complete(
    origin: str, repository: Repository, files: Sequence[Artifact], store: Store
) -> None:
    absent = [file.name for file in files if not store.has(file)]
    if absent:
        more = f" and {len(absent) - 1:,} more of its files" if len(absent) > 1 else ""
        raise CupelError(
            f"{origin} is not a copy of https://github.com/{repository.name} at commit "
            f"{repository.commit[:12]}: it does not have {absent[0]}{more}."
        )


def _build(entry: Dataset, stores: dict[str, Store]) -> None:
    first = stores[entry.repositories[0].name]
    laid_out = first.folder / f"{entry.name}.sources"
    shutil.rmtree(laid_out, ignore_errors=True)  # a killed process left it
    sources = {
        repository.name: laid_out / repository.name.replace("/", "+")
        for repository in entry.repositories
    }
    with writing_folder(data_folder() / entry.name) as target:
        for name, folder in sources.items():
            files = [file for file in entry.artifacts if file.repository == name]
            stores[name].lay_out(files, folder)
        entry.convert(sources, target)
        if wrong := problems(entry, target):
            raise CupelError(f"The files of {entry.name} were converted, but {wrong[0]}")
