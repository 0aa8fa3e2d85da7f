"""`cupel meta`: how good is this metric, measured against people?"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from cupel.cli.meta_options import (
    TESTS,
    AdviceOption,
    Block,
    CloseReferences,
    Domain,
    Force,
    IncludeHuman,
    IncludeOutliers,
    LikeMtme,
    Permutations,
    Primary,
    PValues,
    References,
    Report,
    SampleRate,
    Stored,
    Threshold,
    Undefined,
    UndefinedAs,
    UsedSystems,
)
from cupel.cli.meta_tables import (
    print_evaluation,
    print_judges,
    print_tasks,
    warn_of_training,
)
from cupel.cli.options import MOST_RESAMPLES, SEED, Form, Out, Pairs, Seed, Width, Workers, fillable
from cupel.cli.output import Format, progress_bar
from cupel.cli.report import check_different, check_report
from cupel.errors import CupelError


class Level(StrEnum):
    """The values of `--level`."""

    segment = "segment"
    document = "document"
    domain = "domain"
    system = "system"


class Average(StrEnum):
    """The values of `--average`."""

    none = "none"
    item = "item"
    sys = "sys"


def meta(
    dataset: Annotated[
        str,
        typer.Argument(
            metavar="DATASET",
            help="Human judgments: wmt12, wmt13, wmt14, da13, or a campaign: a folder in the layout "
            "of mt-metrics-eval, or a dataset with such a folder (mqm21, ...).",
        ),
    ],
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metrics",
            "-m",
            metavar="METRIC...",
            help="Metrics to evaluate; all: every metric without parser and network.",
            show_default="for a folder sentbleu, chrf, ter, and into English assay",
        ),
    ] = None,
    pairs: Pairs = None,
    level: Annotated[
        Level,
        typer.Option(help="What is compared with people: scores of segments, documents ..."),
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
            "for grades: pearson, pearson-diff, spearman, tau-b, tau-c, acc-eq, tau-eq, kendall-like; "
            "for systems: pearson, spearman, spearman-no-ties, kendall, tau-b, accuracy, spa.",
            show_default="tau of the dataset for rankings, else pearson",
        ),
    ] = None,
    average: Annotated[
        Average | None,
        typer.Option(
            help="Of grades: one value over all translations (none), or the mean over segments (item) "
            "or systems (sys).",
            show_default="item for acc-eq, tau-eq, kendall-like, else none",
        ),
    ] = None,
    human: Annotated[
        str | None,
        typer.Option(
            "--human",
            "--gold",
            metavar="NAME",
            help="Human scores. In a folder: mqm, esa, ...; for systems of rankings: official, or "
            "expected-wins, trueskill, ...",
            show_default="those of the dataset",
        ),
    ] = None,
    scores: Annotated[
        list[str] | None,
        typer.Option(
            "--scores",
            metavar="[NAME=]FILE[:COLUMN]...",
            help="Evaluate scores that another program computed as well: .seg.score and .sys.score "
            "in either layout; for one --pair also .jsonl, .json (COMET), .tsv, .csv, .parquet, .npz.",
        ),
    ] = None,
    lower: Annotated[
        list[str] | None,
        typer.Option(
            "--lower",
            metavar="NAME...",
            help="Metrics of --scores and --stored of which lower is better.",
            show_default="those of MetricX",
        ),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Evaluate on all tasks of a metrics task and average them: wmt22, wmt23, wmt24, or a "
            "task file (.toml, .json).",
            show_default="one question, as the other options ask it",
        ),
    ] = None,
    write_scores: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            callback=fillable,
            help="Write the metrics' scores as score files, in both layouts.",
        ),
    ] = None,
    stored: Stored = None,
    primary: Primary = False,
    reference: References = None,
    close_references: CloseReferences = None,
    domain: Domain = None,
    systems: UsedSystems = None,
    include_human: IncludeHuman = False,
    include_outliers: IncludeOutliers = False,
    like_mtme: LikeMtme = False,
    p_values: PValues = False,
    compare: Annotated[
        str | None,
        typer.Option(
            "--compare",
            "--test",
            metavar="TEST",
            help="Print p-values for all pairs of metrics: bootstrap, williams, perm-both; for grades "
            "also perm-sys, perm-input, perm-pair-diff.",
            show_default="no test",
            rich_help_panel=TESTS,
        ),
    ] = None,
    advice: AdviceOption = False,
    permutations: Permutations = None,
    block: Block = 100,
    undefined: UndefinedAs = Undefined.skip,
    sample_rate: SampleRate = 1.0,
    threshold: Threshold = None,
    judges: Annotated[
        bool,
        typer.Option(
            "--judges",
            help="Judge no metric: print how far the judges agree with each other and with "
            "themselves (kappa), and the systems' ranks and clusters.",
        ),
    ] = False,
    correct: Annotated[
        bool,
        typer.Option(
            "--correct",
            help="Correct p-values for multiple comparisons (Holm).",
            rich_help_panel=TESTS,
        ),
    ] = False,
    over: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help="What the intervals resample: judgments, segments, systems or both.",
            rich_help_panel=TESTS,
        ),
    ] = "judgments",
    resamples: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            max=MOST_RESAMPLES,
            help="Number of resamples for the intervals; 0 for no intervals.",
            rich_help_panel=TESTS,
        ),
    ] = 1000,
    average_resamples: Annotated[
        bool,
        typer.Option(
            "--average-resamples",
            help="Report the mean over resamples, as WMT14 did.",
            rich_help_panel=TESTS,
        ),
    ] = False,
    seed: Seed = SEED,
    workers: Workers = 1,
    cache: Annotated[
        bool, typer.Option(help="Keep computed scores in the cache for later runs.")
    ] = True,
    form: Form = Format.text,
    width: Width = 3,
    out: Out = None,
    report: Report = None,
    force: Force = False,
) -> None:
    """Evaluate metrics: how far do they agree with human judgments?

    Example: cupel meta wmt14 -m bleu ter chrf --level segment
    """
    from cupel.meta.campaign import evaluate

    check_report(report, force)
    check_different(results=out, report=report)
    if resamples == 1:
        raise CupelError("One resample gives no interval: --resamples is 0 or at least 2.")
    if judges:
        if metrics or scores:
            raise CupelError("--judges is about the judges alone: leave out -m and --scores.")
        print_judges(dataset, pairs, human, resamples, seed, form, width, out)
        return
    if not metrics and not scores and not stored:
        metrics = usual_metrics(dataset, pairs)
    if not metrics and not scores and not stored:
        raise CupelError(
            "There is nothing to judge: name metrics (-m), stored metrics of a folder (--stored) or "
            "score files (--scores)."
        )
    warn_of_training(dataset, metrics or [])
    if task:
        asked = {
            "--pair": pairs, "--level": level is not Level.segment, "--tau": tau,
            "--statistic": statistic, "--average": average, "--human": human,
            "--reference": reference, "--close-reference": close_references, "--domain": domain,
            "--systems": systems, "--include-human": include_human,
            "--include-outliers": include_outliers, "--primary": primary, "--test": compare,
            "--correct": correct, "--write-scores": write_scores, "--p-values": p_values,
        }  # fmt: skip
        if names := [name for name, given in asked.items() if given]:
            raise CupelError(f"The tasks of --task say this themselves: leave out {names[0]}.")
        _run_tasks(
            dataset, metrics, task, stored, scores, lower, permutations, like_mtme, seed, workers,
            cache, form, width, out, report,
        )  # fmt: skip
        return
    with progress_bar("scoring") as progress:
        evaluation = evaluate(
            dataset,
            metrics or [],
            pairs=pairs,
            level=level.value,
            statistic=statistic or (f"tau-{tau}" if tau else None),
            average=average.value if average else None,
            human=human,
            stored=stored or [],
            score_files=scores or [],
            lower=lower or [],
            reference=reference or [],
            close_references=close_references or [],
            domain=domain,
            systems=systems or [],
            include_human=include_human,
            include_outliers=include_outliers,
            primary=primary,
            over=over,
            compare=compare,
            permutations=1000 if permutations is None else permutations,
            block=block,
            undefined=undefined.value,
            sample_rate=sample_rate,
            threshold=threshold,
            like_mtme=like_mtme,
            p_values=p_values,
            write_scores=write_scores,
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
    print_evaluation(evaluation, form, width, out, report, advice)


def usual_metrics(dataset: str, pairs: list[str] | None) -> list[str]:
    """The metrics for a campaign folder where none is named; none for anything else."""
    from cupel.human.evalset import evalset_pairs
    from cupel.registry import entries

    if not Path(dataset).is_dir():
        return []
    names = ["sentbleu", "chrf", "ter"]
    into_english = all(pair.endswith("-en") for pair in pairs or evalset_pairs(dataset))
    if into_english and not entries()["assay"].missing:
        names.append("assay")
    return names


def _run_tasks(
    dataset: str,
    metrics: list[str] | None,
    task: str,
    stored: list[str] | None,
    scores: list[str] | None,
    lower: list[str] | None,
    permutations: int | None,
    like_mtme: bool,
    seed: int,
    workers: int,
    cache: bool,
    form: Format,
    width: int,
    out: Path | None,
    report: Path | None,
) -> None:
    from cupel.meta.task_results import evaluate_tasks

    with progress_bar("scoring") as progress:
        result = evaluate_tasks(
            dataset,
            metrics or [],
            tasks=task,
            stored=stored or [],
            score_files=scores or [],
            lower=lower or [],
            permutations=permutations,
            like_mtme=like_mtme,
            seed=seed,
            workers=workers,
            use_cache=cache,
            progress=progress,
        )
    print_tasks(result, form, width, out, report)
