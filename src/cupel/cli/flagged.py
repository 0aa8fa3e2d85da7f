"""`cupel score --flagged`: the segments in which a check noticed something."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from cupel.cli import output
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.questions.score import Score
    from cupel.scores import Scores


def print_flagged(question: Score, scores: Scores) -> None:
    """One record for each flagged segment; for people three lines each."""
    with output.output(question.file) as file:
        _print(scores, question.format, question.width, file)


def _print(scores: Scores, form: str, width: int | None, file: TextIO) -> None:
    from cupel.metrics.check import flagged_rows
    from cupel.names import short_names

    rows = flagged_rows(scores)
    if form in ("json", "tsv"):
        if form == "tsv" and not rows:
            print(
                "system", "segment", "check", "value", "source", "translation", sep="\t", file=file
            )
            return
        output.records(rows, form, file, signatures=scores.signatures)
        return
    if form == "latex":
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
