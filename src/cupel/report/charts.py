"""Charts as SVG strings: histogram, boxes, bars with intervals, scatter plot, heat map.

They need only the standard library. Each takes numbers and labels as text and returns
one `<svg>` with a title and a description for those who cannot see it; marks carry a `<title>`
that a pointer shows. A value that is missing is `None` or NaN.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cupel.report.svg import (
    GRID,
    INK,
    MUTED,
    SERIES,
    Ramp,
    Scale,
    diverging,
    element,
    escape,
    hexadecimal,
    label,
    readable,
    sequential,
    svg,
    text,
    x_axis,
    y_axis,
)

WIDTH = 520.0
_LETTER = 6.8
"""Width of a letter of the labels, about: text cannot be measured here."""
LONGEST = 40
"""Letters of a name that are drawn."""


@dataclass(frozen=True)
class Bar:
    """One bar: its value, its interval if there is one, and a remark shown at its end."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Point:
    """One point of a scatter plot; series: index of its colour and shape."""

    name: str
    x: float
    y: float
    series: int = 0


def histogram(
    series: Mapping[str, Sequence[float]],
    title: str,
    *,
    x_label: str = "score",
    y_label: str = "segments",
    bins: int = 30,
) -> str:
    """How often each value occurs; several series lie over one another as outlined areas."""
    pooled = [value for values in series.values() for value in values if math.isfinite(value)]
    height, left, bottom = 260.0, 58.0, 210.0
    x = Scale.of(pooled, left, WIDTH - 12)
    edges = [x.low + (x.high - x.low) * i / bins for i in range(bins + 1)]
    counts = {name: _counts(values, edges) for name, values in series.items()}
    tallest = max((max(row) for row in counts.values()), default=1)
    y = Scale.of([0.0, float(max(tallest, 1))], bottom, 16.0)
    parts = [y_axis(y, left, WIDTH - 12, y_label), x_axis(x, bottom, bottom, x_label)]
    for index, (name, row) in enumerate(counts.items()):
        colour = SERIES[index % len(SERIES)]
        parts.append(
            element(
                "path",
                _tip(f"{name}: {sum(row)} values, mean {label(_mean(series[name]))}"),
                d=_outline(row, edges, x, y),
                fill=colour,
                fill_opacity="0.22" if len(counts) > 1 else "0.55",
                stroke=colour,
                stroke_width="1.6",
            )
        )
    parts += _legend(list(series), 0.0) if len(series) > 1 else []
    description = "; ".join(
        f"{name}: {len(values)} values, mean {label(_mean(values))}"
        for name, values in series.items()
    )
    return svg(WIDTH, height, title, f"Histogram of {x_label}. {description}.", *parts)


def boxes(series: Mapping[str, Sequence[float]], title: str, *, x_label: str = "score") -> str:
    """Many distributions one below the other: median, middle half, and the middle nine tenths."""
    ordered = {
        name: sorted(v for v in values if math.isfinite(v)) for name, values in series.items()
    }
    left = _margin(series)
    step, top = 24.0, 10.0
    bottom = top + step * max(len(ordered), 1)
    spread = {name: _quantiles(values) for name, values in ordered.items() if values}
    x = Scale.of([v for five in spread.values() for v in five], left, WIDTH - 16)
    parts = [x_axis(x, top, bottom, x_label)]
    for row, name in enumerate(ordered):
        middle = top + step * (row + 0.5)
        parts.append(_name(name, left, middle))
        if name not in spread:
            continue
        low, lower, median, upper, high = spread[name]
        description = (
            f"{name}: median {label(median)}, half between {label(lower)} and {label(upper)}"
        )
        parts.append(
            element(
                "g",
                _tip(description)
                + element("line", x1=x(low), x2=x(high), y1=middle, y2=middle, stroke=SERIES[0])
                + element(
                    "rect",
                    x=x(lower), y=middle - 7, width=max(x(upper) - x(lower), 1.0), height=14,
                    fill=SERIES[0], fill_opacity="0.35", stroke=SERIES[0],
                )
                + element(
                    "line",
                    x1=x(median), x2=x(median), y1=middle - 7, y2=middle + 7,
                    stroke=INK, stroke_width=2,
                ),
            )
        )  # fmt: skip
    description = "; ".join(f"{name}: median {label(five[2])}" for name, five in spread.items())
    return svg(WIDTH, bottom + 44, title, f"Distributions of {x_label}. {description}.", *parts)


