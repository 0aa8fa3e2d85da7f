"""Compiled loops over integer arrays.

Each kernel is Python source that Numba compiles at its first call and keeps on disk, so that the
next process loads it in milliseconds. Metrics import a kernel inside the function that runs it:
importing Numba takes half a second, and nobody who asks for `cupel --help` should pay it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

from cupel.code_digest import digest
from cupel.folders import cache_folder

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def kernel(function: Kernel) -> Kernel:
    """Compile `function`, cached on disk where some folder for it can be written."""
    return _compiled(function)


def inner_kernel(function: Kernel) -> Kernel:
    """Compile a function that only kernels call: without a Python interface, in less time."""
    return _compiled(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def _compiled(function: Kernel, **options: Any) -> Kernel:
    import numba

    _announce()
    config: Any = numba.config
    given = config.CACHE_DIR
    config.CACHE_DIR = _folder(given, function.__module__)
    try:
        return cast(Kernel, numba.njit(cache=True, nogil=True, **options)(function))
    except RuntimeError:
        # A read-only installation without a writable home: Numba refuses to cache at all, so the
        # kernel is compiled in every process, which is slow but right.
        return cast(Kernel, numba.njit(nogil=True, **options)(function))
    finally:
        config.CACHE_DIR = given


@cache
def _announce() -> None:
    """On a terminal, say once why nothing seems to happen while kernels are compiled."""
    if not sys.stderr.isatty():
        return
    from numba.core import event

    class Compiling(event.Listener):
        def on_start(self, event: object) -> None:
            if not announced:
                announced.append(True)
                print("Compiling for the first use; the next one starts at once.", file=sys.stderr)

        def on_end(self, event: object) -> None: ...

    announced: list[bool] = []
    event.register("numba:compile", Compiling())  # type: ignore[no-untyped-call]


@cache
def _folder(given: str, module: str) -> str:
    """Where the compiled kernels of a module are kept: a folder named after its source.

    Numba looks for changes only in the file of the kernel that is called, not in those of the
    kernels that this one calls: after an upgrade it would run the old code of those. So the name
    is a digest of the module and of all modules of kernels that it imports.
    """
    name = digest(module, __name__, within=__name__)[:12]
    if given:
        return str(Path(given) / f"cupel-{name}")
    for base in (Path(__file__).parent / "__pycache__", cache_folder() / "kernels"):
        folder = base / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return str(folder)
    return ""
