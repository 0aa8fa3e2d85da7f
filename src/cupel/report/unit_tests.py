"""MUTT's results for people: tables and charts, one per suite and number of references."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from cupel import __version__
from cupel.mutt.consistency import PEOPLE, Consistency
from cupel.mutt.corruptions import CORRUPTIONS
from cupel.mutt.trials import Formula, Result, Results
from cupel.report.charts import Bar, bars, histogram


@dataclass(frozen=True)
class Table:
    """One table: a title, a header and rows of text. accuracies: the numbers in the cells."""

    title: str
    header: list[str]
    rows: list[list[str]]
    accuracies: list[list[float]]


def tables(results: Results, width: int = 1) -> Iterator[Table]:
    """Accuracies in percent; `*` marks the best of a column, `avg` is the mean of the row."""
    groups = dict.fromkeys((result.suite, result.references) for result in results.results)
    for suite, references in groups:
        own = [r for r in results.results if (r.suite, r.references) == (suite, references)]
        yield _table(f"{suite}, {counted_references(references)}", own, width)


def charts(results: Results) -> Iterator[tuple[str, str]]:
    """(name, SVG): for each suite and corruption all accuracies as bars with their intervals."""
    groups = dict.fromkeys((result.suite, result.corruption) for result in results.results)
    for suite, corruption in groups:
        own = [r for r in results.results if (r.suite, r.corruption) == (suite, corruption)]
        own.sort(key=lambda result: result.metric)  # the numbers of references beside each other
        items = []
        for result in own:
            low, high = result.interval
            name = f"{result.metric}, {result.references}"
            items.append(Bar(name, 100 * result.accuracy, 100 * low, 100 * high))
        title = f"{corruption}, {suite}: metrics, numbers of references"
        yield f"{suite}-{corruption}", bars(items, title, x_label="accuracy in %")


def consistency_charts(found: Consistency, bins: int = 20) -> Iterator[tuple[str, str]]:
    """(name, SVG): a histogram of each column, Figure 2 for `gold`, Figure 3 for a metric."""
    for name, scores in found.scores.items():
        who = "human relatedness" if name == PEOPLE else name
        title = f"{who}: {found.corruption}, {len(scores)} pairs"
        values = {name: [float(score) for score in scores]}
        drawn = histogram(values, title, x_label=who, y_label="pairs", bins=bins)
        yield f"{found.corruption}-{name}", drawn


def _table(title: str, results: Sequence[Result], width: int) -> Table:
    corruptions = list(dict.fromkeys(result.corruption for result in results))
    metrics = list(dict.fromkeys(result.metric for result in results))
    cells = {(result.metric, result.corruption): result for result in results}
    best = {
        name: max(result.accuracy for result in results if result.corruption == name)
        for name in corruptions
    }
    rows, accuracies = [], []
    for metric in metrics:
        values = [cells[metric, name].accuracy for name in corruptions]
        marks = ["*" if v == best[n] else " " for n, v in zip(corruptions, values, strict=True)]
        accuracies.append([*values, sum(values) / len(values)])
        shown = [f"{100 * v:.{width}f}{m}" for v, m in zip(values, marks, strict=True)]
        rows.append([metric, *shown, f"{100 * accuracies[-1][-1]:.{width}f}"])
    formulas = {name: cells[metrics[0], name].formula for name in corruptions}
    header = [name + ("~" if formulas[name] is Formula.difference else "") for name in corruptions]
    return Table(title, ["metric", *header, "avg"], rows, accuracies)


def counted_references(references: object) -> str:
    """`1 reference`, `5 references`; `all references` where their number differs."""
    if references == 1:
        return "1 reference"
    return f"{references} references" if isinstance(references, int) else "all references"


def failure_lines(failures: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Failing trials for people."""
    place = None
    for failure in failures:
        own = failure["metric"], failure["corruption"], counted_references(failure["references"])
        if own != place:
            place = own
            yield "\n" + ", ".join(own)
        yield f"  {failure['original_score']:10.4f}  {failure['original']}"
        yield f"  {failure['corrupted_score']:10.4f}  {failure['corrupted']}"


def html(results: Results, failures: Sequence[dict[str, Any]], width: int = 1) -> str:
    """A page of its own: tables with shaded cells, and the failing trials asked for."""
    parts = [_HEAD]
    for table in tables(results, width):
        parts.append(f"<h2>{escape(table.title)}</h2>\n<table>\n<tr>")
        parts += [f"<th{_title(name)}>{escape(name)}</th>" for name in table.header]
        parts.append("</tr>\n")
        for row, values in zip(table.rows, table.accuracies, strict=True):
            parts.append(f"<tr><th>{escape(row[0])}</th>")
            parts += [
                f'<td class="a{min(int(10 * value), 9)}">{escape(cell.strip())}</td>'
                for cell, value in zip(row[1:], values, strict=True)
            ]
            parts.append("</tr>\n")
        parts.append("</table>\n")
    if failures:
        parts.append(f"<h2>Failing trials</h2>\n<pre>{escape(_joined(failures))}</pre>\n")
    signed = "\n".join(f"{metric}|{text}" for metric, text in results.signatures.items())
    parts.append(f"<h2>Signatures</h2>\n<pre>{escape(signed)}</pre>\n</body></html>\n")
    return "".join(parts)


def _joined(failures: Sequence[dict[str, Any]]) -> str:
    return "\n".join(failure_lines(failures)).strip()


def _title(name: str) -> str:
    known = CORRUPTIONS.get(name.rstrip("~"))
    return f' title="{escape(known.title)}, {escape(known.kind)}"' if known else ""


_SHADES = "".join(f".a{i} {{ background: hsl(210 60% {100 - 4 * i}%); }}\n" for i in range(10))
_HEAD = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Metric unit tests</title>
<meta name="generator" content="cupel {__version__}">
<style>
body {{ font-family: system-ui, sans-serif; margin: 2em; color: #1d2129; background: #fff; }}
table {{ border-collapse: collapse; }}
th, td {{ padding: .25em .6em; text-align: right; font-variant-numeric: tabular-nums; }}
th:first-child {{ text-align: left; }}
{_SHADES}</style></head><body>
<h1>Metric unit tests</h1>
<p>Accuracy in percent; * the best of a column; ~ success means a difference within the threshold,
elsewhere a better score for the original.</p>
"""
