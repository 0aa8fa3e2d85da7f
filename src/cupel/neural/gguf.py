"""Reads GGUF files of models: settings, the vocabulary, and tensors, which are made floats again.

A file may lie in several parts, one after the other. Of the formats of numbers those are read that
"Q4_K_M" files have: F32, Q5_0, Q8_0, Q4_K and Q6_K (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
describes the file; a block of 32 or 256 numbers has its own scale).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cupel.errors import CupelError

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]
_SCALARS = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "?",
    10: "Q",
    11: "q",
    12: "d",
}
_STRING, _ARRAY = 8, 9
_HEAD = 1 << 25
"""Bytes at the beginning in which settings and the list of tensors must lie."""


@dataclass(frozen=True)
class Tensor:
    """Where a tensor lies: the format of its numbers, its shape with rows first, its first byte."""

    format: int
    shape: tuple[int, ...]
    start: int


class Gguf:
    """An opened file: `settings` by name, `tensors` by name."""

    def __init__(self, parts: Sequence[Path]) -> None:
        self._parts = [np.memmap(path, np.uint8, "r") for path in parts]
        self._ends = np.cumsum([len(part) for part in self._parts])
        self._at = 0
        self._head = self.bytes(0, min(_HEAD, int(self._ends[-1]))).tobytes()
        try:
            self._read()
        except (struct.error, UnicodeDecodeError, KeyError, ValueError, MemoryError) as error:
            raise CupelError(f"{parts[0]} is not a GGUF file that can be read: {error}.") from error

    def _read(self) -> None:
        if self._head[:4] != b"GGUF":
            raise ValueError("it does not begin with GGUF")
        self._at = 4
        version, tensors, settings = self._unpack("<IQQ")
        if version not in (2, 3):
            raise ValueError(f"version {version}")
        self.settings: dict[str, Any] = {}
        for _ in range(settings):
            name = self._string()
            self.settings[name] = self._value(*self._unpack("<I"))
        listed = [self._tensor() for _ in range(tensors)]
        align = int(self.settings.get("general.alignment", 32))
        first = -(-self._at // align) * align
        self.tensors = {n: Tensor(f, shape, first + start) for n, f, shape, start in listed}

    def bytes(self, start: int, size: int) -> Bytes:
        """`size` bytes from `start` on, across parts."""
        if size < 0 or start + size > int(self._ends[-1]):
            raise ValueError("it ends too early")
        pieces = []
        while size:
            number = int(np.searchsorted(self._ends, start, side="right"))
            begin = int(self._ends[number]) - len(self._parts[number])
            piece = self._parts[number][start - begin : start - begin + size]
            pieces.append(piece)
            start, size = start + len(piece), size - len(piece)
        if len(pieces) == 1:
            return np.asarray(pieces[0])
        return np.concatenate(pieces) if pieces else np.zeros(0, np.uint8)

    def rows(self, name: str, rows: npt.NDArray[np.integer] | None = None) -> Floats:
        """(rows, ...) a tensor as floats, or some of its rows."""
        tensor = self.tensors[name]
        if tensor.format not in _FORMATS:
            raise CupelError(f"The tensor {name} has numbers of the format {tensor.format}.")
        block, size, decode = _FORMATS[tensor.format]
        width = tensor.shape[-1]
        row_bytes = width // block * size
        count = int(np.prod(tensor.shape[:-1], dtype=np.int64))
        raw = self.bytes(tensor.start, count * row_bytes).reshape(count, row_bytes)
        chosen = raw if rows is None else raw[rows]
        floats = decode(np.ascontiguousarray(chosen).reshape(-1, size))
        shape = tensor.shape if rows is None else (len(rows), width)
        return floats.reshape(shape)

    def _unpack(self, form: str) -> tuple[Any, ...]:
        values = struct.unpack_from(form, self._head, self._at)
        self._at += struct.calcsize(form)
        return values

    def _string(self) -> str:
        (size,) = struct.unpack_from("<Q", self._head, self._at)
        first, self._at = self._at + 8, self._at + 8 + size
        if self._at > len(self._head):
            raise ValueError("a text is too long")
        return self._head[first : self._at].decode("utf-8")

    def _value(self, kind: int) -> Any:
        if kind == _STRING:
            return self._string()
        if kind != _ARRAY:
            return self._unpack("<" + _SCALARS[kind])[0]
        kind, count = self._unpack("<IQ")
        if kind == _STRING:
            return [self._string() for _ in range(count)]
        values = np.frombuffer(self._head, "<" + _SCALARS[kind], count, self._at)
        self._at += values.nbytes
        return values

    def _tensor(self) -> tuple[str, int, tuple[int, ...], int]:
        name = self._string()
        (dimensions,) = self._unpack("<I")
        shape = self._unpack(f"<{dimensions}Q")
        form, start = self._unpack("<IQ")
        return name, form, shape[::-1], start


def _half(block: Bytes) -> Floats:
    """(n, 2) bytes of half-precision numbers -> (n, 1)."""
    values: Floats = np.ascontiguousarray(block).view("<f2").astype(np.float32)
    return values


def _f32(blocks: Bytes) -> Floats:
    values: Floats = blocks.view("<f4")
    return values


def _q8_0(blocks: Bytes) -> Floats:
    """A scale, and 32 numbers of 8 bits."""
    numbers: Floats = _half(blocks[:, :2]) * blocks[:, 2:].view(np.int8).astype(np.float32)
    return numbers


def _q5_0(blocks: Bytes) -> Floats:
    """A scale, the fifth bits of 32 numbers, their other four."""
    fifth = np.unpackbits(blocks[:, 2:6], axis=1, bitorder="little")
    low = np.concatenate([blocks[:, 6:] & 15, blocks[:, 6:] >> 4], axis=1)
    values: Floats = _half(blocks[:, :2]) * ((low | fifth << 4).astype(np.float32) - 16.0)
    return values


def _q4_k(blocks: Bytes) -> Floats:
    """Two scales, eight pairs of 6 bits (scale and minimum), and 256 numbers of 4 bits."""
    packed = blocks[:, 4:16]
    first, second, third = packed[:, :4], packed[:, 4:8], packed[:, 8:]
    scale = np.concatenate([first & 63, (third & 15) | (first >> 6) << 4], axis=1)
    least = np.concatenate([second & 63, (third >> 4) | (second >> 6) << 4], axis=1)
    quarters = blocks[:, 16:].reshape(-1, 4, 1, 32)
    numbers = np.concatenate([quarters & 15, quarters >> 4], axis=2).reshape(-1, 8, 32)
    factor = (_half(blocks[:, :2]) * scale)[:, :, None]
    shift = (_half(blocks[:, 2:4]) * least)[:, :, None]
    values: Floats = (factor * numbers - shift).astype(np.float32)
    return values


def _q6_k(blocks: Bytes) -> Floats:
    """256 numbers of 6 bits (four and two), 16 scales, and their scale."""
    low = blocks[:, :128].reshape(-1, 2, 1, 64)
    low = np.concatenate([low & 15, low >> 4], axis=2).reshape(-1, 2, 4, 32)
    shifts = np.array([0, 2, 4, 6], np.uint8)[:, None]
    high = blocks[:, 128:192].reshape(-1, 2, 1, 32) >> shifts & 3
    numbers = (low | high << 4).reshape(-1, 16, 16).astype(np.float32) - 32.0
    scale = _half(blocks[:, 208:]) * blocks[:, 192:208].view(np.int8)
    values: Floats = (scale[:, :, None] * numbers).astype(np.float32)
    return values


_FORMATS: dict[int, tuple[int, int, Callable[[Bytes], Floats]]] = {
    0: (1, 4, _f32),
    6: (32, 22, _q5_0),
    8: (32, 34, _q8_0),
    12: (256, 144, _q4_k),
    14: (256, 210, _q6_k),
}
"""By the number of a format: numbers in a block, its bytes, and what makes floats of blocks."""
