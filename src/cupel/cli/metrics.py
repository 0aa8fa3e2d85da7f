"""`cupel metrics`: every metric, what it is, what it needs, and whether it is ready."""

from __future__ import annotations

import sys
from inspect import Parameter
from typing import Annotated

import typer

from cupel.cli import output
from cupel.cli.options import PlainForm
from cupel.cli.output import PlainFormat
from cupel.errors import CupelError


def metrics(
    name: Annotated[
        str | None,
        typer.Argument(metavar="METRIC", help="One metric: its options and where it comes from."),
    ] = None,
    form: PlainForm = PlainFormat.text,
) -> None:
    """List the metrics, or tell about one.

    Example: cupel metrics bleu
    """
    from cupel.registry import entries, unknown_metric

    known = entries()
    if name is not None:
        if name not in known:
            raise CupelError(unknown_metric(name))
        _tell(name)
        return
    rows = [
        {
            "metric": entry.name,
            "what": entry.summary,
            "package": entry.package,
            "ready": entry.unready is None,
            "needs": entry.unready or "",
        }
        for entry in known.values()
    ]
    if form is not PlainFormat.text:
        output.records(rows, form, sys.stdout)
        return
    longest = max(len(entry) for entry in known)
    for entry in known.values():
        print(f"{entry.name.ljust(longest)}  {entry.summary}")
        if entry.unready:
            print(f"{' ' * longest}  not ready: {entry.unready}")
    print("\nOptions of a metric: cupel metrics NAME. Any function: -m module:function.")


def _tell(name: str) -> None:
    from inspect import getdoc, getmodule

    from cupel.registry import entries

    entry = entries()[name]
    print(f"{entry.name}: {entry.summary}\n")
    module = getmodule(entry.make)
    if entry.package == "cupel" and module is not None:
        print(getdoc(module), end="\n\n")
    if entry.unready:
        print(f"Not ready: {entry.unready}\n")
    if entry.options:
        print(f"Options, written {entry.name}:KEY=VALUE,KEY=VALUE")
        for option in entry.options.values():
            default = "" if option.default is Parameter.empty else f" (default {option.default})"
            print(f"  {option.name}{default}")
