"""MUTT's results for people: charts, one per suite and corruption, and failing trials."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from cupel.mutt.consistency import PEOPLE, Consistency
from cupel.mutt.trials import Results, counted_references
from cupel.report.charts import Bar, bars, histogram


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
