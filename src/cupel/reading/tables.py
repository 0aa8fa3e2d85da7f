"""Columns of text out of TSV, CSV, JSON lines and Parquet.

The text must come back exactly as it was written: TSV fields are taken literally between tabs,
JSON lines are read by the json module, and only Parquet needs Polars, which is imported there. A
column of lists (JSON lines, Parquet) holds several references per segment.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from cupel.errors import CupelError
from cupel.reading.aborts import ending_with
from cupel.reading.jsons import json_lines, kind_of_json
from cupel.reading.limits import read_whole
from cupel.reading.lines import open_bytes
from cupel.reading.rows import iterate_rows
from cupel.reading.segments import listed, nearest

if TYPE_CHECKING:
    import polars

Cell = str | list[str]


def read_column(file: str, kind: str, column: str | None, encoding: str = "utf-8") -> list[Cell]:
    """One column of a table; without a name, the only column there is."""
    cells = _READERS[kind](file, column, encoding)
    if not cells:
        raise CupelError(f"{file} has no rows.")
    return cells


def _read_delimited(separator: str, file: str, column: str | None, encoding: str) -> list[Cell]:
    rows = iterate_rows(file, separator, encoding=encoding)
    columns = next(rows)[1]
    place = columns.index(the_column(file, columns, column))
    return [fields[place] for _, fields in rows]


def _read_json_lines(file: str, column: str | None, encoding: str) -> list[Cell]:
    cells: list[Cell] = []
    chosen: str | None = None
    for place, record in json_lines(file, encoding):
        if chosen is None:
            chosen = the_column(file, list(record), column)
        if chosen not in record:
            raise CupelError(f"{place}: there is no field {chosen!r}.")
        cells.append(check_cell(record[chosen], place, chosen))
    if chosen is None:
        raise CupelError(f"{file} is empty; one JSON object per line was expected.")
    return cells


def _read_parquet(file: str, column: str | None, _encoding: str) -> list[Cell]:
    frame = read_frame(file, lambda columns: [the_column(file, columns, column)])
    (chosen,) = frame.columns
    values = frame[chosen].to_list()
    return [check_cell(value, f"{file}, row {row}", chosen) for row, value in enumerate(values, 1)]


def read_frame(
    file: str, choose: Callable[[Sequence[str]], Sequence[str]] = lambda columns: columns
) -> polars.DataFrame:
    """A Parquet file. choose: of all columns those to read."""
    import polars

    # Polars gets bytes, because it would interpret wildcards and addresses in a name.
    with open_bytes(file) as stream:
        content = io.BytesIO(read_whole(stream, file))
    if not content.getbuffer():
        raise CupelError(f"{file} is empty; a Parquet file was expected.")
    with reading_parquet(f"{file} is not a Parquet file, or it is damaged."):
        columns = list(polars.read_parquet_schema(content))
        content.seek(0)
        return polars.read_parquet(content, columns=list(choose(columns)))


@contextmanager
def reading_parquet(sentence: str) -> Iterator[None]:
    """Whatever Polars makes of a damaged file, errors, panics and aborts, is this one sentence."""
    from polars.exceptions import PanicException, PolarsError

    try:
        with ending_with(sentence):
            yield
    except (PolarsError, PanicException, OverflowError, OSError):
        raise CupelError(sentence) from None


def the_column(file: str, columns: Sequence[str], column: str | None) -> str:
    """The column of that name, or the only one there is."""
    if column is None:
        if not columns:
            raise CupelError(f"{file} has no columns.")
        if len(columns) == 1:
            return columns[0]
        raise CupelError(
            f"{file} has {len(columns)} columns, {listed(columns)}; "
            f"choose one by naming it {file}:COLUMN."
        )
    if column not in columns:
        raise CupelError(
            f"{file} has no column {column!r}; it has {listed(columns)}{nearest(column, columns)}"
        )
    if columns.count(column) > 1:
        raise CupelError(f"{file} has {columns.count(column)} columns named {column!r}.")
    return column


def check_cell(value: object, place: str, column: str) -> Cell:
    """The value of a cell, which must be text or a list of texts; errors name the place."""
    texts = value if isinstance(value, list) else [value]
    for text in texts:
        if not isinstance(text, str):
            raise CupelError(
                f"{place}: {column!r} holds {kind_of_json(text)} where text was expected."
            )
        if not text.isascii() and _has_lone_surrogate(text):
            raise CupelError(
                f"{place}: {column!r} holds half of a surrogate pair, not a character."
            )
    return value  # type: ignore[return-value]


def _has_lone_surrogate(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


_READERS: Mapping[str, Callable[[str, str | None, str], list[Cell]]] = {
    "tsv": partial(_read_delimited, "\t"),
    "csv": partial(_read_delimited, ","),
    "jsonl": _read_json_lines,
    "parquet": _read_parquet,
}
