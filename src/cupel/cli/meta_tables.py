"""What `cupel meta` prints: tables of metrics, of tasks, and of judges."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from pathlib import Path
from typing import TextIO

from cupel.cli import output
from cupel.meta.result import Evaluation
from cupel.meta.task_results import TaskEvaluation
from cupel.meta.tasks import task_name
from cupel.questions.judge import Judge


def print_answer(answer: Evaluation | TaskEvaluation, question: Judge) -> None:
    """One evaluation or all tasks, in the format that was asked for, with notes on standard error."""
    form = question.format
    if isinstance(answer, TaskEvaluation):
        notes = answer.left_out
    else:
        notes = [
            f"{sentence} It is left out of the average." for sentence in answer.left_out.values()
        ]
        notes += answer.no_values if form != "text" else []
    for sentence in notes:
        output.warn(sentence)
    with output.output(question.file) as file:
        if form == "json":
            print(answer.to_json(), file=file)
        elif form == "tsv":
            output.records(answer.rows(), form, file)
        elif isinstance(answer, TaskEvaluation):
            _print_tasks(answer, question, file)
        else:
            _print_evaluation(answer, question, file)
    if question.report is not None:
        import json

        from cupel.folders import write_text
        from cupel.report import page
        from cupel.report.runs import checked

        document = checked(json.loads(answer.to_json()), "the evaluation")
        write_text(question.report, page.report([document]))
        output.warn(f"Wrote {question.report}.")


def _print_tasks(result: TaskEvaluation, question: Judge, file: TextIO) -> None:
    header, rows = result.table(question.width)
    output.print_table(header, rows, question.format, file)
    if question.format == "text":
        tested = "at p < 0.05" if result.average.draws else "(no test was made)"
        print(
            f"\n{result.name}: weighted average of {len(result.tasks)} tasks, correlations brought "
            f"to 0 to 1; # groups of metrics that differ {tested}",
            file=file,
        )
        weighted = zip(result.tasks, result.weights, strict=True) if len(header) > 4 else ()
        for number, (task, weight) in enumerate(weighted, start=1):
            print(f"task{number}  {task_name(task)}, weight {weight:.3f}", file=file)
    output.print_signatures(result.signatures, question.format, file)


def _print_evaluation(evaluation: Evaluation, question: Judge, file: TextIO) -> None:
    form = question.format
    header, rows = evaluation.table(question.width)
    output.print_table(header, rows, form, file)
    if form == "text":
        groups = "; # groups of metrics that differ on average at p < 0.05"
        grouped = groups if header[-1] == "#" else ""
        print(f"\n{evaluation.statistic}, {evaluation.level} level{grouped}", file=file)
        for sentence in evaluation.no_values:
            print(sentence, file=file)
        if advice := evaluation.advice(always=question.advice):
            print(*advice.sentences(), sep="\n", file=file)
    output.print_signatures(evaluation.signatures, form, file)
    for pair, p in evaluation.comparisons.items():
        header = [f"{pair}: p of row better", *evaluation.metrics]
        rows = [
            [metric, *("" if i == j or isnan(p[i, j]) else f"{p[i, j]:.3f}" for j in range(len(p)))]
            for i, metric in enumerate(evaluation.metrics)
        ]
        print(file=file)
        output.print_table(header, rows, form, file)


def print_judges(question: Judge) -> None:
    """The judges of rankings: their agreement, and the systems in groups."""
    from cupel.human.judges import judges

    form = question.format
    with output.progress_bar("ranking systems") as progress:
        judged = judges(
            question.dataset,
            pairs=question.pairs or None,
            human=question.human,
            resamples=question.resamples,
            seed=question.seed,
            progress=progress,
        )
    unnamed = [part.pair for part in judged.pairs if not part.judges]
    if unnamed:
        output.warn(
            f"The rankings of {', '.join(unnamed)} do not say who judged, so agreement cannot be "
            "computed."
        )
    with output.output(question.file) as file:
        if form in ("json", "tsv"):
            output.records(judged.rows(), form, file)
            return
        for number, (header, rows) in enumerate(judged.tables(question.width)):
            print(end="\n" if number else "", file=file)
            output.print_table(header, rows, form, file)


def warn_of_training(dataset: str, metrics: Sequence[str]) -> None:
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
