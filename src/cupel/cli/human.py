"""`cupel human`: raw annotations of people in, and how far the raters agree."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cupel.cli import output
from cupel.cli.options import OUTPUT, SEED, Form, Out, Seed, Width, fillable
from cupel.cli.output import Format
from cupel.cli.usage import Group
from cupel.cli.variadic import SpreadingCommand

if TYPE_CHECKING:
    from cupel.human.raw.importing import Reading

SHEETS = "Files of `cupel annotate`"
app = typer.Typer(
    cls=Group,
    help="Read raw annotations (MQM, ESA, DA), and measure how far the raters agree.\n\n"
    "Example: cupel human import mqm_ted_zhen.tsv -o ted --lenient",
    no_args_is_help=True,
)
Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="Annotations: MQM tables as Google publishes them (.tsv), ratings of mt-metrics-eval "
        "(.jsonl, .seg.rating, or a folder that has them), exports of Appraise (.csv), logs of "
        "Pearmut (.jsonl), files that pages of `cupel annotate` saved (.json).",
    ),
]
InputFormat = Annotated[
    str,
    typer.Option(
        "--input-format",
        metavar="NAME",
        help="Format of the files: auto, mqm, ratings, appraise (esa, da), pearmut or cupel.",
    ),
]
Pair = Annotated[
    str | None,
    typer.Option(
        "--pair",
        metavar="PAIR",
        help="Language pair, such as en-de.",
        show_default="from the files or their names",
    ),
]
SchemeName = Annotated[
    str | None,
    typer.Option(
        "--scheme",
        metavar="NAME",
        help="Weights of errors: google, unbabel, mqm-2, mqm-2015, or a .tsv or .toml file.",
        show_default="google, or the raters' own scores where there are any",
    ),
]
Standardize = Annotated[
    bool,
    typer.Option("--z", help="Standardize the scores of each rater: mean 0, deviation 1."),
]
Repeated = Annotated[
    str | None,
    typer.Option(
        "--repeated",
        metavar="RULE",
        help="When a rater judges a translation again: error, first, last or mean.",
        show_default="error; mean for Appraise, last for Pearmut and cupel",
    ),
]
Lenient = Annotated[
    bool,
    typer.Option(
        "--lenient",
        help="Accept and count what is otherwise an error: <v> without </v>, severities without "
        "a weight, texts of one segment that differ.",
    ),
]


@app.callback()
def human() -> None:
    """Read raw annotations (MQM, ESA, DA), and measure how far the raters agree."""


@app.command("import", cls=SpreadingCommand)
def import_(
    files: Files,
    folder: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            callback=fillable,
            help="New folder to write, in the layout of mt-metrics-eval.",
            rich_help_panel=OUTPUT,
        ),
    ],
    input_format: Annotated[
        str,
        typer.Option(
            "--format",
            "--input-format",
            metavar="NAME",
            help="Format of the files: auto, mqm, ratings, appraise (esa, da), pearmut or cupel.",
        ),
    ] = "auto",
    pair: Pair = None,
    scheme: SchemeName = None,
    z: Standardize = False,
    over_raters: Annotated[
        str,
        typer.Option(
            "--over-raters", metavar="HOW", help="Combine the scores of raters: mean or sum."
        ),
    ] = "mean",
    name: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Name of the human scores in the folder.",
            show_default="mqm, esa or da, with -z for standardized scores",
        ),
    ] = None,
    texts: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Take the texts from this folder in the layout of mt-metrics-eval.",
            show_default="those in the annotations",
        ),
    ] = None,
    batches: Annotated[
        list[str] | None,
        typer.Option(
            "--batches", metavar="FILE...", help="Batches of Appraise (JSON) that have the texts."
        ),
    ] = None,
    references: Annotated[
        list[str] | None,
        typer.Option(
            "--references",
            metavar="SYSTEM...",
            help="Systems that are human translations.",
            show_default="those called ref, refA, Human-A and the like",
        ),
    ] = None,
    anonymous: Annotated[
        bool, typer.Option("--anonymous", help="Call the raters rater1, rater2 and so on.")
    ] = False,
    key: Annotated[
        list[str] | None,
        typer.Option(
            "--key",
            metavar="FILE...",
            help="Key of the tasks, which `cupel annotate` wrote (.key.json).",
            show_default="those beside the files or in the current folder",
            rich_help_panel=SHEETS,
        ),
    ] = None,
    keep: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Annotators who count: good (not excluded by quality control) or all.",
            rich_help_panel=SHEETS,
        ),
    ] = "good",
    repeated: Repeated = None,
    lenient: Lenient = False,
) -> None:
    """Write raw annotations as a folder that `cupel meta` and mt-metrics-eval read.

    Example: cupel human import mqm_ted_zhen.tsv -o ted --lenient
    """
    from cupel.human.raw.importing import Reading, import_annotations

    report = import_annotations(
        files,
        folder,
        Reading(input_format, pair, scheme, z, repeated, lenient),
        name=name,
        over_raters=over_raters,
        texts=texts,
        batches=batches or [],
        references=references,
        anonymize=anonymous,
        keys=key or [],
        keep=keep,
    )
    _print_notes(report.notes)
    for number, rows in enumerate(filter(None, (report.rows, report.quality))):
        print(end="\n" if number else "")
        header = list(rows[0])
        output.table(header, [[_cell(row[name]) for name in header] for row in rows], sys.stdout)


@app.command(cls=SpreadingCommand)
def agreement(
    files: Files,
    input_format: InputFormat = "auto",
    pair: Pair = None,
    scheme: SchemeName = None,
    z: Standardize = False,
    repeated: Repeated = None,
    lenient: Lenient = False,
    resamples: Annotated[
        int, typer.Option(metavar="N", min=1, help="Number of resamples for the intervals.")
    ] = 200,
    seed: Seed = SEED,
    form: Form = Format.text,
    width: Width = 3,
    out: Out = None,
) -> None:
    """Print how far the raters agree, and how well one predicts the others: the ceiling for metrics.

    Example: cupel human agreement ratings.jsonl -f tsv
    """
    from cupel.human.raw.importing import Reading

    rows = list(_agreement(files, Reading(input_format, pair, scheme, z, repeated, lenient),
                           resamples, seed))  # fmt: skip
    with output.output(out) as file:
        if form in (Format.json, Format.tsv):
            output.records(rows, form, file)
            return
        for number, part in enumerate(dict.fromkeys(row["pair"] for row in rows)):
            print(end="\n" if number else "", file=file)
            table = _table([row for row in rows if row["pair"] == part], width)
            output.print_table(*table, form, file)


def _agreement(
    files: Sequence[str], reading: Reading, resamples: int, seed: int
) -> Iterator[dict[str, Any]]:
    from cupel.errors import CupelError
    from cupel.human.raw.importing import read_rated
    from cupel.meta.ceilings import agreement_rows

    rated, notes = read_rated(files, reading)
    _print_notes(notes.sentences())
    sentences = []
    for _, scores in rated:
        try:
            yield from agreement_rows(scores, resamples=resamples, seed=seed)
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
