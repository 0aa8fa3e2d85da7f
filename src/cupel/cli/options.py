"""Options that several commands share: one name, one wording and one check each.

A place to write to is tried out while the options are read, before any work begins.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cupel.cli.output import Format, PlainFormat
from cupel.folders import check_fillable, check_writable

OUTPUT = "Output"
SEED = 12345
"""That of `cupel.significance`, written out: its import would cost `--help` NumPy's."""


def writable(path: Path | None) -> Path | None:
    """The file to write, which can be written."""
    if path is not None:
        check_writable(path)
    return path


def fillable(folder: Path | None) -> Path | None:
    """The folder to write files into, which can be made or takes them."""
    if folder is not None:
        check_fillable(folder)
    return folder


Systems = Annotated[
    list[str] | None,
    typer.Option(
        "--input", "-i", metavar="HYP...", help="The systems' files; standard input if none."
    ),
]
Source = Annotated[
    str | None, typer.Option("--source", "-s", metavar="SRC", help="The source file.")
]
Names = Annotated[
    list[str] | None,
    typer.Option("--names", metavar="NAME...", help="Names of the systems, in the order of -i."),
]
Trees = Annotated[
    str | None,
    typer.Option(
        "--trees", metavar="FILE.conllu", help="Trees of the references, instead of a parser."
    ),
]
Pairs = Annotated[
    list[str] | None,
    typer.Option(
        "--pair", metavar="PAIR...", help="Language pairs.", show_default="all into English"
    ),
]
Workers = Annotated[
    int, typer.Option("--workers", metavar="N", min=1, help="Processes to spread the work over.")
]
Seed = Annotated[
    int, typer.Option("--seed", metavar="N", min=0, help="For all that is drawn at random.")
]
Form = Annotated[
    Format, typer.Option("--format", "-f", help="How to print.", rich_help_panel=OUTPUT)
]
PlainForm = Annotated[
    PlainFormat, typer.Option("--format", "-f", help="How to print.", rich_help_panel=OUTPUT)
]
Width = Annotated[
    int,
    typer.Option(
        "--width", "-w", metavar="N", min=0, max=20, help="Decimal places.", rich_help_panel=OUTPUT
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        callback=writable,
        help="Write to this file.",
        show_default="standard output",
        rich_help_panel=OUTPUT,
    ),
]
