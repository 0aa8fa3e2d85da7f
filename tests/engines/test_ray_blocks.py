"""Statistics of a block go to a file and come back; a folder of another run is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import cupel
from cupel.blocks import Block, block_statistics
from cupel.engines.ray_blocks import Folder, packed, unpacked
from cupel.engines.ray_run import joined
from cupel.errors import CupelError
from cupel.totals import Totals

METRICS = ["bleu", "ter", "rouge-l"]


def blocks(size: int) -> tuple[cupel.Scores, list[Block]]:
    corpus = cupel.data.sample()
    texts = list(corpus.systems["rough"]) * 60
    references = [list(r) for r in corpus.references] * 60
    scores = cupel.score({"rough": texts}, references, METRICS)
    return scores, [
        Block(n, {"rough": texts[n : n + size]}, references[n : n + size])
        for n in range(0, len(texts), size)
    ]


def test_what_is_packed_adds_up_as_before(tmp_path: Path) -> None:
    """Also where an actor joins several blocks to one."""
    scores, parts = blocks(1024)
    made = [block_statistics(scores.metrics, part, with_scores=True) for part in parts]
    folder = Folder(tmp_path / "kept")
    assert folder.begin({"version": "1"}) == frozenset()
    for number, block in enumerate([joined(made[:2]), made[2]]):
        folder.write_segments(number, block, ["rough"])
        folder.write(number, packed(block))
    assert folder.begin({"version": "1"}) == {0, 1}
    totals = Totals("units")
    for number in (0, 1):
        totals.add(folder.read(number))
    assert len(totals.outline) == 2400
    for label, metric in scores.metrics.items():
        assert float(metric.score(totals.sums(label))[0]) == scores[label]
    assert dict(totals.outline.references) == dict(
        zip(*np.unique([len(r) for part in parts for r in part.references], return_counts=True), strict=True)
    )  # fmt: skip
    frame = pl.read_parquet(tmp_path / "kept" / "segments" / "*.parquet")
    assert frame.columns == ["system", "segment", *METRICS]
    assert frame["segment"].to_list() == list(range(1, 2401))
    assert frame["rouge-l"].to_list() == scores.segment_scores("rouge-l").tolist()


def test_folders_and_blocks_that_do_not_fit(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "kept")
    folder.begin({"version": "1", "files": [["a", 3]]})
    with pytest.raises(CupelError) as error:
        folder.begin({"version": "1", "files": [["a", 4]]})
    assert str(error.value) == (
        f"{tmp_path / 'kept'} has blocks of another run (its files differ): choose another folder, "
        "or delete this one."
    )
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(CupelError, match="has files that are not of such a run"):
        Folder(tmp_path).begin({})
    with pytest.raises(
        CupelError, match=r"^a block is damaged: delete it, and it is computed again"
    ):
        unpacked(b"PK but no block")
    _, parts = blocks(1024)
    content = packed(block_statistics({"ter": cupel.get_metric("ter")}, parts[0]))
    with pytest.raises(CupelError, match="is damaged"):
        unpacked(content[: len(content) // 2])
