"""`cupel meta`: how good is this metric, measured against people?"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cupel.questions.judge import Judge


def run(question: Judge) -> None:
    """Print how far metrics agree with people, or judges with each other."""
    from cupel.cli.meta_tables import print_answer, print_judges, warn_of_training
    from cupel.cli.output import progress_bar
    from cupel.meta.campaign import judge, with_metrics
    from cupel.meta.task_results import judge_tasks
    from cupel.questions.report import check_new

    check_new(question.report, question.force)
    if question.judges:
        print_judges(question)
        return
    question = with_metrics(question)
    warn_of_training(question.dataset, question.metrics)
    with progress_bar("scoring") as progress:
        answer = judge_tasks if question.task else judge
        result = answer(question, progress=progress)
    print_answer(result, question)
