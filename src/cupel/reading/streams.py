"""A column of text that is read piece by piece: for inputs that are larger than memory.

A `Column` only goes forward: `take` the next n segments, or `skip` them, which costs little. It
gives the texts, and the errors, that `cupel.reading.read_corpus` gives with all of them in memory.
"""

from __future__ import annotations

import codecs
import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import chain, count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Generic, TypeVar

from cupel.errors import CupelError
from cupel.reading.jsons import kind_of_json, parse_json
from cupel.reading.lines import BOM, decoded_line, display_name, open_bytes
from cupel.reading.names import InputName, parse_name
from cupel.reading.rows import iterate_rows
from cupel.reading.segments import Role, counted
from cupel.reading.tables import Cell, check_cell, reading_parquet, the_column

if TYPE_CHECKING:
    import polars

Raw = TypeVar("Raw")
STREAMED = ("lines", "tsv", "csv", "jsonl", "parquet")
_STATELESS = ("utf-8", "ascii", "iso8859-1")
"""Encodings in which lines can be decoded together: each would give the same alone."""
_ROWS = 1 << 16
"""Rows of Parquet that are read at a time."""


class Column(Generic[Raw]):
    """Segments of one input. origin: what errors call it. raws: its parts, not yet decoded.

    convert: (number of the segment from 1, part) -> text or texts.
    """

    def __init__(
        self, origin: str, raws: Iterator[Raw], convert: Callable[[int, Raw], Cell]
    ) -> None:
        self.origin = origin
        self.position = 0
        self._raws = raws
        self._convert = convert

    def take(self, n: int) -> list[Cell]:
        """The next n segments; fewer at the end."""
        first = self.position + 1
        cells = [
            self._convert(number, raw)
            for number, raw in zip(count(first), islice(self._raws, n), strict=False)
        ]
        self.position += len(cells)
        return cells

    def skip(self, n: int | None = None) -> None:
        """Leave out the next n segments, or all that are left."""
        counter = count()
        deque(zip(islice(self._raws, n), counter, strict=False), maxlen=0)
        self.position += next(counter)


class LineColumn(Column[bytes]):
    """Lines of text, decoded many at a time where nothing is wrong with them."""

    def __init__(
        self, origin: str, raws: Iterator[bytes], convert: Callable[[int, bytes], Cell], codec: str
    ) -> None:
        super().__init__(origin, raws, convert)
        self._codec = codec

    def take(self, n: int) -> list[Cell]:
        """The next n segments; fewer at the end."""
        raws = list(islice(self._raws, n))
        cells = self._decoded(raws)
        if cells is None:
            first = self.position + 1
            cells = [self._convert(number, raw) for number, raw in enumerate(raws, start=first)]
        self.position += len(raws)
        return cells

    def _decoded(self, raws: list[bytes]) -> list[Cell] | None:
        """All lines at once; None where they must be looked at one by one."""
        if not raws or not self.position or not raws[-1].endswith(b"\n"):
            return None  # a byte order mark, or no end of line
        try:
            text = b"".join(raws).decode(self._codec)
        except UnicodeDecodeError:
            return None
        lines: list[Cell] = list(text.split("\n"))
        del lines[-1]
        return lines if "\r" not in text and len(lines) == len(raws) else None


class ParquetColumn(Column[str]):
    """A column of Parquet, of which rows in any place can be read."""

    def __init__(self, origin: str, file: str, column: str | None) -> None:
        import polars

        self._file, self._held, self._start = file, polars.Series(), 0
        with reading_parquet(f"{file} is not a Parquet file, or it is damaged."):
            self.columns = list(polars.read_parquet_schema(file))
            rows = polars.scan_parquet(file, glob=False).select(polars.len()).collect()
        self._column = the_column(file, self.columns, column)
        self.rows = int(rows.item())
        super().__init__(origin, iter(()), lambda _number, raw: raw)

    def take(self, n: int) -> list[Cell]:
        """The next n segments; fewer at the end."""
        cells: list[Cell] = []
        while len(cells) < n and self.position < self.rows:
            if not self._start <= self.position < self._start + len(self._held):
                self._start = self.position
                self._held = self._read(self.position)
            offset = self.position - self._start
            values = self._held.slice(offset, n - len(cells)).to_list()
            if set(map(type, values)) != {str}:
                for row, value in enumerate(values, start=self.position + 1):
                    check_cell(value, f"{self._file}, row {row}", self._column)
            cells += values
            self.position += len(values)
        return cells

    def skip(self, n: int | None = None) -> None:
        """Leave out the next n segments, or all that are left."""
        self.position = self.rows if n is None else min(self.rows, self.position + n)

    def _read(self, first: int) -> polars.Series:
        import polars

        frame = polars.scan_parquet(self._file, glob=False).select(self._column)
        stop = min(first + _ROWS, self.rows)
        with reading_parquet(
            f"{self._file} is damaged: its rows {first + 1} to {stop} cannot be read."
        ):
            column: polars.Series = frame.slice(first, _ROWS).collect().to_series()
        return column


