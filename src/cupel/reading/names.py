"""How the user names an input (FILE, FILE:COLUMN or `-`), and how systems are named after it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cupel.errors import CupelError
from cupel.reading.lines import STANDARD_INPUT, display_name
from cupel.reading.segments import Segments, counted

_KINDS = {
    ".sgm": "sgm",
    ".sgml": "sgm",
    ".xml": "sgm",
    ".tsv": "tsv",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}


@dataclass(frozen=True)
class InputName:
    """A file, and which column (of a table) or system (of SGM) in it."""

    given: str
    file: str
    part: str | None = None

    @property
    def kind(self) -> str:
        return kind_of(self.file)


def parse_name(name: str | Path, kinds: Mapping[str, str] = _KINDS) -> InputName:
    """FILE:COLUMN as two parts; a file whose name contains the colon comes first.

    kinds: the ends of names of files that have columns, and what these files are.
    """
    given = str(name)
    if not given:
        raise CupelError("A file's name is empty: name a file, or - for standard input.")
    if given == STANDARD_INPUT or _exists(given):
        return InputName(given, given)
    splits = [(file, part) for file, part in _splits(given) if kind_of(file, kinds) != "lines"]
    for file, part in splits:
        if _exists(file):
            return InputName(given, file, part)
    if splits:
        return InputName(given, *splits[0])
    for file, _ in _splits(given):
        if _exists(file) and Path(file).is_file():
            raise CupelError(
                f"{given} does not exist, and {file} is plain text, which has no columns."
            )
    return InputName(given, given)


def kind_of(file: str, kinds: Mapping[str, str] = _KINDS) -> str:
    """`lines`, `sgm`, `tsv`, `csv`, `jsonl` or `parquet`, by the end of a file's name."""
    return kinds.get(Path(file.lower().removesuffix(".gz")).suffix, "lines")


def _splits(given: str) -> Iterator[tuple[str, str]]:
    """Every way to read `given` as FILE:PART, the shortest file first."""
    for place, character in enumerate(given):
        if character == ":" and 0 < place < len(given) - 1:
            yield given[:place], given[place + 1 :]


def _exists(file: str) -> bool:
    try:
        return Path(file).exists()
    except (OSError, ValueError):  # a name too long, a folder that may not be entered
        return False


def system_names(
    systems: Sequence[tuple[InputName, Segments]], given: Sequence[str] | None = None
) -> list[str]:
    """The given names, or for all systems the shortest form that is unique.

    First what the system is called in its file (an SGM's sysid, a column where all are of one
    table) or else the file's base name, then that with the base name, then with the whole path.
    """
    if given is not None:
        if len(given) != len(systems):
            names = counted(len(given), "system name is given", "system names are given")
            raise CupelError(f"{names} for {counted(len(systems), 'system', 'systems')}.")
        return _distinct(given)
    one_file = len({name.file for name, _ in systems}) == 1
    forms = [_forms(name, segments.label, one_file) for name, segments in systems]
    *short, whole = zip(*forms, strict=True)
    return next((list(names) for names in short if len(set(names)) == len(names)), None) or (
        _distinct(whole)
    )


def _forms(name: InputName, label: str | None, one_file: bool) -> tuple[str, str, str]:
    part = label or name.part
    path = display_name(name.file)
    base = Path(path).name or path
    if part is None:
        return base, base, path
    return part if label or one_file else f"{base}:{part}", f"{base}:{part}", f"{path}:{part}"


def _distinct(names: Sequence[str]) -> list[str]:
    for place, name in enumerate(names):
        if name in names[:place]:
            raise CupelError(
                f"Two systems are called {name!r}; give each a different name (--names)."
            )
    return list(names)
