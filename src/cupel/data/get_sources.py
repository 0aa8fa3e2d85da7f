"""Where the files of a recipe come from: GitHub, a mirror, or what `--from` names on this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import quote, urlsplit

from cupel.data.get_archive import SUFFIXES, take_from_archive
from cupel.data.get_git import git_folder, take_from_git
from cupel.data.get_store import Store, WrongContent, chunks_of
from cupel.data.recipes.listed import ListedFile
from cupel.data.recipes.recipe import Repository
from cupel.errors import CupelError


class Source(Protocol):
    """A place that has the files of repositories."""

    def transfer(self, repository: Repository, files: Sequence[ListedFile]) -> int:
        """How many bytes are read to get these files, about."""

    def fetch(
        self,
        repository: Repository,
        files: Sequence[ListedFile],
        store: Store,
        meter: Callable[[int], object],
    ) -> str:
        """Put the files into the store, as far as they are there; returns the name of the place."""


def open_source(place: str | Path | None) -> Source:
    """GitHub, or what `--from` names."""
    text = "" if place is None else str(place)
    if place is not None and not text.strip():
        raise CupelError("--from is empty: name a clone, an archive or a mirror, or leave it out.")
    if text and not text.startswith(("https://", "http://")):
        path = Path(text).expanduser()
        if not path.exists():
            raise CupelError(
                f"{place} does not exist: give a clone, an archive, a folder of these or the URL "
                "of a mirror with --from."
            )
        return Local(path)
    from cupel.data.download import ArchiveAt, Server

    if not text:
        return Server()
    try:
        url = quote(text, safe="/:@%?&=+,~[]").rstrip("/")
        parts = urlsplit(url)
        path_of_url = parts.path
    except ValueError as error:
        raise CupelError(f"{place} is not a URL: {error}.") from error
    if not parts.hostname:
        raise CupelError(f"{place} names no server: a URL looks like https://server/path.")
    if path_of_url.endswith(SUFFIXES) or "/tar.gz/" in path_of_url:
        return ArchiveAt(url)
    return Server(url, url)


@dataclass(frozen=True)
class Local:
    """A clone, an archive or a folder with the files of a repository; or a folder of these."""

    path: Path

    def transfer(self, repository: Repository, files: Sequence[ListedFile]) -> int:
        """How many bytes are read to get these files."""
        return sum(file.size for file in files)

    def fetch(
        self,
        repository: Repository,
        files: Sequence[ListedFile],
        store: Store,
        meter: Callable[[int], object],
    ) -> str:
        """Copy the files from there."""
        place = _place(self.path, repository, files)
        store.meter = meter
        if place.is_file():
            take_from_archive(place, files, store)
        else:
            _take_from_folder(place, repository, files, store)
        return str(place)


def _place(path: Path, repository: Repository, files: Sequence[ListedFile]) -> Path:
    """The clone, archive or folder of the repository, inside `path` or `path` itself."""
    if not (_is_copy(path) or all(_present(path, files))):
        path = next((place for place in _inside(path, repository) if place.exists()), path)
    # A folder that only wraps another is looked through.
    while not (_is_copy(path) or any(_present(path, files))):
        entries = list(path.iterdir())
        if len(entries) != 1:
            break
        path = entries[0]
    return path


def _is_copy(path: Path) -> bool:
    """Whether this is an archive or a clone, of whatever it may be."""
    return path.is_file() or git_folder(path) is not None


def _present(folder: Path, files: Sequence[ListedFile]) -> Iterator[bool]:
    return ((folder / file.path).is_file() for file in files)


def _inside(folder: Path, repository: Repository) -> Iterator[Path]:
    owner, name = repository.name.split("/")
    yield folder / owner / name
    for stem in (f"{owner}+{name}", f"{owner}-{name}", name):
        for end in ("", f"-{repository.commit}", "-main", "-master"):
            for suffix in ("", ".git", *SUFFIXES):
                yield folder / f"{stem}{end}{suffix}"
    for suffix in (".git", *SUFFIXES):
        yield folder / owner / f"{name}{suffix}"


def _take_from_folder(
    folder: Path, repository: Repository, files: Sequence[ListedFile], store: Store
) -> None:
    """Take the files of the work tree, and those that it does not have as listed from git."""
    git = git_folder(folder)
    for file in files:
        path = folder / file.path
        if path.is_file():
            try:
                with path.open("rb") as content:
                    store.receive(file, chunks_of(content), str(path))
            except WrongContent:
                if git is None:
                    raise
    rest = [file for file in files if not store.has(file)]
    if rest and git is not None:
        take_from_git(git, repository, rest, store)
