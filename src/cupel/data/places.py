"""Where the files of a recipe come from: GitHub, a mirror, or what `--from` names on this machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

from cupel.data.archives import SUFFIXES, take_from_archive, take_from_tar
from cupel.data.clones import git_folder, take_from_git
from cupel.data.dataset import Repository
from cupel.data.download import Stream, checked_url, download_file, is_url
from cupel.data.store import Artifact, Meter, Store, WrongContent, chunks_of
from cupel.errors import CupelError

_REQUEST = 50_000  # bytes: what a file of its own costs in time beyond its size, about
_GITHUB_ARCHIVES = "https://codeload.github.com"
_GITHUB_FILES = "https://raw.githubusercontent.com"


def open_place(place: str | Path | None) -> Remote | Local:
    """GitHub, or what `--from` names."""
    if place is None:
        return Remote(_GITHUB_ARCHIVES, _GITHUB_FILES)
    if not str(place).strip():
        raise CupelError("--from is empty: name a clone, an archive or a mirror, or leave it out.")
    if is_url(place):
        url = checked_url(str(place))
        path = urlsplit(url).path
        return Remote(url, None if path.endswith(SUFFIXES) or "/tar.gz/" in path else url)
    local = Path(place).expanduser()
    if not local.exists():
        raise CupelError(
            f"{place} does not exist: give a clone, an archive, a folder of these or the URL "
            "of a mirror with --from."
        )
    return Local(local)


@dataclass(frozen=True)
class Remote:
    """GitHub or a mirror of it, with archives and single files by commit; or one archive."""

    archives: str
    files: str | None  # None: `archives` is the URL of the only archive

    def transfer(self, repository: Repository, files: Sequence[Artifact]) -> int:
        """How many bytes a download takes, about."""
        if self._by_archive(repository, files):
            return repository.archive_bytes
        return sum(file.size for file in files)

    def fetch(
        self, repository: Repository, files: Sequence[Artifact], store: Store, meter: Meter
    ) -> str:
        """Download the files, one by one or with the whole repository, whichever is less.

        They are put into the store, as far as they are there; returns the name of the place.
        """
        if self._by_archive(repository, files):
            url = self.archives
            if self.files is not None:
                url = f"{url}/{repository.name}/tar.gz/{repository.commit}"
            with Stream(url, 0, meter) as stream:
                if urlsplit(url).path.endswith(".zip"):
                    with store.scratch(stream) as whole:
                        take_from_archive(whole, url, files, store)
                else:
                    take_from_tar(stream, url, files, store)
            return url
        base = f"{self.files}/{repository.name}/{repository.commit}"
        for file in files:
            if not store.has(file):  # two paths may have the same content
                download_file(f"{base}/{quote(file.name)}", file, store, meter)
        return base

    def _by_archive(self, repository: Repository, files: Sequence[Artifact]) -> bool:
        separate = sum(file.size + _REQUEST for file in files)
        return self.files is None or separate > repository.archive_bytes


@dataclass(frozen=True)
class Local:
    """A clone, an archive or a folder with the files of a repository; or a folder of these."""

    path: Path

    def transfer(self, _repository: Repository, files: Sequence[Artifact]) -> int:
        """How many bytes are read to get these files."""
        return sum(file.size for file in files)

    def fetch(
        self, repository: Repository, files: Sequence[Artifact], store: Store, meter: Meter
    ) -> str:
        """Copy the files from there into the store, as `Remote.fetch` does."""
        place = _place(self.path, repository, files)
        store.meter = meter
        if place.is_file():
            with place.open("rb") as content:
                take_from_archive(content, str(place), files, store)
        else:
            _take_from_folder(place, repository, files, store)
        return str(place)


def _place(path: Path, repository: Repository, files: Sequence[Artifact]) -> Path:
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


def _present(folder: Path, files: Sequence[Artifact]) -> Iterator[bool]:
    return ((folder / file.name).is_file() for file in files)


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
    folder: Path, repository: Repository, files: Sequence[Artifact], store: Store
) -> None:
    """Take the files of the work tree, and those that it does not have as listed from git."""
    git = git_folder(folder)
    for file in files:
        path = folder / file.name
        if path.is_file():
            try:
                with path.open("rb") as content:
                    store.receive(file, chunks_of(content), str(path))
            except WrongContent:
                if git is None:
                    raise
    rest = [file for file in files if not store.has(file)]
    if rest and git is not None:
        take_from_git(git, repository.commit, rest, store)
