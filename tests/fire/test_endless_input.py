"""Input that never ends, or unpacks to far too much, ends with a sentence at a stated size."""

from __future__ import annotations

import gzip
import io
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from cupel.errors import CupelError
from cupel.reading import limits, lines

ZERO = Path("/dev/zero")
needs_zero = pytest.mark.skipif(not ZERO.exists(), reason="no /dev/zero")


def scored(*arguments: str, gigabytes: float = 3) -> subprocess.CompletedProcess[str]:
    def limited() -> None:
        size = int(gigabytes * 2**30)
        resource.setrlimit(resource.RLIMIT_AS, (size, size))

    return subprocess.run(
        [sys.executable, "-m", "cupel", "score", *arguments],
        capture_output=True, text=True, check=False, preexec_fn=limited, timeout=120,
    )  # fmt: skip


@needs_zero
def test_a_line_that_never_ends():
    done = scored(str(ZERO), "-i", str(ZERO))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "cupel: /dev/zero, line 1 is longer than 256 MiB; one segment per line was expected.\n"
    )


@needs_zero
def test_a_table_that_never_ends(tmp_path, monkeypatch):
    from cupel.reading.tables import read_column

    monkeypatch.setattr(limits, "LARGEST_STREAM", 1 << 20)
    (tmp_path / "x.parquet").symlink_to(ZERO)
    with pytest.raises(
        CupelError, match=r"x\.parquet does not end within 0 GiB; save it as a file"
    ):
        read_column(str(tmp_path / "x.parquet"), "parquet", "text")


def test_packed_text_that_unpacks_to_far_too_much(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "LEAST_UNPACKED", 1 << 16)
    file = tmp_path / "bomb.gz"
    file.write_bytes(gzip.compress(b"ab\n" * (1 << 20)))
    with pytest.raises(
        CupelError, match=r"bomb\.gz unpacks to more than 40 times its size, unlike"
    ):
        lines.read_lines(file)


def test_packed_text_that_repeats_itself_is_fine(tmp_path):
    file = tmp_path / "same.gz"
    file.write_bytes(gzip.compress(b"the same line\n" * 100_000))
    assert lines.read_lines(file) == ["the same line"] * 100_000


@pytest.mark.parametrize("plain", [True, False])
def test_the_longest_line(tmp_path, monkeypatch, plain):
    monkeypatch.setattr(limits, "LONGEST_LINE", 10)
    monkeypatch.setattr(lines, "LONGEST_LINE", 10)
    assert list(lines.decode_lines(io.BytesIO(b"123456789\n1234\r\n"), "x")) == [
        "123456789",
        "1234",
    ]
    assert list(lines.decode_lines(io.BytesIO(b""), "x")) == []
    file = tmp_path / "x"
    file.write_bytes(b"1\n2\n12345678901\n")
    with (
        file.open("rb") if plain else io.BytesIO(file.read_bytes()) as stream,
        pytest.raises(CupelError, match=r"x, line 3 is longer than 0 MiB; one segment per line"),
    ):
        list(lines.decode_lines(stream, "x"))
