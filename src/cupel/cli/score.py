"""`cupel score`: how good are these translations?"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cupel.cli import output, sacrebleu
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
    from cupel.metric import Metric

SIGNIFICANCE = "Significance"


class PairedTest(StrEnum):
    """The values of `--paired`."""

    bs = "bs"
    ar = "ar"


def score(
    references: Annotated[
        list[str],
        typer.Argument(
            metavar="REF",
            help="Reference files: text with one segment per line (also .gz), .sgm, .xml, or "
            "FILE:COLUMN for a column of .tsv, .csv, .jsonl or .parquet.",
        ),
    ],
    input_: Systems = None,
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metrics",
            "-m",
            metavar="METRIC...",
            help="Metrics to compute; `cupel metrics` lists them. Options follow a colon: "
            "bleu:tokenize=intl.",
            show_default="bleu",
        ),
    ] = None,
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
            min=1,
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
            min=1,
            help="Number of resamples (bs) or trials (ar) of the paired test.",
            show_default="bs 1000, ar 10000",
            rich_help_panel=SIGNIFICANCE,
        ),
    ] = None,
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
    test_set: sacrebleu.TestSet = None,
) -> None:
    """Score translations against references.

    Example: cupel score ref.txt -i system1.txt system2.txt -m bleu chrf++ ter --ci
    """
    from cupel.reading import read_corpus
    from cupel.scoring import score_corpus

    sacrebleu.refuse_other_meanings(source, test_set)
    options = sacrebleu.metric_options(
        {
            "lowercase": lowercase,
            "tokenize": sacrebleu.tokenizer(tokenize, language_pair),
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
    if segments and (ci or test):
        raise CupelError("Intervals and tests are computed for system scores only: leave out -sl.")
    if report is not None:
        from cupel.cli.report import refuse_to_replace

        refuse_to_replace(report, force)
        if out is not None and out.resolve() == report.resolve():
            raise CupelError(f"{out} is named for the scores and for the report: name two files.")
    chosen = _metrics(metrics or ["bleu"], options, trees)
    corpus = read_corpus(
        references, input_ or ["-"], source, names=names, num_refs=num_refs, encoding=encoding
    )
    if not quiet:
        _remark(corpus, chosen, force)
    if prefer:
        from cupel.cli.prefer import print_preferences

        if ci or test:
            raise CupelError("--prefer compares segments: leave out intervals and tests.")
        with output.output(out) as file:
            print_preferences(corpus, chosen, form, width, score_only, file)
        return
    with output.progress_bar("scoring") as progress:
        scores = score_corpus(corpus, chosen, workers=workers, progress=progress)
    if details and not quiet:
        warn_without_details(scores)
    with output.output(out) as file:
        if segments:
            print_segments(scores, form, width, score_only, file, details)
        else:
            results = Results(scores, ci, ci_n, test and test.value, paired_n, seed)
            print_systems(results, form, width, score_only, file, details)
    if report is not None:
        from cupel.folders import write_text
        from cupel.report.page import html_report

        write_text(report, html_report(scores, resamples=ci_n, seed=seed))
        output.warn(f"Wrote {report}.")


def _metrics(
    specs: list[str], options: dict[str, dict[str, object]], trees: str | None
) -> dict[str, Metric]:
    from cupel.registry import named_metrics

    given = tree_options(specs, trees)
    both = {n: {**options.get(n, {}), **given.get(n, {})} for n in {*options, *given}}
    return named_metrics(specs, both)


def _remark(corpus: Corpus, metrics: dict[str, Metric], force: bool) -> None:
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
