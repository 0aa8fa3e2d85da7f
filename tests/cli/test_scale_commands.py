"""`cupel score --stream`, `--part` and `cupel merge` print what `cupel score` prints, to the byte."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import polars as pl
import pytest

from cupel.cli.commands import run

N = 230


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("texts")
    words = "The cat sat on a mat with 9 dogs , and slept .".split()
    for name, step in (("ref", 3), ("a", 4), ("b", 5)):
        lines = [" ".join(words[i * step % 7 : 7 + i * step % 6]) for i in range(N)]
        (path / name).write_text("".join(f"{line}\n" for line in lines))
    (path / "a.gz").write_bytes(gzip.compress((path / "a").read_bytes()))
    return path


@pytest.fixture(autouse=True)
def at_the_texts(texts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cupel.engines import parts, stream

    monkeypatch.chdir(texts)
    for module in (stream, parts):
        monkeypatch.setattr(module, "block_size", lambda *_: 64)


def printed(command: str, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    run(command.split())
    captured = capsys.readouterr()
    return captured.out, captured.err


def answered(command: str, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    """What is printed but for the question, which differs."""
    out, err = printed(command, capsys)
    return re.sub(r'^ "question": \{\n.*?^ \},\n', "", out, count=1, flags=re.S | re.M), err


SCORE = "score ref -i a b -m bleu chrf ter nist bleucomp"
SYSTEMS = [
    "",
    "-b",
    "-f json -w 3",
    "-f tsv --ci --ci-n 100",
    "-f latex --ci --ci-n 100",
    "--paired bs --paired-n 100",
    "--paired ar --paired-n 100 -f json",
]
SEGMENTS = ["-sl", "-sl -b", "-sl -f json", "-sl -f tsv -w 2", "-sl -f tsv", "-sl -f latex"]


@pytest.fixture(scope="module")
def parts(texts: Path) -> str:
    """Three of them, with and without segment scores."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(texts)
        for k in (1, 2, 3):
            run([*SCORE.split(), "--part", f"{k}/3", "-o", f"p{k}.parquet"])
            run([*SCORE.split(), "-sl", "--part", f"{k}/3", "-o", f"s{k}.parquet"])
    return "p3.parquet p1.parquet p2.parquet"


@pytest.mark.parametrize("options", [*SYSTEMS, *SEGMENTS])
def test_all_ways_print_the_same(
    options: str, parts: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = answered(f"{SCORE} {options}", capsys)
    assert answered(f"{SCORE} {options} --stream", capsys) == (out, err)
    scored = parts.replace("p3", "s3").replace("p1", "s1").replace("p2", "s2")
    merged = scored if "-sl" in options else parts
    assert answered(f"merge {merged} {options}", capsys) == (out, err)
    if "-sl" not in options:
        assert answered(f"merge {scored} {options}", capsys) == (out, err)


def test_segments_as_parquet(parts: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = f"{SCORE} -sl -w 4 -o"
    printed(f"{command} whole.parquet", capsys)
    printed(f"{command} stream.parquet --stream", capsys)
    printed("merge s1.parquet s2.parquet s3.parquet -sl -w 4 -o merged.parquet", capsys)
    whole = pl.read_parquet("whole.parquet")
    assert whole.columns[:3] == ["system", "segment", "bleu"]
    assert whole.height == 2 * N
    assert whole["segment"].to_list() == [*range(1, N + 1)] * 2
    assert pl.read_parquet("stream.parquet").equals(whole)
    assert pl.read_parquet("merged.parquet").equals(whole)


def test_details_of_systems(capsys: pytest.CaptureFixture[str]) -> None:
    command = "score ref -i a.gz -m bleu --details -f json"
    assert printed(command, capsys) == printed(f"{command} --stream", capsys)


def test_large_files_are_streamed_unasked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from cupel import blocks
    from cupel.cli import scale
    from cupel.engines import jobs

    whole, _ = printed("score ref -i a -m bleu -f tsv", capsys)
    monkeypatch.setattr(scale, "STREAM_BYTES", 1000)
    monkeypatch.setattr(jobs, "EXACT_BYTES", 2000)
    monkeypatch.setattr(blocks, "CHUNK", 32)
    assert scale.STREAM_BYTES <= jobs.EXACT_BYTES
    out, err = printed("score ref -i a -m bleu -f tsv", capsys)
    assert out == whole
    out, err = printed("score ref -i a -m bleu --ci", capsys)
    assert "|bs:1000|seed:12345|blocks:32|" in out
    assert (
        "cupel: Intervals and tests draw blocks of 32 segments, because the input is large." in err
    )
    # What needs all texts at once still works, as it did.
    assert '"pairs"' in printed("score ref -i a b -m bleu --clusters -f json", capsys)[0]
    assert printed("score ref -i a -m rouge-l --details -f json", capsys)[0].startswith("{")
