"""What Cupel prints on standard error: notes and progress bars."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[int, int], object]
"""Called with (done, total)."""


_LONGEST = 2000
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def warn(sentence: str) -> None:
    """Print a note that is not part of the results."""
    print(f"cupel: {printable(sentence)}", file=sys.stderr)


def printable(sentence: str) -> str:
    """A sentence that may quote a hostile file: of bounded length, and nothing a terminal obeys."""
    if len(sentence) > _LONGEST:
        sentence = f"{sentence[: _LONGEST // 2]} [...] {sentence[-_LONGEST // 4 :]}"
    return _CONTROL.sub(lambda match: ascii(match[0])[1:-1], sentence)


@contextmanager
def progress_bar(what: str, in_bytes: bool = False) -> Iterator[Progress | None]:
    """A callback (done, total) that draws a bar on a terminal, and None elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    counts = DownloadColumn() if in_bytes else MofNCompleteColumn()
    columns = (TextColumn(what), BarColumn(), counts, TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(bar, completed=done, total=total)
