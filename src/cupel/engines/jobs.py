"""A job: the blocks of a source, scored by whoever is asked for them, in one process or in many.

Each process reads its own blocks and sends back statistics, never texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

from cupel import pool
from cupel.blocks import Block, BlockStatistics, block_statistics
from cupel.engines.inputs import Reader, Source
from cupel.metric import Metric


@dataclass(frozen=True)
class Job:
    """All that a process needs to know: it can be sent to another.

    start, stop  the segments to score, to the end where stop is None
    size         segments per block
    """

    inputs: Source
    metrics: Mapping[str, Metric]
    size: int
    start: int = 0
    stop: int | None = None
    all_rows: bool = False
    with_scores: bool = False

    def read(self, reader: Reader, number: int) -> Block | None:
        """The block of that number, from 0; None behind the last."""
        first = self.start + number * self.size
        n = self.size if self.stop is None else min(self.size, self.stop - first)
        return reader.read(first, n) if n > 0 else None

    def statistics(self, block: Block) -> BlockStatistics:
        """What is to be computed of a block."""
        return block_statistics(
            self.metrics, block, all_rows=self.all_rows, with_scores=self.with_scores
        )


class Scorer:
    """The job, with its files open; a process that it is sent to opens them for itself."""

    def __init__(self, job: Job, reader: Reader | None = None) -> None:
        self._job = job
        self._reader = reader or Reader(job.inputs).__enter__()

    def __reduce__(self) -> Any:
        return Scorer, (self._job,)

    def __call__(self, number: int) -> BlockStatistics | None:
        block = self._job.read(self._reader, number)
        return None if block is None else self._job.statistics(block)


def run(job: Job, workers: int = 1) -> Iterator[BlockStatistics]:
    """The statistics of all blocks, in their order, computed by so many processes."""
    with Reader(job.inputs) as reader:
        for statistics in pool.spread(Scorer(job, reader), count(), workers):
            if statistics is None:
                return
            yield statistics
