"""Scores that others computed, out of a file: one number for each system and segment.

    .jsonl .tsv .csv .parquet   a row per segment; columns name the system and the segment
    .json                       COMET's --to_json, `cupel score -sl -f json`, a list of objects
    .seg.score                  SYSTEM SCORE a line, as mt-metrics-eval has it
    .npy .npz                   (systems, segments), or one array per system
    any other                   a number a line

Segments are joined by number or id where there is such a column, and by position elsewhere. A file
without a column of systems holds the scores of one.
"""

from __future__ import annotations

import hashlib
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from cupel.errors import CupelError
from cupel.reading.jsons import json_lines, kind_of_json, read_json
from cupel.reading.limits import check_zip, read_whole
from cupel.reading.lines import iterate_lines, open_bytes
from cupel.reading.names import kind_of
from cupel.reading.rows import iterate_rows
from cupel.reading.segments import listed, nearest
from cupel.reading.tables import read_frame

SCORE_KINDS = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".tsv": "tsv", ".csv": "csv",
    ".parquet": "parquet", ".npy": "npy", ".npz": "npz", ".score": "score",
}  # fmt: skip
"""What a file with scores is, by the end of its name."""

SYSTEM_COLUMNS = ("system", "sys", "system_id", "sysid", "model")
SEGMENT_COLUMNS = (
    "segment", "seg", "sid", "segid", "seg_id", "segment_id", "global_seg_id", "id", "line"
)  # fmt: skip
TEXT_COLUMNS = ("hypothesis", "mt", "translation")
SCORE_COLUMNS = ("score", "COMET", "prediction")
"""Names of columns, whatever their case; that of the score may be any other, if it is given."""

METRICX_COLUMN = "prediction"
"""The scores of MetricX: errors, so that lower is better."""

Record = tuple[str, Mapping[str, Any]]
"""A row: the place that errors name, and its fields."""


@dataclass(frozen=True)
class SystemScores:
    """The scores of one system: entry i of each list belongs together; `ids` may be empty."""

    values: list[float] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class ScoreTable:
    """One column of scores.

    systems: by name, "" where the file does not name its only one. ordered: whether they are rows
    without names, in the order of the systems.
    """

    file: str
    column: str
    systems: Mapping[str, SystemScores]
    ordered: bool = False

    @property
    def is_errors(self) -> bool:
        """Whether lower is better, as far as the file shows: it is that of MetricX."""
        return self.column == METRICX_COLUMN


@contextmanager
def unchanged(file: str) -> Iterator[str]:
    """SHA-256 of a file that is read meanwhile; an error if its content has changed after that."""
    before = _sha256(file)
    yield before
    if _sha256(file) != before:
        raise CupelError(
            f"{file} changed while it was read: wait until it is complete, and run this again."
        )


def _sha256(file: str) -> str:
    digest = hashlib.sha256()
    with open_bytes(file) as stream:
        while part := stream.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()


def read_score_table(file: str, column: str | None = None) -> ScoreTable:
    """The scores of a column; without a name, the one that can only be meant."""
    kind = kind_of(file, SCORE_KINDS)
    if kind in ("npy", "npz"):
        return _arrays(file, column)
    records = _READERS[kind](file)
    first = next(records, None)
    if first is None:
        raise CupelError(f"{file} has no scores: it is empty.")
    names = list(first[1])
    chosen = _score_column(file, first, column)
    by = {
        what: _named(names, columns, chosen)
        for what, columns in (
            ("system", SYSTEM_COLUMNS),
            ("segment", SEGMENT_COLUMNS),
            ("text", TEXT_COLUMNS),
        )
    }
    systems: dict[str, SystemScores] = {}
    seen: dict[tuple[str, str], str] = {}
    for place, record in (first, *records):
        system = "" if by["system"] is None else _cell(record, by["system"], place)
        scores = systems.setdefault(system, SystemScores())
        scores.values.append(finite_number(_field(record, chosen, place), place, chosen))
        scores.places.append(place)
        if by["text"] is not None:
            scores.texts.append(str(record.get(by["text"], "")))
        if by["segment"] is not None:
            segment = _cell(record, by["segment"], place)
            if (system, segment) in seen:
                whose = f"system {system!r}, segment" if system else "segment"
                raise CupelError(
                    f"{place}: there is a second score of {whose} {segment}; the first is in "
                    f"{seen[system, segment].removeprefix(f'{file}, ')}."
                )
            seen[system, segment] = place
            scores.ids.append(segment)
    return ScoreTable(file, chosen, systems)


