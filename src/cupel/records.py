"""Results for programs and notebooks: a JSON document, a Polars frame, an HTML table with intervals.

Rows are flat records (mappings with the same keys); every result object has them as `rows()`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from cupel import __version__

if TYPE_CHECKING:
    import polars as pl

Row = dict[str, Any]
Range = tuple[float, float, float]
"""A value, and the low and high end of its interval."""


_asked: ContextVar[Callable[[], Row] | None] = ContextVar("asked", default=None)


@contextmanager
def answering(record: Callable[[], Row]) -> Iterator[None]:
    """Results that are written inside carry the record of their question (`cupel.provenance`)."""
    token = _asked.set(record)
    try:
        yield
    finally:
        _asked.reset(token)


def question_record() -> Row | None:
    """The record of the question that is being answered; None where a function was called."""
    record = _asked.get()
    return record() if record is not None else None


QUESTION_KEY = "cupel.question"


def question_metadata() -> dict[str, str]:
    """The same for the metadata of a Parquet file."""
    record = question_record()
    return {} if record is None else {QUESTION_KEY: json.dumps(record)}


def json_document(rows: Sequence[Mapping[str, Any]], **beside: object) -> str:
    """`{"version": ..., "question": ..., **beside, "rows": [...]}` as text."""
    record = question_record()
    asked = {} if record is None else {"question": record}
    document = plain({"version": __version__, **asked, **beside, "rows": list(rows)})
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False)


def plain(value: Any) -> Any:
    """The same with null for what is no number: JSON has neither NaN nor infinity."""
    if isinstance(value, Mapping):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def polars_frame(rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """One column per key."""
    import polars as pl

    return pl.DataFrame(rows, infer_schema_length=None)


def html_table(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    caption: str = "",
    intervals: Mapping[tuple[str, str], Range] | None = None,
) -> str:
    """A table without style sheet or script; all text is escaped. The first column names the row.

    intervals: (name of the row, name of the column) -> value, low and high, which are drawn below
    the text of that cell; each column has one scale.
    """
    from html import escape

    drawings = _drawings(intervals or {})
    lines = [_html_row("th", header, [""] * len(header))]
    lines += (_html_row("td", row, [drawings.get((row[0], n), "") for n in header]) for row in rows)
    title = f'<caption style="text-align:left;white-space:nowrap">{escape(caption)}</caption>'
    return f"<table>{title if caption else ''}{''.join(lines)}</table>"


def _html_row(tag: str, cells: Sequence[str], below: Sequence[str]) -> str:
    """The first cell to the left, the others, which are numbers, to the right."""
    from html import escape

    first, *others = (escape(cell) + drawn for cell, drawn in zip(cells, below, strict=True))
    aligned = "".join(f'<{tag} style="text-align:right">{cell}</{tag}>' for cell in others)
    return f'<tr><th style="text-align:left">{first}</th>{aligned}</tr>'


def _drawings(intervals: Mapping[tuple[str, str], Range]) -> dict[tuple[str, str], str]:
    """Small charts of what is finite: a line from low to high and a point at the value."""
    finite = {place: r for place, r in intervals.items() if all(map(math.isfinite, r))}
    drawings = {}
    for column in {column for _, column in finite}:
        ends = [number for place, r in finite.items() if place[1] == column for number in r]
        least, width = min(ends), (max(ends) - min(ends)) or 1.0
        for place, numbers in finite.items():
            if place[1] == column:
                value, low, high = (4 + 72 * (number - least) / width for number in numbers)
                drawings[place] = (
                    '<svg role="img" width="80" height="8" style="display:block;margin-left:auto">'
                    f"<title>{numbers[1]:.4g} to {numbers[2]:.4g}</title>"
                    f'<path d="M{low:.1f} 4H{high:.1f}" stroke="currentColor"/>'
                    f'<circle cx="{value:.1f}" cy="4" r="2.5" fill="currentColor"/></svg>'
                )
    return drawings
