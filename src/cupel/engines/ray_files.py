"""Files that a cluster reads: what a pattern matches, how many rows each has, any range of them.

Parquet, JSON lines and text lines, in local folders or wherever Arrow reads (`s3://`, `gs://`).
Parquet says in its footer how many rows it has; files of lines are scanned once for line ends, in
ranges of bytes that many processes can scan at once, so that any line is found again later without
reading those before it.
"""

from __future__ import annotations

import glob
import os
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cupel.errors import CupelError
from cupel.reading.lines import BOM, decode_lines
from cupel.reading.names import kind_of
from cupel.reading.segments import listed, nearest

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.fs import FileSystem

STRIDE = 4096
"""Of every so many lines the place in the file is kept."""
SCAN = 64 << 20
"""Bytes of lines that one task scans."""
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Scan:
    """Line ends in a range of bytes: their number, and where every STRIDE-th of them is."""

    lines: int
    ends: Sequence[int]


@dataclass(frozen=True)
class File:
    """A file as it was when the run was planned.

    places  (row, byte) of some rows, for files of lines: reading can begin there
    columns name -> `text`, `texts` or another type, for Parquet
    """

    name: str
    kind: str
    size: int
    rows: int
    places: Sequence[tuple[int, int]] = ()
    columns: Mapping[str, str] | None = None
    group: int = 0


def matches(pattern: str) -> list[str]:
    """The files of a pattern, in the order of their names; an error where there is none."""
    if "://" in pattern:
        files = _remote_matches(pattern)
    elif os.path.exists(pattern):  # a name with [ or * in it
        files = [pattern]
    else:
        files = glob.glob(pattern, recursive=True)
    if not files:
        raise CupelError(f"No file matches {pattern}.")
    files.sort()
    for file in files:
        _check_kind(file)
    if len({kind_of(file) for file in files}) > 1:
        raise CupelError(
            f"{pattern} matches files of different kinds, such as {files[0]} and {files[-1]}."
        )
    return files


def _check_kind(file: str) -> None:
    if file.lower().endswith(".gz"):
        raise CupelError(
            f"{file} is packed, so that it cannot be read from the middle: unpack it, or convert "
            "it to Parquet."
        )
    if kind_of(file) not in ("lines", "jsonl", "parquet"):
        raise CupelError(
            f"{file} cannot be read by --engine ray: convert it to Parquet, JSON lines or one "
            "segment per line."
        )


def _remote_matches(pattern: str) -> list[str]:
    from fnmatch import fnmatch

    from pyarrow.fs import FileSelector, FileType

    system, path = _located(pattern)
    scheme = pattern[: len(pattern) - len(path)]
    base = path[: min(path.find(c) for c in "*?[" if c in path)] if _is_pattern(path) else path
    with _readable(pattern):
        if base == path:
            infos = [system.get_file_info(path)]
        else:
            infos = system.get_file_info(FileSelector(os.path.dirname(base), recursive=True))
    return [
        scheme + info.path
        for info in infos
        if info.type == FileType.File and (base == path or fnmatch(info.path, path))
    ]


def _is_pattern(path: str) -> bool:
    return any(character in path for character in "*?[")


def _located(name: str) -> tuple[FileSystem, str]:
    """The file system of a name, and the path there."""
    from pyarrow.fs import FileSystem, LocalFileSystem

    if "://" not in name:
        return LocalFileSystem(), name
    with _readable(name):
        system, path = FileSystem.from_uri(name)
    return system, path


@contextmanager
def _readable(name: str) -> Iterator[None]:
    """Errors of Arrow about a file, in a sentence."""
    import pyarrow as pa

    try:
        yield
    except FileNotFoundError:
        raise CupelError(f"{name} does not exist.") from None
    except PermissionError:
        raise CupelError(f"{name} cannot be read: permission denied.") from None
    except pa.ArrowInvalid as error:
        raise CupelError(f"{name} cannot be read: {_first_line(error)}.") from None
    except OSError as error:
        raise CupelError(f"{name} cannot be read: {error.strerror or _first_line(error)}.") from None


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__


