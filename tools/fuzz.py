"""Damage valid files at random and read them: `make fuzz`, or python tools/fuzz.py [READER ...].

    --seconds 60    for each reader, in a process of its own
    --total 3600    go round the readers for that time, the one with the least time so far first
    --seed 1
    --out build/fuzz   where inputs that break a reader are kept; runs on the same folder add up
    --sum OUT ...      print what was done in these folders, and no more

With Python 3.12 or newer, inputs that reach new lines of code are kept and damaged further.

A reader may accept a file or refuse it with a `CupelError`. Everything else is a bug: another
exception, more than 10 s, or more than 1 GB beyond what the program had before.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from cupel.errors import CupelError
from cupel.reading.aborts import REFUSED
from fuzz_readers import READERS, Reader
from fuzz_state import LARGEST_KEPT, State, keep_input, load_corpus, total, watch_lines

SECONDS = 10
MEMORY = 1 << 30
LARGEST = 1 << 20
ACCEPTED = 50
FIRST = (
    "lines", "gz", "sgm", "xml", "tsv", "csv", "jsonl", "parquet", "conllu", "scores-json", "scores-jsonl",
    "scores-tsv", "scores-parquet", "scores-lines", "scores-pairs", "npy", "npz", "seg-score", "sys-score", "card",
    "safetensors", "tar.gz", "tar-inside", "zip",
)  # fmt: skip
"""Readers of what people get from others: they have twice the time."""
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
    if chance.random() < 0.1:  # the end of another one
        other = chance.choice(seeds)
        content[chance.randrange(len(content) + 1) :] = other[chance.randrange(len(other) + 1) :]
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


def fuzz(name: str, seconds: float, seed: int, out: Path, work: Path) -> None:
    """Damage and read for that time; what happened is in the folder `out / name`."""
    reader, chance, folder = READERS[name], random.Random(seed), out / name
    state, lines = State.load(folder), watch_lines("fuzz")
    seeds, accepted = [*reader.seeds, *load_corpus(folder)], list[bytes]()
    for content in seeds:
        broken(reader, content, work)
    count, end, save = lines(), time.monotonic() + seconds, state.stopwatch(folder)
    while time.monotonic() < end:
        content = damaged(seeds + accepted, chance)
        trace = broken(reader, content, work)
        state.files += 1
        if trace is not None:
            state.keep_failure(folder, reader.suffix, content, trace)
        elif len(content) < LARGEST_KEPT:
            if lines() > count:
                seeds.append(content)
                keep_input(folder, content)
            elif chance.random() < 0.01:  # damage adds up
                accepted = [*accepted[-ACCEPTED:], content]
        count = lines()
        if state.files % 100 == 0:
            save()
    save()


def one_slice(name: str, seconds: float, seed: int, out: Path) -> None:
    """Fuzz a reader in a process of its own: one that crashes or hangs is a failure like others."""
    with tempfile.TemporaryDirectory(dir=_memory()) as work:
        command = [sys.executable, __file__, name, "--seconds", f"{seconds:g}", "--seed", str(seed)]
        log = Path(work) / "stderr.log"
        limit, trace = 5 * seconds + 300, ""
        with log.open("wb") as errors:
            try:
                done = subprocess.run(
                    [*command, "--out", str(out), "--work", work], timeout=limit, stderr=errors,
                    env={**os.environ, "TMPDIR": work}, check=False,
                )  # fmt: skip
                # A sentence of `cupel.reading.aborts` ends the process: as good as any other.
                refused = done.returncode == REFUSED and b"cupel: " in log.read_bytes()
                if done.returncode != 0 and not refused:
                    trace = f"The process ended with status {done.returncode}"
            except subprocess.TimeoutExpired:
                trace = f"The process ran for more than {limit:g} s"
        if trace:
            text = log.read_bytes()[-5000:].decode(errors="replace")
            suffix, folder = READERS[name].suffix, out / name
            content = (Path(work) / f"xx-de{suffix}").read_bytes()
            State.load(folder).keep_failure(folder, suffix, content, f"{text}\n{trace}")


def _memory() -> str | None:
    """A folder in memory, if there is one: the readers that copy or unpack are ten times as fast."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def _rounds(names: list[str], seconds: float, whole: float, seed: int, out: Path) -> None:
    """Slices of that length for `whole` seconds, always of the reader with the least time."""

    def weighted(name: str) -> float:
        return State.load(out / name).cpu / (2 if name in FIRST else 1)

    end = time.monotonic() + whole
    while (left := end - time.monotonic()) > 1:
        seed += 1
        one_slice(min(names, key=weighted), min(seconds, left), seed, out)


def main() -> int:
    """Fuzz the readers named, or all; the status is 1 where one broke."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("readers", nargs="*", default=list(READERS))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--total", type=float)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("build/fuzz"))
    parser.add_argument("--sum", type=Path, nargs="+")
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.sum:
        print(total(options.sum, READERS))
        return 0
    if options.work:  # this process is a slice
        fuzz(options.readers[0], options.seconds, options.seed, options.out, options.work)
        return 0
    if options.total:
        _rounds(options.readers, options.seconds, options.total, options.seed, options.out)
    else:
        for name in options.readers:
            one_slice(name, options.seconds, options.seed, options.out)
    print(total([options.out], options.readers))
    failures = [State.load(options.out / name).failures for name in options.readers]
    for kind, path in ((k, p) for kinds in failures for k, p in kinds.items()):
        print(f"    {path}: {kind}")
    return 1 if any(failures) else 0


if __name__ == "__main__":
    sys.exit(main())
