"""Results for programs and notebooks: a JSON document, a Polars frame, a plain HTML table.

Rows are flat records (mappings with the same keys); every result object has them as `rows()`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cupel import __version__

if TYPE_CHECKING:
    import polars as pl

Row = dict[str, Any]


def json_document(rows: Sequence[Mapping[str, Any]], **beside: object) -> str:
    """`{"version": ..., **beside, "rows": [...]}` as text."""
    document = _plain({"version": __version__, **beside, "rows": list(rows)})
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    """The same with null for what is no number: JSON has neither NaN nor infinity."""
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def polars_frame(rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """One column per key."""
    import polars as pl

    return pl.DataFrame(rows, infer_schema_length=None)


def html_table(header: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> str:
    """A table without style sheet or script; all text is escaped. The first column names the row."""
    from html import escape

    lines = [_html_row("th", header), *(_html_row("td", row) for row in rows)]
    title = f'<caption style="text-align:left;white-space:nowrap">{escape(caption)}</caption>'
    return f"<table>{title if caption else ''}{''.join(lines)}</table>"


def _html_row(tag: str, cells: Sequence[str]) -> str:
    """The first cell to the left, the others, which are numbers, to the right."""
    from html import escape

    first, *others = map(escape, cells)
    aligned = "".join(f'<{tag} style="text-align:right">{cell}</{tag}>' for cell in others)
    return f'<tr><th style="text-align:left">{first}</th>{aligned}</tr>'
