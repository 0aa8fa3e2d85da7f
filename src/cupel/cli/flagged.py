"""`cupel score --flagged`: the segments in which a check noticed something."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from cupel.cli import output
from cupel.cli.output import Format
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.metric import Metric
    from cupel.scores import Scores

Flagged = Annotated[
    bool,
    typer.Option(
        "--flagged",
        help="List the segments that checks flag, with their texts; without -m, by all checks that "
        "are ready (`cupel metrics`).",
    ),
]


def all_checks(has_sources: bool) -> list[str]:
    """The checks that are ready, and whose sources are there."""
    from cupel.metric import SOURCES
    from cupel.registry import list_metrics

    return [
        entry.name
        for entry in list_metrics()
        if entry.package == "cupel"
        and not entry.compares
        and entry.unready is None
        and (has_sources or SOURCES not in getattr(entry.make, "needs", ()))
    ]


def check_some(metrics: dict[str, Metric]) -> None:
    """There is a check among the metrics."""
    from cupel.metrics.check import Check

    if not any(isinstance(metric, Check) for metric in metrics.values()):
        names = ", ".join(all_checks(has_sources=True))
        raise CupelError(f"--flagged needs a check among the metrics: {names}.")


def print_flagged(scores: Scores, form: Format, width: int | None, file: TextIO) -> None:
    """One record for each flagged segment; for people three lines each."""
    from cupel.metrics.check import flagged_rows
    from cupel.names import short_names

    rows = flagged_rows(scores)
    if form in (Format.json, Format.tsv):
        if form is Format.tsv and not rows:
            print(
                "system", "segment", "check", "value", "source", "translation", sep="\t", file=file
            )
            return
        output.records(rows, form, file, signatures=scores.signatures)
        return
    if form is Format.latex:
        raise CupelError("--flagged lists texts: choose -f text, json or tsv.")
    names = short_names(scores.systems)
    for row in rows:
        value = f"{row['value']:.{1 if width is None else width}f}"
        print(
            f"{names[row['system']]}, segment {row['segment']}: {row['check']} {value}", file=file
        )
        if row["source"] is not None:
            print(f"  source       {row['source']}", file=file)
        print(f"  translation  {row['translation']}", file=file)
    count = len({(row["system"], row["segment"]) for row in rows})
    total = len(scores.corpus) * len(scores.systems)
    print(f"{count} of {total} segments are flagged.", file=file)
