"""How a question is declared: each field with its type, default, one sentence and role.

A question is a frozen dataclass, and so is each group of fields that questions share; a question
inherits its groups, so that its fields have one flat set of names. Options, help, configuration
files, checks of values and the record of what was asked are derived from this declaration alone.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from inspect import get_annotations
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

Role = Literal["meaning", "input", "spread", "output"]
"""What a field changes: the answer, the texts that are read, how work is spread, what is written."""


@dataclass(frozen=True)
class Range:
    """The smallest and the largest number that a field takes; `above` leaves the smallest out."""

    least: float = -math.inf
    most: float = math.inf
    above: bool = False

    def includes(self, number: float) -> bool:
        """Whether a number lies inside."""
        return (self.least < number if self.above else self.least <= number) and number <= self.most

    def __str__(self) -> str:
        low = f"{'above ' if self.above else 'at least '}{self.least:.15g}"
        high = f"at most {self.most:.15g}"
        parts = [low] * (self.least > -math.inf) + [high] * (self.most < math.inf)
        return " and ".join(parts)


Count = Annotated[int, Range(1)]
Natural = Annotated[int, Range(0)]
Share = Annotated[float, Range(0, 1)]


@dataclass(frozen=True)
class Option:
    """What a person reads and writes of a field."""

    help: str
    names: tuple[str, ...]
    role: Role
    metavar: str
    default: str
    argument: bool
    constants: Mapping[str, object]
    hidden: bool
    folder: bool


def option(
    default: object,
    help: str,  # noqa: A002
    *names: str,
    role: Role = "meaning",
    metavar: str = "",
    shown: str = "",
    argument: bool = False,
    constants: Mapping[str, object] | None = None,
    hidden: bool = False,
    folder: bool = False,
) -> Any:
    """A field of a question.

    help: one sentence. names: of the option, the long one first; without any, made from the field's
    name. metavar: what stands for the value. shown: the default in words. argument: whether it is
    given by position. constants: further options, each with the value that it stands for. folder:
    whether an output is a folder to fill.
    """
    about = Option(help, names, role, metavar, shown, argument, constants or {}, hidden, folder)
    if default is ...:
        return dataclasses.field(metadata={"option": about})
    return dataclasses.field(default=default, metadata={"option": about})


@dataclass(frozen=True)
class Field:
    """One field of a question: its name, type, default, option, and the panel of its group."""

    name: str
    hint: Any
    default: object
    option: Option
    panel: str

    @property
    def required(self) -> bool:
        """Whether there is no default."""
        return self.default is dataclasses.MISSING

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its option, such as `--metrics` and `-m`."""
        if self.option.argument:
            return ()
        written = self.name.replace("_", "-")
        if plain_hint(self.hint) is bool and self.default is True:
            return self.option.names or (f"--{written}", f"--no-{written}")
        return self.option.names or (f"--{written}",)

    @property
    def label(self) -> str:
        """What errors call it."""
        if self.option.argument:
            return f"The argument {self.option.metavar or self.name.upper()}"
        return f"The option {max(self.names, key=len) if len(self.names) == 1 else self.names[0]}"

    @property
    def many(self) -> bool:
        """Whether it takes several values."""
        return get_origin(plain_hint(self.hint)) is tuple

    @property
    def choices(self) -> tuple[str, ...]:
        """The values that it can have, where they are listed."""
        hint = plain_hint(self.hint)
        if get_origin(hint) is tuple:
            hint = plain_hint(get_args(hint)[0])
        return get_args(hint) if get_origin(hint) is Literal else ()

    def value(self, raw: object) -> Any:
        """The value for what was written on the command line or in a file; `ValueError` says why not."""
        return _value(self.hint, raw)


def fields_of(question: type) -> tuple[Field, ...]:
    """All fields of a question: its own, then those of its groups in the order of inheritance."""
    return _fields_of(question)


@cache
def _fields_of(question: Any) -> tuple[Field, ...]:
    hints = get_type_hints(question, include_extras=True)
    panels: dict[str, str] = {}
    for kind in question.__mro__:
        for name in get_annotations(kind):
            panels.setdefault(name, kind.__dict__.get("panel", ""))
    declared = {field.name: field for field in dataclasses.fields(question)}
    return tuple(
        Field(n, hints[n], declared[n].default, declared[n].metadata["option"], panels[n])
        for n in panels
        if n in declared
    )


def plain_hint(hint: Any) -> Any:
    """A type without its range and without None."""
    if get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    if get_origin(hint) in (Union, UnionType):
        (hint,) = (part for part in get_args(hint) if part is not NoneType)
        return plain_hint(hint)
    return hint


def _value(hint: Any, raw: object) -> Any:
    if get_origin(hint) is Annotated:
        kind, limits = get_args(hint)
        number = _value(kind, raw)
        if not limits.includes(number):
            raise ValueError(f"it should be {limits}")
        return number
    if get_origin(hint) in (Union, UnionType):
        if raw is None:
            return None
        (hint,) = (part for part in get_args(hint) if part is not NoneType)
        return _value(hint, raw)
    if get_origin(hint) is tuple:
        if isinstance(raw, str) or not isinstance(raw, Sequence):
            raise ValueError("it should be a list")
        return tuple(_value(get_args(hint)[0], part) for part in raw)
    if get_origin(hint) is Literal:
        if raw not in get_args(hint):
            raise ValueError(f"it should be one of {', '.join(map(repr, get_args(hint)))}")
        return raw
    return _CONVERTED[hint](raw)


def _whole_number(raw: object) -> int:
    if isinstance(raw, bool) or not isinstance(raw, int | str):
        raise ValueError("it should be a whole number")
    try:
        return int(raw)
    except ValueError:
        raise ValueError("it should be a whole number") from None


def _number(raw: object) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float | str):
        raise ValueError("it should be a number")
    try:
        number = float(raw)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError("it should be a number")
    return number


def _text(raw: object) -> str:
    if not isinstance(raw, str | Path):
        raise ValueError("it should be text")
    return str(raw)


def _flag(raw: object) -> bool:
    if not isinstance(raw, bool):
        raise ValueError("it should be true or false")
    return raw


def _path(raw: object) -> Path:
    if _text(raw) == "":
        raise ValueError("it should name a file or a folder")
    return Path(_text(raw))


_CONVERTED = {int: _whole_number, float: _number, str: _text, bool: _flag, Path: _path}
