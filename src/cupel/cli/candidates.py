"""Options that `cupel mbr` and `cupel rerank` share: where the candidates are, how results look."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from cupel.cli import languages
from cupel.cli.options import OUTPUT
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.choosing.mbr import Choice
    from cupel.choosing.segment import Candidates
    from cupel.metric import Metric

INPUT = "Input"
METRICS = "Several metrics"
LOOKED_AT = 50
"""Segments whose language is looked at."""


class ListFormat(StrEnum):
    """The values of `--input-format`."""

    auto = "auto"
    json = "json"
    hf = "hf"
    moses = "moses"
    fairseq = "fairseq"
    lines = "lines"


class ChoiceFormat(StrEnum):
    """The values of `-f`."""

    text = "text"
    json = "json"
    jsonl = "jsonl"
    tsv = "tsv"


class Combination(StrEnum):
    """The values of `--combine`."""

    ranks = "ranks"
    mean = "mean"


CandidateFile = Annotated[
    str,
    typer.Argument(
        metavar="CANDIDATES",
        help="Candidates of each segment: JSON lines with a list under 'candidates', an n-best list of "
        "Moses, the output of fairseq-generate, lists saved from Hugging Face, or plain lines with "
        "-n; - is standard input.",
    ),
]
PerSegment = Annotated[
    int | None,
    typer.Option(
        "--number", "-n", metavar="N", min=1,
        help="The file has plain lines, N of them for each segment.",
        rich_help_panel=INPUT,
    ),
]  # fmt: skip
InputFormat = Annotated[
    ListFormat,
    typer.Option(
        "--input-format", help="Format of the candidates.", show_default="seen from the file",
        rich_help_panel=INPUT,
    ),
]  # fmt: skip
Combine = Annotated[
    Combination,
    typer.Option(
        "--combine",
        help="How several metrics become one number: the mean of a candidate's ranks (lower is "
        "better), or the weighted mean of its scores.",
        rich_help_panel=METRICS,
    ),
]
MetricWeights = Annotated[
    list[str] | None,
    typer.Option(
        "--metric-weights",
        metavar="NAME=NUMBER...",
        help="What each metric counts, or a file with these: a JSON object, or lines of a name and a "
        "number.",
        show_default="1 each",
        rich_help_panel=METRICS,
    ),
]
ChoiceForm = Annotated[
    ChoiceFormat,
    typer.Option(
        "--format", "-f",
        help="The chosen text alone, or rows with its place in the list and its score; jsonl has one "
        "object per line, and needs no memory for many segments.",
        rich_help_panel=OUTPUT,
    ),
]  # fmt: skip
All = Annotated[
    bool,
    typer.Option("--all", help="Print all candidates, best first.", rich_help_panel=OUTPUT),
]


def with_notes(
    segments: Iterator[Candidates], metrics: Mapping[str, Metric], pair: str | None
) -> Iterator[Candidates]:
    """The same segments; notes about metrics that do not fit their language come before the first."""
    first = list(islice(segments, LOOKED_AT))
    languages.remark_texts([one.texts[0] for one in first if one.texts], metrics, pair)
    yield from first
    yield from segments


def check_lines(text: str, place: str) -> str:
    """A chosen text that is one line."""
    if "\n" in text:
        raise CupelError(
            f"{place}: a candidate has several lines, which text cannot hold: use -f jsonl."
        )
    return text


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
    """Prints choices as they come, in any format but JSON, whose rows it keeps until the end."""

    def __init__(
        self, form: ChoiceFormat, file: TextIO, everything: bool, header: bool = True
    ) -> None:
        self._form, self._file, self._all, self._header = form, file, everything, header
        self._rows: list[dict[str, Any]] = []

    def add(self, choice: Choice, texts: Any, segment: int, place: str) -> None:
        if self._form is ChoiceFormat.text:
            order = choice.order.tolist() if self._all else [choice.index]
            for number in order:
                print(check_lines(texts[number], place), file=self._file)
            return
        rows = list(choice_rows(choice, texts, segment, self._all))
        if self._form is ChoiceFormat.json:
            self._rows += rows
        elif self._form is ChoiceFormat.jsonl:
            print(json.dumps(_nested(rows), ensure_ascii=False), file=self._file)
        else:
            from cupel.cli import output

            for row in rows:
                row.pop("matrix", None)
                if self._header:
                    print(*row, sep="\t", file=self._file)
                    self._header = False
                print(*(output.field(value) for value in row.values()), sep="\t", file=self._file)

    def close(self, signatures: Mapping[str, str]) -> None:
        """What comes last: a JSON document as a whole."""
        if self._form is ChoiceFormat.json:
            from cupel.cli import output

            output.records(self._rows, "json", self._file, signatures=signatures)


def _nested(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """One object per segment; with --all the candidates, best first, under 'ranking'."""
    first = {key: value for key, value in rows[0].items() if key != "rank"}
    if len(rows) > 1:
        own = ("segment", "candidates", "matrix")
        first["ranking"] = [{k: v for k, v in row.items() if k not in own} for row in rows]
    return first
