"""What a cluster has to do: which rows of which files make which block of segments.

The files of a pattern, in the order of their names, are one long column of texts; references,
translations and sources are such columns, and row n of all of them is segment n. Blocks have the same number of
segments each, counted from the first segment of the whole input, wherever files begin and end. One
job reads some consecutive blocks, so that no Parquet row group is unpacked more than twice.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby
from typing import TYPE_CHECKING

from cupel.blocks import Block
from cupel.corpus import counted_segments
from cupel.engines.ray_files import File, check_column, matches, parquet_file
from cupel.engines.ray_rows import read_rows
from cupel.errors import CupelError
from cupel.reading.names import kind_of, parse_name, system_names
from cupel.reading.segments import Segments, listed, nearest

if TYPE_CHECKING:
    import pyarrow as pa

SMALL, LARGE = 8192, 65536
"""Segments per block, of inputs below and above MANY segments."""
MANY = 1_000_000
JOB = 4
"""Blocks per job, unless row groups are larger."""
TEXT = "text"
USUAL = {
    "reference": ("reference", "references", "ref"),
    "system": ("translation", "hypothesis", "mt", "hyp"),
    "source": ("source", "src"),
}
"""The columns that are read where none is named."""


@dataclass(frozen=True)
class Column:
    """One column over all files of a pattern. role: `reference`, `source`, or a system's name."""

    given: str
    files: tuple[str, ...]
    name: str
    several: bool = False


@dataclass(frozen=True)
class Columns:
    """All that is read: columns of translations by system, of references, and of the source."""

    systems: Mapping[str, Column]
    references: Sequence[Column] = ()
    source: Column | None = None

    @property
    def all(self) -> list[Column]:
        return [*self.systems.values(), *self.references, *([self.source] if self.source else [])]

    def block(self, first: int, table: pa.Table) -> Block:
        """The segments of a table whose columns are those of `all`, in that order."""
        import polars as pl

        texts = [column.to_list() for column in pl.from_arrow(table).get_columns()]  # type: ignore[union-attr]
        count = len(self.systems)
        systems = dict(zip(self.systems, texts[:count], strict=True))
        per_reference = texts[count : count + len(self.references)]
        references = [_flat(cells) for cells in zip(*per_reference, strict=True)]
        for number, cells in enumerate(references, start=first + 1):
            if not cells:
                raise CupelError(
                    f"Segment {number} of {self.references[0].given} has no reference; at least "
                    "one is needed."
                )
        sources = texts[-1] if self.source else None
        return Block(first, systems, references or [()] * table.num_rows, sources)


def _flat(cells: Sequence[str | list[str]]) -> tuple[str, ...]:
    first, *others = cells
    if not others and isinstance(first, str):
        return (first,)
    return tuple(text for cell in cells for text in ([cell] if isinstance(cell, str) else cell))


def columns_of(
    references: Sequence[str],
    systems: Sequence[str] | None,
    source: str | None,
    names: Sequence[str] | None,
    *,
    needs_source: bool = False,
) -> Columns:
    """The columns that patterns name, PATTERN or PATTERN:COLUMN; files are looked for.

    systems: if none is given, a column of the files of the first reference. needs_source: whether a
    metric reads sources, which are then looked for in the same way.
    """
    if not references and not systems:
        raise CupelError("There are no files to score: name at least one pattern.")
    table = (references or systems or [""])[0]
    translations = list(systems or [_same_files(table)])
    read = [_column(given, "system") for given in translations]
    named = [(parse_name(given), Segments(given, [])) for given in translations]
    named = [
        (replace(name, part=name.part or column.name if name.kind != "lines" else None), segments)
        for (name, segments), column in zip(named, read, strict=True)
    ]
    sources = None
    if source is not None or (needs_source and kind_of(read[0].files[0]) != "lines"):
        sources = _column(source or _same_files(table), "source")
    return Columns(
        dict(zip(system_names(named, names), read, strict=True)),
        [_column(given, "reference") for given in references],
        sources,
    )


def _same_files(given: str) -> str:
    name = parse_name(given)
    if kind_of(matches(name.file)[0]) == "lines":
        raise CupelError(
            f"{given} has one text per line: name the files of the translations with -i."
        )
    return name.file


def _column(given: str, role: str) -> Column:
    name = parse_name(given)
    files = matches(name.file)
    several = role == "reference"
    kind = kind_of(files[0])
    if kind == "lines":
        return Column(given, tuple(files), TEXT)
    column = name.part or _usual_column(given, files[0], role)
    if kind == "parquet":  # the others are looked at on the cluster
        check_column(parquet_file(files[0]), column, several)
    elif column not in (names := _first_columns(files[0])):
        raise CupelError(
            f"{files[0]} has no column {column!r}; it has {listed(names)}{nearest(column, names)}"
        )
    return Column(given, tuple(files), column, several)


def _usual_column(given: str, file: str, role: str) -> str:
    names = list(_first_columns(file))
    for usual in USUAL[role]:
        if usual in names:
            return usual
    what = {"reference": "references", "system": "translations", "source": "sources"}[role]
    raise CupelError(
        f"{file} has the columns {listed(names)}, and none of them is called {listed(USUAL[role])}: "
        f"name the column of the {what}, {given}:COLUMN."
    )


def _first_columns(file: str) -> Sequence[str]:
    if file.endswith(".parquet"):
        return list(parquet_file(file).columns or ())
    from cupel.reading.jsons import json_lines

    for _, record in json_lines(file):
        return list(record)
    raise CupelError(f"{file} is empty; one JSON object per line was expected.")


