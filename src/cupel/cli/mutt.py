"""`cupel mutt`: unit tests for metrics."""

from __future__ import annotations

from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from cupel.cli import languages, output
from cupel.cli.external import Lower
from cupel.cli.options import OUTPUT, SEED, Out, Seed, Width, Workers, fillable, writable
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.metric import Metric
    from cupel.mutt.suites import Suite
    from cupel.mutt.trials import Results


LOOKED_AT = 200
"""Trials whose language is looked at."""


class Format(StrEnum):
    """The values of `-f`."""

    text = "text"
    json = "json"
    tsv = "tsv"
    latex = "latex"
    html = "html"


class FormulaName(StrEnum):
    """The values of `--formula`."""

    order = "order"
    difference = "difference"


def mutt(
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metrics", "-m", metavar="METRIC...",
            help="Metrics to test; `paper` stands for those of the paper, `all` for all that are "
            "ready.",
        ),
    ] = None,
    suites: Annotated[
        list[str] | None,
        typer.Option(
            "--suite", metavar="SUITE...",
            help="Tests to run: mutt, sick, sick:FILE, sample, a file of JSON lines, demetr:PATH or "
            "aces:FILE.",
            show_default="mutt, or sample where the dataset mutt is not installed",
        ),
    ] = None,
    generate: Annotated[
        list[str] | None,
        typer.Option(
            "--generate", metavar="TEXT [REF...]",
            help="Make tests from your own text: corrupt the segments of TEXT; REF are their "
            "references.",
        ),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(
            "--save", metavar="FILE", callback=writable,
            help="Write the tests (of --generate or --suite) to this file as JSON lines.",
        ),
    ] = None,
    texts: Annotated[
        Path | None,
        typer.Option(
            "--texts", metavar="DIR", callback=fillable,
            help="Write the texts of the tests into this new folder as plain files, one line per "
            "test, for other programs to score; --scores takes their scores.",
        ),
    ] = None,
    scores: Annotated[
        list[str] | None,
        typer.Option(
            "--scores", metavar="[NAME=]FILE[:COLUMN]...",
            help="Test scores that another program gave the systems `original` and `corrupted` of "
            "--texts, in any format of `cupel score --scores`.",
        ),
    ] = None,
    lower: Lower = None,
    corruptions: Annotated[
        list[str] | None,
        typer.Option("--corruption", metavar="NAME...", help="Run only these corruptions.", show_default="all"),
    ] = None,
    language_pair: languages.LanguagePair = None,
    references: Annotated[
        list[int] | None,
        typer.Option(
            "--references", metavar="N...",
            help="Use the first N references of each trial; several numbers make several tables.",
            show_default="5 10 20 for mutt, else all",
        ),
    ] = None,
    formula: Annotated[
        FormulaName | None,
        typer.Option(
            help="When a trial is passed: the original scores better (order), or the scores are "
            "nearly equal (difference).",
            show_default="difference where the meaning is preserved, else order",
        ),
    ] = None,
    threshold: Annotated[
        float,
        typer.Option(metavar="SHARE", help="Largest relative difference of scores that count as nearly equal."),
    ] = 0.15,
    failures: Annotated[
        int, typer.Option("--failures", min=0, metavar="N", help="Show the first N failed trials of each corruption.")
    ] = 0,
    min_accuracy: Annotated[
        float | None,
        typer.Option(
            "--min-accuracy", metavar="SHARE",
            help="Exit with status 1 if any accuracy is lower than this (0 to 1).",
        ),
    ] = None,
    consistency: Annotated[
        str | None,
        typer.Option(
            "--consistency", metavar="CORRUPTION",
            help="Instead of tests, print correlations between metrics and human scores for this "
            "corruption in SICK.",
        ),
    ] = None,
    plots: Annotated[
        Path | None,
        typer.Option(
            "--plots", metavar="FOLDER", callback=fillable,
            help="Write charts of the accuracies as SVG files; with --consistency, histograms of "
            "the scores.",
        ),
    ] = None,
    seed: Seed = SEED,
    workers: Workers = 1,
    form: Annotated[
        Format,
        typer.Option(
            "--format", "-f", help="Format in which results are printed.", rich_help_panel=OUTPUT,
        ),
    ] = Format.text,
    width: Width = 1,
    out: Out = None,
) -> None:  # fmt: skip
    """Run unit tests on metrics: do they notice when a sentence is corrupted?

    Example: cupel mutt -m chrf ter --suite sample
    """
    if min_accuracy is not None and not 0 <= min_accuracy <= 1:
        raise CupelError(
            f"--min-accuracy takes a number from 0 to 1 (0.9 for 90%), not {min_accuracy:g}."
        )
    if consistency is not None:
        if scores or texts:
            raise CupelError("--consistency tests no trials: leave out --scores and --texts.")
        _consistency(consistency, metrics or [], plots, form, max(width, 2), out)
        return
    from cupel.metrics.external import read_sources
    from cupel.mutt.trials import run

    chosen = _suites(suites or [], generate or [], save, corruptions, seed)
    if texts is not None:
        _write_texts(chosen, references, texts)
    if not metrics and not scores and (save or texts):
        return
    by_label = _metrics(metrics or [], chosen, language_pair) if metrics or not scores else {}
    with output.progress_bar("scoring") as progress:
        results = run(
            chosen,
            by_label,
            references=references,
            formula=None if formula is None else formula.value,
            threshold=threshold,
            external=read_sources(scores or ()),
            lower=lower or (),
            workers=workers,
            progress=progress,
        )
    for sentence in results.remarks():
        output.warn(sentence)
    if plots is not None:
        from cupel.report.unit_tests import charts

        _draw(plots, dict(charts(results)))
    with output.output(out) as file:
        _print(results, failures, form, width, file)
    if min_accuracy is not None and (short := results.below(min_accuracy)):
        from cupel.mutt.trials import counted_references

        for result in short:
            output.warn(
                f"{result.metric}: {result.corruption} with {counted_references(result.references)}: "
                f"accuracy {result.accuracy:.3f}, below {min_accuracy:g}."
            )
        raise typer.Exit(1)


