"""Compiled loops over integer arrays.

Each kernel is Python source that Numba compiles at its first call and keeps on disk, so that the
next process loads it in milliseconds. Metrics import a kernel inside the function that runs it:
importing Numba takes half a second, and nobody who asks for `cupel --help` should pay it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def kernel(function: Kernel) -> Kernel:
    """Compile `function`, cached on disk where some folder for it can be written.

    On a read-only installation without a writable home Numba refuses to cache at all; then the
    kernel is compiled in every process, which is slow but right.
    """
    import numba

    try:
        compiled = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:
        compiled = numba.njit(nogil=True)(function)
    return cast(Kernel, compiled)
