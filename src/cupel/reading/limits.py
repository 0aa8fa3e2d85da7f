"""Where reading ends with a sentence instead of filling the memory.

A line may have 256 MiB, so that a file without line ends, or `/dev/zero`, is not read for ever.
Packed text may unpack to 40 times its size, or to 32 MiB where that is more: text does so to 3 to 10
times. What is no plain file, such as a pipe, is read as a whole up to 1 GiB.
"""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

from cupel.errors import CupelError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

LONGEST_LINE = 1 << 28
LARGEST_STREAM = 1 << 30
LEAST_UNPACKED = 1 << 25
MOST_TIMES = 40
LONGEST_TOML = 100_000


def byte_lines(stream: BinaryIO) -> Iterable[bytes]:
    r"""The lines of a stream, each with its `\n`, and of one that is too long its beginning."""
    size = _plain_size(stream)
    if size is not None and size <= LONGEST_LINE:
        return stream  # no line can be too long, and this is faster
    return iter(partial(stream.readline, LONGEST_LINE + 1), b"")


def too_long(name: str, number: int) -> CupelError:
    """The error for a line of more than LONGEST_LINE bytes."""
    return CupelError(
        f"{name}, line {number} is longer than {LONGEST_LINE >> 20} MiB; one segment per line was "
        "expected."
    )


def read_whole(stream: BinaryIO, name: str) -> bytes:
    """All bytes of a plain file, or of another stream that ends in time."""
    if _plain_size(stream) is not None:
        return stream.read()
    parts, total = [], 0
    while part := stream.read(1 << 20):
        parts.append(part)
        total += len(part)
        if total > LARGEST_STREAM:
            raise CupelError(
                f"{name} does not end within {LARGEST_STREAM >> 30} GiB; save it as a file first."
            )
    return b"".join(parts)


def check_toml(text: str, name: str) -> str:
    """The text, unless it is so long that to read it as TOML could take minutes."""
    if len(text) > LONGEST_TOML:
        raise CupelError(f"{name} has more than {LONGEST_TOML:,} characters, too many for TOML.")
    return text


def check_zip(content: io.BytesIO, name: str) -> None:
    """An error where the members of a .zip would be far larger than it is; others pass."""
    import zipfile

    try:
        with zipfile.ZipFile(content) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
    except Exception:  # not a .zip, or damaged: the reader of it will say so
        unpacked = 0
    content.seek(0)
    if unpacked > max(LEAST_UNPACKED, MOST_TIMES * len(content.getbuffer())):
        raise CupelError(f"{name} unpacks to more than {MOST_TIMES} times its size.")


def _plain_size(stream: BinaryIO) -> int | None:
    """The size of a plain file; None for another stream."""
    try:
        status = os.fstat(stream.fileno())
    except OSError:  # a stream without a file
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


class Unpacking(io.RawIOBase):
    """Packed text as it unpacks, up to a size that no honest file has."""

    def __init__(self, unpacked: io.BufferedIOBase, packed_bytes: int, name: str) -> None:
        self._unpacked = unpacked
        self._name = name
        self._left = max(LEAST_UNPACKED, MOST_TIMES * packed_bytes)

    def readable(self) -> bool:
        """As every stream that is read."""
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Fill the buffer; an error where there is too much."""
        count = self._unpacked.readinto(buffer)
        self._left -= count
        if self._left < 0:
            raise CupelError(
                f"{self._name} unpacks to more than {MOST_TIMES} times its size, unlike any text; "
                "if it is right, unpack it first."
            )
        return count