def _metrics(specs: list[str], suites: list[Suite], pair: str | None) -> dict[str, Metric]:
    """The metrics by label, with notes where they do not fit the language of the trials."""
    from cupel.mutt.named import mutt_metrics

    metrics = mutt_metrics(languages.for_target(specs, pair, quiet=False), output.warn, pair)
    originals = (trial.original for suite in suites for one in suite.sets for trial in one.trials)
    languages.remark_texts(list(islice(originals, LOOKED_AT)), metrics, pair)
    return metrics


def _suites(
    names: list[str],
    generate: list[str],
    save: Path | None,
    corruptions: list[str] | None,
    seed: int,
) -> list[Suite]:
    from cupel.mutt.named import open_suite
    from cupel.mutt.suites import write_suite

    if save is not None and not generate and len(names) != 1:
        raise CupelError("--save writes one suite: give --generate TEXT, or one --suite.")
    suites = [open_suite(name) for name in names or ([] if generate else [_default_suite()])]
    if corruptions:
        suites = [suite.only(corruptions) for suite in suites]
    if generate:
        suites.append(_generated(generate, corruptions, seed))
    for suite in suites:
        for sentence in suite.remarks:
            output.warn(sentence)
    if save is not None:
        write_suite(suites[-1], save)
        output.warn(f"{len(suites[-1])} trials were written to {save}.")
    return suites


def _write_texts(suites: list[Suite], references: list[int] | None, folder: Path) -> None:
    from cupel.mutt.trial_scores import write_texts
    from cupel.mutt.trials import trial_groups

    groups = trial_groups(suites, references, one=True)
    count = write_texts([trials for _, _, trials in groups], folder)
    output.warn(f"The texts of {count} trials were written to {folder}.")