@dataclass(frozen=True)
class Job:
    """Consecutive blocks to read. pieces: of each column its files with the rows to read there."""

    blocks: Sequence[int]
    first: int
    stop: int
    size: int
    pieces: Sequence[Sequence[tuple[File, int, int]]]

    def read(self, columns: Columns) -> Iterator[tuple[int, int, pa.Table]]:
        """(number, first segment, texts) of each block, one after the other."""
        import pyarrow as pa

        streams: list[_Stream] = []
        for column, pieces in zip(columns.all, self.pieces, strict=True):
            stream = next((s for s in streams if s.pieces == pieces), None)
            if stream is None:
                streams.append(stream := _Stream(pieces))
            stream.names.append(column.name)
        first = self.first
        for number in self.blocks:
            count = min(self.size, self.stop - first)
            tables = {id(stream): stream.take(count) for stream in streams}
            cells = []
            for column, pieces in zip(columns.all, self.pieces, strict=True):
                stream = next(s for s in streams if s.pieces == pieces)
                cells.append(tables[id(stream)][column.name])
            yield number, first, pa.table(cells, names=[str(n) for n in range(len(cells))])
            first += count


class _Stream:
    """Rows of some files, one after the other, in tables of any size that is asked for."""

    def __init__(self, pieces: Sequence[tuple[File, int, int]]) -> None:
        self.pieces = pieces
        self.names: list[str] = []
        self._tables: Iterator[pa.Table] | None = None
        self._rest: pa.Table | None = None

    def take(self, count: int) -> dict[str, pa.ChunkedArray]:
        if self._tables is None:
            names = list(dict.fromkeys(self.names))
            self._tables = (
                table
                for file, start, stop in self.pieces
                for table in read_rows(file, names, start, stop)
            )
        parts: list[pa.Table] = []
        while count:
            if self._rest is None or not self._rest.num_rows:
                self._rest = next(self._tables, None)
                if self._rest is None:
                    raise CupelError(f"{self.pieces[-1][0].name} has changed since the run began.")
            part = self._rest.slice(0, count)
            self._rest = self._rest.slice(part.num_rows)
            count -= part.num_rows
            parts.append(part)
        return {name: _joined([part[name] for part in parts]) for name in self.names}


def _joined(parts: Sequence[pa.ChunkedArray]) -> pa.ChunkedArray:
    """Texts, or lists of texts where one of the parts has lists."""
    import pyarrow as pa

    large = pa.large_string()
    if not any(pa.types.is_list(part.type) for part in parts):
        return pa.chunked_array([c for part in parts for c in part.cast(large).chunks], large)
    lists = pa.list_(large)
    chunks = []
    for part in parts:
        for chunk in part.chunks:
            if pa.types.is_list(chunk.type):
                chunks.append(chunk.cast(lists))
            else:
                chunks.append(pa.array([[text] for text in chunk.to_pylist()], lists))
    return pa.chunked_array(chunks, lists)


@dataclass(frozen=True)
class Plan:
    """All blocks of an input. files: by name, as they were found."""

    columns: Columns
    files: Mapping[str, File]
    segments: int
    size: int

    @classmethod
    def of(cls, columns: Columns, files: Mapping[str, File], size: int | None = None) -> Plan:
        """The plan for these files; all columns must be equally long and have text."""
        lengths = []
        for column in columns.all:
            for name in column.files:
                check_column(files[name], column.name, column.several)
            lengths.append(sum(files[name].rows for name in column.files))
        for column, length in zip(columns.all, lengths, strict=True):
            if length != lengths[0]:
                raise CupelError(
                    f"{columns.all[0].given} has {counted_segments(lengths[0])}, "
                    f"but {column.given} has {length}."
                )
        if not lengths[0]:
            raise CupelError(f"{columns.all[0].given} has no segments.")
        return cls(columns, files, lengths[0], size or (SMALL if lengths[0] < MANY else LARGE))

    @property
    def blocks(self) -> int:
        """How many there are."""
        return -(-self.segments // self.size)

    def segments_of(self, block: int) -> int:
        return min(self.size, self.segments - block * self.size)

    def jobs(self, done: frozenset[int] = frozenset()) -> list[Job]:
        """The blocks that are not done, some consecutive ones together."""
        largest = max(file.group for file in self.files.values())
        each = max(JOB, -(-largest // self.size))
        waiting = [block for block in range(self.blocks) if block not in done]
        ends = [list(accumulate(self.files[n].rows for n in c.files)) for c in self.columns.all]
        jobs = []
        # Neighbours have the same number less place, so that a gap begins another job.
        for _, run in groupby(
            enumerate(waiting), lambda pair: (pair[1] - pair[0], pair[1] // each)
        ):
            blocks = [block for _, block in run]
            first = blocks[0] * self.size
            stop = min(self.segments, (blocks[-1] + 1) * self.size)
            pieces = [
                self._pieces(column, of_column, first, stop)
                for column, of_column in zip(self.columns.all, ends, strict=True)
            ]
            jobs.append(Job(blocks, first, stop, self.size, pieces))
        return jobs

    def _pieces(
        self, column: Column, ends: Sequence[int], first: int, stop: int
    ) -> list[tuple[File, int, int]]:
        """The rows of a column's files. ends: of each file, the number of rows up to its end."""
        pieces = []
        place = bisect_right(ends, first)
        while place < len(ends) and (begin := ends[place] - self._file(column, place).rows) < stop:
            file = self._file(column, place)
            low, high = max(first, begin) - begin, min(stop, ends[place]) - begin
            if low < high:
                pieces.append((_trimmed(file, low), low, high))
            place += 1
        return pieces

    def _file(self, column: Column, place: int) -> File:
        return self.files[column.files[place]]


def _trimmed(file: File, row: int) -> File:
    """The file as one job needs it: only the place where it begins to read."""
    if not file.places:
        return replace(file, columns=None)
    return replace(file, places=[file.places[bisect_right(file.places, (row, file.size)) - 1]])
