"""Many segments: read as they come, spread over workers, written as they are done.

Memory stays flat whatever the number of segments: a few chunks of them are under way at a time, and
results come out in the order of the input. With `Resumable` a run that was stopped goes on where it was.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TextIO, TypeVar

from cupel import pool
from cupel.choosing.mbr import Choice, Decoder
from cupel.choosing.segment import Candidates
from cupel.errors import CupelError
from cupel.folders import explained, write_text

Item = TypeVar("Item")
Result = TypeVar("Result")

CHUNK = 32
"""Segments that a worker gets at once."""
Spread = Callable[
    [Callable[[Sequence[Item]], list[Result]], Iterator[list[Item]]], Iterator[list[Result]]
]
"""How chunks of work are spread: a function and chunks -> their results, in the same order."""


def choices(
    segments: Iterable[Candidates],
    decoder: Decoder,
    workers: int = 1,
    spread: Spread[Candidates, Choice] | None = None,
) -> Iterator[Choice]:
    """The choice of each segment, in their order.

    spread: instead of processes of this machine, whatever runs a function over chunks.
    """
    chunks = chunked(segments, CHUNK)
    work = partial(_choose_all, decoder)
    spread = spread or partial(pool.spread, workers=workers)
    for results in spread(work, chunks):
        yield from results


def chunked(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Lists of so many items, the last one shorter."""
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk


def _choose_all(decoder: Decoder, segments: Sequence[Candidates]) -> list[Choice]:
    return [decoder.choose(segment) for segment in segments]


@contextmanager
def resumable(path: Path, key: str) -> Iterator[tuple[TextIO, int]]:
    """A file that grows as PATH.part, and how many whole lines of a former run it has already.

    key: what the lines depend on; a former run with another key is an error. When the block ends
    well, the file becomes PATH.
    """
    part, note = path.with_name(path.name + ".part"), path.with_name(path.name + ".part.key")
    done = 0
    with explained(path, path.parent):
        if part.is_file():
            if not note.is_file() or note.read_text("utf-8") != key:
                raise CupelError(
                    f"{part} was begun with other options or another file: give the same ones, or "
                    "delete it."
                )
            done = _cut_to_whole_lines(part)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text(note, key)
        with part.open("a", encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            yield file, done
            flush(file)
        part.replace(path)
        note.unlink(missing_ok=True)


def _cut_to_whole_lines(part: Path) -> int:
    """Drop a last line that was not finished; returns how many there are."""
    lines, end = 0, 0
    with part.open("r+b") as file:
        for line in file:
            if line.endswith(b"\n"):
                lines, end = lines + 1, end + len(line)
        file.truncate(end)
    return lines


def flush(file: TextIO) -> None:
    """What was written is on disk when this returns."""
    file.flush()
    os.fsync(file.fileno())
