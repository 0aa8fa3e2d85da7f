"""A sentence where a library ends the process itself.

Polars reads Parquet in Rust, which calls `abort` where memory is not available; a damaged page can ask
for 2^61 bytes. No exception comes back from there: all that can be done is to say which file it was.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

REFUSED = 2
"""The status of a command that refuses its input."""


@contextmanager
def ending_with(sentence: str) -> Iterator[None]:
    """If the process is aborted inside, it ends with this sentence on standard error, status 2."""
    if sys.platform == "win32":
        yield
        return
    from cupel.console import printable

    line = f"cupel: {printable(sentence)}\n".encode()

    def end(_number: int) -> None:
        os.write(2, line)
        os._exit(REFUSED)

    # `signal.signal` would only set a flag, and `abort` does not return to Python.
    handler = ctypes.CFUNCTYPE(None, ctypes.c_int)(end)
    set_handler = ctypes.CDLL(None).signal
    set_handler.argtypes = [ctypes.c_int, ctypes.c_void_p]
    set_handler.restype = ctypes.c_void_p
    before = set_handler(signal.SIGABRT, ctypes.cast(handler, ctypes.c_void_p))
    try:
        yield
    finally:
        set_handler(signal.SIGABRT, before)
