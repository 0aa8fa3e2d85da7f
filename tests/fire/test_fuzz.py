"""Damaged files are read or refused with a sentence, by every reader; `make fuzz` does so for longer."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cupel.console import printable
from cupel.errors import CupelError
from fuzz import broken, damaged, one_slice
from fuzz_readers import READERS
from fuzz_state import State, total

CRASHES = sorted((Path(__file__).parent / "crashes").iterdir())
"""What once broke a reader: READER--WHAT.SUFFIX."""
ABORTS = Path(__file__).parent / "crashes" / "parquet--aborts.parquet"
"""Polars asks for 2^61 bytes, and Rust ends the process."""


@pytest.mark.parametrize("name", READERS)
def test_what_is_whole_is_read(name, tmp_path):
    """Else the fuzzer would only try files that are refused at once."""
    for seed in READERS[name].seeds:
        path = tmp_path / f"xx-de{READERS[name].suffix}"
        path.write_bytes(seed)
        READERS[name].read(path)


@pytest.mark.parametrize("name", READERS)
def test_damage(name, tmp_path):
    chance = random.Random(name)
    for _ in range(20):
        content = damaged(list(READERS[name].seeds), chance)
        assert broken(READERS[name], content, tmp_path) is None, content[:300]


@pytest.mark.parametrize("name", READERS)
@settings(
    deadline=None, max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(content=st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_any_bytes(name, content, tmp_path):
    assert broken(READERS[name], content, tmp_path) is None


@pytest.mark.parametrize("path", [p for p in CRASHES if p != ABORTS], ids=lambda path: path.name)
def test_what_once_broke_a_reader(path, tmp_path):
    name = path.name.partition("--")[0]
    assert broken(READERS[name], path.read_bytes(), tmp_path) is None


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ([], "is not a Parquet file, or it is damaged"),
        (["--stream"], "is damaged: its rows 1 to 2 cannot be read"),
    ],
)
def test_an_abort_of_a_library_is_a_sentence(more, sentence):
    done = subprocess.run(
        [sys.executable, "-m", "cupel", "score", f"{ABORTS}:text", "-i", f"{ABORTS}:text", *more],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert last == f"cupel: {ABORTS} {sentence}."


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("scheme", b"[[a" + b".b" * 200_000 + b"]]\n"),
        ("rankings", b"srclang,trglang" + b",system1Id" * 40_000 + b"\nces,eng" + b",A" * 40_000),
    ],
)
def test_what_once_took_minutes(name, content, tmp_path):
    assert broken(READERS[name], content, tmp_path) is None


def test_slices_of_the_fuzzer_add_up(tmp_path):
    """Two slices of a reader, each in a process of its own; the second goes on with the first."""
    out, counts = tmp_path / "out", [0]
    for seed in (1, 2):
        one_slice("preset", 0.3, seed, out)
        counts.append(State.load(out / "preset").files)
    assert 0 < counts[1] < counts[2]
    assert total([out], ["preset"]).splitlines()[1].split()[:2] == ["preset", f"{counts[2]:,}"]
    assert State.load(out / "preset").failures == {}


def test_the_fuzzer_finds_what_is_broken(tmp_path):
    class Broken:
        suffix = ".txt"
        seeds = (b"x",)

        @staticmethod
        def read(path):
            return {b"c": lambda: 1 / 0, b"s": sentence, b"w": wait, b"m": lambda: bytes(2 << 30)}[
                path.read_bytes()
            ]()

    def sentence():
        raise CupelError("Refused.")

    def wait():
        while True:
            pass

    def kind(content):
        return (broken(Broken(), content, tmp_path) or "").strip().split("\n")[-1]  # type: ignore[arg-type]

    assert kind(b"s") == ""
    assert kind(b"c") == "ZeroDivisionError: division by zero"
    assert kind(b"m") == "MemoryError"


def test_an_error_cannot_send_commands_to_the_terminal(tmp_path):
    file = tmp_path / "x.jsonl"
    file.write_text('{"a\\u001b]0;owned\\u0007": "b", "c": 1}\n')
    done = subprocess.run(
        [sys.executable, "-m", "cupel", "score", str(file), "-i", str(file)],
        capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert b"\x1b" not in done.stderr
    assert b"\x07" not in done.stderr
    assert printable("\x1b[31m\u202ex\x9b\n") == "\\x1b[31m\\u202ex\\x9b\n"
    assert len(printable("x" * 10**6)) < 2000
