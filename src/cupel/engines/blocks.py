"""The statistics of a block of segments: what a worker computes, whatever engine it works for.

`block_statistics` is a plain function of texts and prepared metrics. Statistics of a block are
sums over chunks of CHUNK segments, always counted from the first segment of the whole input, so
that they do not depend on how the input is divided. Sums of whole numbers are exact in any order;
of a metric with other statistics the rows of all segments are kept as well, and added one after
the other (`cupel.engines.totals`), which is what NumPy does with all of them in memory.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.errors import CupelError
from cupel.metric import Metric, counts_only
from cupel.scores import score_columns
from cupel.scoring import BATCH_SIZE, Task, task_statistics

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


@dataclass(frozen=True)
class BlockStatistics:
    """What is left of a block once its texts are gone. Arrays and numbers only.

    first, segments  which segments of the input these are
    sums             label -> (chunks, systems, k): sums of up to CHUNK segments each
    rows             label -> (systems, segments, k), of metrics that do not only count, or of all
    scores           column -> (systems, segments): segment scores, where they are asked for
    references       how many references the segments have: number -> segments
    remarks          what users are told: (kind, part) -> how many segments
    """

    first: int
    segments: int
    sums: Mapping[str, FloatArray]
    rows: Mapping[str, FloatArray] = field(default_factory=dict)
    scores: Mapping[str, FloatArray] = field(default_factory=dict)
    references: Mapping[int, int] = field(default_factory=dict)
    remarks: Mapping[tuple[str, str], int] = field(default_factory=dict)

    @property
    def end(self) -> int:
        """The number of the first segment behind it."""
        return self.first + self.segments


EMPTY, TOKENISED, LENGTH = "empty", "tokenised", "length"
"""The kinds of remarks: blank texts, translations that end in ' .', characters of first references."""


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
    items, index = _distinct_items(block)
    parts: dict[str, list[FloatArray]] = {label: [] for label in metrics}
    for start in range(0, len(items), BATCH_SIZE):
        task = _task(block, items[start : start + BATCH_SIZE])
        for label, statistics in task_statistics(metrics, task).items():
            parts[label].append(statistics)
    sums: dict[str, FloatArray] = {}
    rows: dict[str, FloatArray] = {}
    scores: dict[str, FloatArray] = {}
    for label, metric in metrics.items():
        spread = np.concatenate(parts[label])[index]
        sums[label] = chunk_sums(spread)
        if all_rows or not counts_only(metric):
            rows[label] = spread
        elif not (spread == np.rint(spread)).all():
            raise CupelError(f"The metric {label!r} says that it only counts, but it does not.")
        if with_scores:
            scores |= score_columns(label, metric, spread, segments=True)
    counts = Counter(map(len, block.references))
    return BlockStatistics(
        block.first, len(block), sums, rows, scores, dict(counts), _remarks(block)
    )


def chunk_sums(rows: FloatArray) -> FloatArray:
    """(systems, n, k) -> (chunks, systems, k): sums over CHUNK rows each, the last over the rest."""
    starts = range(0, rows.shape[1], CHUNK)
    return np.stack([rows[:, start : start + CHUNK].sum(axis=1) for start in starts])


def _distinct_items(block: Block) -> tuple[list[tuple[str, int]], IntArray]:
    """(system, row) of each distinct item where it comes first, and (systems, n) their numbers."""
    contexts = list(map(tuple, block.references))
    sources: Sequence[str | None] = block.sources or [None] * len(block)
    if len(block.systems) == 1:
        ((system, only),) = block.systems.items()
        if len(set(zip(only, contexts, sources, strict=True))) == len(block):
            return [(system, row) for row in range(len(block))], np.arange(len(block))[None]
    numbers: dict[object, int] = {}
    items: list[tuple[str, int]] = []
    index = np.empty((len(block.systems), len(block)), np.int64)
    for row, (context, source) in enumerate(zip(contexts, sources, strict=True)):
        for place, (system, texts) in enumerate(block.systems.items()):
            number = numbers.setdefault((texts[row], context, source), len(items))
            if number == len(items):
                items.append((system, row))
            index[place, row] = number
    return items, index


def _task(block: Block, items: Sequence[tuple[str, int]]) -> Task:
    return Task(
        [block.systems[system][row] for system, row in items],
        [block.references[row] for _, row in items],
        [block.sources[row] for _, row in items] if block.sources is not None else None,
        [(system, block.first + row) for system, row in items],
    )


def _remarks(block: Block) -> dict[tuple[str, str], int]:
    counts = {
        (EMPTY, "references"): sum(
            not text.strip() for texts in block.references for text in texts
        ),
        (LENGTH, "references"): sum(len(texts[0]) for texts in block.references if texts),
    }
    for system, texts in block.systems.items():
        place = (EMPTY, system)
        counts[place] = counts.get(place, 0) + sum(not text.strip() for text in texts)
        counts[TOKENISED, system] = sum(text.endswith(" .") for text in texts)
    return {place: count for place, count in counts.items() if count}