def bars(items: Sequence[Bar], title: str, *, x_label: str = "score") -> str:
    """Values as bars from zero (dots where zero is far away) with their intervals."""
    left = _margin([item.name for item in items])
    right = 16 + _LETTER * max((len(item.note) for item in items), default=0)
    step, top = 26.0, 10.0
    bottom = top + step * max(len(items), 1)
    ends = [v for i in items for v in (i.value, i.low, i.high) if v is not None]
    # Bars must start at zero to be true; where that would hide all differences, dots are drawn.
    spread = max(ends, default=1.0) - min(ends, default=0.0)
    dots = min(ends, default=0.0) > 0 and spread < 0.25 * max(ends, default=1.0)
    x = Scale.of(ends, left, WIDTH - right, zero=not dots)
    parts = [x_axis(x, top, bottom, x_label)]
    for row, item in enumerate(items):
        middle = top + step * (row + 0.5)
        parts.append(_name(item.name, left, middle))
        if not math.isfinite(item.value):
            continue
        parts.append(element("g", _tip(_bar_text(item)) + _bar(item, x, middle, dots)))
        if item.note:
            parts.append(text(item.note, WIDTH - right + 8, middle + 4, fill=MUTED, font_size=11))
    description = "; ".join(_bar_text(item) for item in items)
    return svg(WIDTH, bottom + 44, title, f"{x_label}. {description}.", *parts)


def scatter(
    points: Sequence[Point],
    title: str,
    *,
    x_label: str,
    y_label: str,
    series: Sequence[str] = (),
    note: str = "",
) -> str:
    """Points with colours and shapes by series. note: a number about them, e.g. a correlation."""
    width, height, left, bottom = 420.0, 340.0, 62.0, 290.0
    finite = [p for p in points if math.isfinite(p.x) and math.isfinite(p.y)]
    x = Scale.of([p.x for p in finite], left, width - 14)
    y = Scale.of([p.y for p in finite], bottom, 26.0)
    parts = [y_axis(y, left, width - 14, y_label), x_axis(x, 26.0, bottom, x_label)]
    size = 4.5 if len(finite) <= 200 else 2.2
    for point in finite:
        description = f"{point.name}: {x_label} {label(point.x)}, {y_label} {label(point.y)}"
        parts.append(_mark(point.series, x(point.x), y(point.y), size, _tip(description)))
    if note:
        parts.append(text(note, left, 16, fill=INK, font_size=12, font_weight=600))
    parts += _legend(list(series), height + 8) if len(series) > 1 else []
    description = f"{len(finite)} points of {y_label} against {x_label}. {note}"
    return svg(width, height + 16 * (len(series) > 1), title, description, *parts)


def heatmap(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float | None]],
    title: str,
    *,
    low: float = 0.0,
    high: float = 1.0,
    ramp: Ramp | None = None,
    form: str = "{:.2f}",
    row_label: str = "",
) -> str:
    """Cells coloured from `low` to `high`, each with its number; empty ones have a dash.

    Where low is below zero the colours diverge from zero, else they deepen.
    """
    shade = ramp or (diverging if low < 0 else sequential)
    left = _margin([*rows, row_label])
    wide = max(46.0, min(92.0, (WIDTH - left) / max(len(columns), 1)))
    longest = max((len(name) for name in columns), default=0)
    slanted = longest * _LETTER > wide
    top = 14 + (min(longest, LONGEST) * _LETTER * 0.64 + 12 if slanted else 16)
    tall = 30.0
    parts = [text(row_label, left - 8, top - 8, text_anchor="end", fill=MUTED, font_size=11)]
    for column, name in enumerate(columns):
        middle = left + wide * (column + 0.5)
        turn = f"rotate(-40 {middle - 6:.0f} {top - 8:.0f})" if slanted else None
        anchor = "start" if slanted else "middle"
        at = middle - 6 if slanted else middle
        parts.append(text(_cut(name), at, top - 8, text_anchor=anchor, transform=turn))
    for row, name in enumerate(rows):
        y = top + tall * row
        parts.append(_name(name, left, y + tall / 2))
        for column, value in enumerate(values[row]):
            x = left + wide * column
            parts.append(
                _cell(value, x, y, wide, tall, low, high, shade, form, f"{name}, {columns[column]}")
            )
    width = left + wide * len(columns) + (min(longest, LONGEST) * _LETTER * 0.5 if slanted else 4)
    description = ". ".join(
        f"{name}: "
        + ", ".join(
            f"{column} {form.format(value) if _is_number(value) else 'none'}"
            for column, value in zip(columns, line, strict=True)
        )
        for name, line in zip(rows, values, strict=True)
    )
    return svg(
        max(width, 200.0), top + tall * len(rows) + 8, title, f"Heat map. {description}.", *parts
    )


