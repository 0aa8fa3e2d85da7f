"""Options that take several values, as sacreBLEU's do: `-i a.txt b.txt -m bleu ter`.

Click's options take a fixed number of values, so `-i a b` is rewritten to `-i a -i b` before it
parses: what follows such an option belongs to it until the next option.
"""

from __future__ import annotations

from typing import Any

from cupel.cli.usage import Command


class SpreadingCommand(Command):
    """A command whose repeatable options take several values at once."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        names = {
            name
            for parameter in self.params
            if getattr(parameter, "multiple", False)
            for name in parameter.opts
        }
        return super().parse_args(ctx, spread(args, names))


def spread(args: list[str], names: set[str]) -> list[str]:
    """`-i a b -b` -> `-i a -i b -b` for the options in `names`.

    >>> spread(["ref", "-i", "a", "b", "-b"], {"-i"})
    ['ref', '-i', 'a', '-i', 'b', '-b']
    """
    result: list[str] = []
    option: str | None = None
    count = 0
    for position, argument in enumerate(args):
        if argument == "--":
            return result + args[position:]
        if argument.startswith("-") and argument != "-":
            option = argument if argument in names else None
            count = 0
            result.append(argument)
            continue
        if option is not None and count:
            result.append(option)
        count += 1
        result.append(argument)
    return result
