"""Files that a cluster reads: what a pattern matches, how many rows each has, any range of them.

Parquet, JSON lines and text lines, in local folders or wherever Arrow reads (`s3://`, `gs://`).
Parquet says in its footer how many rows it has; files of lines are scanned once for line ends, in
ranges of bytes that many processes can scan at once, so that any line is found again later without
reading those before it.
"""

from __future__ import annotations

import glob
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cupel.errors import CupelError
from cupel.reading.lines import BOM
from cupel.reading.names import kind_of
from cupel.reading.segments import listed, nearest

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.fs import FileSystem

STRIDE = 4096
"""Of every so many lines the place in the file is kept."""
SCAN = 64 << 20
"""Bytes of lines that one task scans."""
CHUNK_OF_BYTES = 1 << 20


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
    elif Path(pattern).is_dir():
        raise CupelError(
            f"{pattern} is a folder: name its files by a pattern, such as {Path(pattern)}/*.parquet."
        )
    elif Path(pattern).exists():  # a name with [ or * in it
        files = [pattern]
    else:
        files = glob.glob(pattern, recursive=True)  # noqa: PTH207 (a pattern may be absolute)
    if not files:
        raise CupelError(f"No file matches {pattern}.")
    if "://" not in pattern:  # workers of a cluster do not run in this folder
        files = [str(Path(file).absolute()) for file in files]
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

    system, path = located(pattern)
    scheme = pattern[: len(pattern) - len(path)]
    base = path[: min(path.find(c) for c in "*?[" if c in path)] if _is_pattern(path) else path
    with readable(pattern):
        if base == path:
            infos = [system.get_file_info(path)]
        else:
            infos = system.get_file_info(FileSelector(base.rpartition("/")[0], recursive=True))
    return [
        scheme + info.path
        for info in infos
        if info.type == FileType.File and (base == path or fnmatch(info.path, path))
    ]


def _is_pattern(path: str) -> bool:
    return any(character in path for character in "*?[")


def located(name: str) -> tuple[FileSystem, str]:
    """The file system of a name, and the path there."""
    from pyarrow.fs import FileSystem, LocalFileSystem

    if "://" not in name:
        return LocalFileSystem(), name
    with readable(name):
        system, path = FileSystem.from_uri(name)
    return system, path


@contextmanager
def readable(name: str) -> Iterator[None]:
    """Errors of Arrow about a file, in a sentence."""
    import pyarrow as pa

    try:
        yield
    except FileNotFoundError:
        raise CupelError(f"{name} does not exist.") from None
    except PermissionError:
        raise CupelError(f"{name} cannot be read: permission denied.") from None
    except pa.ArrowInvalid as error:
        raise CupelError(f"{name} cannot be read: {first_line(error)}.") from None
    except OSError as error:
        raise CupelError(f"{name} cannot be read: {error.strerror or first_line(error)}.") from None


def first_line(error: Exception) -> str:
    """What an error of several lines says in its first one."""
    return str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__


def size_of(name: str) -> int:
    """Bytes of a file."""
    system, path = located(name)
    with readable(name):
        info = system.get_file_info(path)
    if not info.is_file:
        raise CupelError(f"{name} does not exist.")
    return int(info.size)


def parquet_file(name: str) -> File:
    """What the footer of a Parquet file says."""
    import pyarrow.parquet as pq

    system, path = located(name)
    size = size_of(name)
    if not size:
        raise CupelError(f"{name} is empty; a Parquet file was expected.")
    with unpacking(name), readable(name), system.open_input_file(path) as stream:
        file = pq.ParquetFile(stream)
        columns = {field.name: _type_name(field.type) for field in file.schema_arrow}
        groups = [file.metadata.row_group(i).num_rows for i in range(file.metadata.num_row_groups)]
    return File(name, "parquet", size, sum(groups), (), columns, max(groups, default=0))


@contextmanager
def unpacking(name: str, rows: tuple[int, int] | None = None) -> Iterator[None]:
    """Errors of Arrow about the content of a Parquet file, in a sentence."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, CupelError) as error:
        if isinstance(error, FileNotFoundError | PermissionError):
            raise
        if rows is not None and isinstance(error, CupelError):
            raise
        if rows is None:
            raise CupelError(f"{name} is not a Parquet file, or it is damaged.") from None
        raise CupelError(
            f"{name} is damaged: its rows {rows[0] + 1} to {rows[1]} cannot be read "
            f"({first_line(error)})."
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
    system, path = located(name)
    count, kept = 0, []
    with readable(name), system.open_input_file(path) as stream:
        stream.seek(start)
        while start < stop:
            chunk = stream.read(min(CHUNK_OF_BYTES, stop - start))
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
        system, path = located(name)
        with readable(name), system.open_input_file(path) as stream:
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
