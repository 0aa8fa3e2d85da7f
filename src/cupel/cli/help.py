"""Help texts made from a question: what most people need first, the rest by panels."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterable, Iterator
from shutil import get_terminal_size
from textwrap import wrap

from cupel.questions.field import Field, fields_of, plain_hint
from cupel.questions.question import Question

EXPLAINED = 18
"""A command with at most so many options explains all of them at once."""
_INDENT = 28
MAIN = "Options"
COMMON = (
    ("--config FILE", "Read options from this TOML or JSON file; those of the command line win."),
    ("-h, --help", "Show this text, or with --help-all each option in full."),
)


def help_text(question: type[Question], *, everything: bool) -> str:
    """The text of `--help` (what most people need) or `--help-all` (each option in full)."""
    fields = [field for field in fields_of(question) if not field.option.hidden]
    arguments = [field for field in fields if field.option.argument]
    options = [field for field in fields if not field.option.argument]
    everything = everything or len(options) <= EXPLAINED
    first = _first(question, options, everything)
    lines = [f"Usage: {_usage(question, arguments)}", "", *_description(question)]
    if arguments:
        lines += ["", "Arguments", *_rows(_argument_row(field) for field in arguments)]
    lines += ["", MAIN, *_rows([*(_option_row(field, everything) for field in first), *COMMON])]
    panels: dict[str, list[Field]] = {}
    for field in options:
        if field not in first:
            panels.setdefault(field.panel or "Further options", []).append(field)
    if everything:
        for panel, members in panels.items():
            lines += ["", panel, *_rows(_option_row(field, True) for field in members)]
    elif panels:
        lines += ["", f"More options, explained by `cupel {question.command} --help-all`"]
        lines += _rows(
            (panel, " ".join(f.names[0] for f in members)) for panel, members in panels.items()
        )
    return "\n".join(lines)


def summary(question: type[Question]) -> str:
    """The first sentence of the description."""
    return inspect.cleandoc(question.__doc__ or "").partition("\n\n")[0].replace("\n", " ")


def _first(question: type[Question], options: list[Field], everything: bool) -> list[Field]:
    """The options of the first panel: those that the question names, or all without a panel."""
    by_name = {field.name: field for field in options}
    named = [by_name[name] for name in question.first]
    if named and not everything:
        return named
    return named + [field for field in options if not field.panel and field not in named]


def _usage(question: type[Question], arguments: list[Field]) -> str:
    words = []
    for field in arguments:
        name = (field.option.metavar or field.name.upper()) + "..." * field.many
        words.append(name if field.required else f"[{name}]")
    return " ".join(["cupel", question.command, *words, "[OPTIONS]"])


def _description(question: type[Question]) -> Iterator[str]:
    for number, paragraph in enumerate(inspect.cleandoc(question.__doc__ or "").split("\n\n")):
        if number:
            yield ""
        yield from _wrapped(paragraph.replace("\n", " "), 2)


def _argument_row(field: Field) -> tuple[str, str]:
    return field.option.metavar or field.name.upper(), _sentence(field)


def _option_row(field: Field, everything: bool) -> tuple[str, str]:
    """Its names and its sentence; of the names, all or the shortest and the first."""
    names = [*field.names, *field.option.constants]
    short = sorted((name for name in names if not name.startswith("--")), key=len)
    long = [name for name in names if name.startswith("--")]
    if not everything:
        short, long = [n for n in short if n in field.names][:1], long[:1]
    if field.choices:
        value = "|".join(field.choices)
    else:
        value = "" if plain_hint(field.hint) is bool else field.option.metavar or "VALUE"
    return f"{', '.join([*short, *long])} {value}{'...' * field.many}".rstrip(), _sentence(field)


def _sentence(field: Field) -> str:
    default = field.option.default or _written(field)
    return field.option.help + (f" [default: {default}]" if default else "")


def _written(field: Field) -> str:
    """A default that says something by itself."""
    value = field.default
    if value is dataclasses.MISSING or value is None or value is False or value == ():
        return ""
    if value is True:
        return "yes"
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    return str(value)


def _rows(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    for left, right in rows:
        lines = _wrapped(right, _INDENT)
        if len(left) > _INDENT - 4:
            yield f"  {left}"
        else:
            first = next(lines, "").strip()
            yield f"  {left:<{_INDENT - 2}}{first}".rstrip()
        yield from lines


def _wrapped(text: str, indent: int) -> Iterator[str]:
    width = min(get_terminal_size((100, 24)).columns, 100)
    blanks = " " * indent
    yield from wrap(
        text,
        max(width, indent + 20),
        initial_indent=blanks,
        subsequent_indent=blanks,
        break_long_words=False,
        break_on_hyphens=False,
    )
