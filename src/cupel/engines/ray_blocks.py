"""Statistics of a block as bytes, and the folder in which a run on Ray keeps what it has finished.

    FOLDER/plan.json                what is computed: files, metrics, signatures, size of a block
    FOLDER/blocks/000017.npz        the statistics of a block, written when all of it is done
    FOLDER/segments/000017.parquet  its segment scores, where they are asked for

Each file is written beside its place and renamed, so that a block is there or is not, whatever was
killed. A run that finds blocks of the same plan continues behind them. Nothing is pickled.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cupel.arrays import FloatArray
from cupel.blocks import BlockStatistics
from cupel.corpus import Outline
from cupel.errors import CupelError
from cupel.folders import write_bytes, write_text, writing

if TYPE_CHECKING:
    import polars

PLAN = "plan.json"
_ARRAYS = ("rows", "sums", "scores")


def packed(block: BlockStatistics) -> bytes:
    """A block's statistics as bytes."""
    header = {
        "first": block.first,
        "outline": vars(block.outline),
        "arrays": [],
    }
    arrays = []
    for part in _ARRAYS:
        for label, values in getattr(block, part).items():
            header["arrays"].append([part, label])  # type: ignore[attr-defined]
            arrays.append(values)
    text = np.frombuffer(json.dumps(header).encode(), np.uint8)
    stream = io.BytesIO()
    np.savez(stream, header=text, **{f"a{n}": array for n, array in enumerate(arrays)})
    return stream.getvalue()


def unpacked(content: bytes, name: str = "a block") -> BlockStatistics:
    """The statistics that `packed` wrote. name: what errors call them."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            header = json.loads(arrays["header"].tobytes())
            parts: dict[str, dict[str, FloatArray]] = {part: {} for part in _ARRAYS}
            for number, (part, label) in enumerate(header["arrays"]):
                parts[part][label] = arrays[f"a{number}"]
    except (ValueError, KeyError, EOFError, OSError, zipfile.BadZipFile) as error:
        raise CupelError(f"{name} is damaged: delete it, and it is computed again.") from error
    return BlockStatistics(
        header["first"],
        Outline.of_record(header["outline"]),
        parts["rows"],
        parts["sums"],
        parts["scores"],
    )


class Folder:
    """The folder of a run."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def begin(self, plan: Mapping[str, Any]) -> frozenset[int]:
        """The numbers of the blocks that are done; an error if they are of another plan."""
        place = self.path / PLAN
        text = json.dumps(plan, indent=1, ensure_ascii=False)
        if not place.exists():
            if self.path.exists() and any(p for p in self.path.iterdir() if p.name[0] != "."):
                raise CupelError(
                    f"{self.path} has files that are not of such a run: choose another folder."
                )
            write_text(place, text)
        try:
            before = json.loads(place.read_text("utf-8"))
        except ValueError:
            raise CupelError(f"{place} is damaged: choose another folder.") from None
        for key, value in json.loads(text).items():
            if not isinstance(before, dict) or before.get(key) != value:
                raise CupelError(
                    f"{self.path} has blocks of another run (its {key} differ): choose another "
                    "folder, or delete this one."
                )
        names = [p.stem for p in (self.path / "blocks").glob("*.npz") if p.stem.isdecimal()]
        return frozenset(map(int, names))

    def block(self, number: int) -> Path:
        return self.path / "blocks" / f"{number:06}.npz"

    def read(self, number: int) -> BlockStatistics:
        """A finished block."""
        place = self.block(number)
        return unpacked(place.read_bytes(), str(place))

    def write(self, number: int, content: bytes) -> None:
        """Keep the statistics of a finished block."""
        write_bytes(self.block(number), content)

    def write_segments(self, number: int, block: BlockStatistics, systems: Sequence[str]) -> None:
        """Keep the segment scores of a block; before its statistics, which say that it is done."""
        with writing(self.path / "segments" / f"{number:06}.parquet") as beside:
            segment_frame(block, systems).write_parquet(beside)


def segment_frame(block: BlockStatistics, systems: Sequence[str]) -> polars.DataFrame:
    """system, segment (from 1) and a column for each metric; the systems one after the other."""
    import polars

    numbers = np.arange(block.first + 1, block.end + 1)
    names = {
        "system": np.repeat(list(systems), block.segments),
        "segment": np.tile(numbers, len(systems)),
    }
    return polars.DataFrame({**names, **{k: v.ravel() for k, v in block.scores.items()}})
