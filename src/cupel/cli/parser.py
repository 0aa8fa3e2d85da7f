"""A command line made from a question: options, help, configuration file, and errors in one sentence.

Everything here is derived from the fields of the question's dataclass; `argparse` splits the words.
(Cyclopts was measured: importing it takes 57 to 83 ms, argparse 10.)
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, TypeVar

from cupel.errors import CupelError
from cupel.names import did_you_mean
from cupel.questions.field import Field, fields_of, plain_hint
from cupel.questions.question import Question

Q = TypeVar("Q", bound=Question)
CONFIG = "--config"


class UsageError(CupelError):
    """A command line that cannot be understood."""


class HelpAsked(Exception):
    """`--help` or `--help-all` was given: its text."""


def parse(question: type[Q], words: Sequence[str]) -> Q:
    """The question that a command line asks."""
    for word in takewhile(lambda word: word != "--", words):
        if word in ("--help", "-h", "--help-all"):
            from cupel.cli.help import help_text

            raise HelpAsked(help_text(question, everything=word == "--help-all"))
    values = _values(question, list(words))
    config = values.pop("config", None)
    if config is not None:
        values = {**_from_file(question, Path(config)), **values}
    for field in fields_of(question):
        if field.required and field.name not in values:
            raise _usage(question, f"{field.label} is missing")
    asked = question.of(values)
    check_files(asked)
    return asked


def check_files(question: Question) -> None:
    """Refuse outputs that cannot be written, that are named twice, or that are inputs."""
    from cupel.folders import check_fillable, check_writable
    from cupel.provenance import inputs_of, outputs_of

    outputs = outputs_of(question)
    for field, path in outputs:
        (check_fillable if field.option.folder else check_writable)(path)
    if not outputs:
        return
    inputs = [(field, path) for field, path in inputs_of(question) if path.exists()]
    for number, (field, path) in enumerate(outputs):
        for other, same in [*inputs, *outputs[:number]]:
            if _same_file(path, same):
                raise CupelError(
                    f"{path} is named for {_lower(field.label)} and for {_lower(other.label)}: "
                    "name two files."
                )


def _same_file(path: Path, other: Path) -> bool:
    if path.exists() and other.exists():
        return path.samefile(other)
    return path.resolve() == other.resolve()


class _Parser(argparse.ArgumentParser):
    """One that raises its errors."""

    def error(self, message: str) -> Any:
        raise argparse.ArgumentError(None, message)


def _values(question: type[Question], words: list[str]) -> dict[str, Any]:
    """The values that a command line gives, as text, by the names of the fields."""
    parser = _Parser(
        add_help=False,
        allow_abbrev=False,
        exit_on_error=False,
        argument_default=argparse.SUPPRESS,
    )
    for field in fields_of(question):
        _add(parser, field)
    parser.add_argument(CONFIG, dest="config")
    try:
        space, extras = parser.parse_known_intermixed_args(words)
    except argparse.ArgumentError as error:
        raise _refused(question, error) from None
    for word in extras:
        if word.startswith("-") and len(word) > 1:
            raise _unknown(question, word.partition("=")[0])
    if extras:
        raise _usage(question, "There are too many arguments", f"{extras[0]!r} is not expected.")
    return vars(space)


def _add(parser: argparse.ArgumentParser, field: Field) -> None:
    flag = plain_hint(field.hint) is bool
    if field.option.argument:
        count = "*" if field.many else "?"
        parser.add_argument(field.name, nargs=count, default=argparse.SUPPRESS)
        return
    if flag:
        for name in field.names:
            value = not name.startswith("--no-") or not field.default
            parser.add_argument(name, dest=field.name, action="store_const", const=value)
    elif field.many:
        parser.add_argument(*field.names, dest=field.name, nargs="+", action="extend")
    else:
        parser.add_argument(*field.names, dest=field.name)
    for name, constant in field.option.constants.items():
        parser.add_argument(name, dest=field.name, action="store_const", const=constant)


def _usage(question: type[Question], what: str, why: str = "") -> UsageError:
    return UsageError(f"{what} (see `cupel {question.command} --help`){f': {why}' if why else '.'}")


def _refused(question: type[Question], error: argparse.ArgumentError) -> UsageError:
    name = (error.argument_name or "").split("/")[0]
    if "ignored explicit argument" in error.message:
        return _usage(question, f"The option {name} takes no value")
    if "expected" in error.message:
        return _usage(question, f"The option {name} needs a value")
    return _usage(question, error.message[:1].upper() + error.message[1:])


def _unknown(question: type[Question], name: str) -> UsageError:
    names = [
        name for field in fields_of(question) for name in (*field.names, *field.option.constants)
    ]
    return UsageError(
        f"Unknown option {name} (see `cupel {question.command} --help`){did_you_mean(name, names, 2)}"
    )


def _from_file(question: type[Question], path: Path) -> dict[str, Any]:
    """The values in a TOML or JSON file, whose names are those of the options."""
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError:
        raise CupelError(f"{path} is not UTF-8 text: it should be TOML or JSON.") from None
    except OSError as error:
        raise CupelError(f"{path} cannot be read: {error.strerror}.") from None
    try:
        if path.suffix == ".json":
            import json

            values = json.loads(text)
        else:
            import tomllib

            values = tomllib.loads(text)
    except ValueError as error:
        raise CupelError(
            f"{path} cannot be read as {path.suffix[1:].upper() or 'TOML'}: {error}."
        ) from None
    if not isinstance(values, dict):
        raise CupelError(f"{path} should have names and values, as options have.")
    return named_values(question, values, str(path))


def named_values(
    question: type[Question], values: Mapping[str, Any], origin: str
) -> dict[str, Any]:
    """Values by the names of the fields, from those by names of options, with `-` or `_`."""
    names: dict[str, str] = {}
    for field in fields_of(question):
        spellings = [field.name, *(name.lstrip("-") for name in field.names)]
        names |= {name.replace("-", "_"): field.name for name in spellings}
    for name in values:
        if name.replace("-", "_") not in names:
            raise CupelError(f"{origin} has the unknown entry {name!r}{did_you_mean(name, names)}")
    return {names[name.replace("-", "_")]: value for name, value in values.items()}


def _lower(label: str) -> str:
    return label[0].lower() + label[1:]