def finite_number(value: object, place: str, column: str) -> float:
    """A value as a score; text that is a number counts, NaN and infinity do not."""
    try:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise ValueError
        number = float(value)
    except (ValueError, OverflowError):
        what = repr(value) if isinstance(value, str) else kind_of_json(value)
        raise CupelError(f"{place}: {column!r} is {what} where a number was expected.") from None
    if not math.isfinite(number):
        raise CupelError(f"{place}: {column!r} is {number}; every score must be a finite number.")
    return number


def _score_column(file: str, first: Record, column: str | None) -> str:
    place, record = first
    names = list(record)
    if column is not None:
        if column not in record:
            raise CupelError(
                f"{place}: there is no column {column!r}; there is {listed(names)}"
                f"{nearest(column, names)}"
            )
        return column
    keys = {_named(names, columns) for columns in (SYSTEM_COLUMNS, SEGMENT_COLUMNS)}
    numbers = [name for name in names if name not in keys and _is_number(record[name])]
    usual = [name for name in SCORE_COLUMNS if name in names]
    if len(numbers) != 1 and not usual:
        raise CupelError(
            f"{place}: it is not clear which column has the scores, of {listed(names)}; name it: "
            f"{file}:COLUMN."
        )
    return usual[0] if usual else numbers[0]


def _is_number(value: object) -> bool:
    try:
        return not isinstance(value, bool) and math.isfinite(float(value))  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return False


def _named(names: Sequence[str], columns: Sequence[str], other: str | None = None) -> str | None:
    """The first of these columns that there is, whatever its case, and is not the other."""
    lowered = {name.lower(): name for name in names if name != other}
    return next((lowered[column] for column in columns if column in lowered), None)


def _field(record: Mapping[str, Any], column: str, place: str) -> Any:
    if column not in record:
        raise CupelError(f"{place}: there is no field {column!r}.")
    return record[column]


def _cell(record: Mapping[str, Any], column: str, place: str) -> str:
    """A name or an id as text."""
    value = _field(record, column, place)
    if isinstance(value, bool) or not isinstance(value, int | str) or not str(value).strip():
        shown = "empty" if isinstance(value, str) else kind_of_json(value)
        raise CupelError(f"{place}: {column!r} is {shown} where a name or a number was expected.")
    return str(value)


def _delimited(file: str, separator: str) -> Iterator[Record]:
    rows = iterate_rows(file, separator)
    header = next(rows)[1]
    for name in header:
        if header.count(name) > 1:
            raise CupelError(f"{file}, line 1: there are two columns named {name!r}.")
    for line, fields in rows:
        yield f"{file}, line {line}", dict(zip(header, fields, strict=True))


def _parquet(file: str) -> Iterator[Record]:
    rows = read_frame(file).iter_rows(named=True)
    return ((f"{file}, row {number}", row) for number, row in enumerate(rows, start=1))


def _json(file: str) -> Iterator[Record]:
    value = read_json(file, unique=True)
    if isinstance(value, dict) and isinstance(value.get("rows"), list):
        value = value["rows"]
    # COMET writes {file of the system: [{"src": ..., "mt": ..., "COMET": score}, ...], ...}.
    groups = value if isinstance(value, dict) else {"": value}
    for system, rows in groups.items():
        named = {"system": system} if system else {}
        of = f" of {system!r}" if system else ""
        if not isinstance(rows, list):
            raise CupelError(
                f"{file}: {kind_of_json(rows)} was found{of} where a list of objects with scores "
                "was expected."
            )
        for number, row in enumerate(rows, start=1):
            place = f"{file}, entry {number}{of}"
            if not isinstance(row, dict):
                raise CupelError(
                    f"{place}: {kind_of_json(row)} was found where an object was expected."
                )
            yield place, named | row


