"""Usage errors as one sentence, like every other error.

Click and Typer print usage errors in other forms. The commands and groups here record which command
an error belongs to, so that the sentence can name its `--help`.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from cupel.cli.plain_values import convert_plainly

# Typer brings a Click of its own, or takes the installed one; only this name reaches either.
UsageError: type[Exception] = typer.BadParameter.__mro__[1]


class Command(TyperCommand):
    """A command that is recorded in its usage errors."""

    def get_params(self, ctx: Any) -> list[Any]:
        return convert_plainly(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return _parsed(super().parse_args, ctx, args)


class Group(TyperGroup):
    """A group of commands that is recorded in its usage errors."""

    def get_params(self, ctx: Any) -> list[Any]:
        return convert_plainly(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return _parsed(super().parse_args, ctx, args)


def _parsed(parse: Any, context: Any, args: list[str]) -> list[str]:
    try:
        return list(parse(context, args))
    except UsageError as error:
        usage_error: Any = error  # Click leaves out the context where an option lacks its value
        usage_error.ctx = usage_error.ctx or context
        raise


def usage_sentence(error: Any) -> str:
    """The sentence for a usage error; empty where the parser has shown the help already."""
    if type(error).__name__ == "NoArgsIsHelpError":
        return ""
    what, why = _parts(error)
    path = error.ctx.command_path if error.ctx is not None else "cupel"
    return f"{what} (see `{path} --help`)" + (f": {why}" if why else ".")


def _parts(error: Any) -> tuple[str, str]:
    """What is wrong, and optionally why or what to do, with a full stop."""
    kind, message = type(error).__name__, str(error.message or "").rstrip(".")
    if kind == "NoSuchOption":
        near = get_close_matches(error.option_name, error.possibilities or [], cutoff=0)
        return f"Unknown option {error.option_name}", _meant(near)
    if kind == "MissingParameter":
        return f"{_name(error.param)} is missing", ""
    if kind == "BadOptionUsage":
        wants = "takes no value" if "not take" in message else "needs a value"
        return f"The option {error.option_name} {wants}", ""
    if kind == "BadParameter" and error.param is not None:
        return _bad_value(error, message)
    if command := re.match(r"No such command '([^']*)'", message):
        near = re.findall(r"'([^']*)'", message[command.end() :])
        return f"Unknown command {command[1]!r}", _meant(near)
    if extra := re.search(r"unexpected extra argument\S* \((.*)\)$", message):
        return "There are too many arguments", f"{extra[1]!r} is not expected."
    return message, ""


def _meant(near: list[str]) -> str:
    return f"did you mean {' or '.join(near)}?" if near else ""


def _name(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        metavar = parameter.metavar or parameter.name.upper()
        return f"The argument {metavar.strip('[].')}"
    return f"The option {max(parameter.opts, key=len)}"


def _bad_value(error: Any, message: str) -> tuple[str, str]:
    why = message.removeprefix("Value error, ").partition(", unable to")[0]
    why = re.sub("^Input should", "it should", why)
    cause = error.__cause__
    if not hasattr(cause, "errors"):
        return f"The value of {_name(error.param).lower()} is wrong", f"{why}."
    value = cause.errors()[0]["input"]
    why = re.sub(f"^{re.escape(repr(value))} is not one of ", "it should be one of ", why)
    return f"{_name(error.param)} cannot be {value!r}", f"{why}."
