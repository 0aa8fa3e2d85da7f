"""Whether time grows with the text and not with its square: text that nobody writes, and long segments.

    python benchmarks/run.py --only growth

Each row is measured at a size and at twice that size, in processor seconds. The ratio is 2 where time
grows with the text and 4 where it grows with its square.
"""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import cupel
from cupel.errors import CupelError
from cupel.reading import read_segments

HEADER = ["what", "size", "seconds", "twice the size", "ratio"]
LIGHT = (
    "bleu bleucomp chrf chrf++ length nist numbers per repeats sentbleu tags truncated wrong-script"
).split()
"""Metrics whose time grows with the text."""

CHARACTERS = {
    "combining marks": "\u0301",
    "one character": "a",
    "one word": "the ",
    "full stops": ".",
    "open tags": "<",
    "entities": "&",
    "line separators": "\u2028\x85\x0b",
    "both directions": "\u202e\u05d0 a",
}
SQUARE = ("wer", "cder", "rouge-l", "ter", "terp", "badger", "meteor")
"""Metrics that compare each word with each other one: their ratio may be 4."""

PIECES = ('<doc a="', "<doc =' ", "<seg ", "<!-- ", "&amp", "<![CDATA[")
"""Markup that is never closed, in a file of SGML."""


def rows() -> list[list[str]]:
    """The table."""
    return [_row(name, size, work) for name, size, work in _works()]


def _row(name: str, size: int, work: Callable[[int], object]) -> list[str]:
    _seconds(work, 10)
    once, twice = (min(_seconds(work, n) for _ in range(3)) for n in (size, 2 * size))
    return [name, f"{size:,}", f"{once:.3f}", f"{twice:.3f}", f"{twice / max(once, 1e-4):.1f}"]


def _seconds(work: Callable[[int], object], size: int) -> float:
    start = time.process_time()
    with contextlib.suppress(CupelError):
        work(size)
    return time.process_time() - start


def _works() -> Iterator[tuple[str, int, Callable[[int], object]]]:
    for name, piece in CHARACTERS.items():
        yield name, 10_000, partial(_score_repeated, piece)
    for metric in SQUARE:
        yield f"{metric}, words", 2_000, partial(_score_words, metric)
    for piece in PIECES:
        yield f"SGML, {piece}", 20_000, partial(_read_repeated, piece)


def _score_repeated(piece: str, count: int) -> None:
    _score(piece * count, LIGHT)


def _score_words(metric: str, count: int) -> None:
    _score(" ".join(f"w{place * place % 977}" for place in range(count)), [metric])


def _score(text: str, metrics: list[str]) -> None:
    other = " ".join(text.split(" ")[::-1]) + " x"
    cupel.score([text], [other], metrics, sources=["one source , 7"])


def _read_repeated(piece: str, count: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.sgm"
        content = f'<tstset><doc docid="d"><seg id="1">{piece * count}</seg></doc></tstset>'
        path.write_text(content, encoding="utf-8")
        read_segments(path)
