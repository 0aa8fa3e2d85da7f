"""Options about scores of others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from cupel.cli import output

if TYPE_CHECKING:
    from cupel.corpus import Corpus
    from cupel.metrics.external import Source

Scores = Annotated[
    list[str] | None,
    typer.Option(
        "--scores",
        metavar="[NAME=]FILE[:COLUMN]...",
        help="Scores of segments that another program computed, as further metrics: .jsonl, .json "
        "(COMET), .tsv, .csv, .parquet, .seg.score, .npy or .npz. Without -m and -i no texts are "
        "read.",
    ),
]
Lower = Annotated[
    list[str] | None,
    typer.Option(
        "--lower",
        metavar="NAME...",
        help="Metrics of --scores of which lower is better.",
        show_default="those of MetricX",
    ),
]


def read(files: Sequence[str] | None, pair: str | None) -> list[Source]:
    """The files of --scores; without any, nothing is imported."""
    if not files:
        return []
    from cupel.metrics.external import read_sources

    return read_sources(files, pair)


def corpus_of(sources: Sequence[Source]) -> Corpus:
    """A corpus without texts, for scores alone."""
    from cupel.metrics import external

    return external.corpus_of(sources)


def remark(sources: Sequence[Source], corpus: Corpus) -> None:
    """One note that names the systems that are only in score files."""
    if not sources:
        return
    from cupel.metrics.external import systems_left_out
    from cupel.reading.segments import listed

    if names := systems_left_out(sources, corpus):
        output.warn(
            f"Only the score files have these systems, which are left out: {listed(names)}."
        )
