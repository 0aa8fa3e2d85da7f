"""Parts of a run fit together or say why not, and give what one run gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from cupel import blocks
from cupel.engines import jobs, parts, stream
from cupel.engines.inputs import Inputs
from cupel.errors import CupelError
from cupel.registry import named_metrics

METRICS = ["bleu", "ter", "nist"]
N = 101


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Inputs:
    monkeypatch.chdir(tmp_path)
    words = "the cat sat on a mat with nine dogs , and slept .".split()
    for name, step in (("ref", 3), ("a", 4), ("b", 5)):
        texts = (" ".join(words[i * step % 7 : 7 + i * step % 6]) for i in range(N))
        Path(name).write_text("".join(f"{text}\n" for text in texts))
    return Inputs.of(["ref"], ["a", "b"])


def write(
    inputs: Inputs,
    numbers: Sequence[int],
    count: int,
    prefix: str = "part",
    metrics: Sequence[str] = METRICS,
    with_scores: bool = False,
) -> list[Path]:
    paths = [Path(f"{prefix}-{n}.parquet") for n in numbers]
    for n, path in zip(numbers, paths, strict=True):
        chosen = named_metrics(metrics)
        parts.write_part(path, n, count, inputs, chosen, {}, with_scores=with_scores)
    return paths


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("count", [1, 4, 20])
def test_merged_parts_are_one_run(
    inputs: Inputs, monkeypatch: pytest.MonkeyPatch, exact: bool, count: int
) -> None:
    if not exact:
        monkeypatch.setattr(jobs, "EXACT_BYTES", 0)
        monkeypatch.setattr(blocks, "CHUNK", 8)
    for module in (stream, parts):
        monkeypatch.setattr(module, "block_size", lambda *_: 16)
    paths = write(inputs, range(1, count + 1), count)
    whole = stream.score_files(inputs, named_metrics(METRICS))
    merged = parts.merge_parts(paths[::-1])
    assert merged.rows() == whole.rows()
    assert merged.signatures == whole.signatures
    assert merged.totals.unit == whole.totals.unit == (1 if exact else 8)
    assert merged.outline == whole.outline
    assert merged.intervals("nist") == whole.intervals("nist")
    assert merged.paired("bleu") == whole.paired("bleu")


def error_of(paths: Sequence[Path | str]) -> str:
    with pytest.raises(CupelError) as error:
        parts.merge_parts(paths)
    return str(error.value)


def test_what_does_not_fit_together(inputs: Inputs) -> None:
    first, second, third = write(inputs, [1, 2, 3], 3)
    assert error_of([]) == "There is no part to merge: name the files."
    assert error_of([first, third]) == "Of 3 parts 2 are here; missing: 2."
    assert error_of([first, second, second, third]) == (
        "part-2.parquet and part-2.parquet are both part 2 of 3."
    )
    (half,) = write(inputs, [2], 2, "half")
    assert error_of([first, second, half]) == (
        "part-2.parquet (part 2 of 3) and half-2.parquet (part 2 of 2) have segments in common."
    )
    assert error_of([first, half]) == (
        "Segments 34 to 50 are in none of the parts: one is missing."
    )
    (other,) = write(inputs, [2], 3, "other", ["bleu", "ter"])
    assert error_of([first, other, third]) == (
        "part-1.parquet and other-2.parquet are not of one run: they have different metrics or "
        "options of metrics."
    )
    (scored,) = write(inputs, [2], 3, "scored", with_scores=True)
    assert "one has segment scores (-sl) and one has not" in error_of([first, scored, third])
    Path("b").write_text(Path("a").read_text())
    (changed,) = write(inputs, [2], 3, "changed")
    assert error_of([first, changed, third]) == (
        "part-1.parquet and changed-2.parquet are not of one run: they have different inputs."
    )


def test_files_that_are_no_parts(inputs: Inputs) -> None:
    first, second = write(inputs, [1, 2], 2)
    assert error_of([first, "nowhere.parquet"]) == "nowhere.parquet does not exist."
    Path("folder").mkdir()
    assert error_of([first, "folder"]) == "folder is a folder; a file was expected."
    Path("text.parquet").write_text("PAR1")
    assert error_of([first, "text.parquet"]) == (
        "text.parquet is not a Parquet file, or it is damaged."
    )
    pl.DataFrame({"a": [1]}).write_parquet("table.parquet")
    assert error_of([first, "table.parquet"]) == (
        "table.parquet is not a part of a run: `cupel score --part K/N -o FILE` writes one."
    )
    content = second.read_bytes()
    second.write_bytes(content[:200] + bytes(100) + content[300:])
    assert error_of([first, second]).startswith("part-2.parquet")


def test_another_signature_here(inputs: Inputs) -> None:
    (path,) = write(inputs, [1], 1, metrics=["bleu"])
    part = parts.read_part(path)
    given = {**part.plan.metrics["bleu"], "signature": "case:mixed|tok:older"}
    with pytest.raises(CupelError, match=r"was case:mixed\|tok:older where the parts were made"):
        parts.plan_metrics(replace(part.plan, metrics={"bleu": given}))


def test_a_run_that_ends_too_early_leaves_nothing(
    inputs: Inputs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "block_size", lambda *_: 16)

    def failing(_metrics: object, block: blocks.Block, **options: bool) -> blocks.BlockStatistics:
        if block.first >= 32:
            raise CupelError("The disk is on fire.")
        return blocks.block_statistics(named_metrics(METRICS[:2]), block, **options)

    monkeypatch.setattr(jobs, "block_statistics", failing)
    with pytest.raises(CupelError, match="on fire"):
        write(inputs, [1], 1, metrics=METRICS[:2])
    assert sorted(path.name for path in Path().iterdir()) == ["a", "b", "ref"]


@pytest.mark.parametrize("text", ["0/3", "4/3", "3", "a/b", "1/0", "-1/3", "1/3/4", "²/3"])
def test_names_of_parts(text: str) -> None:
    assert parts.parse_part("3/64") == (3, 64)
    with pytest.raises(CupelError, match="A part is named K/N with K from 1 to N"):
        parts.parse_part(text)
