"""How `cupel score` and `cupel merge` print scores, and the notes beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cupel.cli import languages, output
from cupel.cli.meanings import meanings_of
from cupel.cli.score_tables import Results, print_segments, print_systems, warn_without_details
from cupel.errors import CupelError
from cupel.questions.score import is_parquet
from cupel.records import question_metadata

if TYPE_CHECKING:
    from cupel.corpus import Corpus, Outline
    from cupel.gates import Outcome
    from cupel.metric import Metric
    from cupel.metrics.external import Source
    from cupel.questions.score import Printed
    from cupel.scores import Scores
    from cupel.system_ranking import Ranking

TOKENISED = 100
"""From so many segments that end in ' .' a system looks tokenised."""


def print_scores(
    question: Printed,
    scores: Scores,
    pair: str | None,
    rankings: Mapping[str, Ranking] | None = None,
    outcomes: Sequence[Outcome] = (),
) -> None:
    """Print systems or segments. pair: the language pair, which a test set may have given."""
    if question.segments and is_parquet(question.file):
        _write_parquet(question, scores)
        return
    results = Results(scores, question, rankings, outcomes)
    results.meanings = meanings_of(scores, question.paired is not None, pair, question.domain)
    with output.output(question.file) as file:
        print_them = print_segments if question.segments else print_systems
        print_them(
            results, question.format, question.width, question.score_only, file, question.details
        )


def print_streamed(question: Printed, scores: Scores, pair: str | None) -> None:
    """Notes and system scores of what was read block by block."""
    if not question.quiet:
        _note_empty(scores.outline)
        if not question.force:
            _note_tokenised(scores.outline, scores.metrics)
        warn_without_details(scores, question.details)
        if scores.totals.unit > 1 and (question.ci or question.paired):
            output.warn(
                f"Intervals and tests draw blocks of {scores.totals.unit} segments, because the input is large."
            )
    if not question.segments:
        print_scores(question, scores, pair)


def _write_parquet(question: Printed, scores: Scores) -> None:
    from cupel.folders import writing

    assert question.file is not None
    if question.details:
        raise CupelError("Details are not written as Parquet: leave out --details.")
    frame = scores.frame("segment")
    if question.width is not None:
        import polars as pl

        frame = frame.with_columns(pl.col(pl.Float64).round(question.width))
    with writing(question.file) as beside:
        frame.write_parquet(beside, metadata=question_metadata())


def remark(
    question: Printed, corpus: Corpus, metrics: Mapping[str, Metric], pair: str | None
) -> None:
    """Notes on empty segments, languages, and systems that look tokenised."""
    _note_empty(corpus.outline)
    languages.remark(corpus, metrics, pair)
    if not question.force:
        _note_tokenised(corpus.outline, metrics)


def _note_empty(outline: Outline) -> None:
    for part in dict.fromkeys([*outline.segments, "references"]):
        if count := outline.empty[part]:
            where = "the references" if part == "references" else f"system {part!r}"
            output.warn(f"{count} empty segment{'s' * (count != 1)} in {where}.")


def _note_tokenised(outline: Outline, metrics: Mapping[str, Metric]) -> None:
    if not any(getattr(metric, "tokenises", False) for metric in metrics.values()):
        return
    for system in outline.segments:
        if (tokenised := outline.tokenised[system]) >= TOKENISED:
            output.warn(
                f"System {system!r} looks tokenised ({tokenised} segments end in ' .'), which "
                "changes its score; use --force if this is what you want."
            )


def note_left_out(sources: list[Source], corpus: Corpus) -> None:
    """One note that names the systems that are only in score files."""
    if not sources:
        return
    from cupel.metrics.external import systems_left_out
    from cupel.reading.segments import listed

    if names := systems_left_out(sources, corpus):
        output.warn(
            f"Only the score files have these systems, which are left out: {listed(names)}."
        )
