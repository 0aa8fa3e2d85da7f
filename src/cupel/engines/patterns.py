"""Files that patterns name, as columns of which any row can be read: the inputs of a cluster.

The files of a pattern, in the order of their names, are one long column of texts; references,
translations and sources are such columns, and row n of all of them is segment n. They are Parquet, JSON
lines or text lines, in local folders or in stores (`s3://`, `gs://`). Each file is looked at once, by
`indexed_file`: how many rows it has, and of lines where every STRIDE-th begins, so that any of them
is found again without reading those before it.
"""

from __future__ import annotations

import glob
import io
import os
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import numpy as np

from cupel.corpus import counted_segments
from cupel.engines.inputs import OpenColumns
from cupel.errors import CupelError
from cupel.reading.jsons import json_lines
from cupel.reading.lines import BOM, open_bytes
from cupel.reading.names import InputName, kind_of, parse_name, system_names
from cupel.reading.segments import Role, Segments, listed
from cupel.reading.streams import Column, ParquetColumn, SingleColumn, line_column
from cupel.reading.tables import Cell, reading_parquet, the_column

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

STRIDE = 4096
"""Of every so many lines the place in the file is kept."""
CHUNK_OF_BYTES = 1 << 20
USUAL: Mapping[Role, Sequence[str]] = {
    "reference": ("reference", "references", "ref"),
    "hypothesis": ("translation", "hypothesis", "mt", "hyp"),
    "source": ("source", "src"),
}
"""The columns that are read where none is named."""


@dataclass(frozen=True)
class File:
    """A file as it was when the run was planned.

    places   (row, byte) of some rows, for files of lines: reading can begin there
    columns  their names, for Parquet
    """

    name: str
    size: int
    rows: int
    places: Sequence[tuple[int, int]] = ()
    columns: Sequence[str] = ()


def indexed_file(name: str) -> File:
    """What has to be known of a file to read any of its rows."""
    size = _size(name)
    if kind_of(name) == "parquet":
        if not size:
            raise CupelError(f"{name} is empty; a Parquet file was expected.")
        columns = _parquet_columns(name)
        return File(name, size, ParquetColumn(name, name, columns[0]).rows, columns=columns)
    places, row, byte, last = [(0, 0)], 0, 0, b"\n"
    with _opened(name) as stream:
        while chunk := stream.read(CHUNK_OF_BYTES):
            ends = np.flatnonzero(np.frombuffer(chunk, np.uint8) == ord("\n"))
            first = -(row + 1) % STRIDE  # the next end whose number is a multiple of STRIDE
            starts = (ends[first::STRIDE] + byte + 1).tolist()
            places += [(row + first + 1 + STRIDE * n, start) for n, start in enumerate(starts)]
            row, byte, last = row + len(ends), byte + len(chunk), chunk
    only_mark = size == len(BOM.encode()) and last == BOM.encode()
    return File(name, size, row + (not last.endswith(b"\n") and not only_mark), places)


@dataclass(frozen=True)
class Pattern:
    """One long column. name: as the user gave it. column: of each file, None for text lines."""

    name: str
    paths: tuple[str, ...]
    column: str | None
    role: Role
    files: tuple[File, ...] = ()

    @property
    def rows(self) -> int:
        """Of all files."""
        return sum(file.rows for file in self.files)


@dataclass(frozen=True)
class Patterns:
    """Where the texts are; `cupel.engines.inputs.Inputs` for more files than one machine reads."""

    systems: Mapping[str, Pattern]
    references: Sequence[Pattern] = ()
    source: Pattern | None = None

    @property
    def all(self) -> list[Pattern]:
        """All columns."""
        return [*self.systems.values(), *self.references, *([self.source] if self.source else [])]

    @property
    def files(self) -> dict[str, File]:
        """All files by their names."""
        return {file.name: file for pattern in self.all for file in pattern.files}

    @property
    def size(self) -> float:
        """Bytes of all files."""
        return sum(file.size for file in self.files.values())

    @property
    def segments(self) -> int:
        """How many there are."""
        return self.all[0].rows

    def indexed(self, files: Mapping[str, File]) -> Patterns:
        """With what is known of the files; all columns must be equally long, in all files."""

        def known(pattern: Pattern) -> Pattern:
            for name in pattern.paths:
                if pattern.column is not None and kind_of(name) == "parquet":
                    the_column(name, files[name].columns, pattern.column)
            return replace(pattern, files=tuple(files[name] for name in pattern.paths))

        patterns = Patterns(
            {system: known(pattern) for system, pattern in self.systems.items()},
            [known(pattern) for pattern in self.references],
            known(self.source) if self.source else None,
        )
        first = patterns.all[0]
        for pattern in patterns.all:
            if pattern.rows != first.rows:
                raise CupelError(
                    f"{first.name} has {counted_segments(first.rows)}, "
                    f"but {pattern.name} has {pattern.rows}."
                )
        if not first.rows:
            raise CupelError(f"{first.name} has no segments.")
        return patterns

    def open(self, stack: ExitStack) -> OpenColumns:
        """The columns, of which any row can be read; the stack closes their files."""

        def opened(pattern: Pattern) -> Column[Any]:
            return stack.enter_context(_FilesColumn(pattern))

        return (
            [opened(pattern) for pattern in self.references],
            {s: SingleColumn(opened(p), "hypothesis") for s, p in self.systems.items()},
            SingleColumn(opened(self.source), "source") if self.source else None,
        )


