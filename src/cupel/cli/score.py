"""`cupel score`: how good are these translations?"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cupel.cli import output
from cupel.cli.options import OUTPUT, Form, Names, Out, Source, Systems, Trees, Workers, writable
from cupel.cli.output import Format
from cupel.cli.report import refuse_to_replace
from cupel.cli.score_tables import Results, print_segments, print_systems
from cupel.cli.trees import tree_options
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.corpus import Corpus
    from cupel.metric import Metric

SACREBLEU = "As in sacreBLEU"
SIGNIFICANCE = "Significance"


class Test(StrEnum):
    """The values of `--paired`."""

    bs = "bs"
    ar = "ar"


def score(
    references: Annotated[
        list[str],
        typer.Argument(
            metavar="REF",
            help="Reference files: text, .gz, .sgm, .xml, or FILE:COLUMN of .tsv, .jsonl, .parquet.",
        ),
    ],
    input_: Systems = None,
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metrics",
            "-m",
            metavar="METRIC...",
            help="Metrics; `cupel metrics` lists them. [default: bleu]",
        ),
    ] = None,
    source: Source = None,
    trees: Trees = None,
    names: Names = None,
    segments: Annotated[
        bool, typer.Option("--sentence-level", "-sl", help="Score each segment.")
    ] = False,
    prefer: Annotated[
        bool,
        typer.Option(
            "--prefer",
            help="Compare two systems segment by segment, with a metric that can (nnrk).",
        ),
    ] = False,
    workers: Workers = 1,
    ci: Annotated[
        bool,
        typer.Option(
            "--ci",
            "--confidence",
            "-ci",
            help="95% bootstrap interval.",
            rich_help_panel=SIGNIFICANCE,
        ),
    ] = False,
    ci_n: Annotated[
        int,
        typer.Option(
            "--ci-n", "--confidence-n", "-cin", help="Resamples.", rich_help_panel=SIGNIFICANCE
        ),
    ] = 1000,
    paired: Annotated[
        Test | None,
        typer.Option(
            help="Test each system against the first: bootstrap or approximate randomization.",
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
            help="Resamples or trials. [default: bs 1000, ar 10000]",
            rich_help_panel=SIGNIFICANCE,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, rich_help_panel=SIGNIFICANCE)] = 12345,
    form: Form = Format.text,
    score_only: Annotated[
        bool, typer.Option("--score-only", "-b", help="Only the numbers.", rich_help_panel=OUTPUT)
    ] = False,
    width: Annotated[
        int | None,
        typer.Option(
            "--width", "-w", min=0, max=20, help="Decimal places.", rich_help_panel=OUTPUT
        ),
    ] = None,
    out: Out = None,
    report: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            callback=writable,
            help="Write an HTML report as well.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No remarks.", rich_help_panel=OUTPUT)
    ] = False,
    lowercase: Annotated[
        bool, typer.Option("--lowercase", "-lc", help="BLEU's.", rich_help_panel=SACREBLEU)
    ] = False,
    tokenize: Annotated[
        str | None,
        typer.Option(
            "--tokenize", "-tok", help="BLEU's. [default: 13a]", rich_help_panel=SACREBLEU
        ),
    ] = None,
    langpair: Annotated[
        str | None,
        typer.Option(
            "--language-pair",
            "-l",
            help="For the tokenizer of zh, ja, ko.",
            rich_help_panel=SACREBLEU,
        ),
    ] = None,
    smooth_method: Annotated[
        str, typer.Option(help="BLEU's: exp, floor, add-k, none.", rich_help_panel=SACREBLEU)
    ] = "exp",
    smooth_value: Annotated[
        float | None, typer.Option("--smooth-value", "-sv", rich_help_panel=SACREBLEU)
    ] = None,
    num_refs: Annotated[
        int,
        typer.Option(
            "--num-refs", "-nr", help="Tab-separated references in REF.", rich_help_panel=SACREBLEU
        ),
    ] = 1,
    encoding: Annotated[str, typer.Option("--encoding", "-e", rich_help_panel=SACREBLEU)] = "utf-8",
    chrf_char_order: Annotated[
        int, typer.Option("--chrf-char-order", "-cc", rich_help_panel=SACREBLEU)
    ] = 6,
    chrf_word_order: Annotated[
        int, typer.Option("--chrf-word-order", "-cw", rich_help_panel=SACREBLEU)
    ] = 0,
    chrf_beta: Annotated[int, typer.Option(rich_help_panel=SACREBLEU)] = 2,
    chrf_whitespace: Annotated[
        bool, typer.Option("--chrf-whitespace", rich_help_panel=SACREBLEU)
    ] = False,
    chrf_lowercase: Annotated[
        bool, typer.Option("--chrf-lowercase", rich_help_panel=SACREBLEU)
    ] = False,
    chrf_eps_smoothing: Annotated[
        bool, typer.Option("--chrf-eps-smoothing", rich_help_panel=SACREBLEU)
    ] = False,
    ter_case_sensitive: Annotated[
        bool, typer.Option("--ter-case-sensitive", rich_help_panel=SACREBLEU)
    ] = False,
    ter_asian_support: Annotated[
        bool, typer.Option("--ter-asian-support", rich_help_panel=SACREBLEU)
    ] = False,
    ter_no_punct: Annotated[
        bool, typer.Option("--ter-no-punct", rich_help_panel=SACREBLEU)
    ] = False,
    ter_normalized: Annotated[
        bool, typer.Option("--ter-normalized", rich_help_panel=SACREBLEU)
    ] = False,
    paired_bs: Annotated[bool, typer.Option("--paired-bs", "-pbs", hidden=True)] = False,
    paired_ar: Annotated[bool, typer.Option("--paired-ar", "-par", hidden=True)] = False,
    paired_jobs: Annotated[int, typer.Option("--paired-jobs", "-j", hidden=True)] = 1,
    force: Annotated[bool, typer.Option("--force", hidden=True)] = False,
    no_color: Annotated[bool, typer.Option("--no-color", "-nc", hidden=True)] = False,
    test_set: Annotated[str | None, typer.Option("--test-set", "-t", hidden=True)] = None,
) -> None:
    """Score systems against references.

    Example: cupel score ref.txt -i system1.txt system2.txt -m bleu chrf++ ter --ci
    """
    from cupel.reading import read_corpus
    from cupel.scoring import score_corpus

    if test_set is not None:
        raise CupelError(
            "Cupel does not download test sets (-t): give the reference files, for instance those "
            "that `sacrebleu -t SET -l PAIR --echo ref` prints."
        )
    if source in ("exp", "floor", "add-k", "none") and not Path(source).exists():
        raise CupelError(
            f"-s names the source file here: for sacreBLEU's smoothing write --smooth-method {source}."
        )
    bleu: dict[str, object] = {
        "lowercase": lowercase,
        "tokenize": tokenize or _TOKENIZERS.get((langpair or "").rpartition("-")[2], "13a"),
        "smooth_method": smooth_method,
        "smooth_value": smooth_value,
    }
    chrf: dict[str, object] = {
        "char_order": chrf_char_order,
        "beta": chrf_beta,
        "whitespace": chrf_whitespace,
        "lowercase": chrf_lowercase,
        "eps_smoothing": chrf_eps_smoothing,
    }
    options: dict[str, dict[str, object]] = {
        # sacreBLEU, too, scores segments with effective order.
        "bleu": {**bleu, "effective_order": segments},
        "sentbleu": bleu,
        "bleucomp": {key: bleu[key] for key in ("lowercase", "tokenize")},
        "chrf": {**chrf, "word_order": chrf_word_order},
        "chrf++": chrf,
        "ter": {
            "case_sensitive": ter_case_sensitive,
            "asian_support": ter_asian_support,
            "no_punct": ter_no_punct,
            "normalized": ter_normalized,
        },
    }
    test = paired or (Test.bs if paired_bs else Test.ar if paired_ar else None)
    if segments and (ci or test):
        raise CupelError("Intervals and tests are of system scores: leave out -sl.")
    if report is not None:
        refuse_to_replace(report, force)
    wanted = _metrics(metrics or ["bleu"], options, trees)
    corpus = read_corpus(
        references, input_ or ["-"], source, names=names, num_refs=num_refs, encoding=encoding
    )
    if not quiet:
        _remark(corpus, wanted, force)
    if prefer:
        from cupel.cli.prefer import print_preferences

        if ci or test:
            raise CupelError("--prefer compares segments: leave out intervals and tests.")
        with output.output(out) as file:
            print_preferences(corpus, wanted, form, width, score_only, file)
        return
    with output.progress_bar("scoring") as progress:
        scores = score_corpus(corpus, wanted, workers=workers, progress=progress)
    with output.output(out) as file:
        if segments:
            print_segments(scores, form, width, score_only, file)
        else:
            results = Results(scores, ci, ci_n, test and test.value, paired_n, seed)
            print_systems(results, form, width, score_only, file)
    if report is not None:
        from cupel.folders import write_text
        from cupel.report.page import report_of_scores

        write_text(report, report_of_scores(scores, resamples=ci_n, seed=seed))
        output.warn(f"Wrote {report}.")


_TOKENIZERS = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}


def _metrics(
    specs: list[str], options: dict[str, dict[str, object]], trees: str | None
) -> dict[str, Metric]:
    from cupel.registry import get_metric

    given = tree_options(specs, trees)
    metrics: dict[str, Metric] = {}
    for spec in specs:
        if spec in metrics:
            raise CupelError(f"The metric {spec!r} is asked for twice.")
        name = spec.partition(":")[0]
        metrics[spec] = get_metric(spec, **options.get(name, {}), **given.get(name, {}))
    return metrics


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
                "changes its score; --force if that is meant."
            )
