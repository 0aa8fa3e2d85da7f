"""`cupel score`: how good are these translations?"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from cupel.cli import gates, on_ray, output, scale, test_sets
from cupel.cli.flagged import print_flagged
from cupel.cli.printing import note_left_out, print_scores, remark
from cupel.cli.score_tables import warn_without_details

if TYPE_CHECKING:
    from cupel.engines.score import Scoring
    from cupel.questions.score import Score
    from cupel.scores import Scores


def run(question: Score) -> int:
    """Score and print; status 1 where a gate failed."""
    if test_sets.print_asked(question):
        return 0
    from cupel.engines.score import Scoring

    if question.no_color:
        os.environ["NO_COLOR"] = "1"
    scoring = Scoring(question)
    _note_replaced(scoring)
    labels = [*scoring.metrics, *(source.label for source in scoring.sources)]
    gates.check(question, labels)
    if question.engine == "ray":
        on_ray.score(scoring)
        return 0
    if scale.streamed(scoring):
        return 0
    has_texts = scoring.metrics or question.systems or question.references or question.test_set
    if has_texts and not question.quiet:
        gates.note(question, scoring.corpus)
        remark(question, scoring.corpus, scoring.metrics, scoring.pair)
    if question.prefer:
        from cupel.cli.prefer import print_preferences

        print_preferences(question, scoring.corpus, scoring.metrics)
        return 0
    with output.progress_bar("scoring") as progress:
        scores = scoring.scores(progress)
    if not question.quiet:
        note_left_out(scoring.sources, scoring.corpus)
        warn_without_details(scores, question.details)
    return _print(scoring, scores)


def _print(scoring: Scoring, scores: Scores) -> int:
    question = scoring.question
    rankings = {}
    if question.clusters:
        rankings = scores.clusters(
            level=question.alpha,
            correction=question.correct,
            resamples=question.ci_n,
            seed=question.seed,
        )
    outcomes = gates.decide(question, scores)
    if question.flagged:
        print_flagged(question, scores)
    else:
        print_scores(question, scores, scoring.pair, rankings, outcomes)
    if question.report is not None:
        from cupel.folders import write_text
        from cupel.report.page import html_report

        page = html_report(
            scores,
            resamples=question.ci_n,
            seed=question.seed,
            pair=scoring.pair,
            domain=question.domain,
        )
        write_text(question.report, page)
        output.warn(f"Wrote {question.report}.")
    return gates.report(outcomes, question.quiet)


def _note_replaced(scoring: Scoring) -> None:
    """A note where the target language takes another metric."""
    if scoring.pair is not None and not scoring.question.quiet:
        from cupel.metrics.by_language import replacement_notes

        for sentence in replacement_notes(scoring.asked_specs, scoring.pair):
            output.warn(sentence)
