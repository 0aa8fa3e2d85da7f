"""JSON and TOML files, with errors that name the place of what is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cupel.errors import CupelError
from cupel.reading.limits import check_toml
from cupel.reading.lines import display_name, iterate_lines, read_text


def parse_json(text: str, place: str, *, unique: bool = False) -> Any:
    """The value of a text that errors call `place`: a file, or a line of one.

    unique: whether a key that an object has twice is an error; Python keeps the last.
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        for number, (key, _) in enumerate(pairs if len(value) < len(pairs) else ()):
            if key in (other for other, _ in pairs[:number]):
                raise CupelError(f"{place}: an object has the key {key!r} twice.")
        return value

    try:
        return json.loads(text, object_pairs_hook=once if unique else None)
    except json.JSONDecodeError as error:
        line = "" if text.count("\n") == 0 and ", line " in place else f", line {error.lineno}"
        raise CupelError(
            f"{place}{line}, column {error.colno}: this is not JSON ({error.msg})."
        ) from None
    except RecursionError:
        raise CupelError(f"{place}: this JSON is nested too deeply.") from None
    except ValueError as error:  # a number with more digits than Python takes
        raise CupelError(f"{place}: this JSON cannot be read ({error}).") from None


def read_json(path: Path | str, *, unique: bool = False) -> Any:
    """The value of a whole file; unique as for `parse_json`."""
    return parse_json(read_text(path), display_name(path), unique=unique)


def read_toml(path: Path | str) -> dict[str, Any]:
    """The tables of a whole file."""
    import tomllib

    file = display_name(path)
    try:
        return tomllib.loads(check_toml(read_text(path), file))
    except (ValueError, RecursionError) as error:  # the former name line and column
        raise CupelError(f"{file} is not TOML: {error}.") from None


def json_lines(
    path: Path | str, encoding: str = "utf-8", *, blank: bool = False, unique: bool = False
) -> Iterator[tuple[str, dict[str, Any]]]:
    """(place, object) of each line of a file.

    blank: whether blank lines are skipped. unique: as for `parse_json`.
    """
    for number, line in enumerate(iterate_lines(path, encoding), start=1):
        if blank and not line.strip():
            continue
        place = f"{display_name(path)}, line {number}"
        value = parse_json(line, place, unique=unique)
        if not isinstance(value, dict):
            raise CupelError(
                f"{place}: {kind_of_json(value)} was found where an object was expected."
            )
        yield place, value


def kind_of_json(value: object) -> str:
    """What errors call a value: `a list`, `a number`, `null`."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a truth value"
    names = {str: "text", dict: "an object", list: "a list", int: "a number", float: "a number"}
    return names.get(type(value), f"a {type(value).__name__}")
