"""The user's columns: one value per segment, as names or as numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cupel.errors import CupelError

MOST_VALUES = 200
"""A column with more values keeps the most frequent ones that have `LEAST` segments or more; all
other values are one bucket."""
LEAST = 10
_REPEATED = 5
"""Numbers of which each value has about so many segments are names: of documents, say."""
_DOCUMENTS = ("document", "documents", "doc", "docid", "doc_id", "document_id")


@dataclass(frozen=True)
class Column:
    """A name, and the value of each segment."""

    name: str
    values: Sequence[str]

    def numbers(self) -> list[float] | None:
        """The values as numbers, if all of them are and most have a segment or two."""
        if len(set(self.values)) * _REPEATED <= max(len(self.values), 10 * _REPEATED):
            return None
        try:
            return [float(value) for value in self.values]
        except ValueError:
            return None

    def frequent(self) -> list[str]:
        """The values that are buckets, the most frequent first."""
        counts = Counter(self.values)
        least = LEAST if len(counts) > MOST_VALUES else 1
        return [value for value, count in counts.most_common(MOST_VALUES) if count >= least]


def read_columns(names: Sequence[str]) -> list[Column]:
    """Columns from files: FILE (all columns of a table, or a line per segment) or FILE:COLUMN."""
    columns: list[Column] = []
    for given in names:
        for column in _read(given):
            if column.name in {other.name for other in columns}:
                raise CupelError(f"Two columns are called {column.name!r}: rename one of them.")
            columns.append(column)
    return columns


def check_lengths(columns: Sequence[Column], segments: int) -> None:
    """An error where a column does not have a value for each segment."""
    for column in columns:
        if len(column.values) != segments:
            raise CupelError(
                f"The column {column.name!r} has {len(column.values)} values, but there are "
                f"{segments} segments."
            )


def _read(given: str) -> list[Column]:
    from cupel.reading import read_lines
    from cupel.reading.names import parse_name
    from cupel.reading.rows import iterate_rows
    from cupel.reading.tables import read_column

    name = parse_name(given)
    if name.kind == "lines":
        return [Column(Path(name.file).stem, read_lines(given))]
    if name.part is None and name.kind in ("tsv", "csv"):
        rows = iterate_rows(name.file, "\t" if name.kind == "tsv" else ",")
        header = next(rows)[1]
        cells = [fields for _, fields in rows]
        return [Column(title, [row[at] for row in cells]) for at, title in enumerate(header)]
    values = read_column(name.file, name.kind, name.part)
    return [Column(name.part or Path(name.file).stem, [str(value) for value in values])]


def documents_of(columns: Sequence[Column]) -> Sequence[str] | None:
    """The values of the column that names documents, if there is one."""
    return next((c.values for c in columns if c.name.lower() in _DOCUMENTS), None)
