"""Compiled loops over integer arrays.

Each kernel is a C function, compiled when the package is built (`hatch_build.py`) into one library
for the platform, whatever the version of Python. The module of the same name declares it, and makes
the arrays that it fills. Metrics import a kernel inside the function that runs it.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from cupel.arrays import Int32Array
from cupel.errors import MissingPart

FOLDER = Path(__file__).parent
LIBRARY = FOLDER / ("library" + {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so"))


@cache
def library() -> ctypes.CDLL:
    """The compiled kernels of this platform."""
    checkout = FOLDER.parents[2] / "hatch_build.py"
    again = f"python {checkout}" if checkout.is_file() else "pip install --force-reinstall cupel"
    if not LIBRARY.is_file():
        raise MissingPart(f"Cupel's compiled part, {LIBRARY}, is missing: {again}")
    try:
        loaded = ctypes.CDLL(str(LIBRARY))
        sources = loaded.cupel_sources
        loaded.cupel_free.argtypes = [ctypes.c_void_p]
    except (OSError, AttributeError) as error:
        raise MissingPart(
            f"Cupel's compiled part does not fit this machine ({error}): {again}"
        ) from error
    sources.restype = ctypes.c_char_p
    if checkout.is_file() and sources().decode() != sources_digest():
        raise MissingPart(f"Cupel's compiled part is not that of its C sources: {again}")
    return loaded


def sources_digest() -> str:
    """Of all C sources, as the library says from which it was compiled."""
    import hashlib

    whole = hashlib.sha256()
    for path in sorted(FOLDER.glob("*.[ch]")):
        whole.update(path.name.encode() + b"\0" + path.read_bytes())
    return whole.hexdigest()


def kernel(name: str, types: str) -> Callable[..., None]:
    """The C function `cupel_NAME`, whose arguments are of these types.

    `i64` and `f64` are an integer and a number, with a star an array of them: contiguous, and passed
    as its address. A test compares the types with those in the C sources.
    """
    function = getattr(library(), f"cupel_{name}")
    function.argtypes = [_TYPES[kind] for kind in types.split()]
    function.restype = _check
    result: Callable[..., None] = function
    return result


def _check(state: int) -> None:
    if state:
        raise MemoryError("There is not enough memory for so much text at once.")


class _Address:
    """The type of an argument that is an array."""

    def __init__(self, dtype: type[np.generic]) -> None:
        self._dtype = np.dtype(dtype)

    def from_param(self, array: np.ndarray) -> ctypes.c_void_p:
        if array.dtype != self._dtype or not array.flags.c_contiguous:
            raise TypeError(f"expected a contiguous array of {self._dtype}, got {array.dtype}")
        return ctypes.c_void_p(array.ctypes.data)


class Handed(ctypes.Structure):
    """An array of 32-bit integers whose size only the kernel knows."""

    _fields_ = (("values", ctypes.c_void_p), ("count", ctypes.c_int64))

    def taken(self, columns: int = 1) -> Int32Array:
        """A copy of it, (rows, columns); the kernel's own is freed."""
        size = self.count * columns
        values = np.zeros(size, np.int32)
        ctypes.memmove(values.ctypes.data, self.values, values.nbytes)
        library().cupel_free(self.values)
        return values.reshape(-1, columns)


_TYPES: dict[str, Any] = {
    "i64": ctypes.c_int64,
    "f64": ctypes.c_double,
    "Handed*": ctypes.POINTER(Handed),
    "void**": ctypes.c_void_p,
    "i64*": _Address(np.int64),
    "i32*": _Address(np.int32),
    "f64*": _Address(np.float64),
    "f32*": _Address(np.float32),
    "u64*": _Address(np.uint64),
    "u32*": _Address(np.uint32),
    "u16*": _Address(np.uint16),
    "u8*": _Address(np.uint8),
}
