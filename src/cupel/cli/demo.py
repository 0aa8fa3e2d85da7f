"""`cupel demo`: what Cupel does, on data that comes with it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cupel.questions.demo import Demo

COMPARED = ["bleu", "chrf", "ter"]
"""What the campaign and the unit tests are shown with: fast, and ready on every machine."""


def run(_: Demo) -> None:
    """Print what Cupel says of the embedded data."""
    _scores()
    _agreement()
    _unit_tests()
    print(
        "\nAbout the metrics: cupel metrics. Your own files: cupel score REF -i HYP -m bleu chrf++ ter"
    )


def _scores() -> None:
    from cupel.cli import output
    from cupel.data import sample
    from cupel.names import short_names
    from cupel.registry import entries, named_metrics
    from cupel.scoring import score_corpus

    ready = [e.name for e in entries().values() if e.unready is None and e.compares]
    corpus = sample()
    with output.progress_bar("scoring") as progress:
        scores = score_corpus(corpus, named_metrics(ready), progress=progress)
    print(
        "How good is a translation? (cupel score)\n"
        f"{len(corpus)} segments of the embedded sample, "
        f"{sum(map(len, corpus.references))} references, {len(corpus.systems)} systems\n"
    )
    columns = {metric: scores[metric] for metric in ready}
    rows = []
    for metric, values in columns.items():
        assert isinstance(values, dict)
        arrow = "higher" if scores.metrics[metric].higher_is_better else "lower"
        rows.append([metric, *(f"{value:.2f}" for value in values.values()), arrow])
    output.table(["metric", *short_names(scores.systems).values(), "better is"], rows, sys.stdout)


def _agreement() -> None:
    from cupel.cli import output
    from cupel.meta.campaign import evaluate

    evaluation = evaluate("sample", COMPARED)
    print(
        f"\nHow good is a metric? Agreement with people (cupel meta sample -m {' '.join(COMPARED)})\n"
        "Biomedical abstracts, systems of 2021, expert judgments; Pearson's correlation over "
        "segments\n"
    )
    output.table(*evaluation.table(3), sys.stdout)


def _unit_tests() -> None:
    from cupel.cli import output
    from cupel.mutt.named import mutt_metrics, open_suite
    from cupel.mutt.trials import run

    results = run([open_suite("sample")], mutt_metrics(COMPARED))
    print(
        "\nHow good is a metric? Unit tests "
        f"(cupel mutt --suite sample -m {' '.join(COMPARED)})\n"
        "Share of trials in which the metric was right, in %; ~ only the wording was changed\n"
    )
    for table in results.tables(1):
        output.table(table.header, table.rows, sys.stdout)
