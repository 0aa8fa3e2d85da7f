"""The papers' tables as they were published, read from one declarative file a paper.

A table has rows and columns; each says how its cells are computed (`metric`, `dataset`, `pair`,
`statistic`, ...), and a cell's settings are those of the table, overridden by its column's, then by
its row's. A row that names a metric which is not registered yet shows a reason instead of a number,
and a number as soon as the metric is there. Settings that are not about computing:

    published    the row's printed numbers (nan: none), spread  their printed half-widths
    same_as      TABLE:ROW whose printed numbers these are: no number is typed twice
    like         another table whose columns and settings this one shares
    group, average   a cell is the mean of those of its group, along the row or the column
    absent       what is not available (a key of causes.toml)
    recorded     a training gave the number: see `cupel.papers.recorded`
    slow         a dataset on which only `--full` computes it, since it takes hours
    decide       `pairwise`: tau of the metric's direct comparisons, not of its scores
    causes       why numbers differ (keys of causes.toml)

`[trainings]` says by the name of a row what `--full` trains for it, as arguments of `cupel train`,
and `[training]` has settings of all of them: `trained`, the metric that uses the `{model}`.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Any

from cupel.errors import CupelError

PAPERS = ("reval", "nnrk", "mutt", "red")
_NOT_SETTINGS = {"name", "published", "spread", "same_as", "group", "average", "causes"}


@dataclass(frozen=True)
class Cell:
    """One published number and how to compute ours.

    average: the names of the cells whose mean it is, where it is one. absent: what is missing.
    """

    table: str
    row: str
    column: str
    published: float
    settings: Mapping[str, Any]
    average: tuple[tuple[str, str], ...] = ()
    absent: str | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        return self.table, self.row, self.column


@dataclass(frozen=True)
class Table:
    """A table or figure of a paper. tolerance: within it a number counts as reproduced."""

    id: str
    label: str
    title: str
    paper: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[Cell, ...]
    scale: float = 1.0
    decimals: int = 3
    tolerance: float = 0.01
    causes: tuple[str, ...] = ()
    marked: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Causes of single rows and columns, by name."""


@cache
def tables() -> dict[str, Table]:
    """Every table and figure of the four papers, in their order."""
    given: dict[str, dict[str, Any]] = {}
    paper_of: dict[str, str] = {}
    for paper in PAPERS:
        document = _document(paper)
        for entry in document["table"]:
            given[entry["id"]] = entry
            entry["trainings"] = {
                name: {**document.get("training", {}), "train": arguments}
                for name, arguments in document.get("trainings", {}).items()
            }
            paper_of[entry["id"]] = f"{document['paper']['name']}: {document['paper']['cite']}"
    whole = {key: _with_base(entry, given) for key, entry in given.items()}
    return {key: _table(entry, whole, paper_of[key]) for key, entry in whole.items()}


def find_table(name: str) -> Table:
    """A table by its id, or a sentence with the nearest ones."""
    if name not in tables():
        near = get_close_matches(name, tables(), n=2, cutoff=0.4)
        hint = f"did you mean {' or '.join(near)}?" if near else "`cupel reproduce` lists all."
        raise CupelError(f"There is no table {name!r}: {hint}")
    return tables()[name]


@cache
def causes() -> tuple[dict[str, str], dict[str, str]]:
    """Sentences on why numbers differ, and on what is not available, by key."""
    document = _document("causes")
    return document["causes"], document["absent"]


def _document(name: str) -> dict[str, Any]:
    return tomllib.loads((files("cupel.papers") / "tables" / f"{name}.toml").read_text("utf-8"))


def _with_base(entry: dict[str, Any], given: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    base = given[entry["like"]] if "like" in entry else {}
    kept = {
        key: value for key, value in base.items() if key not in ("id", "label", "title", "rows")
    }
    return kept | entry


def _table(
    entry: Mapping[str, Any],
    given: Mapping[str, Mapping[str, Any]],
    paper: str,
) -> Table:
    rows, columns = entry["rows"], entry["columns"]
    cells = []
    for row in rows:
        printed = _printed(row, entry, given)
        for column, number in zip(columns, printed, strict=True):
            cells.append(_cell(entry, row, column, rows, columns, float(number)))
    marked = {one["name"]: tuple(one["causes"]) for one in (*rows, *columns) if one.get("causes")}
    return Table(
        entry["id"],
        entry["label"],
        entry["title"],
        paper,
        tuple(row["name"] for row in rows),
        tuple(column["name"] for column in columns),
        tuple(cells),
        float(entry.get("scale", 1.0)),
        int(entry.get("decimals", 3)),
        float(entry.get("tolerance", 0.01)),
        tuple(entry.get("causes", ())),
        marked,
    )


def _printed(
    row: Mapping[str, Any], entry: Mapping[str, Any], given: Mapping[str, Mapping[str, Any]]
) -> Sequence[float]:
    if "published" in row:
        numbers: Sequence[float] = row["published"]
        return numbers
    table, _, name = row["same_as"].partition(":")
    return _printed(next(one for one in given[table]["rows"] if one["name"] == name), entry, given)


def _cell(
    entry: Mapping[str, Any],
    row: Mapping[str, Any],
    column: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]],
    columns: Sequence[Mapping[str, Any]],
    published: float,
) -> Cell:
    trained = entry["trainings"].get(row["name"], {}) if row.get("recorded") else {}
    merged = {**entry.get("compute", {}), **trained, **column, **row}
    settings = {key: value for key, value in merged.items() if key not in _NOT_SETTINGS}
    if "metric" in settings:
        settings["metric"] = settings["metric"].replace(
            "{language}", settings.get("language", "en")
        )
    absent = row.get("absent") or column.get("absent") or entry.get("absent")
    average: tuple[tuple[str, str], ...] = ()
    if "average" in column:
        average = tuple(
            (row["name"], one["name"]) for one in columns if one.get("group") == column["average"]
        )
    elif "average" in row:
        average = tuple(
            (one["name"], column["name"]) for one in rows if one.get("group") == row["average"]
        )
    return Cell(
        entry["id"],
        row["name"],
        column["name"],
        published,
        settings,
        average,
        causes()[1][absent] if absent else None,
    )


def misprinted(table: Table, cell: Cell) -> bool:
    """Whether a printed average is not that of the printed cells, by more than rounding explains."""
    printed = {(one.row, one.column): one.published for one in table.cells}
    parts = [printed[key] for key in cell.average]
    if not parts or not all(map(math.isfinite, (*parts, cell.published))):
        return False
    unit = 10.0**-table.decimals
    return abs(sum(parts) / len(parts) - cell.published) > 1.1 * unit
