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
    """Compile `function`, cached on disk where some folder for it can be written."""
    return _compiled(function)


def inner_kernel(function: Kernel) -> Kernel:
    """Compile a function that only kernels call: without its door to Python, in less time."""
    return _compiled(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def _compiled(function: Kernel, **options: Any) -> Kernel:
    import numba

    try:
        return cast(Kernel, numba.njit(cache=True, nogil=True, **options)(function))
    except RuntimeError:
        # A read-only installation without a writable home: Numba refuses to cache at all, so the
        # kernel is compiled in every process, which is slow but right.
        return cast(Kernel, numba.njit(nogil=True, **options)(function))
