"""`cupel score`: how good are these translations?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cupel.cli import clusters as ranked
from cupel.cli import (
    external,
    flagged,
    gates,
    languages,
    meanings,
    on_ray,
    output,
    sacrebleu,
    scale,
    test_sets,
)
from cupel.cli import score_options as options
from cupel.cli.options import (
    OUTPUT,
    SEED,
    Form,
    Names,
    Out,
    Seed,
    Source,
    Systems,
    Trees,
    Workers,
    writable,
)
from cupel.cli.output import Format
from cupel.cli.printing import Printing, remark
from cupel.cli.report import check_different, check_report
from cupel.cli.score_options import PairedTest
from cupel.cli.score_tables import warn_without_details
from cupel.cli.trees import tree_options
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.data.test_sets import TestSet
    from cupel.metric import Metric
    from cupel.scores import Scores


def score(
    context: typer.Context,
    references: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="REF",
            help="Reference files: text with one segment per line (also .gz), .sgm, .xml, or "
            "FILE:COLUMN for a column of .tsv, .csv, .jsonl or .parquet.",
            show_default="those of the test set given by -t; none where no metric needs them",
        ),
    ] = None,
    input_: Systems = None,
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metrics",
            "-m",
            metavar="METRIC...",
            help="Metrics to compute; `cupel metrics` lists them. Options follow a colon: "
            "bleu:tokenize=intl.",
            show_default="bleu, or none with --scores",
        ),
    ] = None,
    scores_of_others: external.Scores = None,
    lower: external.Lower = None,
    source: Source = None,
    trees: Trees = None,
    names: Names = None,
    segments: options.SegmentLevel = False,
    details: options.Details = False,
    prefer: Annotated[
        bool,
        typer.Option(
            "--prefer",
            help="Compare two systems: for each segment, the probability that the first is better "
            "(with nnrk or assay).",
        ),
    ] = False,
    flagged_segments: flagged.Flagged = False,
    workers: Workers = 1,
    stream: scale.Stream = False,
    part: scale.PartOf = None,
    engine: on_ray.Engine = on_ray.EngineName.local,
    address: on_ray.Address = None,
    keep: on_ray.Keep = None,
    ci: options.Ci = False,
    ci_n: options.CiN = 1000,
    paired: options.Paired = None,
    paired_n: options.PairedN = None,
    domain: meanings.Domain = None,
    clusters: ranked.Clusters = False,
    correct: ranked.Correct = ranked.Correction.holm,
    fail_under: gates.FailUnder = None,
    not_worse_than: gates.NotWorseThan = None,
    margin: gates.Margin = None,
    alpha: gates.Alpha = 0.05,
    summary: gates.Summary = None,
    junit: gates.Junit = None,
    seed: Seed = SEED,
    form: Form = Format.text,
    score_only: options.ScoreOnly = False,
    width: options.ScoreWidth = None,
    out: Out = None,
    report: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            callback=writable,
            help="Also write an HTML report with charts and all segments.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    quiet: options.Quiet = False,
    lowercase: sacrebleu.Lowercase = False,
    tokenize: sacrebleu.Tokenize = None,
    language_pair: sacrebleu.LanguagePair = None,
    smooth_method: sacrebleu.SmoothMethod = "exp",
    smooth_value: sacrebleu.SmoothValue = None,
    num_refs: sacrebleu.NumRefs = 1,
    encoding: sacrebleu.Encoding = "utf-8",
    chrf_char_order: sacrebleu.CharOrder = 6,
    chrf_word_order: sacrebleu.WordOrder = 0,
    chrf_beta: sacrebleu.Beta = 2,
    chrf_whitespace: sacrebleu.Whitespace = False,
    chrf_lowercase: sacrebleu.ChrfLowercase = False,
    chrf_eps_smoothing: sacrebleu.EpsSmoothing = False,
    ter_case_sensitive: sacrebleu.CaseSensitive = False,
    ter_asian_support: sacrebleu.AsianSupport = False,
    ter_no_punct: sacrebleu.NoPunct = False,
    ter_normalized: sacrebleu.Normalized = False,
    paired_bs: sacrebleu.PairedBs = False,
    paired_ar: sacrebleu.PairedAr = False,
    paired_jobs: sacrebleu.PairedJobs = 1,
    force: sacrebleu.Force = False,
    no_color: sacrebleu.NoColor = False,
    test_set: test_sets.Name = None,
    echo: test_sets.Echo = None,
    list_sets: test_sets.ListSets = False,
    subset: test_sets.Subset = None,
    origlang: test_sets.Origlang = None,
    cite: test_sets.Cite = False,
) -> None:
    """Score translations against references.

    Example: cupel score ref.txt -i system1.txt system2.txt -m bleu chrf++ ter --ci
    """
    sacrebleu.refuse_other_meanings(source)
    asked = test_sets.Asked(test_set, language_pair, origlang, subset, echo, list_sets, cite)
    if test_sets.answered(asked, form, out):
        return
    named_set = test_sets.chosen(asked, references, source, num_refs)
    pair = named_set.pair if named_set else language_pair
    from cupel.scoring import score_corpus

    given = sacrebleu.metric_options(
        {
            "lowercase": lowercase,
            "tokenize": tokenize or "13a",
            "smooth_method": smooth_method,
            "smooth_value": smooth_value,
        },
        {
            "char_order": chrf_char_order,
            "beta": chrf_beta,
            "whitespace": chrf_whitespace,
            "lowercase": chrf_lowercase,
            "eps_smoothing": chrf_eps_smoothing,
        },
        {
            "case_sensitive": ter_case_sensitive,
            "asian_support": ter_asian_support,
            "no_punct": ter_no_punct,
            "normalized": ter_normalized,
        },
        word_order=chrf_word_order,
        segments=segments,
    )
    test = paired or (PairedTest.bs if paired_bs else PairedTest.ar if paired_ar else None)
    per_segment = segments or prefer or flagged_segments
    _check_request(per_segment and bool(ci or test or clusters), force, out, report, summary, junit)
    others = external.read(scores_of_others, language_pair)
    specs = metrics or _default_metrics(flagged_segments, bool(others), source, named_set)
    specs = languages.for_target(specs, pair, quiet)
    given = _with_trees(specs, languages.with_language(given, specs, pair, tokenize), trees)
    chosen = _metrics(specs, given, flagged_segments)
    asked_gates = gates.Gates(fail_under or (), not_worse_than, margin or (), alpha, summary, junit)
    asked_gates.check([*chosen, *(one.label for one in others)], per_segment)
    _check_references(chosen, bool(references or named_set), context.command_path)
    printing = Printing(
        segments, details, ci, ci_n, test and test.value, paired_n, seed,
        form, width, score_only, out, quiet, force, pair, domain,
    )  # fmt: skip
    whole = scale.options_on_all_texts(
        named_set, others, prefer, flagged_segments, clusters, report, asked_gates.asked
    )
    large = on_ray.OnRay.of(context, scale.Scale(stream, part, workers, whole))
    files, names = asked_gates.with_baseline(input_ or ["-"], names)
    texts = scale.Texts(references or [], files, source, names, num_refs, encoding)
    if large.scored(texts, chosen, given, printing):
        return
    if chosen or input_ or references or named_set:
        corpus = texts.corpus(named_set)
        if not quiet:
            remark(corpus, chosen, force, asked_gates, pair)
    else:
        corpus = external.corpus_of(others)
    if prefer:
        printing.print_preferences(corpus, chosen)
        return
    with output.progress_bar("scoring") as progress:
        scores = score_corpus(
            corpus, chosen, external=others, lower=lower or (), workers=workers, progress=progress
        )
    if not quiet:
        external.remark(others, corpus)
        warn_without_details(scores, details)
    rankings = ranked.rankings_of(scores, clusters, alpha, correct, ci_n, seed)
    outcomes = asked_gates.decide(scores, ci_n, seed)
    printing.print_scores(scores, rankings, outcomes, flags=flagged_segments)
    _write_report(report, scores, ci_n, seed, pair, domain)
    gates.report(outcomes, quiet)


def _default_metrics(
    checks: bool, scored: bool, source: str | None, named_set: TestSet | None
) -> list[str]:
    if checks:
        return flagged.all_checks(source is not None or named_set is not None)
    return [] if scored else ["bleu"]


def _write_report(
    report: Path | None,
    scores: Scores,
    resamples: int,
    seed: int,
    pair: str | None,
    domain: str | None,
) -> None:
    if report is None:
        return
    from cupel.folders import write_text
    from cupel.report.page import html_report

    page = html_report(scores, resamples=resamples, seed=seed, pair=pair, domain=domain)
    write_text(report, page)
    output.warn(f"Wrote {report}.")


def _check_request(
    mixed: bool,
    force: bool,
    out: Path | None,
    report: Path | None,
    summary: Path | None,
    junit: Path | None,
) -> None:
    """Refuse what does not go together. mixed: segments are asked for, and tests of systems."""
    check_report(report, force)
    check_different(scores=out, report=report, summary=summary, JUnit=junit)
    if mixed:
        raise CupelError(
            "Intervals, tests and clusters are computed for system scores only: leave out -sl, "
            "--prefer and --flagged."
        )


def _with_trees(
    specs: list[str], options: dict[str, dict[str, object]], trees: str | None
) -> dict[str, dict[str, object]]:
    """What metrics are made with beside their specifications, by the name of the metric."""
    given = tree_options(specs, trees) if specs else {}
    return {n: {**options.get(n, {}), **given.get(n, {})} for n in {*options, *given}}


def _metrics(
    specs: list[str], options: dict[str, dict[str, object]], checks: bool
) -> dict[str, Metric]:
    """The metrics by their labels. checks: whether there must be a check among them."""
    from cupel.registry import named_metrics

    if not specs:
        return {}
    metrics = named_metrics(specs, options)
    if checks:
        flagged.check_some(metrics)
    return metrics


def _check_references(metrics: dict[str, Metric], given: bool, command: str) -> None:
    from cupel.metric import REFERENCES, needs_of

    for label, metric in metrics.items():
        if not given and REFERENCES in needs_of(metric):
            raise CupelError(
                f"The argument REF is missing, and {label} needs references (see `{command} --help`)."
            )
