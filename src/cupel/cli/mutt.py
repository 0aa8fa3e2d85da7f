"""`cupel mutt`: unit tests for metrics."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from cupel.cli import languages, output
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.metric import Metric
    from cupel.mutt.suites import Suite
    from cupel.mutt.trials import Results
    from cupel.questions.mutt import UnitTest


LOOKED_AT = 200
"""Trials whose language is looked at."""


def run(question: UnitTest) -> int:
    """Run the tests, and print; status 1 where an accuracy is too low."""
    if question.consistency is not None:
        _consistency(question, question.consistency)
        return 0
    from cupel.metrics.external import read_sources
    from cupel.mutt.trials import run as run_trials

    suites = _suites(question)
    counts = list(question.reference_counts) or None
    if question.texts is not None:
        _write_texts(suites, counts, question.texts)
    specs, scores = list(question.metrics), question.scores
    if not specs and not scores and (question.save or question.texts):
        return 0
    metrics = _metrics(specs, suites, question.language_pair) if specs or not scores else {}
    with output.progress_bar("scoring") as progress:
        results = run_trials(
            suites,
            metrics,
            references=counts,
            formula=question.formula,
            threshold=question.threshold,
            external=read_sources(scores),
            lower=question.lower,
            workers=question.workers,
            progress=progress,
        )
    for sentence in results.remarks():
        output.warn(sentence)
    if question.plots is not None:
        from cupel.report.unit_tests import charts

        _draw(question.plots, dict(charts(results)))
    with output.output(question.file) as file:
        _print(results, question, file)
    if question.report is not None:
        _write_report(results, question.failures, question.report)
    return _below(results, question.min_accuracy)


def _below(results: Results, least: float | None) -> int:
    """Notes on accuracies that are too low; the exit status."""
    from cupel.mutt.trials import counted_references

    below = results.below(least) if least is not None else []
    for result in below:
        output.warn(
            f"{result.metric}: {result.corruption} with {counted_references(result.references)}: "
            f"accuracy {result.accuracy:.3f}, below {least:g}."
        )
    return int(bool(below))


def _metrics(specs: list[str], suites: list[Suite], pair: str | None) -> dict[str, Metric]:
    """The metrics by label, with notes where they do not fit the language of the trials."""
    from cupel.mutt.named import mutt_metrics

    metrics = mutt_metrics(languages.for_target(specs, pair, quiet=False), output.warn, pair)
    originals = (trial.original for suite in suites for one in suite.sets for trial in one.trials)
    languages.remark_texts(list(islice(originals, LOOKED_AT)), metrics, pair)
    return metrics


def _suites(question: UnitTest) -> list[Suite]:
    from cupel.mutt.named import open_suite
    from cupel.mutt.suites import write_suite

    generate, corruptions = question.generate, list(question.corruptions)
    names = list(question.suites) or ([] if generate else [_default_suite()])
    suites = [open_suite(name) for name in names]
    if corruptions:
        suites = [suite.only(corruptions) for suite in suites]
    if generate:
        suites.append(_generated(generate, corruptions, question.seed))
    for suite in suites:
        for sentence in suite.remarks:
            output.warn(sentence)
    if question.save is not None:
        write_suite(suites[-1], question.save)
        output.warn(f"{len(suites[-1])} trials were written to {question.save}.")
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


def _generated(files: Sequence[str], corruptions: list[str], seed: int) -> Suite:
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


def _print(results: Results, question: UnitTest, file: TextIO) -> None:
    from cupel.mutt.trials import NOTE
    from cupel.report.unit_tests import failure_lines

    form, failures = question.format, question.failures
    failing = results.failures(failures) if failures else []
    if failures and form in ("tsv", "latex"):
        output.warn("Failing trials are shown with -f text and json, and in --report.")
    if form in ("json", "tsv"):
        extras = {"failures": failing} if failures else {}
        output.records(results.rows(), form, file, signatures=results.signatures, **extras)
        return
    for number, table in enumerate(results.tables(question.width)):
        print(end="\n" if number else "", file=file)
        print(f"{'% ' * (form == 'latex')}{table.title}", file=file)
        output.print_table(table.header, table.rows, form, file)
    if form == "text":
        for line in failure_lines(failing):
            print(line, file=file)
        print(f"\n{NOTE}", file=file)
    output.print_signatures(results.signatures, form, file)


def _write_report(results: Results, failures: int, path: Path) -> None:
    from cupel.folders import write_text
    from cupel.report.page import report
    from cupel.report.runs import Run

    failing = results.failures(failures) if failures else []
    run = Run("mutt", results.rows(), results.signatures, extras={"failures": failing})
    write_text(path, report([run]))
    output.warn(f"Wrote {path}.")


def _draw(folder: Path, drawings: dict[str, str]) -> None:
    from cupel.folders import write_text

    for name, drawing in drawings.items():
        safe = "".join(c if c.isalnum() or c in "-_." else "_" for c in name)
        write_text(folder / f"{safe}.svg", drawing)


def _consistency(question: UnitTest, corruption: str) -> None:
    from cupel.data import find as find_dataset
    from cupel.mutt import templates
    from cupel.mutt.consistency import consistency

    if corruption not in templates.TEMPLATES:
        raise CupelError(
            f"There is no template for {corruption!r}; there are {', '.join(templates.TEMPLATES)}."
        )
    pairs = templates.read_pairs(find_dataset("sick") / "SICK.txt")
    result = consistency(
        templates.find(pairs, [corruption]), list(question.metrics) or ["meteor"], corruption
    )
    if question.plots is not None:
        from cupel.report.unit_tests import consistency_charts

        _draw(question.plots, dict(consistency_charts(result)))
    form, width = question.format, max(question.width, 2)
    with output.output(question.file) as file:
        if form in ("json", "tsv"):
            output.records(result.rows(), form, file)
            return
        names, matrix, spread = list(result.scores), result.correlations(), result.spread()
        header = ["pearson", *names, "mean", "deviation"]
        rows = [
            [name, *(f"{r:.{width}f}" for r in matrix[row]),
             *(f"{value:.{width}f}" for value in spread[name])]
            for row, name in enumerate(names)
        ]  # fmt: skip
        output.print_table(header, rows, form, file)
