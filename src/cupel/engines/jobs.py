"""Jobs: the blocks of a source, scored by whoever is asked for them, and added up in their order.

Each process, of this machine or of a cluster, reads its own blocks and sends back statistics, never
texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any

from cupel import pool
from cupel.blocks import BlockStatistics, block_statistics
from cupel.engines.inputs import Reader, Source
from cupel.metric import Metric
from cupel.scores import Scores
from cupel.totals import Totals

EXACT_BYTES = 64_000_000
"""Of smaller inputs the statistics of all segments are kept, and segments are resampled."""

Watch = Callable[[BlockStatistics], object]
"""Called with every block, in order."""


def is_exact(inputs: Source) -> bool:
    """Whether segments are resampled, not blocks: this depends on the inputs and on nothing else."""
    return inputs.size < EXACT_BYTES


@dataclass(frozen=True)
class Job:
    """The statistics of any block, by its number from 0; it can be sent to another process.

    metrics      prepared
    size         segments per block
    start, stop  the segments to score, to the end where stop is None
    exact        whether blocks have the statistics of all segments
    with_scores  whether they have the scores of their segments
    """

    inputs: Source
    metrics: Mapping[str, Metric]
    size: int
    start: int = 0
    stop: int | None = None
    exact: bool = False
    with_scores: bool = False

    @cached_property
    def reader(self) -> Reader:
        """Of this process."""
        return Reader(self.inputs)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "reader"}

    def __call__(self, number: int) -> BlockStatistics | None:
        """The statistics of a block; None behind the last."""
        first = self.start + number * self.size
        n = self.size if self.stop is None else min(self.size, self.stop - first)
        block = self.reader.read(first, n) if n > 0 else None
        if block is None:
            return None
        return block_statistics(
            self.metrics, block, all_rows=self.exact, with_scores=self.with_scores
        )

    def blocks(self, workers: int = 1) -> Iterator[BlockStatistics]:
        """The statistics of all blocks, in their order, computed by so many processes."""
        with self.reader:
            for statistics in pool.spread(self, count(), workers):
                if statistics is None:
                    return
                yield statistics


def added(
    blocks: Iterable[BlockStatistics],
    metrics: Mapping[str, Metric],
    exact: bool,
    *watches: Watch | None,
) -> Scores:
    """The scores that follow from blocks in their order. metrics: prepared.

    exact: whether blocks have the statistics of all segments. watches: called with every block.
    """
    totals = Totals("rows" if exact else "units")
    for block in blocks:
        totals.add(block)
        for watch in filter(None, watches):
            watch(block)
    return Scores(metrics, totals)
