r"""Bytes to lines, exactly: the basis of every other reader in this package.

A line ends at `\n` (or `\r\n`) and nowhere else, so that U+2028, U+0085 or a form feed inside a
segment cannot shift the segments after it. Files are read line by line: beyond the strings
themselves, memory does not grow with the file.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from cupel.errors import CupelError
from cupel.reading.limits import LONGEST_LINE, Unpacking, byte_lines, read_whole, too_long

STANDARD_INPUT = "-"
BOM = "\ufeff"
_GZIP_MAGIC = b"\x1f\x8b"


def read_lines(path: Path | str, encoding: str = "utf-8") -> list[str]:
    """The lines of a file (`.gz` is unpacked, `-` is standard input), without their ends."""
    return list(iterate_lines(path, encoding))


def iterate_lines(path: Path | str, encoding: str = "utf-8") -> Iterator[str]:
    """`read_lines`, one line at a time."""
    name = display_name(path)
    with open_bytes(path) as stream:
        yield from decode_lines(stream, name, encoding)


def read_text(path: Path | str, encoding: str = "utf-8") -> str:
    r"""A whole file as one string, with `\r\n` as `\n`: for formats that lines do not divide."""
    return "\n".join(iterate_lines(path, encoding))


def display_name(path: Path | str) -> str:
    """How errors and tables call a file: as the user named it."""
    return "standard input" if str(path) == STANDARD_INPUT else str(path)


@contextmanager
def open_bytes(path: Path | str) -> Iterator[BinaryIO]:
    """A file, a `.gz` or standard input, open for reading bytes; a `CupelError` if that fails."""
    name = display_name(path)
    if str(path) == STANDARD_INPUT:
        if sys.stdin is None:
            raise CupelError("Standard input is closed.")
        yield sys.stdin.buffer
        return
    try:
        with Path(path).open("rb") as file:
            if str(path).lower().endswith(".gz"):
                with _unpacked(file, name) as stream:
                    yield stream
            else:
                yield file
    except FileNotFoundError:
        raise CupelError(f"{name} does not exist.") from None
    except IsADirectoryError:
        raise CupelError(f"{name} is a folder; a file was expected.") from None
    except PermissionError:
        raise CupelError(f"{name} cannot be read: permission denied.") from None
    except OSError as error:
        raise CupelError(f"{name} cannot be read: {error.strerror or error}.") from None


@contextmanager
def _unpacked(file: io.BufferedReader, name: str) -> Iterator[BinaryIO]:
    import gzip
    import zlib

    magic = file.peek(2)[:2]
    if magic and magic != _GZIP_MAGIC:
        raise CupelError(f"{name} is not gzip, although its name ends in .gz.")
    try:
        with gzip.GzipFile(fileobj=file) as unpacked:
            # GzipFile reads lines in Python; a BufferedReader around it does so in C.
            size = os.fstat(file.fileno()).st_size
            yield io.BufferedReader(Unpacking(unpacked, size, name), 1 << 16)
    except EOFError:
        raise CupelError(f"{name} is cut off: its gzip data ends too early.") from None
    except (gzip.BadGzipFile, zlib.error):
        raise CupelError(f"{name} is damaged: its gzip data cannot be unpacked.") from None


def decode_lines(stream: BinaryIO, name: str, encoding: str = "utf-8") -> Iterator[str]:
    """The decoded lines of a byte stream; a byte that cannot be decoded is an error with its place."""
    try:
        codec = codecs.lookup(encoding).name
        newline = "\n".encode(codec)
    except (LookupError, UnicodeError, AssertionError):
        raise CupelError(f"There is no text encoding called {encoding!r}.") from None
    if newline != b"\n":  # UTF-16 and its kind, where a byte 0x0A need not be a newline
        yield from _decoded_as_one(read_whole(stream, name), name, codec)
        return
    for number, raw in enumerate(byte_lines(stream), start=1):
        if len(raw) > LONGEST_LINE:
            raise too_long(name, number)
        line = decoded_line(raw, number, name, codec)
        if number == 1 and not line and not raw.endswith(b"\n"):
            return  # a byte order mark and nothing else
        yield line


def decoded_line(raw: bytes, number: int, name: str, codec: str) -> str:
    """One line without its end; errors name the file and the line, from 1."""
    try:
        line = raw.decode(codec)
    except UnicodeDecodeError as error:
        raise CupelError(_bad_byte(name, number, error)) from None
    return _without_end(line.removeprefix(BOM) if number == 1 else line)


def _decoded_as_one(content: bytes, name: str, codec: str) -> Iterator[str]:
    try:
        text = content.decode(codec).removeprefix(BOM)
    except UnicodeDecodeError as error:
        before = content[: error.start].decode(codec, errors="ignore").count("\n")
        raise CupelError(_bad_byte(name, before + 1, error)) from None
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    yield from (line.removesuffix("\r") for line in lines)


def _without_end(line: str) -> str:
    if line.endswith("\r\n"):
        return line[:-2]
    return line[:-1] if line.endswith("\n") else line


def _bad_byte(name: str, line: int, error: UnicodeDecodeError) -> str:
    before = error.object[: error.start].decode(error.encoding, errors="ignore")
    column = len(before.removeprefix(BOM).rpartition("\n")[2]) + 1
    place = f"{name}, line {line}, column {column}"
    encoding = error.encoding.upper()
    if error.object.startswith(_GZIP_MAGIC):
        return f"{name} is packed with gzip; give it a name that ends in .gz."
    byte = error.object[error.start]
    return f"{place}: the byte 0x{byte:02X} is not {encoding}; convert the file to {encoding}."
