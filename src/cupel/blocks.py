"""The statistics of a block of segments: what every engine computes, wherever the texts come from.

`block_statistics` is a plain function of texts and prepared metrics. Each distinct item (translation,
references, source) of a block is scored once, in batches, and equal items share one row of
statistics, so that equal translations tie exactly. A whole text in memory is one block. Of inputs
that are read block by block, sums are over chunks of CHUNK segments, always counted from the first
segment of the whole input, so that they do not depend on how the input is divided.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.batch import Batch
from cupel.console import Progress
from cupel.corpus import Corpus, Outline
from cupel.errors import CupelError, MissingPart
from cupel.metric import Metric, counts_only, longest_of, score_columns
from cupel.pool import spread

BATCH_SIZE = 8192
"""Items per batch: enough to keep the arrays long, few enough to keep memory flat."""
CHUNK = 1024
"""Segments whose statistics are summed to one row: the unit of resampling for large inputs."""
_BYTES, _BLOCKS = 200, 16
"""Bytes that a segment may have with its references, and blocks that a small input is divided into."""


@dataclass(frozen=True)
class Block:
    """Consecutive segments of an input.

    first       the number of the first, from 0; a multiple of CHUNK where chunks are summed
    systems     name -> (n,) translations
    references  (n,) lists of strings, empty ones where there are no references
    sources     (n,) strings, or None
    """

    first: int
    systems: Mapping[str, Sequence[str]]
    references: Sequence[Sequence[str]]
    sources: Sequence[str] | None = None

    def __len__(self) -> int:
        return len(self.references)

    @classmethod
    def of(cls, corpus: Corpus) -> Block:
        """All segments of a corpus."""
        return cls(0, corpus.systems, corpus.references, corpus.sources)


@dataclass(frozen=True)
class BlockStatistics:
    """What is left of a block once its texts are gone. Arrays and numbers only.

    first    the number of its first segment
    outline  what is counted of its texts
    rows     label -> (systems, segments, k), of metrics that do not only count, or of all
    sums     label -> (systems, chunks, k), of the others: sums of up to CHUNK segments each
    scores   column -> (systems, segments): segment scores, where they are asked for
    """

    first: int
    outline: Outline
    rows: Mapping[str, FloatArray]
    sums: Mapping[str, FloatArray] = field(default_factory=dict)
    scores: Mapping[str, FloatArray] = field(default_factory=dict)

    @property
    def segments(self) -> int:
        """How many segments there are."""
        return len(self.outline)

    @property
    def end(self) -> int:
        """The number of the first segment behind it."""
        return self.first + self.segments


@dataclass(frozen=True)
class Task:
    """A batch of distinct items, and where each came from first: (system, segment)."""

    hypotheses: list[str]
    references: list[Sequence[str]]
    sources: list[str] | None
    origin: list[tuple[str, int]]

    def batch(self, rows: slice = slice(None)) -> Batch:
        sources = self.sources[rows] if self.sources is not None else None
        return Batch(self.hypotheses[rows], self.references[rows], sources)

    def place(self, row: int) -> str:
        system, segment = self.origin[row]
        return f"segment {segment + 1} of system {system!r}"


def block_size(systems: int, size: float = math.inf) -> int:
    """Segments per block: whole chunks, at most as many items as a batch has.

    size: bytes of the inputs. Small ones have smaller blocks, so that several workers end at about
    the same time. The number of workers does not count, so that it cannot change anything.
    """
    items = min(BATCH_SIZE, size / (_BYTES * _BLOCKS))
    return CHUNK * max(1, int(items / CHUNK / max(systems, 1)))


def block_statistics(
    metrics: Mapping[str, Metric],
    block: Block,
    *,
    all_rows: bool = False,
    with_scores: bool = False,
) -> BlockStatistics:
    """The statistics of every metric on a block. metrics: by label, prepared.

    all_rows: keep the statistics of every segment also of metrics that only count, for resampling
    segments. with_scores: compute the scores of segments.
    """
    rows = block_rows(metrics, block)
    sums: dict[str, FloatArray] = {}
    scores: dict[str, FloatArray] = {}
    for label, metric in metrics.items():
        if with_scores:
            scores |= score_columns(label, metric, rows[label], segments=True)
        if not all_rows and counts_only(metric):
            statistics = rows.pop(label)
            if not (statistics == np.rint(statistics)).all():
                raise CupelError(f"The metric {label!r} says that it only counts, but it does not.")
            sums[label] = chunk_sums(statistics)
    return BlockStatistics(
        block.first, Outline.of(block.systems, block.references), rows, sums, scores
    )


def chunk_sums(rows: FloatArray) -> FloatArray:
    """(systems, n, k) -> (systems, chunks, k): sums over CHUNK rows each, the last over the rest."""
    starts = range(0, rows.shape[1], CHUNK)
    return np.stack([rows[:, start : start + CHUNK].sum(axis=1) for start in starts], axis=1)


def block_rows(
    metrics: Mapping[str, Metric],
    block: Block,
    workers: int = 1,
    progress: Progress | None = None,
) -> dict[str, FloatArray]:
    """label -> (systems, segments, k): the statistics of every segment.

    workers: processes that share the batches, unless there are few. progress: called with the
    number of distinct items scored, and of all.
    """
    origin, index = _distinct_items(block)
    processes = 1 if len(origin) <= BATCH_SIZE // 8 else workers
    parts: dict[str, list[FloatArray]] = {label: [] for label in metrics}
    done = 0
    tasks = _tasks(block, origin) if metrics else ()
    for statistics in spread(partial(task_statistics, metrics), tasks, processes):
        for label, rows in statistics.items():
            parts[label].append(rows)
        done += len(next(iter(statistics.values())))
        if progress:
            progress(done, len(origin))
    return {label: np.concatenate(rows)[index] for label, rows in parts.items()}


def _tasks(block: Block, items: Sequence[tuple[str, int]]) -> Iterator[Task]:
    for start in range(0, len(items), BATCH_SIZE):
        batch = items[start : start + BATCH_SIZE]
        yield Task(
            [block.systems[system][row] for system, row in batch],
            [block.references[row] for _, row in batch],
            [block.sources[row] for _, row in batch] if block.sources is not None else None,
            [(system, block.first + row) for system, row in batch],
        )


def _distinct_items(block: Block) -> tuple[list[tuple[str, int]], IntArray]:
    """(system, row) of each distinct item where it comes first, and (systems, n) their numbers.

    Segment by segment, so that the references of one serve all systems in the same batch.
    """
    contexts: Sequence[object] = [
        texts[0] if len(texts) == 1 else tuple(texts) for texts in block.references
    ]
    if block.sources is not None:
        contexts = list(zip(contexts, block.sources, strict=True))
    names = list(block.systems)
    if len(names) == 1:
        whole = _numbered(list(zip(contexts, block.systems[names[0]], strict=True)))
    else:
        numbers = _numbered(contexts).tolist()
        pairs = zip(numbers, zip(*block.systems.values(), strict=True), strict=True)
        whole = _numbered([(context, text) for context, texts in pairs for text in texts])
    # Numbers grow by one where an item appears for the first time.
    appears = np.flatnonzero(np.diff(np.maximum.accumulate(whole), prepend=-1))
    segments, systems = (part.tolist() for part in np.divmod(appears, len(names)))
    origin = list(zip(map(names.__getitem__, systems), segments, strict=True))
    return origin, np.ascontiguousarray(whole.reshape(len(block), len(names)).T)


def _numbered(items: Sequence[object]) -> IntArray:
    """Equal numbers for equal items, in order of first appearance."""
    numbers: dict[object, int] = dict.fromkeys(items, 0)
    if len(numbers) == len(items):  # the usual case
        return np.arange(len(items))
    numbers = dict(zip(numbers, range(len(numbers)), strict=True))
    return np.fromiter(map(numbers.__getitem__, items), np.int64, len(items))


def task_statistics(metrics: Mapping[str, Metric], task: Task) -> dict[str, FloatArray]:
    """The checked statistics of every metric on one batch: label -> (n, k)."""
    batch = task.batch()
    limits = {label: longest_of(metric) for label, metric in metrics.items()}
    if min(limits.values(), default=math.inf) < math.inf:
        longest = max(map(len, batch.sentences), default=0)
        for label, limit in limits.items():
            if longest > limit:
                raise _too_long(label, metrics[label], task)
    return {label: _checked(label, metric, task, batch) for label, metric in metrics.items()}


def _too_long(label: str, metric: Metric, task: Task) -> CupelError:
    """The error for a text that is longer than a metric can take."""
    rows = zip(task.hypotheses, task.references, strict=True)
    longest = [max(map(len, (hypothesis, *texts))) for hypothesis, texts in rows]
    row = longest.index(max(longest))
    return CupelError(
        f"The metric {label!r} takes texts of up to {longest_of(metric):,.0f} characters; "
        f"{task.place(row)} or its reference has {longest[row]:,}: split it, or leave it out."
    )


def _checked(label: str, metric: Metric, task: Task, batch: Batch) -> FloatArray:
    try:
        statistics = metric.statistics(batch)
    except MissingPart:
        raise
    except (Exception, SystemExit) as error:  # a function of the user's may do anything
        raise CupelError(
            f"The metric {label!r} failed on {_culprit(metric, task)}: {_sentence(error)}."
        ) from error
    shape = np.shape(statistics)
    if len(shape) != 2 or shape[0] != len(batch):
        raise CupelError(
            f"The metric {label!r} returned statistics of shape {shape} for {len(batch)} segments "
            f"starting at {task.place(0)}; ({len(batch)}, k) was expected."
        )
    statistics = np.asarray(statistics, np.float64)
    wrong = np.flatnonzero(~np.isfinite(statistics).all(axis=1))
    if len(wrong):
        value = statistics[wrong[0]][~np.isfinite(statistics[wrong[0]])][0]
        raise CupelError(f"The metric {label!r} gave {value} on {task.place(int(wrong[0]))}.")
    return statistics


def _culprit(metric: Metric, task: Task) -> str:
    """The segment that a metric fails on: one after the other is tried."""
    for row in range(len(task.origin)):
        try:
            metric.statistics(task.batch(slice(row, row + 1)))
        except (Exception, SystemExit):
            return task.place(row)
    return f"a batch from {task.place(0)} to {task.place(len(task.origin) - 1)}"


def _sentence(error: BaseException) -> str:
    text = str(error).rstrip(".")
    return text if isinstance(error, CupelError) else f"{type(error).__name__}: {text}"
