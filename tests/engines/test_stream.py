"""Files scored block by block give what they give in one piece: numbers, notes and errors."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import cupel
from cupel import blocks
from cupel.engines import jobs, stream
from cupel.engines.inputs import Inputs
from cupel.engines.jobs import Job
from cupel.errors import CupelError
from cupel.reading import read_corpus
from cupel.registry import named_metrics

WORDS = "the a cat dog sat on mat rug with , . and 3 4.5 house tree's über".split()
METRICS = ["bleu", "chrf++", "ter", "nist", "cider", "sentbleu", "bleucomp", "wer"]
N = 300


def lines(n: int, seed: int, longest: int = 12) -> list[str]:
    """Random sentences; some are empty."""
    random = np.random.default_rng(seed)
    return [" ".join(random.choice(WORDS, random.integers(0, longest))) for _ in range(n)]


def letters(hypothesis: str) -> float:
    """A metric that needs no references."""
    return float(len(hypothesis))


def references() -> list[list[str]]:
    """One to three each."""
    several = zip(lines(N, 1), lines(N, 2), lines(N, 3), strict=True)
    return [list(texts[: 1 + i % 3]) for i, texts in enumerate(several)]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "block_size", lambda *_: 64)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("texts")
    for name, seed in (("ref", 1), ("ref-b", 2), ("hyp", 4), ("hyp-b", 5), ("src", 6)):
        text = "".join(
            f"{line}\r\n" if i % 7 else f"{line}\n" for i, line in enumerate(lines(N, seed))
        )
        (path / f"{name}.txt").write_bytes(b"\xef\xbb\xbf" + text.encode())
        (path / f"{name}.txt.gz").write_bytes(gzip.compress(text.encode()))
    records = [
        {"id": i, "r": r, "h": h}
        for i, (r, h) in enumerate(zip(references(), lines(N, 4), strict=True))
    ]
    (path / "t.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))
    pl.DataFrame(records).write_parquet(path / "t.parquet", row_group_size=50)
    rows = "".join(f"{r}\t{h}\n" for r, h in zip(lines(N, 1), lines(N, 4), strict=True))
    (path / "t.tsv").write_text("r\th\n" + rows)
    cells = "".join(
        f'"{r}\u2028\nx","{h}"\n' for r, h in zip(lines(N, 1), lines(N, 4), strict=True)
    )
    (path / "t.csv").write_text("r,h\n" + cells)
    tabbed = zip(lines(N, 1), lines(N, 2), strict=True)
    (path / "tabbed.txt").write_text("".join(f"{a}\t{b}\n" for a, b in tabbed))
    return path


FILES = {
    "text": (["ref.txt"], ["hyp.txt", "hyp-b.txt"], "src.txt", 1),
    "several references": (["ref.txt", "ref-b.txt.gz"], ["hyp.txt"], None, 1),
    "gzip": (["ref.txt.gz"], ["hyp.txt.gz"], None, 1),
    "tabs": (["tabbed.txt"], ["hyp.txt"], None, 2),
    "JSON lines": (["t.jsonl:r"], ["t.jsonl:h"], None, 1),
    "Parquet": (["t.parquet:r", "ref.txt"], ["t.parquet:h", "hyp-b.txt"], None, 1),
    "TSV": (["t.tsv:r"], ["t.tsv:h"], None, 1),
    "CSV": (["t.csv:r"], ["t.csv:h"], None, 1),
}


@pytest.mark.parametrize("kind", FILES)
def test_numbers_are_those_of_one_piece(
    kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    refs, hyps, source, num_refs = FILES[kind]
    whole = cupel.score(read_corpus(refs, hyps, source, num_refs=num_refs), metrics=METRICS)
    inputs = Inputs.of(refs, hyps, source, num_refs=num_refs)
    pieces: list[blocks.BlockStatistics] = []
    found = stream.score_files(
        inputs, named_metrics(METRICS), with_scores=True, watch=pieces.append
    )
    assert found.rows() == whole.rows()
    assert found.signatures == whole.signatures
    assert found.segments == whole.segments == dict.fromkeys(whole.systems, N)
    assert found.outline == whole.outline
    for label in ("bleu", "nist"):
        assert found.intervals(label, resamples=50) == whole.intervals(label, resamples=50)
    for row, system in enumerate(whole.systems):
        for label in ("ter", "cider"):
            joined = np.concatenate([piece.scores[label][row] for piece in pieces])
            assert (joined == whole.segment_scores(label, system)).all()
    assert [piece.first for piece in pieces] == list(range(0, N, 64))


def test_workers_give_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    inputs = Inputs.of(["t.parquet:r"], ["t.parquet:h", "hyp-b.txt"])
    metrics = named_metrics(["bleu", "ter", "cider"])
    one, two = (stream.score_files(inputs, metrics, workers=n) for n in (1, 2))
    assert one.rows() == two.rows()
    for label in metrics:
        assert (one.statistics[label] == two.statistics[label]).all()


def test_an_error_of_another_process_arrives(tmp_path: Path) -> None:
    (tmp_path / "ref").write_text("a b c d\n" * 1000)
    (tmp_path / "hyp").write_bytes(b"a b c d\n" * 900 + b"\xff\n" * 100)
    inputs = Inputs.of([str(tmp_path / "ref")], [str(tmp_path / "hyp")])
    job = Job(inputs, named_metrics(["bleu"]), 50)
    with pytest.raises(CupelError, match=r"hyp, line 901, column 1: the byte 0xFF is not UTF-8"):
        list(job.blocks(2))


def test_a_metric_that_cannot_be_sent(folder: Path) -> None:
    inputs = Inputs.of([str(folder / "ref.txt")], [str(folder / "hyp.txt")])
    job = Job(inputs, named_metrics([lambda hypothesis, references: 1.0]), 50)
    with pytest.raises(CupelError, match="cannot be sent to other processes"):
        list(job.blocks(2))


BAD = {
    "short system": (["ref"], ["short"], None),
    "long system": (["ref"], ["ref", "long"], None),
    "short reference": (["ref", "short"], ["ref"], None),
    "short source": (["ref"], ["ref"], "short"),
    "no references": ([], ["ref", "short"], None),
    "empty": (["ref"], ["empty"], None),
    "only a mark": (["ref"], ["mark"], None),
    "bad byte": (["ref"], ["byte"], None),
    "no file": (["ref"], ["nowhere"], None),
    "list of translations": (["ref"], ["lists.jsonl:x"], None),
    "no reference at all": (["lists.jsonl:none"], ["ref"], None),
    "no such column": (["ref"], ["lists.jsonl:y"], None),
    "no column named": (["ref"], ["lists.jsonl"], None),
    "number": (["ref"], ["lists.jsonl:n"], None),
    "no Parquet": (["ref"], ["false.parquet:x"], None),
    "empty Parquet": (["ref"], ["empty.parquet:x"], None),
    "no rows": (["ref"], ["header.tsv:x"], None),
    "no gzip": (["ref"], ["false.gz"], None),
    "cut off": (["ref"], ["cut.gz"], None),
}


@pytest.fixture(scope="module")
def bad(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bad")
    (path / "ref").write_text("a b\n" * 200)
    (path / "short").write_text("a b\n" * 70)
    (path / "long").write_text("a b\n" * 300)
    (path / "byte").write_bytes(b"a b\n" * 150 + b"a\xe9\n" * 50)
    (path / "mark").write_bytes(b"\xef\xbb\xbf")
    for name in ("empty", "empty.parquet"):
        (path / name).write_text("")
    record = {"x": ["a", "b"], "none": [], "n": 3}
    (path / "lists.jsonl").write_text((json.dumps(record) + "\n") * 200)
    (path / "false.parquet").write_text("PAR")
    (path / "header.tsv").write_text("x\n")
    (path / "false.gz").write_text("a b\n")
    (path / "cut.gz").write_bytes(gzip.compress(b"".join(b"%d\n" % i for i in range(200)))[:-30])
    return path


@pytest.mark.parametrize("kind", BAD)
def test_errors_are_those_of_one_piece(
    kind: str, bad: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(bad)
    refs, hyps, source = BAD[kind]
    with pytest.raises(CupelError) as whole:
        read_corpus(refs, hyps, source)
    metrics = named_metrics("bleu" if refs else [letters])
    with pytest.raises(CupelError) as pieces:
        stream.score_files(Inputs.of(refs, hyps, source), metrics)
    assert str(pieces.value) == str(whole.value)


def _large(monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    """All inputs count as large."""
    monkeypatch.setattr(jobs, "EXACT_BYTES", 0)
    monkeypatch.setattr(blocks, "CHUNK", chunk)


def test_blocks_instead_of_segments_are_resampled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Intervals are about as wide, and tests decide alike; the signature names the blocks."""
    n = 6000
    monkeypatch.setattr(stream, "block_size", lambda *_: 640)
    truth = lines(n, 1)
    same, better, worse = (
        _noisy(truth, share, seed) for share, seed in ((0.3, 2), (0.27, 3), (0.3, 4))
    )
    names = {"ref": truth, "base": same, "better": better, "equal": worse}
    for name, texts in names.items():
        (tmp_path / name).write_text("".join(f"{text}\n" for text in texts))
    systems = [str(tmp_path / name) for name in ("base", "better", "equal")]
    inputs = Inputs.of([str(tmp_path / "ref")], systems)
    metrics = named_metrics(["bleu", "ter"])
    exact = stream.score_files(inputs, metrics)
    _large(monkeypatch, 10)
    found = stream.score_files(inputs, metrics)
    assert found.rows() == exact.rows()
    assert (exact.totals.unit, found.totals.unit) == (1, 10)
    assert str(found.signature("bleu", bs=1000, seed=1)).startswith(
        "nrefs:1|bs:1000|seed:1|blocks:10|"
    )
    assert "blocks" not in str(exact.signature("bleu", bs=1000, seed=1))
    for label in metrics:
        ours, theirs = found.intervals(label), exact.intervals(label)
        for system in found.systems:
            assert ours[system].half_width == pytest.approx(theirs[system].half_width, rel=0.15)
            assert ours[system].mean == pytest.approx(theirs[system].mean, abs=0.1)
        for test in ("bs", "ar"):
            first, second = found.paired(label, test), exact.paired(label, test, samples=1000)
            assert first[0].p_value < 0.01
            assert second[0].p_value < 0.01
            assert first[1].difference == second[1].difference
            assert first[1].p_value == pytest.approx(second[1].p_value, abs=0.12)


