"""`cupel mbr`: the candidate that agrees most with all the others."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import TYPE_CHECKING

from cupel.cli import candidates, languages, output
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.choosing.mbr import Choice, Decoder
    from cupel.choosing.reading import Reading
    from cupel.choosing.segment import Candidates
    from cupel.questions.mbr import Mbr


def run(question: Mbr) -> None:
    """Choose, and print each choice as it is made."""
    from cupel.choosing.mbr import Decoder
    from cupel.choosing.reading import Reading
    from cupel.questions.mbr import Shortcuts

    decoder = Decoder.of(
        languages.chosen_metrics(question.metrics, question.language_pair),
        method=question.method,
        combine=question.combine,
        weights=question.metric_weights,
        coarse=question.coarse,
        matrix=question.matrix,
        threads=question.threads,
        **{field.name: getattr(question, field.name) for field in fields(Shortcuts)},
    )
    _note_readings(decoder)
    reading = Reading(
        question.input_format, question.per_segment, question.use_scores, question.temperature
    )
    segments = candidates.with_notes(
        _segments(question.candidates, question.pseudo_references, reading),
        decoder.metrics,
        question.language_pair,
    )
    if question.resume:
        _resume(question, segments, decoder)
        return
    with output.output(question.file) as file:
        _print_choices(question, segments, decoder, candidates.Printer(question, file))


def _note_readings(decoder: Decoder) -> None:
    """Say what takes long, where a metric reads both sentences of a pair."""
    from cupel.choosing.vector_utility import reads_pairs

    slow = [label for label, metric in decoder.metrics.items() if reads_pairs(metric)]
    if slow and decoder.method == "exact":
        output.warn(
            f"{slow[0]} reads each pair of candidates, n times n of them; assay-wmt13 encodes each "
            f"candidate once, and --method coarse reads the pairs of the best {decoder.shortcuts.keep}."
        )


def _segments(path: str, references: str | None, reading: Reading) -> Iterator[Candidates]:
    """The segments, with their pseudo-references where a file has them."""
    from cupel.choosing.reading import read_candidates

    if references is None:
        yield from read_candidates(path, reading)
        return
    pseudo = read_candidates(references, reading)
    count = 0
    lists = read_candidates(path, replace(reading, use_scores=False))
    for count, segment in enumerate(lists, start=1):
        other = next(pseudo, None)
        if other is None:
            raise CupelError(f"{references} has pseudo-references of {count - 1} segments only.")
        yield replace(segment, references=other.texts, weights=other.weights)
    if next(pseudo, None) is not None:
        raise CupelError(f"{references} has more segments than {path}, which has {count}.")


def _print_choices(
    question: Mbr,
    segments: Iterator[Candidates],
    decoder: Decoder,
    printer: candidates.Printer,
    done: int = 0,
) -> None:
    waiting: deque[Candidates] = deque()  # read, and not yet printed

    def remembered() -> Iterator[Candidates]:
        for segment in segments:
            waiting.append(segment)
            yield segment

    for number, choice in enumerate(_choices(question, remembered(), decoder), start=done + 1):
        printer.add(choice, waiting.popleft(), number)
    printer.close(decoder.metrics)


def _choices(question: Mbr, segments: Iterator[Candidates], decoder: Decoder) -> Iterator[Choice]:
    """The choice of each segment, made by processes of this machine or by a cluster."""
    from cupel.choosing.streams import choices

    if question.engine == "local":
        yield from choices(segments, decoder, question.workers)
        return
    from cupel.engines.ray import over_cluster

    workers = question.workers if question.workers > 1 else None
    with over_cluster(question.address, workers) as spread:
        yield from choices(segments, decoder, spread=spread)


def _resume(question: Mbr, segments: Iterator[Candidates], decoder: Decoder) -> None:
    import hashlib
    from itertools import islice

    from cupel import __version__
    from cupel.choosing.streams import resumable
    from cupel.provenance import record_of

    assert question.file is not None  # `rules` has checked it
    signatures = [f"{label} {metric.signature()}" for label, metric in decoder.metrics.items()]
    lines_depend_on = (__version__, record_of(question), question.form, signatures)
    key = hashlib.sha256(repr(lines_depend_on).encode()).hexdigest()
    with resumable(question.file, key) as (file, lines):
        is_table = question.form == "tsv"
        done = max(0, lines - is_table)
        if done:
            output.warn(f"{done:,} segments are done already; going on with the next one.")
        printer = candidates.Printer(question, file, header=is_table and not lines)
        _print_choices(question, islice(segments, done, None), decoder, printer, done)
