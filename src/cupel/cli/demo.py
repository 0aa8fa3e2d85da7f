"""`cupel demo`: a small embedded sample, scored with every metric that is ready."""

from __future__ import annotations

import sys


def demo() -> None:
    """Score a small embedded sample of four systems with every metric that is ready.

    Example: cupel demo
    """
    from cupel.cli import output
    from cupel.data import sample
    from cupel.registry import entries, named_metrics
    from cupel.scoring import score_corpus

    ready = [entry.name for entry in entries().values() if entry.unready is None]
    corpus = sample()
    with output.progress_bar("scoring") as progress:
        scores = score_corpus(corpus, named_metrics(ready), progress=progress)
    print(
        f"{len(corpus)} segments of the embedded sample, "
        f"{sum(map(len, corpus.references))} references, {len(corpus.systems)} systems\n"
    )
    columns = {metric: scores[metric] for metric in ready}
    rows = []
    for metric, values in columns.items():
        assert isinstance(values, dict)
        arrow = "higher" if scores.metrics[metric].higher_is_better else "lower"
        rows.append([metric, *(f"{value:.2f}" for value in values.values()), arrow])
    output.table(["metric", *scores.systems, "better is"], rows, sys.stdout)
    print(
        "\nAbout the metrics: cupel metrics. Your own files: cupel score REF -i HYP -m bleu chrf++ ter"
    )