def _noisy(texts: Sequence[str], share: float, seed: int) -> list[str]:
    random = np.random.default_rng(seed)
    return [
        " ".join(random.choice(WORDS) if random.random() < share else word for word in text.split())
        for text in texts
    ]


MEMORY = """
import sys
from pathlib import Path
from cupel.engines import jobs, stream
from cupel.engines.inputs import Inputs
from cupel.registry import named_metrics
jobs.EXACT_BYTES = 0
stream.score_files(Inputs.of([sys.argv[1]], [sys.argv[1]]), named_metrics(["bleu"]))
status = Path("/proc/self/status").read_text()
print(status.split("VmHWM:")[1].split()[0])
"""
"""Not `ru_maxrss`, which begins with the memory of the process that starts this one."""


def test_memory_does_not_grow_with_the_input(tmp_path: Path) -> None:
    """Twice the segments: 100 MB more of text, and less than 12 MB more of memory.

    Fewer than these do not fill all blocks that are under way.
    """
    peaks = []
    for n in (160_000, 320_000):
        text = "".join(f"{i} cats sat on {i * 7} mats{' and slept' * 60}\n" for i in range(n))
        (tmp_path / "text").write_text(text)
        done = subprocess.run(
            [sys.executable, "-c", MEMORY, str(tmp_path / "text")],
            check=True,
            stdout=subprocess.PIPE,
        )
        peaks.append(int(done.stdout) / 1024)
    assert peaks[1] - peaks[0] < 12
