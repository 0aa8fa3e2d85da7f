"""What `cupel meta` prints: tables of metrics, of tasks, and of judges."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from cupel.cli import output
from cupel.cli.output import Format

if TYPE_CHECKING:
    from cupel.meta.result import Evaluation
    from cupel.meta.task_results import TaskEvaluation


def print_evaluation(
    evaluation: Evaluation,
    form: Format,
    width: int,
    out: Path | None,
    report: Path | None,
    advice: bool = False,
) -> None:
    """One evaluation, in the format that was asked for, with notes on standard error."""
    for sentence in evaluation.left_out.values():
        output.warn(f"{sentence} It is left out of the average.")
    for sentence in evaluation.no_values if form is not Format.text else ():
        output.warn(sentence)
    with output.output(out) as file:
        if form is Format.json:
            print(evaluation.to_json(), file=file)
        elif form is Format.tsv:
            output.records(evaluation.rows(), form, file)
        else:
            _print(evaluation, form, width, file, advice)
    _write_report(report, evaluation.to_json)


def warn_of_training(dataset: str, metrics: list[str]) -> None:
    """A note about each metric, named by its folder, that was trained on these very judgments."""
    import json

    for metric in metrics:
        card = Path(metric) / "card.json"
        if not card.is_file():
            continue
        try:
            data = [str(name) for name in json.loads(card.read_text(encoding="utf-8"))["data"]]
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if dataset in data or Path(dataset).resolve() in [Path(name).resolve() for name in data]:
            output.warn(f"{metric} was trained on {dataset}: its agreement there is too high.")


def _write_report(path: Path | None, document: Callable[[], str]) -> None:
    """The HTML page of what `-f json` prints."""
    if path is None:
        return
    import json

    from cupel.folders import write_text
    from cupel.report import page
    from cupel.report.runs import checked

    write_text(path, page.report([checked(json.loads(document()), "the evaluation")]))
    output.warn(f"Wrote {path}.")


def print_tasks(
    result: TaskEvaluation, form: Format, width: int, out: Path | None, report: Path | None
) -> None:
    """All tasks of a metrics task and their average."""
    for sentence in result.left_out:
        output.warn(sentence)
    with output.output(out) as file:
        if form is Format.json:
            print(result.to_json(), file=file)
        elif form is Format.tsv:
            output.records(result.rows(), form, file)
        else:
            output.print_table(*result.table(width), form, file)
            if form is Format.text:
                _explain_tasks(result, file)
            output.print_signatures(result.signatures, form, file)
    _write_report(report, result.to_json)


def _explain_tasks(result: TaskEvaluation, file: TextIO) -> None:
    tested = "at p < 0.05" if result.average.draws else "(no test was made)"
    print(
        f"\n{result.name}: weighted average of {len(result.tasks)} tasks, correlations brought to 0 "
        f"to 1; # groups of metrics that differ {tested}",
        file=file,
    )
    if len(result.table()[0]) == 4:
        return
    for number, (task, weight) in enumerate(
        zip(result.tasks, result.weights, strict=True), start=1
    ):
        print(f"task{number}  {task.name}, weight {weight:.3f}", file=file)


def _print(evaluation: Evaluation, form: Format, width: int, file: TextIO, advice: bool) -> None:
    header, rows = evaluation.table(width)
    output.print_table(header, rows, form, file)
    if form is Format.text:
        groups = "; # groups of metrics that differ on average at p < 0.05"
        grouped = groups if header[-1] == "#" else ""
        print(f"\n{evaluation.statistic}, {evaluation.level} level{grouped}", file=file)
        for sentence in evaluation.no_values:
            print(sentence, file=file)
        if given := evaluation.advice(always=advice):
            print(*given.sentences(), sep="\n", file=file)
    output.print_signatures(evaluation.signatures, form, file)
    for pair, p in evaluation.comparisons.items():
        header = [f"{pair}: p of row better", *evaluation.metrics]
        rows = [
            [metric, *("" if i == j or isnan(p[i, j]) else f"{p[i, j]:.3f}" for j in range(len(p)))]
            for i, metric in enumerate(evaluation.metrics)
        ]
        print(file=file)
        output.print_table(header, rows, form, file)


def print_judges(
    dataset: str,
    pairs: list[str] | None,
    human: str | None,
    resamples: int,
    seed: int,
    form: Format,
    width: int,
    out: Path | None,
) -> None:
    """The judges of rankings: their agreement, and the systems in groups."""
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
