"""`cupel score --engine ray`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from cupel.cli.scale import print_blocks

if TYPE_CHECKING:
    from cupel.engines.score import Scoring


def score(scoring: Scoring) -> None:
    """Score on a cluster, and print."""
    from cupel.engines.ray import Settings, check_ray, score_on_ray

    check_ray()
    from cupel.engines.patterns import patterns_of
    from cupel.metric import SOURCES, needs_of

    question, metrics = scoring.question, scoring.metrics
    patterns = patterns_of(
        question.references,
        question.systems or None,
        question.source,
        question.names or None,
        needs_source=any(SOURCES in needs_of(metric) for metric in metrics.values()),
    )
    settings = Settings(question.address, question.workers, question.keep)
    apart = question.segments and question.keep is not None and question.file is None
    if apart:
        question = replace(question, segments=False)
    scored = partial(score_on_ray, patterns, metrics, settings)
    print_blocks(scoring, question, list(patterns.systems), scored, with_scores=apart)
