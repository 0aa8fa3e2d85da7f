"""Arrays in one file that is mapped into memory: for large tables that are compiled once.

Layout: a magic word, the length of the header, the header (JSON: kind, version, what the table was
made of, where each array lies, checksum of the arrays), then the arrays. A file that is not exactly
as it was written is told apart from a good one when it is opened, before anything reads it.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cupel.folders import writing

MAGIC = b"CUPELIDX"
_ALIGNED = 64
Arrays = dict[str, npt.NDArray[Any]]


class UnusableIndex(Exception):
    """The file is damaged, or of another kind or version; the message says which."""


def write_index(
    path: Path, kind: str, version: int, source: str, arrays: Mapping[str, npt.NDArray[Any]]
) -> None:
    """Write the arrays at once or not at all."""
    places: dict[str, tuple[str, int, int]] = {}
    position = 0
    checksum = 0
    blocks: list[bytes | memoryview] = []
    for name, array in arrays.items():
        block = np.ascontiguousarray(array).data.cast("B")
        padding = bytes(-len(block) % _ALIGNED)
        places[name] = (array.dtype.str, position, len(array))
        position += len(block) + len(padding)
        checksum = zlib.crc32(padding, zlib.crc32(block, checksum))
        blocks += (block, padding)
    header = json.dumps(
        {
            "kind": kind,
            "version": version,
            "source": source,
            "arrays": places,
            "size": position,
            "crc32": checksum,
        }
    ).encode()
    header += b" " * (-(len(MAGIC) + 4 + len(header)) % _ALIGNED)
    with writing(path) as beside, beside.open("wb") as file:
        file.write(MAGIC + struct.pack("<I", len(header)) + header)
        for written in blocks:
            file.write(written)


def open_index(path: Path, kind: str, version: int, source: str) -> Arrays:
    """The arrays, mapped into memory and checked.

    Raises FileNotFoundError where there is none, and UnusableIndex where it is of no use.
    """
    with path.open("rb") as file:
        start = file.read(len(MAGIC) + 4)
        if len(start) < len(MAGIC) + 4 or start[: len(MAGIC)] != MAGIC:
            raise UnusableIndex("damaged")
        length = struct.unpack("<I", start[len(MAGIC) :])[0]
        header = _header(file.read(min(length, 1 << 16)))
    if (header["kind"], header["source"]) != (kind, source):
        raise UnusableIndex("damaged")
    if header["version"] != version:
        raise UnusableIndex("of another version of Cupel")
    base = len(start) + length
    if path.stat().st_size != base + header["size"]:
        raise UnusableIndex("damaged")
    content = np.memmap(path, np.uint8, "r", base)
    if zlib.crc32(content.data) != header["crc32"]:
        raise UnusableIndex("damaged")
    plain = content.view(np.ndarray)
    return {
        name: plain[position : position + count * np.dtype(kind).itemsize].view(kind)
        for name, (kind, position, count) in header["arrays"].items()
    }


def _header(text: bytes) -> dict[str, Any]:
    try:
        header = json.loads(text)
        _ = [header[key] for key in ("kind", "version", "source", "arrays", "size", "crc32")]
    except (ValueError, KeyError, TypeError) as error:
        raise UnusableIndex("damaged") from error
    return dict(header)
