"""Statistics of blocks, in their order, into what scores are made of.

The sum of every metric is the one that NumPy computes with all segments in memory, to the last
bit: rows are added one after the other. For resampling, the sums of chunks are kept, and when
there are more than UNITS of them two neighbours become one; of a small input all rows are kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from cupel.arrays import FloatArray
from cupel.engines.blocks import CHUNK, BlockStatistics
from cupel.errors import CupelError
from cupel.metric import Metric

UNITS = 8192
"""At most so many sums of neighbouring segments are kept; there are at least half as many."""


class Totals:
    """Adds up blocks. `keep_rows`: keep the statistics of all segments, for exact resampling."""

    def __init__(self, metrics: Mapping[str, Metric], *, keep_rows: bool = False) -> None:
        self.metrics = metrics
        self.segments = 0
        self.references: Counter[int] = Counter()
        self.remarks: Counter[tuple[str, str]] = Counter()
        self._keep_rows = keep_rows
        self._sums: dict[str, FloatArray] = {}
        self._rows: dict[str, list[FloatArray]] = {label: [] for label in metrics}
        self._units = {label: _Units() for label in metrics}

    def add(self, block: BlockStatistics) -> None:
        """Add the block that begins where the last one ended."""
        if block.first != self.segments:
            raise CupelError(
                f"The block of segment {block.first + 1} was added where that of segment "
                f"{self.segments + 1} was expected."
            )
        for label in self.metrics:
            rows = block.rows.get(label)
            single = block.sums[label].shape[-1] == 1
            if rows is not None and (self._keep_rows or single):
                self._rows[label].append(rows)
            if not (rows is not None and single):
                self._sums[label] = self._with(label, block.sums[label], rows)
            if not self._keep_rows:
                self._units[label].add(block.sums[label])
        self.segments = block.end
        self.references.update(block.references)
        self.remarks.update(block.remarks)

    def _with(self, label: str, sums: FloatArray, rows: FloatArray | None) -> FloatArray:
        before = self._sums.get(label)
        if rows is None:  # whole numbers, exact in any order
            total: FloatArray = sums.sum(axis=0)
            return total if before is None else before + total
        if before is None:
            first: FloatArray = rows.sum(axis=1)
            return first
        added: FloatArray = np.concatenate([before[:, None], rows], axis=1).sum(axis=1)
        return added

    def sums(self, label: str) -> FloatArray:
        """(systems, k): the sum over all segments."""
        if label in self._sums:
            return self._sums[label]
        # A single column is contiguous, and NumPy adds it pairwise: that takes all of it at once.
        total: FloatArray = np.concatenate(self._rows[label], axis=1).sum(axis=1)
        return total

    @property
    def unit(self) -> int:
        """Segments per unit of resampling."""
        if self._keep_rows:
            return 1
        return next(iter(self._units.values())).size

    def units(self, label: str) -> FloatArray:
        """(systems, units, k): what a resample draws from: segments, or sums of neighbours."""
        if self._keep_rows:
            return np.concatenate(self._rows[label], axis=1)
        return self._units[label].array()


class _Units:
    """Sums of `size` neighbouring segments, at most UNITS of them."""

    def __init__(self) -> None:
        self.size = CHUNK
        self._sums: list[FloatArray] = []
        self._part: FloatArray | None = None
        self._chunks = 0

    def add(self, sums: FloatArray) -> None:
        for row in sums:
            self._part = row if self._part is None else self._part + row
            self._chunks += 1
            if self._chunks * CHUNK == self.size:
                self._close()
                if len(self._sums) > UNITS:
                    self._halve()

    def _close(self) -> None:
        if self._part is not None:
            self._sums.append(self._part)
        self._part, self._chunks = None, 0

    def _halve(self) -> None:
        pairs = zip(self._sums[::2], self._sums[1::2], strict=False)
        left = self._sums[-1] if len(self._sums) % 2 else None
        self._part, self._chunks = left, self.size // CHUNK if left is not None else 0
        self._sums = [a + b for a, b in pairs]
        self.size *= 2

    def array(self) -> FloatArray:
        rows = [*self._sums, *([] if self._part is None else [self._part])]
        return np.stack(rows, axis=1)
