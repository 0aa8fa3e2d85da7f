"""Ranges of rows of Parquet, JSON lines and text lines, as tables of Arrow."""

from __future__ import annotations

import io
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from cupel.engines.ray_files import (
    CHUNK_OF_BYTES,
    STRIDE,
    File,
    located,
    readable,
    size_of,
    unpacking,
)
from cupel.errors import CupelError
from cupel.reading.jsons import kind_of_json, parse_json
from cupel.reading.lines import decoded_line
from cupel.reading.tables import check_cell

if TYPE_CHECKING:
    import pyarrow as pa


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

    system, path = located(name)
    with unpacking(name, (start, stop)), system.open_input_file(path) as stream:
        file = pq.ParquetFile(stream)
        before, first = 0, 0
        groups: list[int] = []
        for number in range(file.metadata.num_row_groups):
            rows = file.metadata.row_group(number).num_rows
            if before + rows > start and before < stop:
                first = first if groups else before
                groups.append(number)
            before += rows
        names = list(dict.fromkeys(columns))
        for batch in file.iter_batches(STRIDE, row_groups=groups, columns=names):
            low, high = max(start - first, 0), min(stop - first, batch.num_rows)
            if low < high:
                table = pa.Table.from_batches([batch.slice(low, high - low)]).select(names)
                table.validate(full=True)  # that it is UTF-8
                _check_no_nulls(table, name, first + low)
                yield table
            first += batch.num_rows


def _check_no_nulls(table: pa.Table, name: str, first: int) -> None:
    for column in table.column_names:
        cells = table[column]
        inside = sum(
            chunk.flatten().null_count for chunk in cells.chunks if hasattr(chunk, "values")
        )
        if cells.null_count or inside:
            values = cells.to_pylist()
            row = next(
                n for n, v in enumerate(values) if v is None or (isinstance(v, list) and None in v)
            )
            raise CupelError(
                f"{name}, row {first + row + 1}: {column!r} holds null where text was expected."
            )


def _lines(file: File, start: int, stop: int) -> Iterator[tuple[int, str]]:
    """(number from 1, line) of the rows from `start` to `stop`."""
    row, byte = file.places[bisect_right(file.places, (start, file.size)) - 1]
    system, path = located(file.name)
    with readable(file.name), system.open_input_file(path) as stream:
        stream.seek(byte)
        lines = io.BufferedReader(cast(io.RawIOBase, stream), CHUNK_OF_BYTES)
        for number, raw in enumerate(islice(lines, stop - row), row + 1):
            if number > start:
                yield number, decoded_line(raw, number, file.name, "utf-8")


def _taken(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    return islice(lines, STRIDE)


def _json_table(name: str, columns: Sequence[str], lines: Iterator[tuple[int, str]]) -> pa.Table:
    import pyarrow as pa

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
            values.append(check_cell(record[column], place, column))
    return pa.table({column: _array(values) for column, values in cells.items()})


def _array(cells: list[Any]) -> pa.Array:
    """Texts, or lists of texts where one of the cells is a list."""
    import pyarrow as pa

    if not any(isinstance(cell, list) for cell in cells):
        return pa.array(cells, pa.large_string())
    lists = [cell if isinstance(cell, list) else [cell] for cell in cells]
    return pa.array(lists, pa.list_(pa.large_string()))
