"""Options that several commands share: one name, one help text and one check each.

Whether an output can be written is checked while options are read, before any work begins.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cupel.cli.output import Format, PlainFormat
from cupel.folders import check_fillable, check_writable

OUTPUT = "Output"
SEED = 12345
"""The default seed of `cupel.significance`, repeated here because importing it loads NumPy."""


def writable(path: Path | None) -> Path | None:
    """The file to write; an error if it cannot be written."""
    if path is not None:
        check_writable(path)
    return path


def fillable(folder: Path | None) -> Path | None:
    """The folder to write files into; an error if it cannot be made or written to."""
    if folder is not None:
        check_fillable(folder)
    return folder


Systems = Annotated[
    list[str] | None,
    typer.Option(
        "--input",
        "-i",
        metavar="HYP...",
        help="Files with the translations, one per system.",
        show_default="standard input",
    ),
]
Source = Annotated[
    str | None, typer.Option("--source", "-s", metavar="SRC", help="File with the source text.")
]
Names = Annotated[
    list[str] | None,
    typer.Option(
        "--names",
        metavar="NAME...",
        help="Names of the systems in the results, in the order of -i.",
        show_default="from the file names",
    ),
]
Trees = Annotated[
    str | None,
    typer.Option(
        "--trees",
        metavar="FILE.conllu",
        help="Use these dependency trees instead of parsing, in metrics that read trees.",
    ),
]
Pairs = Annotated[
    list[str] | None,
    typer.Option(
        "--pair",
        metavar="PAIR...",
        help="Language pairs to use, such as cs-en.",
        show_default="all into English",
    ),
]
Workers = Annotated[
    int,
    typer.Option("--workers", metavar="N", min=1, help="Number of processes that share the work."),
]
MOST_RESAMPLES = 1_000_000
"""Beyond that, resampling takes minutes and gigabytes, and no digit that is printed changes."""
Seed = Annotated[
    int, typer.Option("--seed", metavar="N", min=0, help="Seed of all random choices.")
]
Form = Annotated[
    Format,
    typer.Option(
        "--format", "-f", help="Format in which results are printed.", rich_help_panel=OUTPUT
    ),
]
PlainForm = Annotated[
    PlainFormat,
    typer.Option(
        "--format", "-f", help="Format in which results are printed.", rich_help_panel=OUTPUT
    ),
]
Width = Annotated[
    int,
    typer.Option(
        "--width",
        "-w",
        metavar="N",
        min=0,
        max=20,
        help="Number of decimal places.",
        rich_help_panel=OUTPUT,
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        callback=writable,
        help="Write the results to this file.",
        show_default="standard output",
        rich_help_panel=OUTPUT,
    ),
]
LanguagePair = Annotated[
    str | None,
    typer.Option(
        "--language-pair",
        "-l",
        metavar="PAIR",
        help="Language pair, such as en-ja: the target language chooses the words and stems of "
        "metrics, and chrf++ in place of assay where it is not English.",
    ),
]
