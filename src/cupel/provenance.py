"""What was asked, and of which files: the record that a result carries, to compute it once more.

A record names the command, the values that change the answer, and the files that were read with
their SHA-256. It has base names only, no path of the machine where it was made, so that a result can
be given away; `restored` finds the files again by name and content.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cupel.checksums import sha256_of
from cupel.errors import CupelError
from cupel.questions.field import Field, fields_of
from cupel.questions.question import Question
from cupel.reading.names import parse_name
from cupel.records import Row


def inputs_of(question: Question) -> list[tuple[Field, Path]]:
    """The files that are read, without the columns that are named behind them; not standard input."""
    named = _named(question, "input")
    return [(asked, Path(_file(str(name)))) for asked, name in named if name not in ("", "-")]


def outputs_of(question: Question) -> list[tuple[Field, Path]]:
    """The files and folders that are written."""
    return [(asked, path) for asked, path in _named(question, "output") if isinstance(path, Path)]


def _named(question: Question, role: str) -> list[tuple[Field, Any]]:
    pairs: list[tuple[Field, Any]] = []
    for asked in fields_of(type(question)):
        if asked.option.role == role:
            value = getattr(question, asked.name)
            values = value if isinstance(value, tuple) else (value,)
            pairs += [(asked, part) for part in values if part is not None]
    return pairs


def _file(name: str) -> str:
    """The file of [LABEL=]FILE[:COLUMN]."""
    _, equals, rest = name.partition("=")
    return parse_name(rest if equals and not Path(name).exists() else name).file


@dataclass
class _Files:
    """The files of a record: how each is called in it, and what its content is."""

    names: dict[str, str] = field(default_factory=dict)
    digests: dict[str, Row] = field(default_factory=dict)

    def renamed(self, text: str, file: str) -> str:
        """A value with the path replaced by its name in the record, in braces."""
        path = Path(file)
        if not path.exists():
            return text
        if file not in self.names:
            name = path.name or path.resolve().name
            taken = name in self.digests
            name = f"{len(self.digests) + 1}/{name}" if taken else name
            self.names[file] = name
            self.digests[name] = {"sha256": digest(path)}
        return text.replace(file, f"{{{self.names[file]}}}")


def record_of(question: Question) -> Row:
    """`{"command": ..., "values": {...}, "inputs": {name: {"sha256": ...}}}`, for JSON.

    values: of the fields that change the answer, where they differ from the default; a file is
    written as its name in braces.
    """
    files = _Files()
    roles = {asked.name: asked.option.role for asked in fields_of(type(question))}
    values: Row = {}
    for name, value in question.changed().items():
        if roles[name] in ("meaning", "input"):
            rename = _input_name if roles[name] == "input" else _spec_name
            parts = [
                rename(part, files) for part in (value if isinstance(value, tuple) else [value])
            ]
            values[name] = parts if isinstance(value, tuple) else parts[0]
    return {"command": question.command, "values": values, "inputs": files.digests}


def _input_name(value: object, files: _Files) -> object:
    return value if value in ("", "-") else files.renamed(str(value), _file(str(value)))


def _spec_name(value: object, files: _Files) -> object:
    """A value that may name files in options, such as `red:trees=FILE`."""
    if not isinstance(value, str | Path):
        return value
    text = str(value)
    for word in text.replace("=", ",").replace(":", ",").split(","):
        if "/" in word:
            text = files.renamed(text, word)
    return text


def digest(path: Path) -> str | None:
    """SHA-256 of a file, or of all files of a folder with their names; None of a pipe."""
    if path.is_file():
        return sha256_of(path)
    if not path.is_dir():
        return None
    whole = hashlib.sha256()
    for file in sorted(file for file in path.rglob("*") if file.is_file()):
        whole.update(f"{file.relative_to(path).as_posix()}\0{sha256_of(file)}\n".encode())
    return whole.hexdigest()


def restored(
    kind: type[Question],
    values: Mapping[str, Any],
    inputs: Mapping[str, Row],
    folders: Sequence[Path],
) -> Question:
    """The question of a record, with its files found in the folders."""
    asked = {field.name: field.option for field in fields_of(kind)}
    for name, value in values.items():
        role = asked[name].role if name in asked else None
        if role not in ("meaning", "input"):
            raise CupelError(f"A record of `cupel {kind.command}` cannot have {name!r}.")
        if role == "input":
            _check_described(name, value)
    for name, option in asked.items():
        if option.default == "standard input" and not (values.get(name) or values.get("scores")):
            _check_described(name, "-")
    places = {name: _place(name, entry.get("sha256"), folders) for name, entry in inputs.items()}
    return kind.of({name: _replaced(value, places) for name, value in values.items()})


def _check_described(name: str, value: Any) -> None:
    """A file that is read again is one that the record describes, by its name in braces."""
    for part in value if isinstance(value, list) else [value]:
        if part == "-":
            raise CupelError(
                "Texts of this result were read from standard input, which cannot be read again."
            )
        if not isinstance(part, str) or ("{" not in part and ("/" in part or "\\" in part)):
            raise CupelError(
                f"The record names {part!r} as {name!r}, and does not say what is in that file."
            )


def _replaced(value: Any, places: Mapping[str, Path]) -> Any:
    if isinstance(value, list):
        return [_replaced(part, places) for part in value]
    if not isinstance(value, str):
        return value
    for name, place in places.items():
        value = value.replace(f"{{{name}}}", str(place))
    return value


def _place(name: str, sha256: str | None, folders: Sequence[Path]) -> Path:
    if sha256 is None:
        raise CupelError(f"{name} was read from a pipe, which cannot be read again.")
    for place in _places(Path(name).name, folders):
        if place.exists() and digest(place) == sha256:
            return place
    shown = ", ".join(dict.fromkeys(str(folder.resolve()) for folder in folders))
    raise CupelError(
        f"There is no {name} with the content that was scored (SHA-256 {sha256[:12]}...) in {shown}: "
        "name its folder with --folder."
    )


def _places(name: str, folders: Sequence[Path]) -> Iterable[Path]:
    """A file of that name in a folder, then below it, then any file that lies in the folder."""
    for folder in folders:
        yield folder / name
    for folder in folders:
        yield from (path for path in folder.glob(f"*/{name}"))
    for folder in folders:
        yield from sorted(path for path in folder.iterdir() if path.is_file())