def why_not_streamed(given: str | Path, encoding: str = "utf-8") -> str | None:
    """What keeps an input from being read piece by piece, as the end of a sentence; or None."""
    name = parse_name(given)
    if name.given == "-":
        return "standard input is read as a whole"
    if name.kind not in STREAMED or (name.kind == "parquet" and name.file.endswith(".gz")):
        return f"{name.given} is in a format that is read as a whole"
    try:
        if "\n".encode(encoding) != b"\n":
            return f"text in {encoding.upper()} is read as a whole"
    except (LookupError, UnicodeError):
        pass  # the reader says that there is no such encoding
    return None


def open_column(
    stack: ExitStack,
    given: str | Path,
    role: Role = "hypothesis",
    encoding: str = "utf-8",
    per_line: int = 1,
) -> Column[Any]:
    """The column of an input that is named as on the command line; the stack closes its file.

    per_line: how many references, separated by tabs, each line of text holds.
    """
    name = parse_name(given)
    if name.kind == "parquet":
        with open_bytes(name.file) as stream:
            if not stream.read(1):
                raise CupelError(f"{name.file} is empty; a Parquet file was expected.")
        column: Column[Any] = ParquetColumn(name.given, name.file, name.part)
    elif name.kind in ("tsv", "csv"):
        column = _delimited(name, encoding)
    else:
        stream = stack.enter_context(open_bytes(name.file))
        column = line_column(stream, name, encoding, per_line)
    return column if role == "reference" else SingleColumn(column, role)


def line_column(
    stream: BinaryIO, name: InputName, encoding: str = "utf-8", per_line: int = 1, row: int = 0
) -> Column[Any]:
    """A column of lines of text or JSON. row: that of the line where the stream stands, from 0."""
    raws = iter(stream) if row else _raw_lines(stream)
    origin, codec = display_name(name.given), _codec(encoding)
    if name.kind == "jsonl":
        column: Column[Any] = Column(origin, raws, _JsonCells(name, codec))
    elif per_line == 1 and codec in _STATELESS:
        column = LineColumn(origin, raws, _line_cells(origin, codec, 1), codec)
    else:
        column = Column(origin, raws, _line_cells(origin, codec, per_line))
    column.position = row
    return column


class SingleColumn(Column[Any]):
    """A column whose cells are texts, never lists of them."""

    def __init__(self, column: Column[Any], role: Role) -> None:
        super().__init__(column.origin, iter(()), lambda _number, raw: raw)
        self._column, self._role = column, role

    def take(self, n: int) -> list[Cell]:
        """The next n segments; fewer at the end."""
        cells = self._column.take(n)
        for index, text in enumerate(cells, start=self.position + 1):
            if not isinstance(text, str):
                raise CupelError(
                    f"Segment {index} of {self.origin} is a list of texts; "
                    f"only references may be several, a {self._role} must be one text."
                )
        self.position = self._column.position
        return cells

    def skip(self, n: int | None = None) -> None:
        """Leave out the next n segments, or all that are left."""
        self._column.skip(n)
        self.position = self._column.position


def _raw_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Lines with their ends. A byte order mark and nothing else is no line."""
    first = stream.readline()
    return iter(()) if first in (b"", BOM.encode()) else chain([first], stream)


def _line_cells(origin: str, codec: str, per_line: int) -> Callable[[int, bytes], Cell]:
    def one(number: int, raw: bytes) -> Cell:
        return decoded_line(raw, number, origin, codec)

    def several(number: int, raw: bytes) -> Cell:
        fields = decoded_line(raw, number, origin, codec).split("\t")
        if len(fields) != per_line:
            raise CupelError(
                f"{origin}, line {number}: {per_line} references separated by tabs were expected, "
                f"but {counted(len(fields), 'was found', 'were found')}."
            )
        return fields

    return one if per_line == 1 else several


class _JsonCells:
    """The field of each line of JSON. The first line that is read says which fields there are."""

    def __init__(self, name: InputName, codec: str) -> None:
        self._file, self._part, self._codec = name.file, name.part, codec
        self._chosen = name.part

    def __call__(self, number: int, raw: bytes) -> Cell:
        place = f"{self._file}, line {number}"
        record = parse_json(decoded_line(raw, number, self._file, self._codec), place)
        if not isinstance(record, dict):
            raise CupelError(
                f"{place}: {kind_of_json(record)} was found where an object was expected."
            )
        if self._chosen is None or number == 1:
            self._chosen = the_column(self._file, list(record), self._part)
        if self._chosen not in record:
            raise CupelError(f"{place}: there is no field {self._chosen!r}.")
        return check_cell(record[self._chosen], place, self._chosen)


def _delimited(name: InputName, encoding: str) -> Column[Any]:
    rows = iterate_rows(name.file, "\t" if name.kind == "tsv" else ",", encoding=encoding)
    columns = next(rows)[1]
    place = columns.index(the_column(name.file, columns, name.part))
    return Column(name.given, rows, lambda _number, row: row[1][place])


def _codec(encoding: str) -> str:
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        raise CupelError(f"There is no text encoding called {encoding!r}.") from None


def size_of(inputs: Sequence[str | Path]) -> float:
    """Bytes of the files of these inputs, each once; infinite where one is no file."""
    files = {parse_name(given).file for given in inputs}
    try:
        return sum(Path(file).stat().st_size for file in files)
    except OSError:
        return math.inf
