"""The memory-mapped form of a file of word vectors, made once and kept in the cache.

One file per content: `vectors/<sha256 of the source>.vectors` in the cache folder holds

    the line `cupel vectors 1`, padded to 64 bytes
    the matrix, rows of little-endian 32-bit floats
    the words, in the order of the rows, each followed by a line end, in UTF-8
    a JSON object {"rows", "dimension", "words", "crc32"}: bytes and checksum of the words
    the length of that object, 8 bytes, little-endian

A form that is damaged or of another version is made again, and one line on standard error says so.
The words are checked by their checksum and the matrix by its size alone: reading all of it would
undo what mapping it is for. So that a large source is not hashed at every start, `<sha256 of its
path>.stamp` remembers size, time of last change and hash of the source.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from cupel.arrays import Float32Array
from cupel.console import warn
from cupel.errors import CupelError
from cupel.folders import cache_folder, write_text, writing
from cupel.text.vector_files import read_vectors

VERSION = 1
LARGE = 100_000_000
"""Sources of more bytes than this are announced, for reading them takes a while."""

_NAME = b"cupel vectors "
_FRONT = 64
_TAIL = 8


class _Unusable(Exception):
    """Why a cached form has to be made again."""


def load(path: str | Path) -> tuple[list[str], Float32Array, str]:
    """(words, matrix, sha256) of a file of word vectors, from its cached form."""
    source = Path(path)
    digest = file_digest(source)
    target = cache_folder() / "vectors" / f"{digest}.vectors"
    try:
        words, matrix = _open(target)
    except FileNotFoundError:
        if source.stat().st_size > LARGE:
            warn(f"Reading {source}; the next time it will open at once, from {target}.")
    except (_Unusable, OSError) as reason:
        warn(f"The cached form of {source} {reason}: making it again from the file.")
    else:
        return words, matrix, digest
    _convert(source, target)
    return *_open(target), digest


def file_digest(path: Path) -> str:
    """sha256 of a file's content, remembered as long as its size and time of change stay."""
    try:
        status = path.stat()
        stamp = _stamp_file(path)
        known = _stamp(stamp)
        if known.get("size") == status.st_size and known.get("changed") == status.st_mtime_ns:
            return str(known["sha256"])
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise CupelError(f"{path} cannot be read: {error.strerror}.") from error
    entry = {"size": status.st_size, "changed": status.st_mtime_ns, "sha256": digest}
    write_text(stamp, json.dumps(entry))
    return digest


def _stamp_file(path: Path) -> Path:
    name = hashlib.sha256(str(path.resolve()).encode(errors="surrogateescape")).hexdigest()
    return cache_folder() / "vectors" / f"{name}.stamp"


def _stamp(file: Path) -> dict[str, Any]:
    try:
        known = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) and "sha256" in known else {}


def _convert(source: Path, target: Path) -> None:
    words: list[str] = []
    with writing(target) as beside, beside.open("wb") as file:
        file.write(_front())
        dimension = 0
        for chunk, rows in read_vectors(source):
            words += chunk
            dimension = rows.shape[1]
            file.write(rows.astype("<f4", copy=False).tobytes())
        spelled = "".join(f"{word}\n" for word in words).encode()
        entry = {
            "rows": len(words),
            "dimension": dimension,
            "words": len(spelled),
            "crc32": zlib.crc32(spelled),
        }
        tail = json.dumps(entry).encode()
        file.write(spelled + tail + len(tail).to_bytes(_TAIL, "little"))


def _front() -> bytes:
    return (_NAME + b"%d\n" % VERSION).ljust(_FRONT, b"\0")


def _open(target: Path) -> tuple[list[str], Float32Array]:
    with target.open("rb") as file:
        front = file.read(_FRONT)
        if front != _front():
            older = len(front) == _FRONT and front.startswith(_NAME)
            raise _Unusable("is of another version" if older else "is damaged")
        size = file.seek(0, 2)
        tail = int.from_bytes(_part(file, size - _TAIL, _TAIL), "little")
        try:
            entry = json.loads(_part(file, size - _TAIL - tail, tail))
            rows, dimension = int(entry["rows"]), int(entry["dimension"])
            length, checksum = int(entry["words"]), int(entry["crc32"])
        except (ValueError, KeyError, TypeError) as error:
            raise _Unusable("is damaged") from error
        matrix_bytes = 4 * rows * dimension
        if rows < 1 or size != _FRONT + matrix_bytes + length + tail + _TAIL:
            raise _Unusable("is damaged")
        spelled = _part(file, _FRONT + matrix_bytes, length)
    if zlib.crc32(spelled) != checksum or spelled.count(b"\n") != rows:
        raise _Unusable("is damaged")
    matrix = np.memmap(target, "<f4", "r", _FRONT, (rows, dimension))
    return spelled.decode().split("\n")[:-1], matrix


def _part(file: Any, start: int, size: int) -> bytes:
    if start < _FRONT or size < 0:
        raise _Unusable("is damaged")
    file.seek(start)
    part: bytes = file.read(size)
    return part
