"""How results are printed: aligned columns for people, flat records for programs.

A terminal gets colour and bold; a pipe gets the same text without. Nothing is ever cut off.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, TextIO

from cupel.console import progress_bar as progress_bar
from cupel.console import warn as warn
from cupel.records import json_document

BOLD, PLAIN = "\033[1m", "\033[0m"


@contextmanager
def output(path: Path | None) -> Iterator[TextIO]:
    """Standard output, or a file that appears only once it is complete."""
    if path is None:
        yield sys.stdout
        return
    from cupel.folders import writing

    with (
        writing(path) as temporary,
        temporary.open("w", encoding="utf-8", errors="surrogateescape", newline="\n") as file,
    ):
        yield file


def print_table(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    form: str,
    file: TextIO,
    lines: Sequence[int] = (),
    widths: Sequence[int] | None = None,
) -> None:
    """A table for people: in LaTeX where that is asked for, else in aligned columns.

    lines: the rows, from 0, with a line before them; LaTeX draws one between groups (#). widths: of
    the columns, where they are known and rows are not to be held.
    """
    if form == "latex":
        latex_table(header, rows, file)
    else:
        table(header, rows, file, lines, widths)


def print_signatures(signatures: Mapping[str, str], form: str, file: TextIO) -> None:
    """One line a metric, behind the table; in LaTeX as comments."""
    for metric, signature in signatures.items():
        line = f"% {metric} | {signature}" if form == "latex" else f"{metric}|{signature}"
        print(line, file=file)


def table(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    file: TextIO,
    lines: Sequence[int] = (),
    widths: Sequence[int] | None = None,
) -> None:
    """Columns aligned by width: the first to the left, the others to the right.

    On a terminal the header is bold, and so is a cell with a `*`: the best of its column.
    """
    colour = file.isatty() and "NO_COLOR" not in os.environ
    if widths is None:
        rows = list(rows)
        widths = [max(map(shown_width, column)) for column in zip(header, *rows, strict=True)]
    for number, row in enumerate(chain([header], rows)):
        if number - 1 in lines:
            print("-" * (sum(widths) + 2 * len(widths) - 2), file=file)
        cells = [
            padded(cell, width, to_the_left=column == 0)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        if colour:
            cells = [f"{BOLD}{c}{PLAIN}" if number == 0 or "*" in c else c for c in cells]
        print("  ".join(cells).rstrip(), file=file)


def shown_width(text: str) -> int:
    """How many columns of a terminal a text takes: marks take none, Chinese characters two."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    return sum(
        0 if category(c) in ("Mn", "Me", "Cf") else 2 if east_asian_width(c) in "WF" else 1
        for c in text
    )


def padded(cell: str, width: int, *, to_the_left: bool) -> str:
    """A cell filled up with blanks; behind Arabic or Hebrew a mark, so that columns keep their order."""
    blanks = " " * (width - shown_width(cell))
    if not cell.isascii():
        from unicodedata import bidirectional

        if any(bidirectional(character) in ("R", "AL") for character in cell):
            cell = f"{_LEFT_TO_RIGHT}{cell}{_LEFT_TO_RIGHT}"
    return cell + blanks if to_the_left else blanks + cell


_LEFT_TO_RIGHT = "\u200e"


def records(rows: Sequence[Mapping[str, Any]], form: str, file: TextIO, **extras: object) -> None:
    """Flat records as JSON (under "rows", with the version and `extras`), TSV or LaTeX."""
    if form == "json":
        print(json_document(rows, **extras), file=file)
        return
    columns = list(rows[0]) if rows else []
    if form == "latex":
        latex_table(columns, ([field(row[column]) for column in columns] for row in rows), file)
        return
    print(*columns, sep="\t", file=file)
    for row in rows:
        print(*(field(row[column]) for column in columns), sep="\t", file=file)


def field(value: object) -> str:
    """A value as a field of TSV."""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = "" if value is None else repr(value) if isinstance(value, float) else str(value)
    return text.replace("\t", " ").replace("\n", " ").replace("\r", " ")


def latex_table(header: Sequence[str], rows: Iterable[Sequence[str]], file: TextIO) -> None:
    """A `tabular` with booktabs rules; the best of a column bold, a rule between groups (#)."""
    group = header.index("#") if "#" in header else None
    print(rf"\begin{{tabular}}{{l{'r' * (len(header) - 1)}}}", r"\toprule", sep="\n", file=file)
    print(_latex_row(header), r"\midrule", sep="\n", file=file)
    before: Sequence[str] | None = None
    for row in rows:
        if before is not None and group is not None and before[group] != row[group]:
            print(r"\midrule", file=file)
        print(_latex_row(row), file=file)
        before = row
    print(r"\bottomrule", r"\end{tabular}", sep="\n", file=file)


_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "±": r"$\pm$",
}  # fmt: skip


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(map(_latex_cell, cells)) + r" \\"


def _latex_cell(cell: str) -> str:
    """A cell whose number has a `*` behind it is bold."""
    plain = re.sub(r"(?<=\d)\*", "", cell).strip()
    text = "".join(_LATEX.get(c, c) for c in plain)
    return rf"\textbf{{{text}}}" if plain != cell.strip() else text
