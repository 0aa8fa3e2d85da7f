"""From the words of a command line to the command that they ask for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

from cupel import __version__
from cupel.cli.parser import HelpAsked, UsageError, parse
from cupel.cli.table import COMMANDS
from cupel.names import did_you_mean
from cupel.questions.question import Question


def question_of(command: str) -> type[Question]:
    """The question that a command asks."""
    question: type[Question] = _named("cupel.questions", COMMANDS[command][0])
    return question


def run(words: Sequence[str]) -> int:
    """Run the command that the words ask for; the exit status."""
    if not words or words[0] in ("--help", "-h"):
        print(help_text())
        return 0 if words else 2
    if words[0] in ("--version", "-V"):
        print(f"cupel {__version__}")
        return 0
    if words[1:] in (["--help"], ["-h"]) and words[0] not in COMMANDS:
        group = [command for command in COMMANDS if command.startswith(f"{words[0]} ")]
        if group:
            print(_rows_of(group))
            return 0
    command = _command_of(words)
    try:
        question = parse(question_of(command), words[len(command.split()) :])
    except HelpAsked as text:
        print(text)
        return 0
    question.rules()
    return perform(question)


def _command_of(words: Sequence[str]) -> str:
    """The command that the first words name."""
    first, *rest = words
    group = [command for command in COMMANDS if command.startswith(f"{first} ")]
    second = rest[0] if group and rest and not rest[0].startswith("-") else None
    command = f"{first} {second}" if second else first
    if command in COMMANDS:
        return command
    if first.startswith("-"):
        raise UsageError(f"Unknown option {first} (see `cupel --help`).")
    if group and second is None:
        raise UsageError(f"`cupel {first}` is one of {', '.join(map(repr, group))}.")
    names = [member.split()[-1] for member in group or COMMANDS]
    word, place = second or first, f"{first} " if group else ""
    raise UsageError(
        f"Unknown command {word!r} (see `cupel {place}--help`){did_you_mean(word, names, cutoff=0.5)}"
    )


def perform(question: Question) -> int:
    """Answer a question and print the answer; the exit status."""
    from cupel.records import answering

    def record() -> dict[str, Any]:
        from cupel.provenance import record_of

        return record_of(question)

    with answering(record):
        return _named("cupel.cli", COMMANDS[question.command][1])(question) or 0


def help_text() -> str:
    """The text of `cupel --help`."""
    lines = [
        "Usage: cupel COMMAND ...",
        "",
        "  Score machine translations, and evaluate the metrics that score them.",
        "",
        "Commands",
        _rows_of(COMMANDS),
        "",
        "`cupel COMMAND --help` explains a command, `cupel --version` prints the version.",
    ]
    return "\n".join(lines)


def _rows_of(commands: Iterable[str]) -> str:
    """A line for each command: what it does."""
    from textwrap import shorten

    from cupel.cli.help import summary

    return "\n".join(
        f"  {command:<18}{shorten(summary(question_of(command)), 80, placeholder=' ...')}"
        for command in commands
    )


def _named(package: str, place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(f"{package}.{module}"), name)
