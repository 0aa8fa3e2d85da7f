"""Score files block by block, in memory that does not grow with them.

Where everything fits, `cupel.score` and this give the same numbers, to the last bit: scores,
segment scores, and below EXACT_BYTES also intervals and tests. Beyond, intervals and tests draw
blocks of neighbouring segments instead of segments, and the signature says how long these are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol, Self, runtime_checkable

from cupel.blocks import Block, BlockStatistics, block_size
from cupel.console import Progress
from cupel.corpus import NO_REFERENCES, Corpus
from cupel.engines.inputs import Inputs, Source, blocks
from cupel.engines.jobs import Job, Watch, added, is_exact
from cupel.errors import CupelError
from cupel.metric import DetailedByText, Metric, learns_from_corpus
from cupel.scores import Scores
from cupel.scoring import check_needs


@runtime_checkable
class LearnsFromBlocks(Protocol):
    """A metric that can learn from references that are not in memory at once."""

    def prepare_blocks(self, blocks: Iterable[Sequence[Sequence[str]]]) -> Self:
        """`prepare`, from the references of consecutive blocks of segments."""
        ...


def score_files(
    inputs: Inputs,
    metrics: Mapping[str, Metric],
    *,
    workers: int = 1,
    with_scores: bool = False,
    watch: Watch | None = None,
    progress: Progress | None = None,
) -> Scores:
    """Score the systems of files. metrics: by label, not prepared yet.

    workers: processes that share the work. with_scores: whether blocks have the scores of their
    segments, for `watch`. progress: called with segments done, and how many there may be.
    """
    prepared = prepare_on(inputs, metrics)
    size = block_size(len(inputs.systems), inputs.size)
    job = Job(inputs, prepared, size, exact=is_exact(inputs), with_scores=with_scores)
    estimate = _Estimate(inputs)

    def report(block: BlockStatistics) -> None:
        if progress:
            progress(block.end, estimate.of(block.end))

    return added(job.blocks(workers), prepared, job.exact, watch, report)


def why_not_streamed(
    inputs: Inputs, metrics: Mapping[str, Metric], *, details: bool = False
) -> str | None:
    """What keeps the inputs from being scored block by block, as the end of a sentence; or None.

    details: whether details of the system scores are wanted.
    """
    for label, metric in metrics.items():
        if details and isinstance(metric, DetailedByText):
            return f"--details of {label} needs all texts at once"
        if learns_from_corpus(metric) and not isinstance(metric, LearnsFromBlocks):
            return f"the metric {label!r} learns from all texts at once"
    return inputs.why_not_streamed()


def prepare_on(inputs: Source, metrics: Mapping[str, Metric]) -> dict[str, Metric]:
    """The metrics, prepared: those that learn from references read all of them first."""
    size = block_size(len(inputs.systems), inputs.size)
    first = next(blocks(inputs, size), None)
    if first is None:
        raise CupelError("There is nothing to score: the files have no segments.")
    sample = Corpus(
        first.systems, first.references if any(first.references) else NO_REFERENCES, first.sources
    )
    check_needs(sample, metrics)
    prepared: dict[str, Metric] = {}
    for label, metric in metrics.items():
        if learns_from_corpus(metric):
            if not isinstance(metric, LearnsFromBlocks):
                raise CupelError(f"The metric {label!r} learns from all texts at once.")
            prepared[label] = metric.prepare_blocks(_references(blocks(inputs, size)))
        else:
            prepared[label] = metric.prepare(sample)
    return prepared


def _references(parts: Iterator[Block]) -> Iterator[Sequence[Sequence[str]]]:
    return (block.references for block in parts)


class _Estimate:
    """How many segments there may be, as far as can be told before the end."""

    def __init__(self, inputs: Inputs) -> None:
        self._lines = 0
        first = inputs.files[0]
        if not first.endswith(".gz") and ":" not in first:
            with Path(first).open("rb") as file:
                head = file.read(1 << 20)
                size = file.seek(0, 2)
            lines = head.count(b"\n")
            self._lines = lines if size == len(head) else int(size / len(head) * lines)

    def of(self, done: int) -> int:
        return max(done, self._lines)
