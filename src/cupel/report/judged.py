"""The sections of a report on metrics: against people (`cupel meta`), against unit tests (`cupel mutt`)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from cupel.errors import CupelError
from cupel.mutt.trials import counted_references
from cupel.names import short_names
from cupel.report import campaign, charts
from cupel.report.html import Cell, Section, figure, figures, paragraph, table
from cupel.report.runs import Row, Run, is_number
from cupel.report.svg import escape

AVERAGE = "avg"
_MOST_EXAMPLES = 12
_MOST_TOGETHER = 200
"""Points of several language pairs that fit into one scatter plot."""


def _groups(rows: Sequence[Row], *keys: str) -> dict[tuple[Any, ...], list[Row]]:
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    return groups


def meta(run: Run, number: str = "") -> Section:
    """Agreement with people: a table, a chart of the averages, and metric against human scores."""
    parts = []
    for (dataset, level, statistic), rows in _groups(
        run.rows, "dataset", "level", "statistic"
    ).items():
        title = f"{dataset}, {level} level, {statistic}"
        parts.append(_agreement(rows, title))
    parts += [
        campaign.contest(run, _best_first(run.rows)),
        _scatters(run),
        campaign.disagreements(run),
    ]
    datasets = ", ".join(dict.fromkeys(row["dataset"] for row in run.rows))
    return Section(f"people{number}", f"Metrics against people: {datasets}", "".join(parts))


def _best_first(rows: Sequence[Row]) -> list[str]:
    """The metrics by their average, or by the last language pair where there is none."""
    by_cell = {(row["metric"], row["pair"]): row for row in rows}
    last = AVERAGE if any(row["pair"] == AVERAGE for row in rows) else rows[-1]["pair"]
    return sorted(
        dict.fromkeys(row["metric"] for row in rows),
        key=lambda m: (
            -by_cell[m, last]["value"] if _has_value(by_cell.get((m, last))) else math.inf
        ),
    )


def _agreement(rows: Sequence[Row], title: str) -> str:
    pairs = list(dict.fromkeys(row["pair"] for row in rows))
    by_cell = {(row["metric"], row["pair"]): row for row in rows}
    last = AVERAGE if AVERAGE in pairs else pairs[-1]
    metrics = _best_first(rows)
    best = {
        pair: max((r["value"] for r in rows if r["pair"] == pair and _has_value(r)), default=None)
        for pair in pairs
    }
    body = [
        [Cell(m), *(_value(by_cell.get((m, pair)), best[pair]) for pair in pairs)] for m in metrics
    ]
    average = [by_cell[m, last] for m in metrics if _has_value(by_cell.get((m, last)))]
    items = [charts.Bar(r["metric"], r["value"], r.get("low"), r.get("high")) for r in average]
    header = ["Metric", *map(_pair, pairs)]
    scores = table(
        header,
        body,
        f"{title}; with 95% intervals, the best of each column in bold.",
        sortable=True,
    )
    if not items:
        return scores
    chart = charts.bars(items, f"{title}: {_pair(last)}", x_label=rows[0]["statistic"])
    return scores + figure(chart, f"{title}: {_pair(last)}")


def _has_value(row: Row | None) -> bool:
    """Whether there is a number: a metric that ties everything has no correlation."""
    return row is not None and row["value"] is not None


def _pair(name: str) -> str:
    return "average" if name == AVERAGE else name


def _value(row: Row | None, best: float | None) -> Cell:
    if row is None or row["value"] is None:
        return Cell("–")
    small = ""
    if row.get("low") is not None:
        small = f"± {(row['high'] - row['low']) / 2:.3f}"
    return Cell(f"{row['value']:.3f}", "best" if row["value"] == best else "", row["value"], small)


def _scatters(run: Run) -> str:
    """One plot a metric; the language pairs are its series."""
    points = run.extras.get("points") or []
    _check_points(points, run)
    if not points:
        return ""
    pairs = list(dict.fromkeys(point["pair"] for point in points))
    metrics = [m for m in _best_first(run.rows) if m in points[0]]
    # Hundreds of points of several language pairs would hide each other.
    apart = len(pairs) > 1 and len(points) > _MOST_TOGETHER
    content = "".join(
        f"<h4>{escape(', '.join(shown))}</h4>"
        + figures([_scatter(run, points, metric, shown) for metric in metrics])
        for shown in ([[pair] for pair in pairs] if apart else [pairs])
    )
    what = "Each point is one judged item: a system, or a segment where people graded segments."
    remark = f"{what} Error rates are negated, so that higher is better."
    return "<h3>Metric against human scores</h3>" + paragraph(remark, "remark") + content


def _scatter(run: Run, points: Sequence[Row], metric: str, pairs: Sequence[str]) -> str:
    """The points of these language pairs, which are the series."""
    names = {pair: _item_names(points, pair) for pair in pairs}
    marks = [
        charts.Point(
            f"{point['pair']} {names[point['pair']][str(point['item'])]}",
            point["human"],
            point[metric],
            pairs.index(point["pair"]),
        )
        for point in points
        if point["pair"] in pairs and is_number(point["human"]) and is_number(point[metric])
    ]
    return figure(
        charts.scatter(
            marks,
            f"{metric} against people: {', '.join(pairs)}",
            x_label="human score",
            y_label=metric,
            series=pairs,
            note=_note(run.rows, metric, pairs[0] if len(pairs) == 1 else AVERAGE),
        )
    )


def _item_names(points: Sequence[Row], pair: str) -> dict[str, str]:
    """How the points of a language pair are called: systems without what their names share."""
    items = [str(point["item"]) for point in points if point["pair"] == pair]
    named = all(any(map(str.isalpha, item)) for item in items)
    return short_names(items) if named else {item: item for item in items}


def _note(rows: Sequence[Row], metric: str, pair: str) -> str:
    for row in rows:
        if row["metric"] == metric and row["pair"] == pair and _has_value(row):
            where = " on average" if pair == AVERAGE else ""
            return f"{row['statistic']} {row['value']:.3f}{where}"
    return ""


def _check_points(points: Any, run: Run) -> None:
    usable = isinstance(points, list) and all(
        isinstance(p, dict) and {"pair", "item", "human"} <= p.keys() and p.keys() == points[0].keys()
        for p in points
    )  # fmt: skip
    if not usable or not all(_is_point(point) for point in points):
        raise CupelError(f'{run.origin}: "points" is not as `cupel meta` writes it; make it again.')


def _is_point(point: Row) -> bool:
    """Whether it is named by text or numbers, and all else are numbers, null, or NaN."""
    return all(
        isinstance(value, str | int)
        if key in ("pair", "item")
        else value is None or is_number(value) or value != value
        for key, value in point.items()
    )


def mutt(run: Run, number: str = "") -> Section:
    """Unit tests of metrics: a heat map for each number of references, and what failed."""
    parts = []
    for (suite, references), rows in _groups(run.rows, "suite", "references").items():
        parts.append(_heat_map(rows, f"{suite}, {counted_references(references)}"))
    parts.append(_examples(run))
    remark = (
        "The share of trials that a metric gets right. A corruption of meaning or fluency must "
        "score lower than the original; one that keeps the meaning must score about the same."
    )
    suites = ", ".join(dict.fromkeys(row["suite"] for row in run.rows))
    content = paragraph(remark) + "".join(parts)
    return Section(f"mutt{number}", f"Unit tests of metrics: {suites}", content)


def _heat_map(rows: Sequence[Row], title: str) -> str:
    corruptions = list(dict.fromkeys(row["corruption"] for row in rows))
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    by_cell = {(row["corruption"], row["metric"]): row for row in rows}
    values = [
        [by_cell[c, m]["accuracy"] if (c, m) in by_cell else None for m in metrics]
        for c in corruptions
    ]
    chart = charts.heatmap(corruptions, metrics, values, title, form="{:.1%}")
    body = [
        [Cell(c), Cell(_kind(rows, c), "text"), *(_accuracy(by_cell.get((c, m))) for m in metrics)]
        for c in corruptions
    ]
    numbers = table(
        ["Corruption", "Kind", *metrics],
        body,
        f"{title}: accuracy with 95% intervals.",
        sortable=True,
    )
    return (
        figure(chart, f"{title}: accuracy")
        + f"<details><summary>The numbers as a table</summary>{numbers}</details>"
    )


def _kind(rows: Sequence[Row], corruption: str) -> str:
    return next(str(row["kind"]) for row in rows if row["corruption"] == corruption)


def _accuracy(row: Row | None) -> Cell:
    if row is None:
        return Cell("–")
    bounded = row.get("low") is not None and row.get("high") is not None
    small = f"{row['low']:.1%} to {row['high']:.1%}" if bounded else ""
    return Cell(f"{row['accuracy']:.1%}", "", row["accuracy"], small)


def _examples(run: Run) -> str:
    """Failed trials by corruption and metric, as far as the run has them."""
    examples = run.extras.get("failures") or []
    if not isinstance(examples, list) or not all(isinstance(e, dict) for e in examples):
        raise CupelError(
            f'{run.origin}: "failures" is not as `cupel mutt` writes it; make it again.'
        )
    parts: dict[str, list[str]] = {}
    for (corruption, metric, references), group in _examples_of(examples).items():
        rows = [
            [
                Cell(str(one.get("original", "")), "text"),
                Cell(str(one.get("corrupted", "")), "text"),
                _number(one.get("original_score")),
                _number(one.get("corrupted_score")),
            ]
            for one in group[:_MOST_EXAMPLES]
        ]
        header = ["Original", "Corrupted", "Original's score", "Corrupted one's"]
        name = ", ".join(part for part in (metric, references) if part)
        parts.setdefault(corruption, []).append(table(header, rows, name))
    shown = "".join(
        f"<details><summary>{escape(corruption)}</summary>{''.join(tables)}</details>"
        for corruption, tables in parts.items()
    )
    return "<h3>Trials that failed</h3>" + shown if parts else ""


def _number(value: object) -> Cell:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Cell(f"{value:.4g}", "", float(value))
    return Cell("–")


def _examples_of(
    examples: Sequence[Mapping[str, Any]],
) -> dict[tuple[str, str, str], list[Mapping[str, Any]]]:
    groups: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for one in examples:
        references = counted_references(one["references"]) if "references" in one else ""
        key = (str(one.get("corruption", "")), str(one.get("metric", "")), references)
        groups.setdefault(key, []).append(one)
    return groups
