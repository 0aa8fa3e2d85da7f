"""Models that packages of PyPI hold as parts of one GGUF file. The file is read where it lies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from cupel.checksums import sha256_of
from cupel.errors import CupelError, MissingPart
from cupel.neural.gguf import Gguf


@dataclass(frozen=True)
class GgufPackages:
    """A model, and where its parts lie.

    model       what it is called in messages
    files       of each part: its package, the file in that package's folder `data`, its SHA-256
    missing     what to do where a part is not installed, as a sentence
    """

    model: str
    files: tuple[tuple[str, str, str], ...]
    missing: str

    def paths(self) -> list[Path]:
        """The files of the packages, in order; `MissingPart` where one is not installed."""
        paths = []
        for package, name, _ in self.files:
            places = (place / "data" / name for place in _places(package))
            path = next((place for place in places if place.is_file()), None)
            if path is None:
                raise MissingPart(self.missing)
            paths.append(path)
        return paths

    def what_is_missing(self) -> str | None:
        """As a sentence; None when all parts are there."""
        try:
            self.paths()
        except MissingPart as error:
            return str(error)
        return None

    def open(self) -> Gguf:
        """The opened file, once its parts are those that weights were trained from."""
        return _opened(self)


@lru_cache(maxsize=2)
def _opened(packages: GgufPackages) -> Gguf:
    paths = packages.paths()
    for path, (_, _, expected) in zip(paths, packages.files, strict=True):
        checksum = sha256_of(path)
        if checksum != expected:
            raise CupelError(
                f"{path} holds another model than {packages.model}: SHA-256 {expected[:12]}... was "
                f"expected, {checksum[:12]}... is there."
            )
    return Gguf(paths)


def _places(package: str) -> Sequence[Path]:
    """The folders of a package, which is not imported."""
    spec = find_spec(package)
    return [Path(place) for place in (spec.submodule_search_locations if spec else None) or ()]
