"""What was asked, and of which files: the record that a result carries, to compute it once more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cupel.questions.field import Field, fields_of
from cupel.questions.question import Question
from cupel.reading.names import parse_name


def inputs_of(question: Question) -> list[tuple[Field, Path]]:
    """The files that are read, without the columns that are named behind them; not standard input."""
    named = _named(question, "input")
    return [(f, Path(parse_name(str(name)).file)) for f, name in named if name not in ("", "-")]


def outputs_of(question: Question) -> list[tuple[Field, Path]]:
    """The files and folders that are written."""
    return [(f, p) for f, p in _named(question, "output") if isinstance(p, Path)]


def _named(question: Question, role: str) -> list[tuple[Field, Any]]:
    pairs: list[tuple[Field, Any]] = []
    for field in fields_of(type(question)):
        if field.option.role == role:
            value = getattr(question, field.name)
            pairs += [
                (field, v)
                for v in (value if isinstance(value, tuple) else (value,))
                if v is not None
            ]
    return pairs
