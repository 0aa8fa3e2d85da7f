"""`cupel meta`: how good is this metric, measured against people?"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from cupel.cli import output
from cupel.cli.options import SEED, Form, Out, Pairs, Seed, Width, Workers
from cupel.cli.output import Format
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.meta.result import Evaluation


class Level(StrEnum):
    """The values of `--level`."""

    segment = "segment"
    system = "system"


def meta(
    dataset: Annotated[
        str,
        typer.Argument(
            metavar="DATASET",
            help="Human judgments: wmt12, wmt13, wmt14, da13, or a folder in the layout of "
            "mt-metrics-eval.",
        ),
    ],
    metrics: Annotated[
        list[str] | None,
        typer.Option("--metrics", "-m", metavar="METRIC...", help="Metrics to evaluate."),
    ] = None,
    pairs: Pairs = None,
    level: Annotated[
        Level, typer.Option(help="Compare scores of segments or of systems with people.")
    ] = Level.segment,
    tau: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Variant of Kendall's tau: wmt12, wmt13 or wmt14 as in that year; b or c for graded "
            "judgments.",
            show_default="that of the dataset",
        ),
    ] = None,
    statistic: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Measure of agreement. For rankings of segments: tau-wmt12, tau-wmt13, tau-wmt14; "
            "for graded segments: pearson, spearman, tau-b, tau-c, acc-eq; for systems: pearson, "
            "spearman, spearman-no-ties, kendall, accuracy.",
            show_default="tau of the dataset for segments, pearson for systems",
        ),
    ] = None,
    human: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Human scores of systems: official, or computed from rankings: expected-wins, "
            "trueskill, ...",
            show_default="those of the dataset",
        ),
    ] = None,
    scores: Annotated[
        list[str] | None,
        typer.Option(
            "--scores",
            metavar="FILE...",
            help="Evaluate these score files (.seg.score, .sys.score) as well.",
        ),
    ] = None,
    lower: Annotated[
        list[str] | None,
        typer.Option(
            "--lower", metavar="METRIC...", help="Metrics of score files for which lower is better."
        ),
    ] = None,
    compare: Annotated[
        str | None,
        typer.Option(
            metavar="TEST",
            help="Print p-values for all pairs of metrics: bootstrap, williams or perm-both.",
            show_default="no test",
        ),
    ] = None,
    judges: Annotated[
        bool,
        typer.Option(
            "--judges",
            help="Judge no metric: print how far the judges agree with each other and with "
            "themselves (kappa), and the systems' ranks and clusters.",
        ),
    ] = False,
    correct: Annotated[
        bool, typer.Option("--correct", help="Correct p-values for multiple comparisons (Holm).")
    ] = False,
    over: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help="What the intervals resample: judgments, segments, systems or both.",
        ),
    ] = "judgments",
    resamples: Annotated[
        int, typer.Option(metavar="N", min=1, help="Number of resamples for the intervals.")
    ] = 1000,
    average_resamples: Annotated[
        bool,
        typer.Option("--average-resamples", help="Report the mean over resamples, as WMT14 did."),
    ] = False,
    seed: Seed = SEED,
    workers: Workers = 1,
    cache: Annotated[
        bool, typer.Option(help="Keep computed scores in the cache for later runs.")
    ] = True,
    form: Form = Format.text,
    width: Width = 3,
    out: Out = None,
) -> None:
    """Evaluate metrics: how far do they agree with human judgments?

    Example: cupel meta wmt14 -m bleu ter chrf --level segment
    """
    from cupel.meta.campaign import evaluate

    if judges:
        if metrics or scores:
            raise CupelError("--judges is about the judges alone: leave out -m and --scores.")
        _print_judges(dataset, pairs, human, resamples, seed, form, width, out)
        return
    if not metrics and not scores:
        raise CupelError("There is nothing to judge: name metrics (-m) or score files (--scores).")
    with output.progress_bar("scoring") as progress:
        evaluation = evaluate(
            dataset,
            metrics or [],
            pairs=pairs,
            level=level.value,
            statistic=statistic or (f"tau-{tau}" if tau else None),
            human=human,
            score_files=scores or [],
            lower=lower or [],
            over=over,
            compare=compare,
            resamples=resamples,
            average_resamples=average_resamples,
            seed=seed,
            workers=workers,
            use_cache=cache,
            progress=progress,
        )
    if correct:
        corrected = {pair: evaluation.corrected(pair) for pair in evaluation.comparisons}
        evaluation = replace(evaluation, comparisons=corrected)
    for sentence in evaluation.left_out.values():
        output.warn(f"{sentence} It is left out of the average.")
    with output.output(out) as file:
        if form is Format.json:
            print(evaluation.to_json(), file=file)
        elif form is Format.tsv:
            output.records(evaluation.rows(), form, file)
        else:
            _print(evaluation, form, width, file)


def _print(evaluation: Evaluation, form: Format, width: int, file: TextIO) -> None:
    output.print_table(*evaluation.table(width), form, file)
    if form is Format.text:
        print(f"\n{evaluation.statistic}, {evaluation.level} level; # groups of metrics that "
              "differ on average at p < 0.05", file=file)  # fmt: skip
    output.print_signatures(evaluation.signatures, form, file)
    for pair, p in evaluation.comparisons.items():
        header = [f"{pair}: p of row better", *evaluation.metrics]
        rows = [
            [metric, *("" if i == j else f"{p[i, j]:.3f}" for j in range(len(p)))]
            for i, metric in enumerate(evaluation.metrics)
        ]
        print(file=file)
        output.print_table(header, rows, form, file)


def _print_judges(
    dataset: str,
    pairs: list[str] | None,
    human: str | None,
    resamples: int,
    seed: int,
    form: Format,
    width: int,
    out: Path | None,
) -> None:
    from cupel.human.judges import judges

    with output.progress_bar("ranking systems") as progress:
        judged = judges(
            dataset, pairs=pairs, human=human, resamples=resamples, seed=seed, progress=progress
        )
    unnamed = [one.pair for one in judged.pairs if not one.judges]
    if unnamed:
        output.warn(
            f"The rankings of {', '.join(unnamed)} do not say who judged, so agreement cannot be "
            "computed."
        )
    with output.output(out) as file:
        if form in (Format.json, Format.tsv):
            output.records(judged.rows(), form, file)
            return
        for number, (header, rows) in enumerate(judged.tables(width)):
            print(end="\n" if number else "", file=file)
            output.print_table(header, rows, form, file)