def _two_columns(file: str) -> Iterator[Record]:
    for number, line in enumerate(iterate_lines(file), start=1):
        fields = line.split("\t") if "\t" in line else line.split()
        if len(fields) != 2:
            raise CupelError(
                f"{file}, line {number}: a system and a score were expected, but {listed(fields)} "
                "was found."
            )
        yield f"{file}, line {number}", {"system": fields[0], "score": fields[1]}


def _numbers(file: str) -> Iterator[Record]:
    for number, line in enumerate(iterate_lines(file), start=1):
        yield f"{file}, line {number}", {"score": line.strip()}


_READERS: Mapping[str, Any] = {
    "jsonl": lambda file: json_lines(file, blank=True, unique=True),
    "json": _json,
    "tsv": lambda file: _delimited(file, "\t"),
    "csv": lambda file: _delimited(file, ","),
    "parquet": _parquet,
    "score": _two_columns,
    "lines": _numbers,
}


def _arrays(file: str, column: str | None) -> ScoreTable:
    """An array (systems, segments) in the order of the systems, or an .npz of one per system."""
    with open_bytes(file) as stream:
        content = io.BytesIO(read_whole(stream, file))
    check_zip(content, file)
    try:
        loaded = np.load(content, allow_pickle=False)
        arrays = {name: loaded[name] for name in loaded.files} if hasattr(loaded, "files") else {}
    except Exception:  # of a damaged file NumPy passes on what zipfile, tokenize and others raise
        raise CupelError(f"{file} is not a NumPy file with numbers, or it is damaged.") from None
    if not arrays:
        return _of_array(file, "score", loaded, None)
    if column is not None:
        if column not in arrays:
            raise CupelError(
                f"{file} has no array {column!r}; it has {listed(list(arrays))}"
                f"{nearest(column, list(arrays))}"
            )
        return _of_array(file, column, arrays[column], arrays.get("systems"))
    stacked = {name: _row(array, f"{file}, array {name!r}") for name, array in arrays.items()}
    return ScoreTable(file, "score", stacked)


def _of_array(file: str, column: str, array: Any, names: Any) -> ScoreTable:
    rows = np.atleast_2d(np.asarray(array))
    labels = [str(n) for n in range(1, len(rows) + 1)] if names is None else list(map(str, names))
    if rows.ndim != 2 or len(labels) != len(rows) or len(set(labels)) != len(labels):
        raise CupelError(
            f"{file}: {column!r} has the shape {np.shape(array)}; (systems, segments) was expected"
            + ("." if names is None else f", for the {len(labels)} systems that it names.")
        )
    if names is None and len(rows) == 1:
        labels = [""]
    scores = {
        label: _row(row, f"{file}, row {number}")
        for number, (label, row) in enumerate(zip(labels, rows, strict=True), start=1)
    }
    return ScoreTable(file, column, scores, ordered=names is None)


def _row(array: Any, place: str) -> SystemScores:
    if array.ndim != 1 or array.dtype.kind not in "fiu":
        raise CupelError(
            f"{place}: a row of numbers was expected, not {array.dtype} {array.shape}."
        )
    values = array.astype(np.float64).tolist()
    places = [f"{place}, segment {number}" for number in range(1, len(values) + 1)]
    for value, where in zip(values, places, strict=True):
        finite_number(value, where, "score")
    return SystemScores(values, places)


def stem(file: str) -> str:
    """`comet` of `runs/comet.seg.score`: how a metric is called after its file."""
    name = Path(file).name.removesuffix(".gz")
    return name.partition(".seg.score")[0] if ".seg.score" in name else Path(name).stem
