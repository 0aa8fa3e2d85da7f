"""What `assay` learns from the scores of a large reader, which reads every pair of texts once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("safetensors")

from cupel.arrays import FloatArray
from cupel.learned.assay.data.examples import Builder
from cupel.learned.assay.training import teachers as taught_by
from cupel.learned.assay.training.teachers import Teachers, teacher_folder, with_marks
from cupel.neural.wordpiece import Pieces


def pieces_of(sentences: list[str]) -> Pieces:
    """One piece for each letter."""
    offsets = np.cumsum([0, *map(len, sentences)]).astype(np.int64)
    return Pieces(np.zeros(int(offsets[-1]), np.int32), offsets)


def test_a_large_reader_reads_each_pair_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder = Builder()
    for line in range(24):
        for wrong in range(4):
            item = builder.item(f"text {line}" + " bad" * wrong, f"text {line}", line)
            builder.outputs[item] = None
    data = builder.build(pieces_of)
    monkeypatch.setenv("CUPEL_CACHE", str(tmp_path))
    read: list[int] = []

    def reader(ours: list[str], theirs: list[str]) -> FloatArray:
        read.append(len(ours))
        return np.array([len(b) - len(a) for a, b in zip(ours, theirs, strict=True)], np.float64)

    monkeypatch.setattr(taught_by, "open_large", lambda *_: (reader, {}))
    name = Path("assay-2-large")
    assert teacher_folder(name).is_dir()
    assert teacher_folder(tmp_path) == tmp_path
    few, every = (with_marks(data, builder, Teachers((name,), most=most)) for most in (2, 0))
    again = with_marks(data, builder, Teachers((name,)))
    assert read == [48, 48]  # 2 of 4 translations of 24 segments; then the others
    assert len(few.marked) == 48
    assert again.mark.tolist() == every.mark.tolist()
    best = every.marked[every.mark == every.mark.max()]
    assert (data.hypothesis[best] == data.reference[best]).all()
    assert len(best) == 24