class _FilesColumn(Column[Any]):
    """The rows of several files, one file after the other; the one that is read is open."""

    def __init__(self, pattern: Pattern) -> None:
        super().__init__(pattern.name, iter(()), lambda _number, raw: raw)
        self._pattern = pattern
        self._ends = list(accumulate(file.rows for file in pattern.files))
        self._number = -1
        self._stack = ExitStack()
        self._column: Column[Any] | None = None

    def __enter__(self) -> _FilesColumn:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def skip(self, n: int | None = None) -> None:
        """Leave out the next n segments, or all that are left; before the first, go back."""
        self.position = self._pattern.rows if n is None else self.position + n

    def take(self, n: int) -> list[Cell]:
        """The next n segments; fewer at the end."""
        cells: list[Cell] = []
        stop = min(self.position + n, self._pattern.rows)
        while self.position < stop:
            number = bisect_right(self._ends, self.position)
            file = self._pattern.files[number]
            begin = self._ends[number] - file.rows
            column = self._at(number, self.position - begin)
            texts = column.take(min(stop - begin, file.rows) - column.position)
            if not texts:
                raise _changed(file)
            cells += texts
            self.position += len(texts)
        return cells

    def _at(self, number: int, row: int) -> Column[Any]:
        """The column of a file, before that row."""
        file, column = self._pattern.files[number], self._column
        place = max(0, bisect_right(file.places, (row, file.size)) - 1)
        start, byte = file.places[place] if file.places else (0, 0)
        if number != self._number or column is None or not start <= column.position <= row:
            if _size(file.name) != file.size:
                raise _changed(file)
            self._stack.close()
            name = InputName(file.name, file.name, self._pattern.column)
            if name.kind == "parquet":
                column = ParquetColumn(file.name, file.name, name.part)
            else:
                stream = self._stack.enter_context(_opened(file.name, byte))
                column = line_column(stream, name, row=start)
            self._number, self._column = number, column
        column.skip(row - column.position)
        return column


def _changed(file: File) -> CupelError:
    return CupelError(f"{file.name} has changed since the run began.")


def patterns_of(
    references: Sequence[str],
    systems: Sequence[str] | None,
    source: str | None,
    names: Sequence[str] | None,
    *,
    needs_source: bool = False,
) -> Patterns:
    """The columns that patterns name, PATTERN or PATTERN:COLUMN; files are looked for.

    systems: if none is given, a column of the files of the first reference. needs_source: whether a
    metric reads sources, which are then looked for in the same way.
    """
    if not references and not systems:
        raise CupelError("There are no files to score: name at least one pattern.")
    table = (references or systems or [""])[0]
    translations = list(systems or [_same_files(table)])
    hypotheses = [_pattern(name, "hypothesis") for name in translations]
    inputs = [
        (replace(parse_name(pattern.name), part=pattern.column), Segments(pattern.name, ()))
        for pattern in hypotheses
    ]
    if source is None and needs_source and hypotheses[0].column is not None:
        source = _same_files(table)
    return Patterns(
        dict(zip(system_names(inputs, names), hypotheses, strict=True)),
        [_pattern(name, "reference") for name in references],
        _pattern(source, "source") if source is not None else None,
    )


def _same_files(name: str) -> str:
    parsed = parse_name(name)
    if kind_of(matches(parsed.file)[0]) == "lines":
        raise CupelError(
            f"{name} has one text per line: name the files of the translations with -i."
        )
    return parsed.file


