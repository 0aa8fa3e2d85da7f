"""Segment scores of blocks: as a table, or kept in a file and given back system by system."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np

from cupel.arrays import FloatArray
from cupel.blocks import BlockStatistics

if TYPE_CHECKING:
    import polars

_ROWS = 8192


class SegmentStore:
    """Scores come block by block, with all systems, and go system by system: (n, columns) pieces.

    systems: those to keep. folder: where the temporary files are, which nobody sees.
    """

    def __init__(self, systems: Sequence[int], folder: Path | None = None) -> None:
        if folder is not None and not folder.is_dir():
            folder = None  # it is made with the output
        self._stack = ExitStack()
        self._files: dict[int, IO[bytes]] = {}
        for system in systems:
            self._files[system] = self._stack.enter_context(
                tempfile.TemporaryFile(prefix=".cupel-", dir=folder)  # noqa: SIM115
            )
        self.columns: list[str] = []

    def __enter__(self) -> SegmentStore:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def add(self, block: BlockStatistics) -> None:
        """Keep the scores of the next block."""
        self.columns = list(block.scores)
        for system, file in self._files.items():
            file.write(rows_of(block, system).tobytes())

    def pieces(self, system: int) -> Iterator[FloatArray]:
        """The scores of a system from the first segment on, (n, columns) at a time."""
        file = self._files[system]
        file.flush()
        file.seek(0)
        width = 8 * len(self.columns)
        while content := file.read(_ROWS * width):
            yield np.frombuffer(content).reshape(-1, len(self.columns))


def rows_of(block: BlockStatistics, system: int) -> FloatArray:
    """(n, columns): the scores of a system in a block."""
    return np.column_stack([values[system] for values in block.scores.values()])


def segment_frame(block: BlockStatistics) -> polars.DataFrame:
    """system, segment (from 1) and a column for each metric; the systems one after the other."""
    import polars

    systems = list(block.outline.segments)
    names = {
        "system": np.repeat(systems, block.segments),
        "segment": np.tile(np.arange(block.first + 1, block.end + 1), len(systems)),
    }
    return polars.DataFrame({**names, **{k: v.ravel() for k, v in block.scores.items()}})
