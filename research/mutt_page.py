"""Write the tables of docs/research/mutt.md again: every ready metric on the paper's trials.

    python research/mutt_page.py [METRIC ...]

Needs the dataset `mutt`, and for all metrics all extras. Each table stands between two comments,
`<!-- NAME -->` and `<!-- /NAME -->`; what is between them is replaced.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from cupel.folders import write_text
from cupel.mutt import Kind, Results, open_suite, run
from cupel.mutt.named import mutt_metrics
from cupel.mutt.separation import separation

PAGE = Path(__file__).resolve().parent.parent / "docs" / "research" / "mutt.md"
COUNTS = (5, 10, 20)


def main(specs: Sequence[str]) -> None:
    """Run the trials and rewrite the page."""
    metrics = mutt_metrics(specs or ["all"], lambda sentence: print(sentence, file=sys.stderr))
    results = run(open_suite("mutt"), metrics)
    page = PAGE.read_text(encoding="utf-8")
    for count in COUNTS:
        page = replaced(page, f"all {count}", accuracies(results, list(metrics), count))
    page = replaced(page, "kinds", kinds(results, list(metrics)))
    page = replaced(page, "separation", separations(results, list(metrics)))
    page = replaced(page, "hardest", hardest(results, list(metrics)))
    write_text(PAGE, page)


def accuracies(results: Results, metrics: Sequence[str], count: int) -> str:
    """Metrics by corruptions, the best mean first."""
    names = list(dict.fromkeys(result.corruption for result in results.results))
    cells = np.array([[results.of(m, c, count).accuracy for c in names] for m in metrics])
    rows = [
        [metrics[row], *marked(cells, row), f"{100 * cells[row].mean():.1f}"]
        for row in np.argsort(-cells.mean(axis=1), kind="stable")
    ]
    return markdown(["metric", *names, "mean"], rows)


def kinds(results: Results, metrics: Sequence[str]) -> str:
    """Metrics by kinds, means over corruptions and numbers of references, and the worst cell."""
    own = [[r for r in results.results if r.metric == metric] for metric in metrics]
    cells = np.array(
        [
            [np.mean([r.accuracy for r in rows if r.trials.kind is kind]) for kind in Kind]
            for rows in own
        ]
    )
    worst = [min(rows, key=lambda r: r.accuracy) for rows in own]
    rows = [
        [
            metrics[row],
            *marked(cells, row),
            f"{100 * cells[row].mean():.1f}",
            f"{worst[row].corruption}, {100 * worst[row].accuracy:.1f}",
        ]
        for row in np.argsort(-cells.mean(axis=1), kind="stable")
    ]
    return markdown(["metric", *Kind, "mean of kinds", "worst cell"], rows)


def separations(results: Results, metrics: Sequence[str]) -> str:
    """Metrics by preserving corruptions: how well rewording is told from damage."""
    shares = [separation(results, metric) for metric in metrics]
    cells = np.array([list(row.values()) for row in shares])
    rows = [
        [metrics[row], *marked(cells, row), f"{100 * cells[row].mean():.1f}"]
        for row in np.argsort(-cells.mean(axis=1), kind="stable")
    ]
    return markdown(["metric", *shares[0], "mean"], rows)


def hardest(results: Results, metrics: Sequence[str]) -> str:
    """Corruptions with 20 references: the best metric, the median one, trials nobody passes."""
    names = list(dict.fromkeys(result.corruption for result in results.results))
    rows = []
    for name in names:
        own = [results.of(metric, name, COUNTS[-1]) for metric in metrics]
        best = max(own, key=lambda r: r.accuracy)
        median = float(np.median([r.accuracy for r in own]))
        nobody = ~np.any([r.successes for r in own], axis=0)
        row = [f"{best.metric}, {100 * best.accuracy:.1f}", f"{100 * median:.1f}"]
        rows.append((median, [name, *row, f"{nobody.sum()} of {len(nobody)}"]))
    rows.sort(key=lambda pair: pair[0])
    header = ["corruption", "best metric", "median metric", "trials that all metrics fail"]
    return markdown(header, [row for _, row in rows])


def marked(cells: np.ndarray, row: int) -> list[str]:
    """Percentages, the best of each column in bold."""
    texts = [f"{100 * value:.1f}" for value in cells[row]]
    best = cells.max(axis=0)
    return [f"**{t}**" if cells[row, i] == best[i] else t for i, t in enumerate(texts)]


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table whose columns but the first are aligned to the right."""
    rule = ["---", *["---:"] * (len(header) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in (header, rule, *rows))


def replaced(page: str, name: str, table: str) -> str:
    """The page with another table between the comments of that name."""
    between = re.compile(rf"(<!-- {name} -->\n).*?(\n<!-- /{name} -->)", re.S)
    put: Callable[[re.Match[str]], str] = lambda match: match[1] + table + match[2]  # noqa: E731
    page, count = between.subn(put, page)
    if count != 1:
        raise SystemExit(f"{PAGE} has no place for {name!r}.")
    return page


if __name__ == "__main__":
    main(sys.argv[1:])
