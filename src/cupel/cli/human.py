"""`cupel human`: raw annotations of people in, and how far the raters agree."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from cupel.cli import output
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.questions.human import HumanAgreement, ImportHuman


def import_(question: ImportHuman) -> None:
    """Write the folder, and print what is in it."""
    from cupel.human.raw.importing import import_annotations

    report = import_annotations(question)
    _print_notes(report.notes)
    for number, rows in enumerate(filter(None, (report.rows, report.quality))):
        print(end="\n" if number else "")
        header = list(rows[0])
        output.table(header, [[_cell(row[name]) for name in header] for row in rows], sys.stdout)


def agreement(question: HumanAgreement) -> None:
    """Print how far the raters agree."""
    rows = list(_agreement(question))
    with output.output(question.file) as file:
        if question.format in ("json", "tsv"):
            output.records(rows, question.format, file)
            return
        for number, part in enumerate(dict.fromkeys(row["pair"] for row in rows)):
            print(end="\n" if number else "", file=file)
            table = _table([row for row in rows if row["pair"] == part], question.width)
            output.print_table(*table, question.format, file)


def _agreement(question: HumanAgreement) -> Iterator[dict[str, Any]]:
    from cupel.human.raw.importing import read_rated
    from cupel.meta.ceilings import agreement_rows

    rated, notes = read_rated(question)
    _print_notes(notes.sentences())
    sentences = []
    for _, scores in rated:
        try:
            yield from agreement_rows(scores, resamples=question.resamples, seed=question.seed)
        except CupelError as error:
            sentences.append(str(error))
    if len(sentences) == len(rated):
        raise CupelError(sentences[0])
    for sentence in sentences:
        output.warn(sentence)


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)


def _print_notes(sentences: Sequence[str]) -> None:
    for sentence in sentences:
        output.warn(f"{sentence}.")


def _table(rows: Sequence[dict[str, Any]], width: int) -> tuple[list[str], list[list[str]]]:
    """What holds for all raters, with intervals; values of single raters are in the records."""
    first = rows[0]
    shown = [
        [
            f"{row['measure']}: {row['statistic']}",
            _number(row["value"], width),
            "" if row["low"] is None else f"{row['low']:.{width}f} to {row['high']:.{width}f}",
            str(row["n"]),
        ]
        for row in rows
        if row["rater"] is None
    ]
    return [f"{first['pair']}, {first['kind']} ({first['scheme']})", "value", "95%", "n"], shown


def _number(value: float | None, width: int) -> str:
    return "no value" if value is None else f"{value:.{width}f}"
