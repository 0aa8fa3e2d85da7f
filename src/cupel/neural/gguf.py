"""Reads GGUF files of models: settings, the vocabulary, and tensors, which are made floats again.

Of the formats of numbers those are read that "Q4_K_M" files have: F32, Q5_0, Q8_0, Q4_K and Q6_K (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
describes the file; `cupel.kernels.gguf` makes the numbers floats). Nothing is copied before it is asked for.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cupel.arrays import Bytes, IntArray
from cupel.errors import CupelError
from cupel.kernels.gguf import BLOCKS, decode_blocks, text_places

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
_F32 = 0
_HEAD = 1 << 25
"""Bytes at the beginning in which settings and the list of tensors must lie."""


@dataclass(frozen=True)
class Tensor:
    """Where a tensor lies: the format of its numbers, its shape with rows first, its first byte."""

    format: int
    shape: tuple[int, ...]
    start: int


@dataclass(frozen=True)
class Texts:
    """A list of texts where it lies: text i is `content[starts[i]:ends[i]]`, in UTF-8."""

    content: Bytes
    starts: IntArray
    ends: IntArray

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, number: int) -> str:
        return self.content[self.starts[number] : self.ends[number]].tobytes().decode("utf-8")

    def __iter__(self) -> Iterator[str]:
        return map(self.__getitem__, range(len(self)))


class Gguf:
    """An opened file: `settings` by name, `tensors` by name."""

    def __init__(self, path: Path) -> None:
        self._file = np.memmap(path, np.uint8, "r")
        self._at = 0
        self._head = self.bytes(0, min(_HEAD, len(self._file)))
        try:
            self._read()
        except (struct.error, UnicodeDecodeError, KeyError, ValueError, MemoryError) as error:
            raise CupelError(f"{path} is not a GGUF file that can be read: {error}.") from error

    def _read(self) -> None:
        if self._head[:4].tobytes() != b"GGUF":
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
        """`size` bytes from `start` on."""
        if size < 0 or start + size > len(self._file):
            raise ValueError("it ends too early")
        return np.asarray(self._file[start : start + size])

    def rows(self, name: str, rows: npt.NDArray[np.integer] | None = None) -> Floats:
        """(rows, ...) a tensor as floats, or some of its rows."""
        tensor = self.tensors[name]
        if tensor.format not in BLOCKS and tensor.format != _F32:
            raise CupelError(f"The tensor {name} has numbers of the format {tensor.format}.")
        block, size = BLOCKS.get(tensor.format, (1, 4))
        width = tensor.shape[-1]
        row_bytes = width // block * size
        if rows is None:
            count = int(np.prod(tensor.shape[:-1], dtype=np.int64))
            raw, shape = self.bytes(tensor.start, count * row_bytes), tensor.shape
        else:
            table = self.bytes(tensor.start, tensor.shape[0] * row_bytes).reshape(-1, row_bytes)
            raw, shape = table[rows], (len(rows), width)
        if tensor.format == _F32:
            return np.frombuffer(raw.tobytes(), "<f4").reshape(shape)
        return decode_blocks(raw, tensor.format).reshape(shape)

    def _unpack(self, form: str) -> tuple[Any, ...]:
        values = struct.unpack_from(form, self._head.data, self._at)
        self._at += struct.calcsize(form)
        return values

    def _string(self) -> str:
        return self._texts(1)[0]

    def _texts(self, count: int) -> Texts:
        if count > len(self._head):
            raise ValueError(f"a list of {count} texts")
        starts, ends, last = text_places(self._head, self._at, count)
        if last < 0:
            raise ValueError("a text is too long")
        self._at = last
        return Texts(self._head, starts, ends)

    def _value(self, kind: int) -> Any:
        if kind == _STRING:
            return self._string()
        if kind != _ARRAY:
            return self._unpack("<" + _SCALARS[kind])[0]
        kind, count = self._unpack("<IQ")
        if kind == _STRING:
            return self._texts(count)
        values = np.frombuffer(self._head, "<" + _SCALARS[kind], count, self._at)
        self._at += values.nbytes
        return values

    def _tensor(self) -> tuple[str, int, tuple[int, ...], int]:
        name = self._string()
        (dimensions,) = self._unpack("<I")
        shape = self._unpack(f"<{dimensions}Q")
        form, start = self._unpack("<IQ")
        return name, form, shape[::-1], start
