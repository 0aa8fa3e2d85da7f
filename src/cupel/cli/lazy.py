"""The commands by name, each imported when it is asked for, and its options read without detours.

A command NAME is the function of that name in the module of that name; where the module has an
`app`, it is a group of commands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any

import typer
from typer.main import get_command

from cupel.cli.table import COMMANDS, ORDER
from cupel.cli.usage import Group
from cupel.cli.variadic import SpreadingCommand

NAMES = [name for name in ORDER if name not in {c.partition(" ")[0] for c in COMMANDS}]
"""In the order of `cupel --help`."""


class LazyGroup(Group):
    """All commands."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        commands: Any = Commands()
        self.commands = commands


class Commands(Mapping[str, Any]):
    """The commands as Click has them."""

    def __getitem__(self, name: str) -> Any:
        if name not in NAMES:
            raise KeyError(name)
        return _command(name)

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)


@cache
def _command(name: str) -> Any:
    module = import_module(f"cupel.cli.{name}")
    app = typer.Typer(add_completion=False)
    app.callback()(lambda: None)  # so that it is a group, if of one command
    if hasattr(module, "app"):
        app.add_typer(module.app, name=name)
    else:
        app.command(name, cls=SpreadingCommand)(getattr(module, name))
    group: Any = get_command(app)
    return group.commands[name]
