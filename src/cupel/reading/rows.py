"""Tables of text: CSV with quotes, TSV, or columns divided by white space.

Each row keeps the line it begins on, so that errors can name it. Fields are taken as they are; only
CSV has quotes.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from cupel.errors import CupelError
from cupel.reading.lines import display_name, iterate_lines
from cupel.reading.segments import counted, listed, nearest

Value = TypeVar("Value")
Row = tuple[int, list[str]]
"""The line that a row begins on, from 1, and its fields."""


@dataclass(frozen=True)
class Table:
    """The rows of a file, each as long as the header. `lines` are counted from 1."""

    file: str
    header: list[str]
    rows: list[list[str]]
    lines: list[int]

    def column(self, name: str, *others: str) -> list[str]:
        """The cells of the column of that name, or of the first of the other names there is."""
        place = self.place(name, *others)
        if place is None:
            raise CupelError(
                f"{self.file} has no column {name!r}; it has {listed(self.header, 30)}"
                f"{nearest(name, self.header)}"
            )
        return [row[place] for row in self.rows]

    def place(self, *names: str) -> int | None:
        """The number of the first of these columns that there is, whatever its case."""
        lowered = (name.lower() for name in names)
        return next((self._places[name] for name in lowered if name in self._places), None)

    @cached_property
    def _places(self) -> dict[str, int]:
        """Name in lower case -> the first column of that name."""
        return {name.lower(): n for n, name in reversed(list(enumerate(self.header)))}

    def where(self, row: int) -> str:
        """`FILE, line N`: how an error about a row begins."""
        return f"{self.file}, line {self.lines[row]}"

    def parsed(
        self, cells: Sequence[str], parse: Callable[[str], Value], what: str, expected: str
    ) -> list[Value]:
        """All cells as values; an error names the line of the first that is not one."""
        try:
            return [parse(cell) for cell in cells]
        except ValueError:
            for row, cell in enumerate(cells):
                try:
                    parse(cell)
                except ValueError:
                    raise CupelError(
                        f"{self.where(row)}: {what} is {cell!r} where {expected} was expected."
                    ) from None
            raise


def small_number(cell: str) -> int:
    """A whole number that fits into 32 bits; anything else is a ValueError."""
    number = int(cell)
    if abs(number) >= 1 << 31:
        raise ValueError(cell)
    return number


def read_table(path: Path | str, separator: str | None = ",", header: bool = True) -> Table:
    """A file as a table. separator: `,` for CSV, a tab, or None for any white space."""
    return table_of(iterate_lines(path), display_name(path), separator, header)


def table_of(
    lines: Iterable[str], file: str, separator: str | None = ",", header: bool = True
) -> Table:
    """Lines as a table; errors call it `file`."""
    rows = _rows(lines, file, separator, header)
    names = [name.strip() for name in next(rows)[1]] if header else []
    numbered = list(rows)
    return Table(file, names, [fields for _, fields in numbered], [line for line, _ in numbered])


def iterate_rows(
    path: Path | str, separator: str | None, header: bool = True, encoding: str = "utf-8"
) -> Iterator[Row]:
    """The rows of a file one by one, the header first; all must be as long as the first."""
    return _rows(iterate_lines(path, encoding), display_name(path), separator, header)


def rows_of_cells(path: Path | str, separator: str | None, *cells: str) -> Iterator[Row]:
    """The rows of a file without a header, each of these cells: `a system`, `a score`."""
    for number, line in enumerate(iterate_lines(path), start=1):
        fields = line.split(separator)
        if len(fields) != len(cells):
            expected = f"{', '.join(cells[:-1])} and {cells[-1]}"
            raise CupelError(
                f"{display_name(path)}, line {number}: {expected} were expected, but "
                f"{listed(fields)} was found."
            )
        yield number, fields


def _rows(lines: Iterable[str], file: str, separator: str | None, header: bool) -> Iterator[Row]:
    width = None
    for line, fields in _csv_rows(file, lines) if separator == "," else _split(lines, separator):
        if width is not None and len(fields) != width:
            expected = counted(width, "field was expected", "fields were expected")
            actual = counted(len(fields), "was found", "were found")
            where = "header" if header else "first line"
            raise CupelError(f"{file}, line {line}: {expected}, as in the {where}, but {actual}.")
        width = len(fields)
        yield line, fields
    if width is None:
        expected = "a header line with the columns' names" if header else "one row a line"
        raise CupelError(f"{file} is empty; {expected} was expected.")


def _csv_rows(file: str, lines: Iterable[str]) -> Iterator[Row]:
    # csv needs the line ends, to keep a newline inside quotes.
    reader = csv.reader((f"{line}\n" for line in lines), strict=True)
    start = 1
    try:
        for fields in reader:
            yield start, fields
            start = reader.line_num + 1
    except csv.Error as error:
        raise CupelError(f"{file}, line {start}: this is not CSV ({error}).") from None


def _split(lines: Iterable[str], separator: str | None) -> Iterator[Row]:
    return ((number, line.split(separator)) for number, line in enumerate(lines, start=1))