def _default_suite() -> str:
    """The trials of the paper, or those that come with Cupel where the paper's are not installed."""
    from cupel.data.find import locate

    if locate("mutt"):
        return "mutt"
    output.warn(
        "The trials of the paper are not here: `cupel data get mutt` brings them. These are the trials "
        "that come with Cupel (--suite sample)."
    )
    return "sample"


def _generated(files: list[str], corruptions: list[str] | None, seed: int) -> Suite:
    from cupel.mutt.generated import MAKERS, generated_suite
    from cupel.reading import read_lines

    texts, *streams = [read_lines(file) for file in files]
    for file, lines in zip(files[1:], streams, strict=True):
        if len(lines) != len(texts):
            raise CupelError(f"{files[0]} has {len(texts)} segments, but {file} has {len(lines)}.")
    return generated_suite(
        texts,
        list(zip(*streams, strict=True)) if streams else None,
        name=Path(files[0]).stem,
        corruptions=corruptions or tuple(MAKERS),
        seed=seed,
    )


def _print(results: Results, failures: int, form: Format, width: int, file: TextIO) -> None:
    from cupel.mutt.trials import NOTE
    from cupel.report.unit_tests import failure_lines

    failing = results.failures(failures) if failures else []
    if failures and form in (Format.tsv, Format.latex):
        output.warn("Failing trials are shown with -f text, json and html.")
    if form is Format.html:
        from cupel.report.page import report
        from cupel.report.runs import Run

        run = Run("mutt", results.rows(), results.signatures, extras={"failures": failing})
        print(report([run]), end="", file=file)
        return
    plain = output.Format(form.value)
    if form in (Format.json, Format.tsv):
        extras = {"failures": failing} if failures else {}
        output.records(results.rows(), plain, file, signatures=results.signatures, **extras)
        return
    for number, table in enumerate(results.tables(width)):
        print(end="\n" if number else "", file=file)
        print(f"{'% ' * (form is Format.latex)}{table.title}", file=file)
        output.print_table(table.header, table.rows, plain, file)
    if form is Format.text:
        for line in failure_lines(failing):
            print(line, file=file)
        print(f"\n{NOTE}", file=file)
    output.print_signatures(results.signatures, plain, file)


def _draw(folder: Path, drawings: dict[str, str]) -> None:
    from cupel.folders import write_text

    for name, drawing in drawings.items():
        safe = "".join(c if c.isalnum() or c in "-_." else "_" for c in name)
        write_text(folder / f"{safe}.svg", drawing)


def _consistency(
    corruption: str, metrics: list[str], plots: Path | None, form: Format, width: int,
    out: Path | None,
) -> None:  # fmt: skip
    from cupel.data import find as find_dataset
    from cupel.mutt import templates
    from cupel.mutt.consistency import consistency

    if corruption not in templates.TEMPLATES:
        raise CupelError(
            f"There is no template for {corruption!r}; there are {', '.join(templates.TEMPLATES)}."
        )
    if form is Format.html:
        raise CupelError("--consistency prints text, json, tsv or latex, not html.")
    pairs = templates.read_pairs(find_dataset("sick") / "SICK.txt")
    result = consistency(templates.find(pairs, [corruption]), metrics or ["meteor"], corruption)
    if plots is not None:
        from cupel.report.unit_tests import consistency_charts

        _draw(plots, dict(consistency_charts(result)))
    with output.output(out) as file:
        if form in (Format.json, Format.tsv):
            output.records(result.rows(), output.Format(form.value), file)
            return
        names, matrix, spread = list(result.scores), result.correlations(), result.spread()
        header = ["pearson", *names, "mean", "deviation"]
        rows = [
            [name, *(f"{r:.{width}f}" for r in matrix[row]),
             *(f"{value:.{width}f}" for value in spread[name])]
            for row, name in enumerate(names)
        ]  # fmt: skip
        output.print_table(header, rows, output.Format(form.value), file)
