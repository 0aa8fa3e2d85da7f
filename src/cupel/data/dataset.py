"""What the catalog says of a dataset, and the files that one consists of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from cupel.data.store import Artifact

Kind = Literal["wmt", "rankings-json", "graded", "graded-json", "mutt", "plain"]
"""How the files are laid out:

wmt            newstest texts and judgments.csv
rankings-json  PAIR.jsonl, one ranking a line
graded         as mt-metrics-eval's: sources, references, system-outputs, human-scores, documents
graded-json    PAIR.jsonl, one graded translation a line
mutt           the trials of MUTT
plain          anything else
"""
Converter = Callable[[Mapping[str, Path], Path], None]
"""Takes a folder for each repository, with the files that are read there, and the folder to fill."""
Counts = Mapping[str, int]
"""How much there is of one part: segments, systems, references, trials."""

_LISTED: dict[str, dict[str, int | str]] = {"{part}.jsonl": {"lines": "segments"}}
_LAYOUTS: dict[str, dict[str, dict[str, int | str]]] = {
    "wmt": {"system-outputs/{test}/{part}/{test}.*": {"count": "systems"}},
    "rankings-json": _LISTED,
    "graded": {
        "sources/{part}.txt": {"lines": "segments"},
        "references/{part}.*.txt": {"count": "references"},
        "system-outputs/{part}/*.txt": {"count": "systems"},
        "documents/{part}.docs": {},
        "human-scores/{part}.{human}.seg.score": {},
    },
    "graded-json": _LISTED,
    "mutt": {f"trials/{{part}}_{side}.json": {} for side in ("a", "b", "r5", "r10", "r20")},
    "plain": {},
}
"""The files of each kind, in the form of the catalog's `files`."""


@dataclass(frozen=True)
class Expected:
    """Files that must be there: a pattern, how many match it, and the lines each has, if known."""

    pattern: str
    count: int = 1
    lines: int | None = None


@dataclass(frozen=True)
class Repository:
    """A public repository at one commit, and the patterns of the paths that are read there."""

    name: str  # OWNER/NAME
    commit: str
    archive_bytes: int  # about the size of its whole archive
    reads: tuple[str, ...] = ()


@dataclass(frozen=True)
class Dataset:
    """One named dataset; resources/datasets/catalog.toml says what each field is."""

    name: str
    description: str
    licence: str
    published: str
    used_for: str
    languages: str = ""
    systems: str = ""
    judgments: str = ""
    size: int = 0
    sha256: str = ""
    kind: Kind = "plain"
    human: str = ""
    embedded: bool = False
    lost: str = ""
    converter: str = ""
    parts: Mapping[str, Counts] = field(default_factory=dict)
    files_listed: Mapping[str, Mapping[str, int | str]] = field(default_factory=dict)
    repositories: tuple[Repository, ...] = ()

    @classmethod
    def parsed(cls, name: str, entry: Mapping[str, Any]) -> Dataset:
        """The dataset of a catalog's entry."""
        fields = dict(entry)
        repositories = tuple(
            Repository(repository, table["commit"], table["archive_bytes"], tuple(table["reads"]))
            for repository, table in fields.pop("repositories", {}).items()
        )
        listed = fields.pop("files", {})
        return cls(name, **fields, files_listed=listed, repositories=repositories)

    @property
    def pairs(self) -> tuple[str, ...]:
        """The language pairs that have translations."""
        return tuple(self.parts) if self.kind not in ("mutt", "plain") else ()

    @property
    def test(self) -> str:
        """How WMT calls the test set: newstest2012."""
        return f"newstest20{self.name[3:]}"

    @cached_property
    def files(self) -> tuple[Expected, ...]:
        """The files that must be there: those of the whole first, then those of each part."""
        patterns = {**self.files_listed, **_LAYOUTS[self.kind]}
        by_part = [key for key in patterns if "{part}" in key]
        return (
            *(self._expected(key, patterns[key]) for key in patterns if key not in by_part),
            *(self._expected(key, patterns[key], part) for part in self.parts for key in by_part),
        )

    def _expected(self, pattern: str, numbers: Mapping[str, int | str], part: str = "") -> Expected:
        of_part = self.parts.get(part, {})
        known = {key: of_part[n] if isinstance(n, str) else n for key, n in numbers.items()}
        filled = pattern.format(part=part, human=self.human, test=self.test)
        return Expected(filled, known.get("count", 1), known.get("lines"))

    @cached_property
    def artifacts(self) -> tuple[Artifact, ...]:
        """The files of its repositories that the converter reads, each with its checksum."""
        rows = (line.split("\t") for line in self._resource("tsv").splitlines())
        return tuple(
            Artifact(path, int(size), sha256, repository) for sha256, size, repository, path in rows
        )

    def convert(self, sources: Mapping[str, Path], target: Path) -> None:
        """Fill the folder. sources: for each repository a folder with the files that are read."""
        module, function = self.converter.split(":")
        convert: Converter = getattr(import_module(f"cupel.data.converters.{module}"), function)
        convert(sources, target)
        (target / "README.md").write_text(self._resource("md"), encoding="utf-8", newline="\n")

    def _resource(self, suffix: str) -> str:
        place = files("cupel") / "resources" / "datasets" / f"{self.name}.{suffix}"
        return place.read_text("utf-8")
