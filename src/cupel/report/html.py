"""HTML as strings: tables, sections, and nothing that could let text become markup."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cupel.report.svg import escape


@dataclass(frozen=True)
class Cell:
    """A cell: its text, a class, the number it sorts by, and small print after it."""

    text: str
    kind: str = ""
    value: float | None = None
    small: str = ""


def table(
    header: Sequence[str],
    rows: Sequence[Sequence[Cell | str]],
    caption: str,
    *,
    sortable: bool = False,
) -> str:
    """A table that scrolls by itself on a narrow screen; its first column names the rows."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in header)
    body = "".join(f"<tr>{_cells(row)}</tr>" for row in rows)
    mark = ' class="sortable"' if sortable else ""
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(caption)}">'
        f"<table{mark}><caption><span>{escape(caption)}</span></caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cells(row: Sequence[Cell | str]) -> str:
    parts = []
    for column, given in enumerate(row):
        cell = given if isinstance(given, Cell) else Cell(given)
        name, scope = ("td", "") if column else ("th", ' scope="row"')
        kind = f' class="{escape(cell.kind)}"' if cell.kind else ""
        value = "" if cell.value is None else f' data-value="{cell.value!r}"'
        small = f" <small>{escape(cell.small)}</small>" if cell.small else ""
        parts.append(
            f'<{name}{scope}{kind}{value}><bdi dir="auto">{escape(cell.text)}</bdi>{small}</{name}>'
        )
    return "".join(parts)


@dataclass(frozen=True)
class Section:
    """A part of the page, with its place in the navigation."""

    name: str
    title: str
    content: str

    def __str__(self) -> str:
        return (
            f'<section id="{self.name}" aria-labelledby="{self.name}-title">'
            f'<h2 id="{self.name}-title">{escape(self.title)}</h2>{self.content}</section>'
        )


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph of plain text."""
    mark = f' class="{kind}"' if kind else ""
    return f"<p{mark}>{escape(text)}</p>"


def figure(chart: str, caption: str = "") -> str:
    """A chart with its caption."""
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f'<figure><div class="scroll">{chart}</div>{below}</figure>'


def figures(charts: Sequence[str]) -> str:
    """Charts side by side where there is room."""
    return f'<div class="figures">{"".join(charts)}</div>' if charts else ""


def p_value(p: float) -> str:
    """`p = 0.012`, or `p < 0.001`.

    >>> p_value(0.0123), p_value(0.0001)
    ('p = 0.012', 'p < 0.001')
    """
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def signed(value: float, places: int) -> str:
    """`+1.2` or `−0.4`, with a real minus sign."""
    return f"{value:+.{places}f}".replace("-", "\N{MINUS SIGN}")
