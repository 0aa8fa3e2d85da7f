"""What the statistics of segments add up to, wherever they come from; scores are made of it.

Blocks in their order add up to the sums that NumPy computes with all segments in memory, to the last
bit: rows are added one after the other. Blocks in any order, from a training loop or from tables on
many machines, add up to sums that are exact, so that any division gives the same bits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from cupel import blocks
from cupel.arrays import FloatArray
from cupel.blocks import BlockStatistics, chunk_sums
from cupel.corpus import Outline
from cupel.errors import CupelError

Keep = Literal["rows", "units", "sums"]
UNITS = 8192
"""At most so many sums of neighbouring segments are kept; there are at least half as many."""
_GRIDS = (2.0**-20, 2.0**-47, 2.0**-74)
"""A sum of multiples of one grid is exact below 2^53 times the grid. Rests are below half of the
grid before, so that 2^26 segments or more stay exact; what is below the last grid is dropped."""


class Totals:
    """Adds up the statistics of blocks; what was not kept is one error, `not_kept`.

    keep     `rows`: the statistics of all segments, so that segments can be scored and resampled;
             `units`: sums of neighbouring segments, so that these can be resampled;
             `sums`: nothing else, and then blocks may come in any order
    outline  what is counted of the texts
    exact    label -> system -> (3, k), the sums of blocks in any order; see `exact_sums`
    """

    def __init__(self, keep: Keep = "sums", outline: Outline | None = None) -> None:
        self.keep = keep
        self.outline = outline or Outline()
        self.exact: dict[str, dict[str, FloatArray]] = {}
        self._sums: dict[str, FloatArray] = {}
        self._rows: dict[str, list[FloatArray]] = {}
        self._units: dict[str, _Units] = {}

    @classmethod
    def of(cls, systems: Sequence[str], rows: Mapping[str, FloatArray]) -> Totals:
        """Of all segments, in memory. rows: label -> (systems, segments, k)."""
        totals = cls("rows")
        totals._rows = {label: [statistics] for label, statistics in rows.items()}
        totals._sums = {label: statistics.sum(axis=1) for label, statistics in rows.items()}
        count = next((statistics.shape[1] for statistics in rows.values()), 0)
        totals.outline.segments.update(dict.fromkeys(systems, count))
        return totals

    @property
    def systems(self) -> list[str]:
        """Names of the systems, in their order."""
        return list(self.outline.segments)

    def add(self, block: BlockStatistics) -> None:
        """Add a block; unless only sums are kept, the one that begins where the last one ended."""
        if self.keep == "sums":
            for label, pieces in {**block.sums, **block.rows}.items():
                for system, statistics in zip(block.outline.segments, pieces, strict=True):
                    self.add_exact(label, system, exact_sums(statistics))
        elif block.first != len(self.outline):
            raise CupelError(
                f"The block of segment {block.first + 1} was added where that of segment "
                f"{len(self.outline) + 1} was expected."
            )
        else:
            self._add_in_order(block)
        self.outline += block.outline

    def _add_in_order(self, block: BlockStatistics) -> None:
        for label, rows in block.rows.items():
            # A single column is contiguous, and NumPy adds it pairwise: that takes all of it at once.
            single = rows.shape[-1] == 1
            if self.keep == "rows" or single:
                self._rows.setdefault(label, []).append(rows)
            if not single:
                self._carry(label, rows)
        for label, sums in block.sums.items():  # whole numbers, exact in any order
            self._carry(label, sums)
        if self.keep == "units":
            sums_of_rows = {label: chunk_sums(rows) for label, rows in block.rows.items()}
            for label, sums in {**block.sums, **sums_of_rows}.items():
                self._units.setdefault(label, _Units()).add(sums)

    def _carry(self, label: str, pieces: FloatArray) -> None:
        """Add (systems, n, k) behind what has been added before, row after row."""
        if label in self._sums:
            pieces = np.concatenate([self._sums[label][:, None], pieces], axis=1)
        self._sums[label] = pieces.sum(axis=1)

    def add_exact(self, label: str, system: str, sums: FloatArray) -> None:
        """Add (3, k) exact sums of some segments."""
        systems = self.exact.setdefault(label, {})
        systems[system] = systems[system] + sums if system in systems else sums

    def merge(self, other: Totals) -> None:
        """Add what others have added up in any order."""
        for label, systems in other.exact.items():
            for system, sums in systems.items():
                self.add_exact(label, system, sums)
        self.outline += other.outline

    def sums(self, label: str) -> FloatArray:
        """(systems, k): the sum over all segments."""
        if label in self.exact:
            return np.stack([total(self.exact[label][system]) for system in self.systems])
        if label in self._sums:
            return self._sums[label]
        return np.asarray(self._all_rows(label).sum(axis=1))

    @property
    def unit(self) -> int:
        """Segments per unit of resampling."""
        return next((units.size for units in self._units.values()), 1)

    def units(self, label: str) -> FloatArray:
        """(systems, units, k): what a resample draws from: segments, or sums of neighbours."""
        if self.keep == "sums":
            raise not_kept("statistics of the segments")
        return self._all_rows(label) if self.keep == "rows" else self._units[label].array()

    def _all_rows(self, label: str) -> FloatArray:
        if len(self._rows[label]) > 1:
            self._rows[label] = [np.concatenate(self._rows[label], axis=1)]
        return self._rows[label][0]


class _Units:
    """Sums of `size` neighbouring segments, at most UNITS of them; the last may have fewer."""

    def __init__(self) -> None:
        self.size = blocks.CHUNK
        self._sums: list[FloatArray] = []
        self._last = 0

    def add(self, chunks: FloatArray) -> None:
        """(systems, chunks, k), all of whole chunks but the last of the input."""
        for chunk in np.moveaxis(chunks, 1, 0):
            if self._last:
                self._sums[-1] = self._sums[-1] + chunk
            else:
                self._sums.append(chunk)
            self._last = (self._last + blocks.CHUNK) % self.size
            if not self._last and len(self._sums) > UNITS:
                pairs = [self._sums[at : at + 2] for at in range(0, len(self._sums), 2)]
                self._sums = [np.add(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
                self._last = self.size if len(pairs[-1]) == 1 else 0
                self.size *= 2

    def array(self) -> FloatArray:
        return np.stack(self._sums, axis=1)


def not_kept(parts: str) -> CupelError:
    """The error where somebody asks for what is gone."""
    return CupelError(
        f"The {parts} were not kept, because these scores were added up block by block: score the "
        "texts in memory, with cupel.score."
    )


def exact_sums(statistics: FloatArray) -> FloatArray:
    """(n, k) -> (3, k): sums of the parts of each number on three grids, coarse to fine.

    Sums of such sums are exact, so their order does not matter. Whole numbers are all in the first.
    """
    parts, rest = [], statistics
    for grid in _GRIDS:
        part = np.rint(rest / grid) * grid
        parts.append(part.sum(axis=0))
        rest = rest - part
    return np.stack(parts)


def total(sums: FloatArray) -> FloatArray:
    """(3, k) -> (k,), the sums of the statistics."""
    coarse, middle, fine = sums
    return np.asarray(coarse + (middle + fine))