# Planning: how many rows a file has, and where they are.


def size_of(name: str) -> int:
    """Bytes of a file."""
    system, path = _located(name)
    with _readable(name):
        info = system.get_file_info(path)
    if not info.is_file:
        raise CupelError(f"{name} does not exist.")
    return int(info.size)


def parquet_file(name: str) -> File:
    """What the footer of a Parquet file says."""
    import pyarrow.parquet as pq

    system, path = _located(name)
    size = size_of(name)
    if not size:
        raise CupelError(f"{name} is empty; a Parquet file was expected.")
    with _damage(name), _readable(name), system.open_input_file(path) as stream:
        file = pq.ParquetFile(stream)
        columns = {field.name: _type_name(field.type) for field in file.schema_arrow}
        groups = [file.metadata.row_group(i).num_rows for i in range(file.metadata.num_row_groups)]
    return File(name, "parquet", size, sum(groups), (), columns, max(groups, default=0))


@contextmanager
def _damage(name: str, rows: tuple[int, int] | None = None) -> Iterator[None]:
    """Errors of Arrow about the content of a Parquet file, in a sentence."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, CupelError) as error:
        if isinstance(error, FileNotFoundError | PermissionError):
            raise
        if rows is None:
            raise CupelError(f"{name} is not a Parquet file, or it is damaged.") from None
        raise CupelError(
            f"{name} is damaged: its rows {rows[0] + 1} to {rows[1]} cannot be read "
            f"({_first_line(error)})."
        ) from None


def _type_name(kind: pa.DataType) -> str:
    from pyarrow import types

    if types.is_dictionary(kind):
        kind = kind.value_type
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return "text"
    is_list = types.is_list(kind) or types.is_large_list(kind)
    return "texts" if is_list and _type_name(kind.value_type) == "text" else str(kind)


def scan_ranges(size: int) -> list[tuple[int, int]]:
    """Ranges of bytes that are scanned one by one."""
    return [(start, min(start + SCAN, size)) for start in range(0, size, SCAN)]


def scan_lines(name: str, start: int, stop: int) -> Scan:
    """The line ends between two bytes."""
    system, path = _located(name)
    count, kept = 0, []
    with _readable(name), system.open_input_file(path) as stream:
        stream.seek(start)
        while start < stop:
            chunk = stream.read(min(_CHUNK, stop - start))
            if not chunk:
                raise CupelError(f"{name} became shorter while it was read.")
            ends = np.flatnonzero(np.frombuffer(chunk, np.uint8) == ord("\n"))
            first = -(count + 1) % STRIDE  # the next end whose number is a multiple of STRIDE
            kept += (ends[first::STRIDE] + start + 1).tolist()
            count += len(ends)
            start += len(chunk)
    return Scan(count, kept)


def lines_file(name: str, kind: str, size: int, scans: Sequence[Scan]) -> File:
    """A file of lines, from the scans of all its ranges."""
    places, row, last = [(0, 0)], 0, 0
    for scan in scans:
        places += [(row + STRIDE * n, byte) for n, byte in enumerate(scan.ends, start=1)]
        row += scan.lines
    if size:
        system, path = _located(name)
        with _readable(name), system.open_input_file(path) as stream:
            start = stream.read(3)
            stream.seek(size - 1)
            last = int(stream.read(1) != b"\n" and not (size == 3 and start == BOM.encode()))
    return File(name, kind, size, row + last, places)


def planned_file(name: str) -> File:
    """A file, scanned by this process."""
    kind = kind_of(name)
    if kind == "parquet":
        return parquet_file(name)
    size = size_of(name)
    return lines_file(name, kind, size, [scan_lines(name, a, b) for a, b in scan_ranges(size)])


# Reading ranges of rows.


def read_rows(file: File, columns: Sequence[str], start: int, stop: int) -> Iterator[pa.Table]:
    """The rows from `start` to `stop`, in tables of some thousands, with these columns of text.

    Of text lines there is one column, whatever it is called.
    """
    if size_of(file.name) != file.size:
        raise CupelError(f"{file.name} has changed since the run began.")
    if file.kind == "parquet":
        yield from _parquet_rows(file.name, columns, start, stop)
        return
    import pyarrow as pa

    lines = _lines(file, start, stop)
    while True:
        if file.kind == "jsonl":
            table = _json_table(file.name, columns, lines)
        else:
            texts = [text for _, text in _taken(lines)]
            table = pa.table({columns[0]: pa.array(texts, pa.large_string())})
        if not table.num_rows:
            return
        yield table


def _parquet_rows(name: str, columns: Sequence[str], start: int, stop: int) -> Iterator[pa.Table]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    system, path = _located(name)
    with _damage(name, (start, stop)), system.open_input_file(path) as stream:
        file = pq.ParquetFile(stream)
        before, groups = 0, []
        first = 0
        for number in range(file.metadata.num_row_groups):
            rows = file.metadata.row_group(number).num_rows
            if before + rows > start and before < stop:
                first = first if groups else before
                groups.append(number)
            before += rows
        names = list(dict.fromkeys(columns))
        for batch in file.iter_batches(STRIDE, row_groups=groups, columns=names):
            low, high = max(start - first, 0), min(stop - first, batch.num_rows)
            first += batch.num_rows
            if low < high:
                yield pa.Table.from_batches([batch.slice(low, high - low)]).select(names)


def _lines(file: File, start: int, stop: int) -> Iterator[tuple[int, str]]:
    """(number from 1, line) of the rows from `start` to `stop`."""
    row, byte = file.places[bisect_right(file.places, (start, file.size)) - 1]
    system, path = _located(file.name)
    with _readable(file.name), system.open_input_stream(path, buffer_size=_CHUNK) if not byte else (
        system.open_input_file(path)
    ) as stream:
        if byte:
            stream.seek(byte)
        for number, line in enumerate(decode_lines(stream, file.name, start=row + 1), row):
            if number >= stop:
                return
            if number >= start:
                yield number + 1, line


def _taken(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    return (line for _, line in zip(range(STRIDE), lines, strict=False))


def _json_table(name: str, columns: Sequence[str], lines: Iterator[tuple[int, str]]) -> pa.Table:
    import pyarrow as pa

    from cupel.reading.jsons import parse_json, kind_of_json
    from cupel.reading.tables import checked_cell

    cells: dict[str, list[Any]] = {column: [] for column in columns}
    for number, line in _taken(lines):
        place = f"{name}, line {number}"
        record = parse_json(line, place)
        if not isinstance(record, dict):
            raise CupelError(
                f"{place}: {kind_of_json(record)} was found where an object was expected."
            )
        for column, values in cells.items():
            if column not in record:
                raise CupelError(f"{place}: there is no field {column!r}.")
            values.append(checked_cell(record[column], place, column))
    return pa.table({column: _array(values) for column, values in cells.items()})


def _array(cells: list[Any]) -> pa.Array:
    """Texts, or lists of texts where one of the cells is a list."""
    import pyarrow as pa

    if not any(isinstance(cell, list) for cell in cells):
        return pa.array(cells, pa.large_string())
    lists = [cell if isinstance(cell, list) else [cell] for cell in cells]
    return pa.array(lists, pa.list_(pa.large_string()))


def check_column(file: File, column: str, several: bool) -> None:
    """A Parquet file has this column, with text; several: lists of texts will do as well."""
    if file.columns is None:
        return
    if column not in file.columns:
        names = list(file.columns)
        raise CupelError(
            f"{file.name} has no column {column!r}; it has {listed(names)}{nearest(column, names)}"
        )
    kind = file.columns[column]
    if kind != "text" and not (several and kind == "texts"):
        what = "lists of texts, which only references may be" if kind == "texts" else kind
        raise CupelError(f"{file.name}: the column {column!r} holds {what}; text was expected.")
