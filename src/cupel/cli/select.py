"""`cupel select`: which segments should people judge?"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cupel.cli import output
from cupel.cli.options import OUTPUT, SEED, Form, Names, Seed, Source, writable
from cupel.cli.output import Format
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.corpus import Corpus

METHODS = (
    "random",
    "disagreement",
    "variance",
    "close",
    "consistency",
    "typical",
    "diversity",
    "content",
)


class Pick(StrEnum):
    """The values of `--pick`."""

    draw = "draw"
    top = "top"


def select(
    out: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="TASKS.jsonl",
            callback=writable,
            help="File to write the tasks to, for `cupel annotate`.",
            rich_help_panel=OUTPUT,
        ),
    ],
    input_: Annotated[
        list[str] | None,
        typer.Option(
            "--input", "-i", metavar="HYP...", help="Files with the translations, one per system."
        ),
    ] = None,
    source: Source = None,
    references: Annotated[
        list[str] | None,
        typer.Option(
            "--ref",
            "-r",
            metavar="REF...",
            help="Reference files; without them, translations are compared with those of the "
            "other systems.",
        ),
    ] = None,
    campaign: Annotated[
        str | None,
        typer.Option(
            metavar="DATASET",
            help="Take all texts from a dataset or folder in the layout of mt-metrics-eval instead "
            "of files; with --pair.",
        ),
    ] = None,
    names: Names = None,
    budget: Annotated[
        int | None,
        typer.Option(
            "--budget",
            "-n",
            metavar="N",
            min=1,
            help="Number of segments to judge.",
            show_default="200, or all if there are fewer",
        ),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            "--method",
            metavar="NAME...",
            help=f"What makes a segment worth judging: {', '.join(METHODS)}; several are "
            "combined by the product of their ranks.",
            show_default="disagreement typical content",
        ),
    ] = None,
    pick: Annotated[
        Pick,
        typer.Option(
            help="Draw segments by chance in proportion to their worth, or take those worth most."
        ),
    ] = Pick.draw,
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metrics",
            "-m",
            metavar="METRIC...",
            help="Metrics whose scores are compared.",
            show_default="chrf sentbleu ter",
        ),
    ] = None,
    documents: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="File with the name of the document of each segment, one per line; a domain and a "
            "tab may stand before it.",
            show_default="those of the campaign",
        ),
    ] = None,
    whole: Annotated[
        bool,
        typer.Option("--whole-documents", help="Select whole documents, up to the budget."),
    ] = False,
    context: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, help="Show so many segments before it in the same document."
        ),
    ] = 2,
    pair: Annotated[
        str | None,
        typer.Option(
            metavar="PAIR",
            help="Language pair, such as en-de.",
            show_default="from the names of the files",
        ),
    ] = None,
    seed: Seed = SEED,
    form: Form = Format.text,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
) -> None:
    """Choose the segments whose judgment by people tells most, and compare with a random choice.

    Example: cupel select -i a.txt b.txt c.txt -s src.txt -r ref.txt --budget 20 -o tasks.jsonl
    """
    from cupel.cli.report import check_report
    from cupel.human.tasks.files import write_tasks
    from cupel.meta.selecting import DEFAULT_METHOD, DEFAULT_METRICS, select_segments

    check_report(out, force)
    if campaign is not None:
        if input_ or source or references:
            raise CupelError("A campaign has all texts itself: leave out -i, -s and -r.")
        corpus, given, pair = _of_campaign(campaign, pair)
    else:
        corpus, given, pair = _of_files(input_, source, references, names, pair)
    with output.progress_bar("Scoring") as progress:
        selection = select_segments(
            corpus,
            min(200, len(corpus)) if budget is None else budget,
            metrics or DEFAULT_METRICS,
            method=method or DEFAULT_METHOD,
            draw=pick is Pick.draw,
            documents=_documents(documents) if documents else given,
            whole=whole,
            context=context,
            pair=pair,
            seed=seed,
            progress=progress,
        )
    write_tasks(out, selection.tasks)
    _print(selection.rows, form)
    output.warn(f"Wrote {len(selection.tasks)} tasks to {out}; `cupel annotate {out}` goes on.")


def _print(rows: list[dict[str, object]], form: Format) -> None:
    import sys

    if form in (Format.json, Format.tsv):
        output.records(rows, form, sys.stdout)
        return
    keys = [key for key in rows[0] if any(row[key] is not None for row in rows)]
    cells = [
        [f"{row[key]:.2f}" if isinstance(row[key], float) else str(row[key]) for key in keys]
        for row in rows
    ]
    output.print_table(keys, cells, form, sys.stdout)


def _of_files(
    systems: list[str] | None,
    source: str | None,
    references: list[str] | None,
    names: list[str] | None,
    pair: str | None,
) -> tuple[Corpus, list[str] | None, str | None]:
    from cupel.human.raw.formats import pair_of_name
    from cupel.reading import read_corpus

    if not systems:
        raise CupelError("The translations are missing: name one file for each system (-i).")
    if source is None:
        raise CupelError("Annotators need the source text: give it with -s.")
    corpus = read_corpus(references or [], systems, source, names=names)
    pairs = (pair_of_name(Path(name).name) for name in [source, *systems])
    return corpus, None, pair or next((one for one in pairs if one), None)


def _of_campaign(name: str, pair: str | None) -> tuple[Corpus, list[str] | None, str]:
    from dataclasses import replace

    from cupel.data.find import campaign_folder
    from cupel.human.evalset import evalset_pairs, read_evalset
    from cupel.reading.segments import listed

    folder = campaign_folder(name)
    if folder is None:
        raise CupelError(f"There is no dataset or folder called {name!r} (see `cupel data`).")
    pairs = evalset_pairs(folder)
    if pair is None and len(pairs) == 1:
        pair = pairs[0]
    if pair not in pairs:
        raise CupelError(f"Choose one language pair of {name} (--pair): {listed(pairs)}.")
    campaign = read_evalset(folder, pair)
    human = campaign.human_translations
    systems = {n: texts for n, texts in campaign.corpus.systems.items() if n not in human}
    corpus = replace(campaign.corpus, systems=systems)
    documents = list(campaign.documents) if (folder / "documents").is_dir() else None
    return corpus, documents, pair


def _documents(path: str) -> list[str]:
    from cupel.reading.lines import display_name, read_lines

    names = [line.split("\t")[-1].strip() for line in read_lines(path)]
    for number, name in enumerate(names, start=1):
        if not name:
            raise CupelError(
                f"{display_name(path)}, line {number}: the name of a document is missing."
            )
    return names
