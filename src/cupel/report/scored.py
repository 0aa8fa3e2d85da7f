"""The sections of a report on scores: verdict, systems, distributions, correlations, segments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from cupel.report import charts, segments
from cupel.report.html import Cell, Section, figure, figures, p_value, paragraph, table
from cupel.report.runs import Row, Run
from cupel.report.svg import escape
from cupel.report.traits import decimals
from cupel.report.verdicts import Difference, by_system, people, sentence

if TYPE_CHECKING:
    from cupel.batch import FloatArray
    from cupel.corpus import Corpus
    from cupel.metric import Metric
    from cupel.system_ranking import Ranking

MOST_OVERLAID = 3
"""Distributions of so many systems are drawn over one another; more get boxes side by side."""

MOST_IN_CONTEST = 25
_STATIC_SEGMENTS = 10


def _decimals(rows: Sequence[Row]) -> dict[str, int]:
    values: dict[str, list[float]] = {}
    for row in rows:
        values.setdefault(row["metric"], []).append(row["score"])
    return {metric: decimals(metric, scores) for metric, scores in values.items()}


def verdict(differences: Sequence[Difference], rows: Sequence[Row]) -> Section | None:
    """Each system against the first, in words and with numbers."""
    if not differences:
        return None
    places = _decimals(rows)
    groups = by_system(differences)
    order = list(groups)
    shown = order[:1] if len(order) > 5 else order
    by_cell = {(row["system"], row["metric"]): row for row in rows}
    parts = [_one_verdict(groups[system], places, by_cell) for system in shown]
    if len(order) > 5:
        lines = "".join(f"<li>{escape(sentence(groups[system]))}</li>" for system in order[1:])
        parts.append(f"<ul>{lines}</ul>")
    parts += [
        paragraph(
            "Differences are those of the whole test set; in brackets the range that 95% of "
            "resampled test sets give. p: how often a difference as large shows when the two "
            "outputs are exchanged at random. "
            "How often people prefer a system that differs so much from another was learned from "
            "past campaigns, with one reference, on news, talks and biomedical texts; the range is "
            "a 95% interval.",
            "remark",
        )
    ]
    title = "Is it better?" if len(order) == 1 else "Who is better?"
    return Section("verdict", title, "".join(parts))


def _one_verdict(
    group: Sequence[Difference],
    places: Mapping[str, int],
    by_cell: Mapping[tuple[str, str], Row],
) -> str:
    kinds = {one.verdict for one in group} - {"even"}
    kind = kinds.pop() if len(kinds) == 1 else "even"
    items = "".join(
        f'<li class="{one.verdict}">{escape(one.summary(places[one.metric]))}'
        f"{escape(people(by_cell.get((one.system, one.metric))))}</li>"
        for one in group
    )
    return f'<div class="verdict {kind}"><p>{escape(sentence(group))}</p><ul>{items}</ul></div>'


def systems(run: Run, differences: Sequence[Difference], higher: Mapping[str, bool]) -> Section:
    """The table of systems and metrics, and a chart of each metric."""
    rows = run.rows
    places = _decimals(rows)
    names = list(dict.fromkeys(row["system"] for row in rows))
    by_cell = {(row["system"], row["metric"]): row for row in rows}
    verdicts = {(one.system, one.metric): one for one in differences}
    best = {
        metric: (max if higher[metric] else min)(by_cell[n, metric]["score"] for n in names)
        for metric in places
    }
    body = [
        [
            Cell(name),
            *(
                _score(
                    by_cell[name, metric],
                    places[metric],
                    best[metric],
                    verdicts.get((name, metric)),
                )
                for metric in places
            ),
        ]
        for name in names
    ]
    header = ["System", *(f"{m}{'' if higher[m] else ' ↓'}" for m in places)]
    parts = [table(header, body, _caption(run, names, differences, higher), sortable=True)]
    drawn = []
    for metric in places:
        items = [_bar(name, by_cell[name, metric], verdicts.get((name, metric))) for name in names]
        drawn.append(figure(charts.bars(items, f"{metric} of each system", x_label=metric)))
    if len(names) > 1:
        parts.append(figures(drawn))
    if not any(row.get("low") is not None for row in rows):
        parts.append(
            paragraph(
                "There are no intervals in this run: `cupel score` adds them with --ci, and tests "
                "against the first system with --paired bs.",
                "remark",
            )
        )
    return Section("systems", "Systems", "".join(parts))


def _caption(
    run: Run,
    names: Sequence[str],
    differences: Sequence[Difference],
    higher: Mapping[str, bool],
) -> str:
    words = ["Scores of each system"]
    if any(row.get("low") is not None for row in run.rows):
        words.append("with 95% intervals")
    if differences:
        words.append(f"; * differs from {names[0]} at p < 0.05")
    if not all(higher.values()):
        words.append("; ↓ lower is better")
    return " ".join(words).replace(" ;", ";") + "."


def _score(row: Row, places: int, best: float, difference: Difference | None) -> Cell:
    small = ""
    if row.get("low") is not None:
        small = f"± {(row['high'] - row['low']) / 2:.{places}f}"
    kind = "best" if row["score"] == best else ""
    text = f"{row['score']:.{places}f}"
    if difference:
        text += "*" if difference.verdict != "even" else ""
        small += f" ({p_value(difference.p_value)})"
        kind = f"{kind} {difference.verdict}".strip()
    return Cell(text, kind, row["score"], small.strip())


def _bar(name: str, row: Row, difference: Difference | None) -> charts.Bar:
    note = difference.verdict if difference and difference.verdict != "even" else ""
    return charts.Bar(name, row["score"], row.get("low"), row.get("high"), note)


def contest(
    wins: Mapping[str, FloatArray],
    names: Sequence[str],
    rankings: Mapping[str, Ranking] | None = None,
) -> Section | None:
    """Which system beats which, for three or more: clusters and a heat map for each metric."""
    if not 3 <= len(names) <= MOST_IN_CONTEST:
        return None
    drawn = []
    for metric, shares in wins.items():
        order = np.argsort(-shares.mean(axis=1), kind="stable")
        ordered = [names[at] for at in order]
        values = [
            [None if one == other else float(shares[one, other]) for other in order]
            for one in order
        ]
        title = f"How sure is it that the row is better than the column, by {metric}?"
        chart = charts.heatmap(ordered, ordered, values, title, form="{:.0%}")
        clusters = _clusters(rankings[metric]) if rankings and metric in rankings else ""
        drawn.append(clusters + figure(chart, title))
    more = "".join(drawn[1:])
    rest = f"<details><summary>The same by other metrics</summary>{more}</details>" if more else ""
    remark = paragraph(
        "The share of resampled test sets on which the system of the row is better than that of the "
        "column; from 95% on the order is reliable, near 50% it is a draw.",
        "remark",
    )
    return Section("contest", "Which system beats which", remark + drawn[0] + rest)


def _clusters(ranking: Ranking) -> str:
    """The sentence on the best system, and the ranks."""
    body: list[list[Cell | str]] = [
        [
            one.system,
            str(one.cluster),
            str(one.low) if one.low == one.high else f"{one.low}\N{EN DASH}{one.high}",
        ]
        for one in ranking.systems
    ]
    caption = f"Systems of one cluster cannot be told apart by {ranking.metric} (Holm)."
    return paragraph(ranking.sentence) + table(["System", "Cluster", "Ranks"], body, caption)


def distributions(run: Run) -> Section:
    """How the scores of segments spread, metric by metric."""
    names = segments.system_names(run)
    drawn = []
    for metric, scores in segments.columns(run).items():
        series = {name: row.tolist() for name, row in zip(names, scores, strict=True)}
        title = f"Distribution of segment scores: {metric}"
        one = len(series) <= MOST_OVERLAID
        chart = (
            charts.histogram(series, title, x_label=metric)
            if one
            else charts.boxes(series, title, x_label=metric)
        )
        drawn.append(figure(chart))
    remark = (
        "How many segments have which score."
        if len(names) <= MOST_OVERLAID
        else "The line in a box is the median; half of the segments lie in the box, nine tenths on "
        "the line through it."
    )
    content = paragraph(remark, "remark") + figures(drawn)
    return Section("distributions", "Score distributions", content)


def correlations(run: Run, metrics: Sequence[str], scores: FloatArray) -> Section | None:
    """Pearson's r between all metrics. scores: (metrics, items)."""
    if len(metrics) < 2 or scores.shape[1] < 3:
        return None
    what = "segments" if run.kind == "segments" else "systems"
    with np.errstate(invalid="ignore", divide="ignore"):
        matrix = np.atleast_2d(np.corrcoef(scores))
    values = [[float(v) if np.isfinite(v) else None for v in row] for row in matrix]
    chart = charts.heatmap(
        metrics, metrics, values, f"Correlation between metrics over {what}", low=-1
    )
    caption = (
        f"Pearson's r over {scores.shape[1]:,} {what}. An error rate goes down where a score goes "
        "up, so that agreement with it shows as a negative number."
    )
    return Section("correlations", "Do the metrics agree?", figure(chart, caption))


