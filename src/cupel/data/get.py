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
from cupel.data.added import Added
from cupel.data.find import dataset, locate
from cupel.data.get_store import Store, locked
from cupel.data.recipes import recipe as recipe_of
from cupel.data.recipes.listed import ListedFile, listed_files
from cupel.data.recipes.recipe import Recipe, Repository
from cupel.data.verify import problems
from cupel.errors import CupelError
from cupel.folders import check_fillable, data_folder, writing_folder

if TYPE_CHECKING:
    from cupel.data.get_sources import Source


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
    recipes: tuple[Recipe, ...]  # of those that are not here
    source: Source

    @property
    def transfer(self) -> int:
        """How many bytes are to be read, about."""
        return sum(self.source.transfer(*part) for part in _parts(self.recipes))

    def run(self, progress: Progress | None = None) -> list[Added]:
        """Get what is not here; the datasets in the order of their names in the call."""
        before = {name for name in self.names if locate(name)}
        if len(before) < len(self.names):
            check_fillable(data_folder())
            with locked([repository.name for repository, _ in _parts(self.recipes)]):
                # Another process may have built some of them while this one waited.
                recipes = [recipe for recipe in self.recipes if not locate(recipe.dataset)]
                before |= {recipe.dataset for recipe in self.recipes if recipe not in recipes}
                _get(recipes, self.source, progress)
        folders = {name: locate(name) for name in self.names}
        return [Added(name, folders[name] or data_folder(), name in before) for name in self.names]


def planned(names: Sequence[str], source: str | Path | None = None) -> Plan:
    """The plan for getting these datasets."""
    from cupel.data.get_sources import open_source  # keeps `import cupel.data` quick

    unique = tuple(dict.fromkeys(dataset(name).name for name in names))
    recipes = tuple(recipe_of(name) for name in unique if not locate(name))
    return Plan(unique, recipes, open_source(source))


def _parts(recipes: Sequence[Recipe]) -> list[tuple[Repository, list[ListedFile]]]:
    """Each repository once, with the files that any of the recipes reads from it."""
    repositories = {
        repository.name: repository for recipe in recipes for repository in recipe.repositories
    }
    files = dict.fromkeys(file for recipe in recipes for file in listed_files(recipe.dataset))
    return [
        (repository, [file for file in files if file.repository == name])
        for name, repository in repositories.items()
    ]


def _get(recipes: Sequence[Recipe], source: Source, progress: Progress | None) -> None:
    parts = _parts(recipes)
    stores = {repository.name: Store(repository.name) for repository, _ in parts}
    missing = {
        repository.name: (repository, stores[repository.name].missing(files))
        for repository, files in parts
    }
    total = sum(source.transfer(*part) for part in missing.values() if part[1])
    done = 0

    def meter(count: int) -> None:
        nonlocal done
        done += count
        if progress is not None:
            progress(min(done, total), total)

    for recipe in recipes:
        for name in {repository.name for repository in recipe.repositories} & set(missing):
            repository, files = missing.pop(name)
            if files:
                place = source.fetch(repository, files, stores[name], meter)
                _check_complete(place, repository, files, stores[name])
        _build(recipe, stores)
    for store in stores.values():
        store.remove()


def _check_complete(
    place: str, repository: Repository, files: Sequence[ListedFile], store: Store
) -> None:
    absent = [file.path for file in files if not store.has(file)]
    if absent:
        more = f" and {len(absent) - 1:,} more of its files" if len(absent) > 1 else ""
        raise CupelError(
            f"{place} is not a copy of https://github.com/{repository.name} at commit "
            f"{repository.commit[:12]}: it does not have {absent[0]}{more}."
        )


def _build(recipe: Recipe, stores: dict[str, Store]) -> None:
    name = recipe.dataset
    first = stores[recipe.repositories[0].name]
    sources = first.folder / f"{name}.sources"
    shutil.rmtree(sources, ignore_errors=True)  # a killed process left it
    folders = {}
    files = listed_files(name)
    with writing_folder(data_folder() / name) as target:
        for repository in recipe.repositories:
            folder = folders[repository.name] = sources / repository.name.replace("/", "+")
            mine = [file for file in files if file.repository == repository.name]
            stores[repository.name].lay_out(mine, folder)
        recipe.build(folders, target)
        if wrong := problems(dataset(name), target):
            raise CupelError(f"The files of {name} were converted, but {wrong[0]}")
