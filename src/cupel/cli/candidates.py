"""What `cupel mbr` and `cupel rerank` print: the candidates that were chosen, as they come."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, TextIO

from cupel.cli import languages, output
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.choosing.mbr import Choice
    from cupel.choosing.segment import Candidates
    from cupel.metric import Metric
    from cupel.questions.candidates import Chosen

LOOKED_AT = 50
"""Segments whose language is looked at."""


def with_notes(
    segments: Iterator[Candidates], metrics: Mapping[str, Metric], pair: str | None
) -> Iterator[Candidates]:
    """The same segments; notes about metrics that do not fit their language come before the first."""
    first = list(islice(segments, LOOKED_AT))
    languages.remark_texts([segment.texts[0] for segment in first], metrics, pair)
    yield from first
    yield from segments


def choice_rows(
    choice: Choice, texts: Any, segment: int, everything: bool
) -> Iterator[dict[str, Any]]:
    """Flat records: segment, rank, candidate (both from 1), utility, a column per metric, text."""
    for rank, number in enumerate(choice.order.tolist() if everything else [choice.index], start=1):
        row = {
            "segment": segment,
            "rank": rank,
            "candidate": number + 1,
            "candidates": len(texts),
            "utility": _number(choice.utilities[number]),
        }
        if len(choice.by_metric) > 1:
            row |= {label: _number(values[number]) for label, values in choice.by_metric.items()}
        row["text"] = texts[number]
        if rank == 1 and choice.matrices:
            row["matrix"] = {label: whole.tolist() for label, whole in choice.matrices.items()}
        yield row


def _number(value: Any) -> float | None:
    return None if value != value else float(value)


class Printer:
    """Prints choices as they come; for JSON and LaTeX it keeps the rows until the end."""

    def __init__(self, question: Chosen, file: TextIO, header: bool = True) -> None:
        self._form, self._all = question.form, question.everything
        self._file, self._header = file, header
        self._rows: list[dict[str, Any]] = []

    def add(self, choice: Choice, candidates: Candidates, segment: int) -> None:
        rows = list(choice_rows(choice, candidates.texts, segment, self._all))
        if self._form in ("json", "latex"):
            self._rows += rows
        elif self._form == "jsonl":
            print(json.dumps(_nested(rows), ensure_ascii=False), file=self._file)
        for row in rows if self._form in ("text", "tsv") else ():
            print(self._line(row, candidates.place), file=self._file)

    def _line(self, row: dict[str, Any], place: str) -> str:
        if self._form == "tsv":
            line = "\t".join(map(output.field, row.values()))
            header = "\t".join(row) + "\n" if self._header else ""
            self._header = False
            return header + line
        if "\n" in row["text"]:
            raise CupelError(
                f"{place}: a candidate has several lines, which text cannot hold: use --json-lines."
            )
        return str(row["text"])

    def close(self, metrics: Mapping[str, Metric]) -> None:
        """What comes last: all rows, with the signatures of the metrics."""
        if self._form in ("json", "latex"):
            signatures = {label: str(metric.signature()) for label, metric in metrics.items()}
            output.records(self._rows, self._form, self._file, signatures=signatures)


def _nested(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """One object per segment; with --all the candidates, best first, under 'ranking'."""
    first = {key: value for key, value in rows[0].items() if key != "rank"}
    if len(rows) > 1:
        once = ("segment", "candidates", "matrix")
        first["ranking"] = [{k: v for k, v in row.items() if k not in once} for row in rows]
    return first
