"""`cupel score`: how good are these translations?"""

from __future__ import annotations

from enum import StrEnum
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
    output,
    sacrebleu,
    test_sets,
)
from cupel.cli.options import (
    MOST_RESAMPLES,
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
from cupel.cli.report import check_different, check_report
from cupel.cli.score_tables import (
    Results,
    print_segments,
    print_systems,
    warn_without_details,
)
from cupel.cli.trees import tree_options
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.corpus import Corpus
    from cupel.data.test_sets import TestSet
    from cupel.metric import Metric
    from cupel.scores import Scores

SIGNIFICANCE = "Significance"


class PairedTest(StrEnum):
    """The values of `--paired`."""

    bs = "bs"
    ar = "ar"


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
    segments: Annotated[
        bool, typer.Option("--sentence-level", "-sl", help="Print the score of each segment.")
    ] = False,
    details: Annotated[
        bool,
        typer.Option(
            "--details",
            help="Print what the scores are made of: BLEU's precisions and brevity penalty, TER's "
            "edits by kind, METEOR's precision, recall and chunks.",
        ),
    ] = False,
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
    ci: Annotated[
        bool,
        typer.Option(
            "--ci",
            "--confidence",
            "-ci",
            help="Add 95% confidence intervals by bootstrap resampling.",
            rich_help_panel=SIGNIFICANCE,
        ),
    ] = False,
    ci_n: Annotated[
        int,
        typer.Option(
            "--ci-n",
            "--confidence-n",
            "-cin",
            metavar="N",
            min=2,
            max=MOST_RESAMPLES,
            help="Number of bootstrap resamples for --ci.",
            rich_help_panel=SIGNIFICANCE,
        ),
    ] = 1000,
    paired: Annotated[
        PairedTest | None,
        typer.Option(
            help="Test whether each system differs from the first, by paired bootstrap (bs) or "
            "approximate randomization (ar).",
            rich_help_panel=SIGNIFICANCE,
        ),
    ] = None,
    paired_n: Annotated[
        int | None,
        typer.Option(
            "--paired-n",
            "--paired-bs-n",
            "--paired-ar-n",
            "-pbsn",
            "-parn",
            metavar="N",
            min=2,
            max=MOST_RESAMPLES,
            help="Number of resamples (bs) or trials (ar) of the paired test.",
            show_default="bs 1000, ar 10000",
            rich_help_panel=SIGNIFICANCE,
        ),
    ] = None,
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
    score_only: Annotated[
        bool,
        typer.Option("--score-only", "-b", help="Print only the scores.", rich_help_panel=OUTPUT),
    ] = False,
    width: Annotated[
        int | None,
        typer.Option(
            "--width",
            "-w",
            metavar="N",
            min=0,
            max=20,
            help="Number of decimal places.",
            show_default="1 for scores in percent, else 4",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
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
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet",
            "-q",
            help="Print results only, no notes on standard error.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
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
    from cupel.metrics.external import corpus_of, read_sources
    from cupel.scoring import score_corpus

    options = sacrebleu.metric_options(
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
    _check_request(per_segment and bool(ci or test or clusters))
    check_report(report, force)
    check_different(scores=out, report=report, summary=summary, JUnit=junit)
    specs = metrics or _default_metrics(flagged_segments, bool(scores_of_others), source, named_set)
    options = languages.with_language(options, specs, pair, tokenize)
    chosen = _metrics(specs, options, trees, flagged_segments)
    others = read_sources(scores_of_others or (), language_pair)
    asked_gates = gates.Gates(fail_under or (), not_worse_than, margin or (), alpha, summary, junit)
    asked_gates.check([*chosen, *(one.label for one in others)], per_segment)
    _check_references(chosen, bool(references or named_set), context.command_path)
    if chosen or input_ or references or named_set:
        files, names = asked_gates.with_baseline(input_ or ["-"], names)
        corpus = test_sets.read_texts(
            named_set, references, files, source, names=names, num_refs=num_refs, encoding=encoding
        )
        if not quiet:
            _remark(corpus, chosen, force, asked_gates)
            languages.remark(corpus, chosen, pair)
    else:
        corpus = corpus_of(others)
    if prefer:
        from cupel.cli.prefer import print_preferences

        with output.output(out) as file:
            print_preferences(corpus, chosen, form, width, score_only, file)
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
    results = Results(scores, ci, ci_n, test and test.value, paired_n, seed, rankings, outcomes)
    results.meanings = meanings.meanings_of(scores, test is not None, pair, domain)
    with output.output(out) as file:
        if flagged_segments:
            flagged.print_flagged(scores, form, width, file)
        else:
            print_scores = print_segments if segments else print_systems
            print_scores(results, form, width, score_only, file, details)
    if report is not None:
        _write_report(report, scores, ci_n, seed, pair, domain)
    gates.report(outcomes, quiet)


def _default_metrics(
    checks: bool, scored: bool, source: str | None, named_set: TestSet | None
) -> list[str]:
    if checks:
        return flagged.all_checks(source is not None or named_set is not None)
    return [] if scored else ["bleu"]


def _write_report(
    report: Path, scores: Scores, resamples: int, seed: int, pair: str | None, domain: str | None
) -> None:
    from cupel.folders import write_text
    from cupel.report.page import html_report

    page = html_report(scores, resamples=resamples, seed=seed, pair=pair, domain=domain)
    write_text(report, page)
    output.warn(f"Wrote {report}.")


def _check_request(mixed: bool) -> None:
    """Refuse what does not go together. mixed: segments are asked for, and tests of systems."""
    if mixed:
        raise CupelError(
            "Intervals, tests and clusters are computed for system scores only: leave out -sl, "
            "--prefer and --flagged."
        )


def _metrics(
    specs: list[str], options: dict[str, dict[str, object]], trees: str | None, checks: bool
) -> dict[str, Metric]:
    """The metrics by their labels. checks: whether there must be a check among them."""
    from cupel.registry import named_metrics

    if not specs:
        return {}
    given = tree_options(specs, trees)
    both = {n: {**options.get(n, {}), **given.get(n, {})} for n in {*options, *given}}
    metrics = named_metrics(specs, both)
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


def _remark(
    corpus: Corpus, metrics: dict[str, Metric], force: bool, asked_gates: gates.Gates
) -> None:
    asked_gates.remark(corpus)
    for part, count in corpus.empty_segments.items():
        where = "the references" if part == "references" else f"system {part!r}"
        output.warn(f"{count} empty segment{'s' * (count != 1)} in {where}.")
    if force or not {m.name for m in metrics.values()} & {"bleu", "sentbleu", "bleucomp", "nist"}:
        return
    for system, texts in corpus.systems.items():
        tokenised = sum(text.endswith(" .") for text in texts)
        if tokenised >= 100:
            output.warn(
                f"System {system!r} looks tokenised ({tokenised} segments end in ' .'), which "
                "changes its score; use --force if this is what you want."
            )
