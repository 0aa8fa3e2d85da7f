"""MUTT's results for people: tables and charts, one per suite and number of references."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from cupel.mutt.consistency import PEOPLE, Consistency
from cupel.mutt.trials import Formula, Result, Results
from cupel.report.charts import Bar, bars, histogram


@dataclass(frozen=True)
class Table:
    """One table: a title, a header and rows of text."""

    title: str
    header: list[str]
    rows: list[list[str]]


def tables(results: Results, width: int = 1) -> Iterator[Table]:
    """Accuracies in percent; `*` marks the best of a column, `avg` is the mean of the row."""
    groups = dict.fromkeys((result.suite, result.references) for result in results.results)
    for suite, references in groups:
        chosen = [r for r in results.results if (r.suite, r.references) == (suite, references)]
        yield _table(f"{suite}, {counted_references(references)}", chosen, width)


def charts(results: Results) -> Iterator[tuple[str, str]]:
    """(name, SVG): for each suite and corruption all accuracies as bars with their intervals."""
    groups = dict.fromkeys((result.suite, result.corruption) for result in results.results)
    for suite, corruption in groups:
        chosen = [r for r in results.results if (r.suite, r.corruption) == (suite, corruption)]
        chosen.sort(
            key=lambda result: result.metric
        )  # the numbers of references next to each other
        items = []
        for result in chosen:
            low, high = result.interval
            name = f"{result.metric}, {result.references}"
            items.append(Bar(name, 100 * result.accuracy, 100 * low, 100 * high))
        title = f"{corruption}, {suite}: metrics, numbers of references"
        yield f"{suite}-{corruption}", bars(items, title, x_label="accuracy in %")


def consistency_charts(result: Consistency, bins: int = 20) -> Iterator[tuple[str, str]]:
    """(name, SVG): a histogram of each column, Figure 2 for `gold`, Figure 3 for a metric."""
    for name, scores in result.scores.items():
        who = "human relatedness" if name == PEOPLE else name
        title = f"{who}: {result.corruption}, {len(scores)} pairs"
        values = {name: [float(score) for score in scores]}
        drawn = histogram(values, title, x_label=who, y_label="pairs", bins=bins)
        yield f"{result.corruption}-{name}", drawn


def _table(title: str, results: Sequence[Result], width: int) -> Table:
    corruptions = list(dict.fromkeys(result.corruption for result in results))
    metrics = list(dict.fromkeys(result.metric for result in results))
    cells = {(result.metric, result.corruption): result for result in results}
    best = {
        name: max(result.accuracy for result in results if result.corruption == name)
        for name in corruptions
    }
    rows = []
    for metric in metrics:
        values = [cells[metric, name].accuracy for name in corruptions]
        marks = ["*" if v == best[n] else " " for n, v in zip(corruptions, values, strict=True)]
        shown = [f"{100 * v:.{width}f}{m}" for v, m in zip(values, marks, strict=True)]
        rows.append([metric, *shown, f"{100 * sum(values) / len(values):.{width}f}"])
    formulas = {name: cells[metrics[0], name].formula for name in corruptions}
    header = [name + ("~" if formulas[name] is Formula.difference else "") for name in corruptions]
    return Table(title, ["metric", *header, "avg"], rows)


def counted_references(references: object) -> str:
    """`1 reference`, `5 references`; `all references` where their number differs."""
    if references == 1:
        return "1 reference"
    return f"{references} references" if isinstance(references, int) else "all references"


def failure_lines(failures: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Failing trials for people."""
    place = None
    for failure in failures:
        group = failure["metric"], failure["corruption"], counted_references(failure["references"])
        if group != place:
            place = group
            yield "\n" + ", ".join(group)
        yield f"  {failure['original_score']:10.4f}  {failure['original']}"
        yield f"  {failure['corrupted_score']:10.4f}  {failure['corrupted']}"
