"""The parts of a report that show a campaign: which metric beats which, and the segments behind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cupel.errors import CupelError
from cupel.names import short_names
from cupel.report import charts
from cupel.report.html import Cell, Section, figure, paragraph, table
from cupel.report.runs import Row, Run, is_number
from cupel.report.svg import escape, label

AVERAGE = "avg"
PEOPLE = "people"
_LINES = (("Translation", "translation"), ("Reference", "reference"), ("Source", "source"))
_TEXT = ("pair", "metric", "other", "system", "source", "reference", "translation")
_NUMBERS = ("segment", "metric_rank", "other_rank", "metric_score", "other_score", "human")


def task_section(run: Run, number: str = "") -> Section:
    """A metrics task: the averages, which metric beats which, and the segments behind it."""
    order = [row["metric"] for row in run.rows if row["task"] == AVERAGE]
    content = tasks(run) + contest(run, order) + disagreements(run)
    datasets = ", ".join(dict.fromkeys(row["dataset"] for row in run.rows))
    return Section(f"tasks{number}", f"Metrics on a list of tasks: {datasets}", content)


def contest(run: Run, order: Sequence[str]) -> str:
    """Which metric beats which: a heat map for each language pair that was tested.

    order: the metrics, best first.
    """
    tested = "comparisons" if run.extras.get("comparisons") else "contest"
    compared = _checked(run, tested, ("pair", "metric", "other"), ())
    p_values = [row for row in compared if is_number(row.get("p"))]
    if len(order) < 2 or not p_values:
        return ""
    p = {(row["pair"], row["metric"], row["other"]): row["p"] for row in p_values}
    pairs = sorted({row["pair"] for row in p_values}, key=lambda pair: (pair != AVERAGE, pair))
    drawn = []
    for pair in pairs:
        title = f"How sure is it that the row is better than the column? {_named(pair)}"
        values = [
            [None if a == b or (pair, a, b) not in p else 1 - p[pair, a, b] for b in order]
            for a in order
        ]
        drawn.append(figure(charts.heatmap(order, order, values, title, form="{:.0%}"), title))
    rest = "".join(drawn[1:])
    more = f"<details><summary>Each language pair</summary>{rest}</details>" if rest else ""
    remark = "One minus p of the test; from 95% on the order of two metrics is reliable."
    return "<h3>Which metric beats which</h3>" + paragraph(remark, "remark") + drawn[0] + more


def tasks(run: Run) -> str:
    """The weighted average of all tasks, with ranks, and the value and rank in each."""
    average = [row for row in run.rows if row["task"] == AVERAGE]
    names = list(dict.fromkeys(row["task"] for row in run.rows if row["task"] != AVERAGE))
    cells = {(row["task"], row["metric"]): row for row in run.rows}
    body = [
        [
            Cell(row["metric"]),
            Cell(f"{row['value']:.3f}", "best" if row["rank"] == 1 else "", row["value"]),
            Cell(f"{row['rank']:g}", "", row["rank"]),
            Cell(f"{row['mean_rank']:.2f}", "", row["mean_rank"]),
            *(_task(cells.get((name, row["metric"]))) for name in names),
        ]
        for row in average
    ]
    first = {name: next(row for row in run.rows if row["task"] == name) for name in names}
    legend = [
        [Cell(name), *(Cell(str(first[name][key]), "text") for key in ("pair", "level", "statistic")),
         Cell(f"{first[name]['weight']:.3f}", "", first[name]["weight"])]
        for name in names
    ]  # fmt: skip
    header = ["Metric", "Average", "Rank", "Mean rank", *(f"Task {name}" for name in names)]
    caption = (
        "Weighted average and rank, then each task with the rank in it; the first group in bold."
    )
    scores = table(header, body, caption, sortable=True)
    explained = table(["Task", "Pair", "Level", "Statistic", "Weight"], legend, "The tasks.")
    summary = "<summary>What the tasks are</summary>"
    return f"{scores}<details>{summary}{explained}</details>"


def _task(row: Row | None) -> Cell:
    if row is None:
        return Cell("–")
    kind = "best" if row["rank"] == 1 else ""
    return Cell(f"{row['value']:.3f}", kind, row["value"], f"{row['rank']:g}")


def disagreements(run: Run) -> str:
    """The segments about which metrics and people, or two metrics, differ most."""
    rows = _checked(run, "disagreements", _TEXT, _NUMBERS)
    parts = []
    for title, chosen in (
        ("Where metrics disagree with people", [r for r in rows if r["other"] == PEOPLE]),
        ("Where metrics disagree with each other", [r for r in rows if r["other"] != PEOPLE]),
    ):
        if chosen:
            parts.append(f"<h3>{title}</h3>{_folded(chosen)}")
    remark = (
        "The share of all judged translations of the language pair that are worse than this one by "
        "that judge, and the score. Each segment is shown once, with the translation about which "
        "the two differ most."
    )
    return paragraph(remark, "remark") + "".join(parts) if parts else ""


def _folded(rows: Sequence[Row]) -> str:
    groups: dict[tuple[str, str, str], list[Row]] = {}
    systems: dict[str, dict[str, None]] = {}
    for row in rows:
        systems.setdefault(row["pair"], {})[row["system"]] = None
    names = {pair: short_names(there) for pair, there in systems.items()}
    for row in rows:
        shown = {**row, "system": names[row["pair"]][row["system"]]}
        groups.setdefault((row["pair"], row["metric"], row["other"]), []).append(shown)
    return "".join(
        f"<details><summary>{escape(f'{pair}: {metric} and {other}')}</summary>"
        f"{''.join(_article(row, metric, other) for row in group)}</details>"
        for (pair, metric, other), group in groups.items()
    )


def _article(row: Row, metric: str, other: str) -> str:
    judges = [(metric, row["metric_rank"], row["metric_score"])]
    judges += [(other, row["other_rank"], row["other_score"])]
    chips = "".join(
        f"<span>{escape(name)} <b>{rank:.0%}</b> ({escape(label(score))})</span>"
        for name, rank, score in judges
    )
    if other != PEOPLE:
        chips += f"<span>human score <b>{escape(label(row['human']))}</b></span>"
    lines = "".join(
        f'<div class="line"><div class="who">{name}</div><div class="said">'
        f'<p dir="auto">{escape(row[field])}</p></div></div>'
        for name, field in _LINES
        if row[field]
    )
    heading = escape(f"Segment {row['segment']}, {row['system']}")
    return f'<article><h4>{heading}</h4><div class="chips">{chips}</div>{lines}</article>'


def _named(pair: str) -> str:
    return "on average" if pair == AVERAGE else pair


def _checked(
    run: Run, name: str, texts: Sequence[str], numbers: Sequence[str]
) -> Sequence[dict[str, Any]]:
    """The records under that name, each with all of these fields."""
    rows = run.extras.get(name) or []
    whole = isinstance(rows, list) and all(
        isinstance(row, dict)
        and all(isinstance(row.get(field), str) for field in texts)
        and all(is_number(row.get(field)) for field in numbers)
        for row in rows
    )
    if not whole:
        raise CupelError(f'{run.origin}: "{name}" is not as `cupel meta` writes it; make it again.')
    checked: Sequence[dict[str, Any]] = rows
    return checked
