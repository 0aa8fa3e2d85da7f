"""Damage valid files at random and read them: `make fuzz`, or python tools/fuzz.py [READER ...].

    --seconds 60    for each reader
    --seed 1
    --out build/fuzz   where inputs that break a reader are kept

A reader may accept a file or refuse it with a `CupelError`. Everything else is a bug: another
exception, more than 10 s, or more than 1 GB beyond what the program had before.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from cupel.errors import CupelError
from fuzz_readers import READERS, Reader

SECONDS = 10
MEMORY = 1 << 30
LARGEST = 1 << 20
TOKENS = (
    b"\0", b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\n", b"\r\n", b"\t", b",", b'"', b"'", b"[", b"]",
    b"{", b"}", b"<", b">", b"</seg>", b"<seg id=", b"&#", b"&#x110000;", b"=", b"-1", b"0", b"nan", b"1e999",
    b"9" * 30, b"9" * 5000, b"[" * 3000, b'{"a":' * 3000, b"null", b"true", b"None", b"../../x", b"/etc/x", b"inf",
    b"\xe2\x80\xa8", b"\\ud800", b"\xcc\x81" * 50, b"1-2", b"0.1", b"_", b"#", b"[[", b"]]", b".", b":", b" ",
)  # fmt: skip


class Hang(BaseException):
    """A reader took too long."""


def damaged(seeds: list[bytes], chance: random.Random) -> bytes:
    """One of the seeds with one or more random changes."""
    content = bytearray(chance.choice(seeds))
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8, 30))):
        at = chance.randrange(len(content) + 1)
        chance.choice(_CHANGES)(content, at, chance)
    return bytes(content[:LARGEST])


def _flip(content: bytearray, at: int, chance: random.Random) -> None:
    if at < len(content):
        content[at] ^= 1 << chance.randrange(8)


def _byte(content: bytearray, at: int, chance: random.Random) -> None:
    if at < len(content):
        content[at] = chance.randrange(256)


def _insert(content: bytearray, at: int, chance: random.Random) -> None:
    content[at:at] = chance.choice(TOKENS)


def _replace(content: bytearray, at: int, chance: random.Random) -> None:
    token = chance.choice(TOKENS)
    content[at : at + len(token)] = token


def _delete(content: bytearray, at: int, chance: random.Random) -> None:
    del content[at : at + chance.choice((1, 1, 2, 8, 100))]


def _cut(content: bytearray, at: int, _chance: random.Random) -> None:
    del content[at:]


def _repeat(content: bytearray, at: int, chance: random.Random) -> None:
    piece = content[at : at + chance.choice((1, 4, 30, 200))]
    content[at:at] = piece * min(chance.choice((1, 2, 10, 2000)), LARGEST // max(1, len(piece)))


def _move(content: bytearray, at: int, chance: random.Random) -> None:
    to = chance.randrange(len(content) + 1)
    content[to:to] = content[at : at + chance.choice((1, 8, 60))]


def _number(content: bytearray, at: int, chance: random.Random) -> None:
    size = chance.choice((1, 2, 4, 8))
    value = chance.choice((0, 1, 127, 255, 2**15, 2**31 - 1, 2**31, 2**32 - 1, 2**63))
    content[at : at + size] = (value % 256**size).to_bytes(size, chance.choice(("little", "big")))


Change = Callable[[bytearray, int, random.Random], None]
_CHANGES: tuple[Change, ...] = (
    _flip, _byte, _insert, _insert, _replace, _replace, _delete, _cut, _repeat, _move, _number
)  # fmt: skip


@contextmanager
def limited(seconds: float = SECONDS) -> Iterator[None]:
    """Stop the block after that time, and let it have 1 GB more than now."""

    def stop(_number: int, _frame: object) -> None:
        raise Hang(f"more than {seconds:g} s")

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    before, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * os.sysconf("SC_PAGE_SIZE") + MEMORY, hard))
    earlier = signal.signal(signal.SIGVTALRM, stop)  # its own time: the machine may be busy
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, earlier)
        resource.setrlimit(resource.RLIMIT_AS, (before, hard))


def broken(reader: Reader, content: bytes, folder: Path) -> str | None:
    """What is wrong with how a reader takes a file; None if nothing is."""
    path = folder / f"xx-de{reader.suffix}"
    path.write_bytes(content)
    try:
        with warnings.catch_warnings(), limited():
            warnings.simplefilter("ignore")
            reader.read(path)
    except CupelError as error:
        return None if "\n" not in str(error) else f"a sentence of several lines: {error!r}"
    except KeyboardInterrupt:
        raise
    except BaseException:  # Hang, and what a panic in Rust becomes
        return traceback.format_exc()
    return None


def fuzz(name: str, seconds: float, seed: int, out: Path) -> tuple[int, dict[str, Path]]:
    """How many files were tried, and the first one of each kind of failure."""
    reader, chance = READERS[name], random.Random(seed)
    seeds = list(reader.seeds)
    failures: dict[str, Path] = {}
    count, end = 0, time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end:
            content = damaged(seeds, chance)
            trace = broken(reader, content, Path(folder))
            count += 1
            if trace is not None:
                kind = _kind(trace)
                if kind not in failures:
                    failures[kind] = _keep(out / name, len(failures), reader, content, trace)
            elif len(content) < 20_000 and chance.random() < 0.01:
                seeds.append(content)  # damage adds up
    return count, failures


def _kind(trace: str) -> str:
    """Where in Cupel it happened, and what."""
    lines = trace.strip().splitlines()
    places = [
        line.strip() for line in lines if "cupel" in line and line.lstrip().startswith("File")
    ]
    return f"{places[-1] if places else ''} {lines[-1][:60]}"


def _keep(folder: Path, number: int, reader: Reader, content: bytes, trace: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{number}{reader.suffix}"
    path.write_bytes(content)
    path.with_name(f"{number}.trace").write_text(trace)
    return path


def main() -> int:
    """Fuzz the readers named, or all; the status is 1 where one broke."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("readers", nargs="*", default=list(READERS))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("build/fuzz"))
    options = parser.parse_args()
    bad = 0
    for name in options.readers:
        count, failures = fuzz(name, options.seconds, options.seed, options.out)
        print(f"{name:15} {count:9,} files, {len(failures)} kinds of failure", flush=True)
        for kind, path in failures.items():
            print(f"    {path}: {kind}", flush=True)
        bad += bool(failures)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