def _is_number(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


def _cell(
    value: float | None,
    x: float,
    y: float,
    wide: float,
    tall: float,
    low: float,
    high: float,
    shade: Ramp,
    form: str,
    where: str,
) -> str:
    inner = {"x": x + 1, "y": y + 1, "width": wide - 2, "height": tall - 2, "rx": 3}
    centre = x + wide / 2, y + tall / 2 + 4
    if value is None or not math.isfinite(value):
        return element("rect", _tip(f"{where}: none"), fill="none", stroke=GRID, **inner) + text(
            "–", *centre, text_anchor="middle", fill=MUTED
        )
    reach = max(abs(low), abs(high))
    share = value / reach if low < 0 else (value - low) / ((high - low) or 1.0)
    colour = shade(share)
    shown = form.format(value).replace("-", "\N{MINUS SIGN}")
    return element("rect", _tip(f"{where}: {shown}"), fill=hexadecimal(colour), **inner) + text(
        shown, *centre, text_anchor="middle", fill=readable(colour), pointer_events="none"
    )


def _tip(content: str) -> str:
    return f"<title>{escape(content)}</title>"


def _bar_text(item: Bar) -> str:
    between = (
        f" ({label(item.low)} to {label(item.high)})"
        if item.low is not None and item.high is not None
        else ""
    )
    return f"{item.name}: {label(item.value)}{between}{' ' + item.note if item.note else ''}"


def _bar(item: Bar, x: Scale, middle: float, dots: bool) -> str:
    drawn = ""
    if not dots:
        start, end = sorted((x(0.0), x(item.value)))
        drawn = element(
            "rect",
            x=start, y=middle - 8, width=max(end - start, 0.5), height=16, rx=2,
            fill=SERIES[0], fill_opacity="0.45",
        )  # fmt: skip
    if item.low is not None and item.high is not None:
        first, last = x(item.low), x(item.high)
        drawn += element(
            "path",
            d=f"M{first:.1f} {middle:.1f}H{last:.1f}"
            f"M{first:.1f} {middle - 5:.1f}v10M{last:.1f} {middle - 5:.1f}v10",
            stroke=INK, stroke_width="1.4", fill="none",
        )  # fmt: skip
    return drawn + element("circle", cx=x(item.value), cy=middle, r=4 if dots else 2.5, fill=INK)


def _mark(series: int, x: float, y: float, size: float, tip: str) -> str:
    """Shapes differ as well as colours: circle, square, triangle, diamond."""
    colour = SERIES[series % len(SERIES)]
    paint: dict[str, object] = {"fill": colour, "fill_opacity": "0.75"}
    shape = series % 4
    if shape == 0:
        return element("circle", tip, cx=x, cy=y, r=size, **paint)
    if shape == 1:
        return element(
            "rect", tip, x=x - size, y=y - size, width=2 * size, height=2 * size, **paint
        )
    up = size * 1.3
    if shape == 2:
        path = f"M{x:.1f} {y - up:.1f}l{up:.1f} {2 * up:.1f}h{-2 * up:.1f}z"
    else:
        path = f"M{x:.1f} {y - up:.1f}l{up:.1f} {up:.1f}l{-up:.1f} {up:.1f}l{-up:.1f} {-up:.1f}z"
    return element("path", tip, d=path, **paint)


def _legend(names: Sequence[str], y: float) -> list[str]:
    """One line of names with their marks, at the right of the top or along the bottom."""
    y = y or 12.0
    parts = []
    x = 70.0
    for index, name in enumerate(names):
        parts.append(_mark(index, x, y - 4, 4.5, ""))
        parts.append(text(_cut(name), x + 10, y, fill=INK, font_size=11))
        x += 26 + _LETTER * min(len(name), LONGEST)
    return parts


def _name(name: str, left: float, middle: float) -> str:
    return text(_cut(name), left - 8, middle + 4, text_anchor="end")


def _cut(name: str) -> str:
    """Names come without what all of them share; what is longer still loses its end."""
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def _margin(names: Sequence[str] | Mapping[str, object]) -> float:
    return 22 + _LETTER * min(max((len(name) for name in names), default=0), LONGEST)


def _mean(values: Sequence[float]) -> float:
    finite = [value for value in values if math.isfinite(value)]
    return math.fsum(finite) / len(finite) if finite else math.nan


def _counts(values: Sequence[float], edges: Sequence[float]) -> list[int]:
    """Values per bin; the last bin has its upper edge, too."""
    counts = [0] * (len(edges) - 1)
    for value in values:
        if math.isfinite(value):
            counts[min(bisect_right(edges, value) - 1, len(counts) - 1)] += 1
    return counts


def _outline(row: Sequence[int], edges: Sequence[float], x: Scale, y: Scale) -> str:
    steps = "".join(f"V{y(count):.1f}H{x(edges[i + 1]):.1f}" for i, count in enumerate(row))
    return f"M{x(edges[0]):.1f} {y(0):.1f}{steps}V{y(0):.1f}Z"


def _quantiles(ordered: Sequence[float]) -> tuple[float, ...]:
    """5%, 25%, 50%, 75%, 95% of sorted values, between neighbours in proportion."""
    quantiles = []
    for share in (0.05, 0.25, 0.5, 0.75, 0.95):
        place = share * (len(ordered) - 1)
        at = min(int(place), len(ordered) - 1)
        after = ordered[min(at + 1, len(ordered) - 1)]
        quantiles.append(ordered[at] + (after - ordered[at]) * (place - at))
    return tuple(quantiles)
