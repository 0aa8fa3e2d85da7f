"""The commands: the question that each asks, and the function that answers and prints it.

Both are imported when the command is asked for. Such a function takes the question and returns the
exit status, or nothing for 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import Any

from cupel.cli.parser import HelpAsked, UsageError, parse
from cupel.questions.question import Question

COMMANDS = {
    "metrics": ("metrics:Metrics", "metrics:run"),
    "demo": ("demo:Demo", "demo:run"),
}
"""Command -> the question, MODULE:CLASS of `cupel.questions`, and MODULE:FUNCTION of `cupel.cli`."""
ORDER = (
    "score diagnose plan merge metrics meta select annotate human mutt align mbr rerank parse data "
    "report serve reproduce train tune demo"
).split()
"""The first words of all commands, in the order of `cupel --help`."""


def question_of(command: str) -> type[Question]:
    """The question that a command asks."""
    question: type[Question] = _named("cupel.questions", COMMANDS[command][0])
    return question


def run(words: Sequence[str]) -> int:
    """Run the command that the words ask for; the exit status."""
    for count in (2, 1):
        command = " ".join(words[:count])
        if command in COMMANDS:
            try:
                question = parse(question_of(command), words[count:])
            except HelpAsked as text:
                print(text)
                return 0
            question.rules()
            return _named("cupel.cli", COMMANDS[command][1])(question) or 0
    if words[0].startswith("-"):
        raise UsageError(f"Unknown option {words[0]} (see `cupel --help`).")
    group = [command for command in COMMANDS if command.startswith(f"{words[0]} ")]
    if group and len(words) == 1:
        raise UsageError(f"`cupel {words[0]}` is one of {', '.join(map(repr, group))}.")
    names = [command.split()[-1] for command in group] or ORDER
    near = get_close_matches(words[-1] if group else words[0], names, cutoff=0.5)
    raise UsageError(
        f"Unknown command {' '.join(words[: 1 + bool(group)])!r} (see `cupel --help`)"
        + (f": did you mean {' or '.join(near)}?" if near else ".")
    )


def help_text() -> str:
    """The text of `cupel --help`."""
    from textwrap import shorten

    from cupel.cli.help import summary

    lines = [
        "Usage: cupel COMMAND ...",
        "",
        "  Score machine translations, and evaluate the metrics that score them.",
        "",
        "Commands",
    ]
    for word in ORDER:
        members = [command for command in COMMANDS if command.split()[0] == word]
        lines += [
            f"  {command:<18}{shorten(summary(question_of(command)), 80, placeholder=' ...')}"
            for command in members
        ] or [f"  {word}"]
    lines += [
        "",
        "`cupel COMMAND --help` explains a command, `cupel --version` prints the version.",
    ]
    return "\n".join(lines)


def _named(package: str, place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(f"{package}.{module}"), name)
