"""Statistics of a block go to a file and come back; a folder of another run is refused."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import cupel
from cupel.blocks import Block, block_statistics
from cupel.engines import ray as on_ray
from cupel.engines.inputs import Inputs
from cupel.engines.jobs import Job
from cupel.engines.parts import block_frame, read_blocks
from cupel.engines.patterns import File, Pattern, Patterns
from cupel.engines.segments import segment_frame
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


def test_what_is_kept_adds_up_as_before(tmp_path: Path) -> None:
    scores, parts = blocks(1024)
    totals = Totals("units")
    frames = []
    for number, part in enumerate(parts):
        block = block_statistics(scores.metrics, part, with_scores=True)
        frames.append(segment_frame(block))
        block_frame(block).write_parquet(tmp_path / f"{number}.parquet")
        (kept,) = read_blocks(tmp_path / f"{number}.parquet", "It is damaged.")
        assert (kept.first, kept.outline) == (block.first, block.outline)
        totals.add(kept)
    assert scores.segments == totals.outline.segments == {"rough": 2400}
    assert totals.outline == scores.outline
    for label, metric in scores.metrics.items():
        assert float(metric.score(totals.sums(label))[0]) == scores[label]
    frame = pl.concat(frames)
    assert frame.columns == ["system", "segment", *METRICS]
    assert frame["segment"].to_list() == list(range(1, 2401))
    assert frame["rouge-l"].to_list() == scores.segment_scores("rouge-l").tolist()


def test_folders_and_blocks_that_do_not_fit(tmp_path: Path) -> None:
    def begin(folder: Path, size: int) -> frozenset[int]:
        files = (File("a", size, 3),)
        patterns = Patterns({"s": Pattern("a", ("a",), None, "hypothesis", files)})
        request = on_ray.Request(Job(Inputs({}), {}, 8), {})
        return on_ray.begin(folder, request, patterns)

    folder = tmp_path / "kept"
    assert begin(folder, 3) == frozenset()
    (folder / "blocks").mkdir()
    (folder / "blocks" / "000017.parquet").write_bytes(b"")
    assert begin(folder, 3) == {17}
    with pytest.raises(CupelError) as error:
        begin(folder, 4)
    assert str(error.value) == (
        f"{folder} has blocks of another run (its files differ): choose another folder, or delete "
        "this one."
    )
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(CupelError, match="has files that are not of such a run"):
        begin(tmp_path, 3)
    _, parts = blocks(1024)
    place = tmp_path / "block.parquet"
    block_frame(block_statistics({"ter": cupel.get_metric("ter")}, parts[0])).write_parquet(place)
    content = place.read_bytes()
    for damaged in (b"PAR1 but no block", content[: len(content) // 2]):
        place.write_bytes(damaged)
        with pytest.raises(CupelError, match=r"^It is damaged\.$"):
            list(read_blocks(place, "It is damaged."))
    pl.DataFrame({"a": [1]}).write_parquet(place)
    with pytest.raises(CupelError, match=r"^It is damaged\.$"):
        list(read_blocks(place, "It is damaged."))
