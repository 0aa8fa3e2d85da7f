"""`cupel score` for large inputs: block by block, or one part of many."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cupel.cli import languages, output
from cupel.cli.printing import print_streamed
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.engines.inputs import Inputs
    from cupel.engines.score import Scoring
    from cupel.metric import Metric
    from cupel.questions.score import Printed, Score
    from cupel.scores import Scores

STREAM_BYTES = 16_000_000
"""Inputs of at least so many bytes are read block by block: some 70,000 segments."""
LOOKED_AT = 200
"""Segments whose language is looked at."""


def streamed(scoring: Scoring) -> bool:
    """Score and print the texts block by block; False where they are to be read as a whole."""
    question = scoring.question
    asked = question.stream or question.part is not None
    if not asked and _size(scoring) < STREAM_BYTES:
        return False
    reason = _reason(scoring)
    if reason is not None:
        if asked:
            option = "--part" if question.part else "--stream"
            raise CupelError(f"{option} is not possible here: {reason}.")
        return False
    if not question.quiet:
        _remark(scoring.inputs, scoring.metrics, scoring.pair)
    if question.part is not None:
        _write_part(scoring)
    else:
        _score(scoring)
    return True


def _size(scoring: Scoring) -> float:
    """Bytes of the files; 0 where one is not there, or no file."""
    from cupel.provenance import inputs_of

    try:
        return sum(
            path.stat().st_size for path in {path for _, path in inputs_of(scoring.question)}
        )
    except OSError:
        return 0


def _reason(scoring: Scoring) -> str | None:
    from cupel.engines.stream import why_not_streamed

    question = scoring.question
    for option, asked in question.on_all_texts.items():
        if asked:
            return f"{option} needs all texts at once"
    if question.details and question.segments:
        return "--details of segments needs all texts at once"
    return why_not_streamed(scoring.inputs, scoring.metrics, details=question.details)


def _score(scoring: Scoring) -> None:
    from cupel.engines.stream import score_files

    scored = partial(
        score_files, scoring.inputs, scoring.metrics, workers=scoring.question.workers or 1
    )
    print_blocks(scoring, scoring.question, list(scoring.inputs.systems), scored)


def print_blocks(
    scoring: Scoring,
    question: Score,
    systems: list[str],
    score: Callable[..., Scores],
    with_scores: bool = False,
) -> None:
    """Score block by block, and print.

    question: what is printed of it. score: takes `with_scores`, `watch` and `progress`, as
    `cupel.engines.stream.score_files` does. with_scores: also where segments are not printed.
    """
    with segment_stream(systems, scoring.metrics, question) as segments:
        with output.progress_bar("scoring") as progress:
            scores = score(
                with_scores=with_scores or question.segments,
                watch=segments.add if segments else None,
                progress=progress,
            )
        if segments:
            segments.finish(scores)
    print_streamed(question, scores, scoring.pair)


def _write_part(scoring: Scoring) -> None:
    from cupel.engines.parts import parse_part, write_part

    question = scoring.question
    assert question.part is not None
    assert question.file is not None
    number, count = parse_part(question.part)
    with output.progress_bar("scoring") as progress:
        written = write_part(
            question.file,
            number,
            count,
            scoring.inputs,
            scoring.metrics,
            scoring.options,
            workers=question.workers or 1,
            with_scores=question.segments,
            progress=progress,
        )
    if not question.quiet:
        output.warn(
            f"Wrote {question.file}: {written.stop - written.start} of "
            f"{written.plan.segments} segments."
        )


def _remark(inputs: Inputs, metrics: Mapping[str, Metric], pair: str | None) -> None:
    """Notes about metrics that do not fit the first references, which a file gives twice and a pipe once."""
    from cupel.engines.inputs import Reader
    from cupel.reading.names import parse_name

    files = [Path(parse_name(name).file) for name in inputs.references]
    if not files or not all(file.is_file() for file in files):
        return
    with Reader(replace(inputs, systems={}, source=None)) as reader:
        block = reader.read(0, LOOKED_AT)
    if block is not None:
        texts = [texts[0] for texts in block.references if texts]
        languages.remark_texts(texts, metrics, pair)


def segment_stream(systems: list[str], metrics: Mapping[str, Metric], question: Printed) -> Any:
    """Where segment scores go while blocks come in; None inside where they are not asked for."""
    from cupel.cli.segment_stream import SegmentStream

    return SegmentStream(systems, metrics, question) if question.segments else nullcontext()
