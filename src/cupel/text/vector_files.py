"""Files of word vectors: GloVe text, word2vec text and binary, fastText `.vec`; each also as .gz.

The format is recognised by the content, not by the name. A first line of two whole numbers is the
header `count dimension` of word2vec and fastText; GloVe has none. A file with a header whose first
kilobytes are not text is word2vec's binary form: a word, a blank, `dimension` little-endian 32-bit
floats, and perhaps a line end. In text, fields are separated by single blanks and by nothing else,
for fastText's words may hold other white space, and GloVe 840B has words with blanks in them: the
vector is the last `dimension` fields, and what stands before it is the word as long as it does not
look like one more number.

Words are UTF-8; a bad byte in a word is read as U+FFFD.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import IO, cast

import numpy as np

from cupel.arrays import Float32Array
from cupel.errors import CupelError

Chunk = tuple[list[str], Float32Array]

CHUNK = 4096
"""Vectors that are handed on at a time."""

_PEEK = 1 << 16
_LONGEST_WORD = 1 << 16
_LARGEST_DIMENSION = 100_000
_LARGEST_NUMBER = float(np.finfo(np.float32).max)
_FASTTEXT_MODEL = (793712314).to_bytes(4, "little")


def read_vectors(path: str | Path) -> Iterator[Chunk]:
    """The words of a file with their vectors, (n, dimension), some thousands at a time."""
    with _opened(path) as file:
        start = file.read(_PEEK)
        if not start:
            raise CupelError(f"{path} is empty: a file of word vectors was expected.")
        if start.startswith(_FASTTEXT_MODEL):
            raise CupelError(
                f"{path} is a fastText model, not its vectors: give the file ending in .vec."
            )
        first, newline, rest = start.partition(b"\n")
        header = _header(first) if newline else None
        if header is not None and not 0 < header[1] <= _LARGEST_DIMENSION:
            raise CupelError(
                f"{path}: its first line promises vectors of {header[1]} numbers; 1 to "
                f"{_LARGEST_DIMENSION} are possible."
            )
        if header is not None and not _is_text(rest):
            yield from _binary(_Stream(file, rest), path, *header)
            return
        lines = _lines(file, start)
        if header is not None:
            next(lines)
        yield from _text(lines, path, header)


@contextmanager
def _opened(path: str | Path) -> Iterator[IO[bytes]]:
    try:
        with Path(path).open("rb") as raw:
            zipped = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            yield cast(IO[bytes], gzip.GzipFile(fileobj=raw)) if zipped else raw
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise CupelError(f"{path} is damaged: it cannot be unzipped to its end.") from error
    except OSError as error:
        if error.filename is None:
            raise
        raise CupelError(f"{path} cannot be read: {error.strerror}.") from error


def _header(line: bytes) -> tuple[int, int] | None:
    """(count, dimension) of a first line of two whole numbers."""
    fields = line.split()
    # Python reads no number of thousands of digits, and no file has so many vectors.
    if len(fields) != 2 or not all(field.isdigit() and len(field) < 19 for field in fields):
        return None
    return int(fields[0]), int(fields[1])


def _is_text(start: bytes) -> bool:
    if b"\0" in start:
        return False
    try:
        start.decode()
    except UnicodeDecodeError as error:
        return error.end >= len(start) and error.start > len(start) - 4  # a character cut in two
    return True


def _lines(file: IO[bytes], start: bytes) -> Iterator[bytes]:
    *whole, last = start.split(b"\n")
    if len(start) == _PEEK:
        last += file.readline()
    if last:
        whole.append(last)
    return chain(whole, file)


def _text(
    lines: Iterator[bytes], path: str | Path, header: tuple[int, int] | None
) -> Iterator[Chunk]:
    number = 1 if header is None else 2
    dimension = header[1] if header is not None else 0
    count = 0
    while batch := list(islice(lines, CHUNK)):
        words: list[str] = []
        rows: list[Float32Array] = []
        for line in batch:
            fields = line.rstrip(b" \r\n")
            if not dimension:
                dimension = fields.count(b" ")
                if not dimension:
                    raise CupelError(
                        f"{path}, line {number}: expected a word and its vector, separated by "
                        f"blanks, found {_shown(fields)}."
                    )
            word, row = _parsed(fields, dimension, path, number)
            words.append(word)
            rows.append(row)
            number += 1
        count += len(words)
        yield words, np.stack(rows)
    if header is not None and count != header[0]:
        raise CupelError(f"{path}: its first line promises {header[0]} vectors, it has {count}.")
    if not count:
        raise CupelError(f"{path} has no vectors.")


def _parsed(line: bytes, dimension: int, path: str | Path, number: int) -> tuple[str, Float32Array]:
    word, _, rest = line.partition(b" ")
    count = rest.count(b" ") + 1 if rest else 0
    if count != dimension:
        fields = line.split(b" ")
        extra = count - dimension
        # A word of several parts, as in GloVe 840B: none of the parts but the first may be a number.
        if extra < 0 or any(_number(field) is not None for field in fields[1 : extra + 1]):
            raise CupelError(
                f"{path}, line {number}: the vector of {_shown(word)} has {count} "
                f"number{'s' * (count != 1)}, {dimension} were expected."
            )
        word, rest = b" ".join(fields[: extra + 1]), b" ".join(fields[extra + 1 :])
    try:
        values = np.array([float(field) for field in rest.split(b" ")])
    except ValueError:
        values = np.array([np.nan])
    if not (np.abs(values) <= _LARGEST_NUMBER).all():  # a NaN, too, is not
        wrong = next(field for field in rest.split(b" ") if _number(field) is None)
        raise CupelError(
            f"{path}, line {number}: the vector of {_shown(word)} has {_shown(wrong)} where a "
            "number was expected."
        )
    return word.decode(errors="replace"), values.astype(np.float32)


def _number(field: bytes) -> float | None:
    """A finite number that 32 bits can hold, or None."""
    try:
        value = float(field)
    except ValueError:
        return None
    return value if abs(value) <= _LARGEST_NUMBER else None


def _shown(text: bytes) -> str:
    shown = text.decode(errors="replace")
    return repr(shown if len(shown) <= 40 else shown[:37] + "...")


class _Stream:
    """A binary file whose first bytes have been read already."""

    def __init__(self, file: IO[bytes], start: bytes) -> None:
        self._file = file
        self._buffer = start
        self._at = 0

    def read(self, size: int) -> bytes:
        """The next `size` bytes, fewer at the end."""
        while len(self._buffer) - self._at < size and self._more():
            pass
        taken = self._buffer[self._at : self._at + size]
        self._at += len(taken)
        return taken

    def until_blank(self) -> bytes | None:
        """The bytes before the next blank, which is dropped; None where there is none near."""
        while True:
            end = self._buffer.find(b" ", self._at, self._at + _LONGEST_WORD)
            if end >= 0:
                word = self._buffer[self._at : end]
                self._at = end + 1
                return word
            if len(self._buffer) - self._at >= _LONGEST_WORD or not self._more():
                return None

    def _more(self) -> bool:
        block = self._file.read(1 << 20)
        self._buffer = self._buffer[self._at :] + block
        self._at = 0
        return bool(block)


def _binary(stream: _Stream, path: str | Path, count: int, dimension: int) -> Iterator[Chunk]:
    for start in range(0, count, CHUNK):
        size = min(CHUNK, count - start)
        words: list[str] = []
        rows = np.empty((size, dimension), "<f4")
        for row in range(size):
            word = stream.until_blank()
            values = stream.read(4 * dimension) if word is not None else b""
            if word is None or len(values) < 4 * dimension:
                raise CupelError(
                    f"{path} is cut short or not what its header says: {count} vectors of "
                    f"{dimension} numbers are promised, and number {start + row + 1} is not whole."
                )
            rows[row] = np.frombuffer(values, "<f4")
            words.append(word.replace(b"\n", b"").decode(errors="replace"))
        finite = np.isfinite(rows).all(axis=1)
        if not finite.all():
            bad = int(np.argmin(finite))
            raise CupelError(
                f"{path}: the vector of {words[bad]!r}, number {start + bad + 1}, holds something "
                "that is not a finite number."
            )
        yield words, rows.astype(np.float32, copy=False)
    if stream.read(2).strip(b"\n"):
        raise CupelError(f"{path}: its first line promises {count} vectors, and more follow.")
    if not count:
        raise CupelError(f"{path} has no vectors.")
