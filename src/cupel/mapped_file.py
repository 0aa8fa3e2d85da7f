"""Arrays in one file that is mapped into memory: for large tables that are made once.

Layout: 64 bytes with a magic word and the place, length and checksum of the header; the arrays,
each at a multiple of 64 bytes; the header (JSON: kind, version, what the arrays were made of, and
type, place, shape and checksum of each). The header comes last, so that an array can be written
piece by piece. A file that is not exactly as it was written is recognised when it is opened. Of an
array without a checksum only the size is checked, so that a matrix of gigabytes opens at once.
"""

from __future__ import annotations

import json
import math
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from cupel.folders import writing

MAGIC = b"CUPELMAP"
_START = struct.Struct("<8sQII")
_ALIGNED = 64
Arrays = dict[str, npt.NDArray[Any]]


class UnusableFile(Exception):
    """Why the file is of no use: it is "damaged", say, or "of another version of Cupel"."""


class Writer:
    """Adds arrays to a file, one after the other."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.places: dict[str, tuple[str, int, tuple[int, ...], int | None]] = {}

    def add(self, name: str, pieces: Iterable[npt.NDArray[Any]], *, checked: bool = True) -> None:
        """Write the rows of one or more pieces as one array."""
        start, rows, checksum = self._file.tell(), 0, 0
        kind, row = "|u1", ()
        for piece in pieces:
            kind, row = piece.dtype.str, piece.shape[1:]
            rows += len(piece)
            checksum = self._write(np.ascontiguousarray(piece).reshape(-1).view(np.uint8), checksum)
        padding = np.zeros((start - self._file.tell()) % _ALIGNED, np.uint8)
        checksum = self._write(padding, checksum)
        self.places[name] = kind, start, (rows, *row), checksum if checked else None

    def _write(self, block: npt.NDArray[np.uint8], checksum: int) -> int:
        self._file.write(block.data)
        return zlib.crc32(block.data, checksum)


@contextmanager
def writing_arrays(path: Path, kind: str, version: int, source: str) -> Iterator[Writer]:
    """A writer of the file, which appears when the block ends well."""
    with writing(path) as beside, beside.open("wb") as file:
        file.write(bytes(_ALIGNED))
        writer = Writer(file)
        yield writer
        about = {"kind": kind, "version": version, "source": source, "arrays": writer.places}
        header = json.dumps(about).encode()
        place = file.tell()
        file.write(header)
        file.seek(0)
        file.write(_START.pack(MAGIC, place, len(header), zlib.crc32(header)))


def write_arrays(
    path: Path, kind: str, version: int, source: str, arrays: Mapping[str, npt.NDArray[Any]]
) -> None:
    """Write the arrays at once or not at all."""
    with writing_arrays(path, kind, version, source) as writer:
        for name, array in arrays.items():
            writer.add(name, [array])


def open_arrays(path: Path, kind: str, version: int, source: str) -> Arrays:
    """The arrays, mapped into memory and checked.

    Raises FileNotFoundError where there is no file, and UnusableFile where it is of no use.
    """
    if not path.is_file():
        raise FileNotFoundError(path)
    try:
        content = np.memmap(path, np.uint8, "r").view(np.ndarray)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise UnusableFile(f"not readable ({error.strerror})") from error
    except ValueError as error:  # an empty file cannot be mapped
        raise UnusableFile("damaged") from error
    header = _header(content)
    if (header["kind"], header["source"]) != (kind, source):
        raise UnusableFile("damaged")
    if header["version"] != version:
        raise UnusableFile("of another version of Cupel")
    return {name: _array(content, *place) for name, place in header["arrays"].items()}


def _header(content: npt.NDArray[np.uint8]) -> dict[str, Any]:
    if len(content) < _START.size:
        raise UnusableFile("damaged")
    magic, place, length, checksum = _START.unpack(content[: _START.size].tobytes())
    if magic != MAGIC:
        older = magic[:5].upper() == MAGIC[:5]
        raise UnusableFile("of another version of Cupel" if older else "damaged")
    text = content[place:].tobytes() if place + length == len(content) else b""
    if not text or zlib.crc32(text) != checksum:
        raise UnusableFile("damaged")
    return dict(json.loads(text))


def _array(
    content: npt.NDArray[np.uint8], kind: str, start: int, shape: list[int], checksum: int | None
) -> npt.NDArray[Any]:
    size = math.prod(shape) * np.dtype(kind).itemsize
    if checksum is not None and checksum != zlib.crc32(
        content[start : start + size + -size % _ALIGNED].data
    ):
        raise UnusableFile("damaged")
    return content[start : start + size].view(kind).reshape(shape)