def _pattern(name: str, role: Role) -> Pattern:
    parsed = parse_name(name)
    files = matches(parsed.file)
    if kind_of(files[0]) == "lines":
        return Pattern(name, tuple(files), None, role)
    columns = _parquet_columns(files[0]) if kind_of(files[0]) == "parquet" else _fields(files[0])
    column = parsed.part or next((usual for usual in USUAL[role] if usual in columns), None)
    if column is None:
        texts = {"reference": "references", "hypothesis": "translations", "source": "sources"}
        raise CupelError(
            f"{files[0]} has the columns {listed(columns)}, and none of them is called "
            f"{listed(USUAL[role])}: name the column of the {texts[role]}, {name}:COLUMN."
        )
    return Pattern(name, tuple(files), the_column(files[0], columns, column), role)


def _parquet_columns(file: str) -> list[str]:
    import polars

    with reading_parquet(f"{file} is not a Parquet file, or it is damaged."):
        return list(polars.read_parquet_schema(file))


def _fields(file: str) -> list[str]:
    for _, record in json_lines(file):
        return list(record)
    raise CupelError(f"{file} is empty; one JSON object per line was expected.")


def matches(pattern: str) -> list[str]:
    """The files of a pattern, in the order of their names; an error where there is none."""
    if "://" in pattern:
        files = _remote_matches(pattern)
    elif Path(pattern).is_dir():
        raise CupelError(
            f"{pattern} is a folder: name its files by a pattern, such as {Path(pattern)}/*.parquet."
        )
    else:  # an existing file may have [ or * in its name
        files = [pattern] if Path(pattern).exists() else glob.glob(pattern, recursive=True)  # noqa: PTH207
        files = [str(Path(file).absolute()) for file in files]  # workers run in other folders
    if not files:
        raise CupelError(f"No file matches {pattern}.")
    files.sort()
    for file in files:
        if file.lower().endswith(".gz"):
            raise CupelError(
                f"{file} is packed, so that it cannot be read from the middle: unpack it, or "
                "convert it to Parquet."
            )
        if kind_of(file) not in ("lines", "jsonl", "parquet"):
            raise CupelError(
                f"{file} cannot be read by --engine ray: convert it to Parquet, JSON lines or one "
                "segment per line."
            )
    if len({kind_of(file) for file in files}) > 1:
        raise CupelError(
            f"{pattern} matches files of different kinds, such as {files[0]} and {files[-1]}."
        )
    return files


def _remote_matches(pattern: str) -> list[str]:
    with _remote(pattern) as (system, path):
        from pyarrow.fs import FileSelector, FileType

        scheme = pattern[: len(pattern) - len(path)]
        base = path[: min((path.find(c) for c in "*?[" if c in path), default=len(path))]
        if base == path:
            infos = [system.get_file_info(path)]
        else:
            infos = system.get_file_info(FileSelector(base.rpartition("/")[0], recursive=True))
    files = [info.path for info in infos if info.type == FileType.File]
    return [scheme + file for file in files if base == path or fnmatch(file, path)]


def _size(name: str) -> int:
    """Bytes of a file."""
    if "://" not in name:
        with open_bytes(name) as stream:
            return stream.seek(0, 2)
    with _remote(name) as (system, path):
        info = system.get_file_info(path)
    if not info.is_file:
        raise CupelError(f"{name} does not exist.")
    return int(info.size)


@contextmanager
def _opened(name: str, byte: int = 0) -> Iterator[BinaryIO]:
    """A file, read from a byte on."""
    if "://" not in name:
        with open_bytes(name) as stream:
            stream.seek(byte)
            yield stream
        return
    with _remote(name) as (system, path), system.open_input_file(path) as file:
        file.seek(byte)
        yield io.BufferedReader(cast(io.RawIOBase, file), CHUNK_OF_BYTES)


@contextmanager
def _remote(name: str) -> Iterator[tuple[FileSystem, str]]:
    """The file system of a name, and the path there; errors of Arrow become one sentence."""
    import pyarrow as pa
    from pyarrow.fs import FileSystem

    if os.environ.get("AWS_ENDPOINT_URL", "").startswith("http://"):
        os.environ.setdefault("AWS_ALLOW_HTTP", "true")  # Polars wants to be told, Arrow does not
    try:
        yield FileSystem.from_uri(name)
    except FileNotFoundError:
        raise CupelError(f"{name} does not exist.") from None
    except (pa.ArrowInvalid, OSError) as error:
        sentence = getattr(error, "strerror", None) or (str(error).splitlines() or [""])[0]
        raise CupelError(f"{name} cannot be read: {sentence.rstrip('.')}.") from None