def browser(
    run: Run,
    higher: Mapping[str, bool],
    corpus: Corpus | None,
    align: bool,
    metrics: Mapping[str, Metric] | None = None,
) -> tuple[Section, str]:
    """The section of the segment browser, and its data in base64."""
    aligned = None
    if corpus is not None:
        segments.check_texts(run, corpus)
        if align:
            names = segments.system_names(run)
            aligned = segments.alignments(run.segment_metrics, corpus, names, metrics)
    data = segments.payload(run, higher, corpus, aligned)
    remark = (
        "Words that only the translation has are underlined; words of the reference that it lacks "
        "are struck through."
        if corpus is not None
        else "This run has no texts: give `cupel report` the files as well (--ref, -i)."
    )
    content = (
        paragraph(remark, "remark")
        + f'<div id="browser"><noscript>{_static(run, higher, corpus)}</noscript></div>'
    )
    return Section("segments", "Segments", content), segments.packed(data)


def _static(run: Run, higher: Mapping[str, bool], corpus: Corpus | None) -> str:
    """For a browser without JavaScript: the segments that the systems differ on most, or the worst."""
    names = segments.system_names(run)
    metric, scores = next(iter(segments.columns(run).items()))
    key = -np.ptp(scores, axis=0) if len(names) > 1 else scores[0] * (1 if higher[metric] else -1)
    places = decimals(metric, [float(scores.max())])
    rows: list[list[Cell | str]] = []
    for at in np.argsort(key, kind="stable")[:_STATIC_SEGMENTS].tolist():
        if corpus is not None and corpus.references[at]:
            rows.append([str(at + 1), "reference", Cell(corpus.references[at][0], "text"), ""])
        for index, name in enumerate(names[:4]):
            text = corpus.systems[name][at] if corpus is not None else ""
            rows.append(
                [
                    str(at + 1),
                    name,
                    Cell(text, "text"),
                    f"{scores[index, at]:.{places}f}",
                ]
            )
    what = "on which the systems differ most" if len(names) > 1 else "with the lowest quality"
    caption = (
        f"The {_STATIC_SEGMENTS} segments {what} by {metric}; with JavaScript, all can be browsed."
    )
    return table(["Segment", "System", "Text", metric], rows, caption)
