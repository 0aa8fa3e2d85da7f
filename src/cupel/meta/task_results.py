"""Metrics on all tasks of a metrics task: values and ranks of each, and the weighted average."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cupel.console import Progress
from cupel.errors import CupelError
from cupel.human.evalset import evalset_pairs
from cupel.meta.campaign import check_lower, open_folder, scorer_of, with_metrics
from cupel.meta.disagreements import disagreements
from cupel.meta.evaluation import evaluated
from cupel.meta.file_scores import check_pairs
from cupel.meta.folder import Folder, graded_pair
from cupel.meta.graded import TESTS, Graded, completed
from cupel.meta.ranking import Ranking, average_ranking, average_ranks, in_order
from cupel.meta.result import Evaluation
from cupel.meta.tasks import EVERY, TaskSet, read_tasks, task_name
from cupel.questions.judge import TASK_FIELDS, Judge
from cupel.records import Row, html_table, json_document, polars_frame
from cupel.registry import MetricLike, listed
from cupel.significance import DEFAULT_SEED

if TYPE_CHECKING:
    import polars as pl

MOST_COLUMNS = 12
"""Of more tasks, a table for people shows the average alone."""


@dataclass(frozen=True)
class TaskEvaluation:
    """What `cupel.evaluate_tasks` returns.

    tasks, weights, evaluations, rankings: of each task; weights are together 1. average: metrics by
    their weighted mean value, brought to 0 to 1, with ranks and p-values. mean_ranks: metric ->
    weighted mean of its ranks, the best first. Only metrics that have a value in every task are
    averaged; `left_out` says of the others why. by: value or rank, what the year ordered metrics by.
    """

    name: str
    dataset: str
    tasks: tuple[Judge, ...]
    weights: tuple[float, ...]
    evaluations: tuple[Evaluation, ...] = field(repr=False)
    rankings: tuple[Ranking, ...] = field(repr=False)
    average: Ranking = field(repr=False)
    mean_ranks: Mapping[str, float] = field(repr=False)
    by: str = "value"
    signatures: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def left_out(self) -> list[str]:
        """Sentences about metrics that are not in the average: one each, with the first reason."""
        first: dict[str, str] = {}
        for number, evaluation in enumerate(self.evaluations, start=1):
            for a in evaluation.agreements:
                if a.reason:
                    first.setdefault(a.metric, f" (first in task {number}: {a.reason})")
        names = {name for evaluation in self.evaluations for name in evaluation.metrics}
        sentences = []
        for name in sorted(names - set(self.average.names)):
            missing = sum(name not in ranking.names for ranking in self.rankings)
            sentences.append(
                f"{name} is left out of the average: it has no value in {missing} of "
                f"{len(self.tasks)} tasks{first.get(name, '')}."
            )
        return sentences

    @property
    def order(self) -> list[str]:
        """The metrics of the average, the best first."""
        return list(self.mean_ranks) if self.by == "rank" else list(self.average.names)

    def rows(self) -> list[Row]:
        """Flat records: dataset, task, pair, level, statistic, weight, metric, value, rank, mean_rank.

        The average comes last, as task `avg`; only it has a mean rank.
        """
        rows: list[Row] = []
        for number, (task, weight, ranking) in enumerate(
            zip(self.tasks, self.weights, self.rankings, strict=True), start=1
        ):
            about = {"dataset": self.dataset, "task": str(number), "pair": ",".join(task.pairs)}
            about |= {"level": task.level, "statistic": task.statistic or "pearson"}
            for metric, value, rank in zip(
                ranking.names, ranking.values, ranking.ranks, strict=True
            ):
                rows.append(
                    {**about, "weight": weight, "metric": metric, "value": value, "rank": rank}
                    | {"mean_rank": None}
                )
        about = {"dataset": self.dataset, "task": "avg", "pair": "", "level": "", "statistic": ""}
        return rows + [
            {**about, "weight": 1.0, "metric": metric, "value": self.average.value(metric)}
            | {"rank": self.average.rank(metric), "mean_rank": self.mean_ranks[metric]}
            for metric in self.order
        ]

    def frame(self) -> pl.DataFrame:
        """A Polars frame of `rows`."""
        return polars_frame(self.rows())

    def to_json(self) -> str:
        """What `cupel meta --task -f json` prints: rows, and p-values of the average."""
        names = self.average.names
        compared = [
            {"pair": "avg", "metric": first, "other": second}
            | {"p": float(self.average.p_values[i, j])}
            for i, first in enumerate(names)
            for j, second in enumerate(names)
            if j > i and self.average.draws
        ]
        tasks = [
            {"task": number, "name": task_name(task), "weight": weight, "compare": task.compare}
            for number, (task, weight) in enumerate(
                zip(self.tasks, self.weights, strict=True), start=1
            )
        ]
        graded = (judged for evaluation in self.evaluations for judged in evaluation.graded)
        return json_document(
            self.rows(), signatures=self.signatures, tasks=tasks, comparisons=compared,
            disagreements=disagreements(graded, self.order),
        )  # fmt: skip

    def table(self, width: int = 3) -> tuple[list[str], list[list[str]]]:
        """Header and rows for people: the average with its rank, the mean rank, then the tasks.

        width: decimals. Of many tasks, only the average is shown.
        """
        shown = self.rankings if len(self.rankings) <= MOST_COLUMNS else ()
        header = ["metric", "avg", "#", "mean rank"]
        header += [f"task{number}" for number in range(1, len(shown) + 1)]
        rows = []
        for metric in self.order:
            average = f"{self.average.value(metric):.{width}f}"
            row = [metric, average, str(self.average.rank(metric))]
            row.append(f"{self.mean_ranks[metric]:.2f}")
            row += [f"{r.value(metric):.{width}f} ({r.rank(metric)})" for r in shown]
            rows.append(row)
        return header, rows

    def _repr_html_(self) -> str:
        """The table that a notebook shows."""
        return html_table(*self.table(), f"{self.dataset}: {self.name}")


def judge_tasks(
    question: Judge, tasks: TaskSet | None = None, progress: Progress | None = None
) -> TaskEvaluation:
    """The answer to every task, and their average. tasks: instead of those that the question names."""
    task_set = tasks or read_tasks(str(question.task))
    question = with_metrics(question)
    scorer = scorer_of(question, progress)
    folder = open_folder(question, scorer)
    there = evalset_pairs(folder.path)
    for number, task in enumerate(task_set.tasks, start=1):
        for pair in task.pairs:
            if pair not in there:
                raise CupelError(
                    f"Task {number} of {task_set.name} ({task_name(task)}) needs {pair}, but "
                    f"{question.dataset} has {', '.join(there)}."
                )
    task_set = task_set.with_domains(
        {
            task.pairs[0]: list(folder.campaign(task.pairs[0], task.reference).groups["domain"])
            for task in task_set.tasks
            if task.domain == EVERY
        }
    )
    check_pairs(question.score_files, sorted({p for task in task_set.tasks for p in task.pairs}))
    answers = [
        _answer(folder, _asked(task, question, task_set.name), f"Task {number}")
        for number, task in enumerate(task_set.tasks, start=1)
    ]
    others = {name for evaluation, _ in answers for name in evaluation.metrics}
    check_lower(question.lower, sorted(others - set(scorer.labels)))
    weights = task_set.shares()
    rankings = tuple(ranking for _, ranking in answers)
    return TaskEvaluation(
        task_set.name,
        question.dataset,
        task_set.tasks,
        tuple(weights),
        tuple(replace(evaluation, signatures=scorer.signatures) for evaluation, _ in answers),
        rankings,
        average_ranking(rankings, weights, rounding=0.0 if question.like_mtme else 1e-12),
        average_ranks(rankings, weights),
        task_set.by,
        scorer.signatures,
    )


def evaluate_tasks(
    dataset: str,
    metrics: Sequence[MetricLike] | MetricLike = (),
    *,
    tasks: str | Path | TaskSet,
    stored: Sequence[str] | str = (),
    score_files: Sequence[str | Path] = (),
    lower: Sequence[str] = (),
    permutations: int | None = None,
    like_mtme: bool = False,
    seed: int = DEFAULT_SEED,
    workers: int = 1,
    use_cache: bool = True,
    progress: Progress | None = None,
) -> TaskEvaluation:
    """Judge metrics on the tasks of a metrics task: what `cupel meta --task` does.

    tasks: wmt22, wmt23, wmt24, a task file (see `cupel.meta.tasks`), or what `read_tasks` returns.
    permutations: of every test instead of what the file says; 0 for no test. The other arguments are
    those of `cupel.evaluate`.
    """
    question = Judge(
        dataset=dataset,
        metrics=tuple(listed(metrics)),  # type: ignore[arg-type]
        stored=(stored,) if isinstance(stored, str) else tuple(stored),
        score_files=tuple(map(str, score_files)),
        lower=tuple(lower),
        permutations=permutations,
        like_mtme=like_mtme,
        seed=seed,
        workers=workers,
        use_cache=use_cache,
    )
    return judge_tasks(
        question, tasks if isinstance(tasks, TaskSet) else read_tasks(tasks), progress
    )


def _asked(task: Judge, question: Judge, name: str) -> Judge:
    """A task with what is asked of all tasks; without intervals, which would take long."""
    values = {name: getattr(task, name) for name in TASK_FIELDS}
    if question.permutations is not None:
        values["permutations"] = question.permutations
    if values["permutations"] == 0:
        values["compare"] = None
    return replace(question, **values, task=name, resamples=0)


def _answer(folder: Folder, task: Judge, where: str) -> tuple[Evaluation, Ranking]:
    """One task: its evaluation, and its metrics in order."""
    task = completed(task)
    if task.compare not in (None, *TESTS):
        raise CupelError(
            f"{where}: there is no test {task.compare!r}; there are: {', '.join(TESTS)}."
        )
    if len(task.pairs) > 1 and task.statistic != "accuracy":
        raise CupelError(f"{where}: only accuracy can be computed over several language pairs.")
    judged = together([graded_pair(folder, pair, task) for pair in task.pairs])
    evaluation = evaluated([judged], task)
    if judged.pair in evaluation.rankings:
        return evaluation, evaluation.rankings[judged.pair]
    values = {name: evaluation.value(name, judged.pair) for name in evaluation.metrics}
    return evaluation, in_order(values, judged.statistic(task).bounds)


def together(parts: Sequence[Graded]) -> Graded:
    """Several language pairs at system level as one, for the metrics that all of them have."""
    if len(parts) == 1:
        return parts[0]
    common = [m for m in parts[0].scores if all(m in part.scores for part in parts)]
    return Graded(
        ",".join(part.pair for part in parts),
        np.concatenate([part.human for part in parts]),
        {m: np.concatenate([part.scores[m] for part in parts]) for m in common},
        parts[0].level,
        tuple(f"{part.pair} {system}" for part in parts for system in part.systems),
        parts[0].items,
        gold=parts[0].gold,
        blocks=tuple(len(part.human) for part in parts),
    )
