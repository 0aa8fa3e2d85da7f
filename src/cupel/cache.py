"""The cache on disk: results that can be computed again, under keys of content and code.

The cache folder (CUPEL_CACHE) has a folder for each kind of result. A key is a hash of everything
that a result depends on, so that a changed text, option or line of code is another entry and none
is ever out of date. Entries are written beside their place and renamed. Nothing fails for the
cache: what is missing or damaged is computed again, and where nothing can be written one line on
standard error says so.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy.typing as npt

from cupel.console import warn
from cupel.errors import CannotWrite
from cupel.folders import cache_folder, owned, sweep, sweep_once, write_text, writing_folder
from cupel.mapped_file import (
    Arrays,
    UnusableFile,
    Writer,
    open_arrays,
    write_arrays,
    writing_arrays,
)

_FORM = 1
_VALUES = "values"
_warned: set[Path] = set()


def key(*parts: object) -> str:
    """The name of an entry: a hash of Cupel's version and of all that the result depends on."""
    from cupel import __version__

    text = json.dumps([__version__, *map(str, parts)])
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def load_arrays(kind: str, name: str) -> Arrays | None:
    """The arrays of that name, or None where there are none or they are damaged."""
    try:
        arrays = open_arrays(_path(kind, f"{name}.arrays"), kind, _FORM, name)
    except (FileNotFoundError, UnusableFile):
        return None
    return {label: array.copy() for label, array in arrays.items()}


def save_arrays(kind: str, name: str, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Keep arrays."""
    path = _path(kind, f"{name}.arrays")
    with saving(path.parent):
        write_arrays(path, kind, _FORM, name, arrays)


def load_array(kind: str, name: str) -> npt.NDArray[Any] | None:
    """The array of that name, or None where there is none or it is damaged."""
    arrays = load_arrays(kind, name)
    return None if arrays is None else arrays[_VALUES]


def save_array(kind: str, name: str, values: npt.NDArray[Any]) -> None:
    """Keep an array."""
    save_arrays(kind, name, {_VALUES: values})


def kept_array(kind: str, name: str, compute: Callable[[], npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """The array of that name, computed and kept where it is not there yet."""
    values = load_array(kind, name)
    if values is None:
        values = compute()
        save_array(kind, name, values)
    return values


def kept_json(kind: str, name: str, compute: Callable[[], Any]) -> Any:
    """The value of that name, as JSON has it, computed and kept where it is not there yet."""
    path = _path(kind, f"{name}.json")
    try:
        entry, value = json.loads(path.read_bytes())
    except (OSError, ValueError, TypeError, RecursionError):
        entry = None
    if entry != name:
        value = compute()
        with saving(path.parent):
            write_text(path, json.dumps([name, value]))
    return value


def mapped_arrays(
    kind: str, name: str, version: int, source: str, make: Callable[[Writer], None]
) -> Arrays:
    """The arrays of a large table, mapped into memory; `make` writes them where they are not there.

    source: identifies what they are made of. Where the cache cannot be written, they are mapped
    from a temporary file.
    """
    path = _path(kind, name)
    try:
        return open_arrays(path, kind, version, source)
    except FileNotFoundError:
        pass
    except UnusableFile as reason:
        warn(f"The cached file {path} is {reason}; it is made again.")

    def write(target: Path) -> None:
        with writing_arrays(target, kind, version, source) as writer:
            make(writer)

    return open_arrays(_made(path, write), kind, version, source)


def kept_folder(kind: str, name: str, fill: Callable[[Path], None]) -> Path:
    """The folder of that name, filled where it is not there yet.

    Two processes may start together: both fill one, the first is renamed, the other takes that.
    """

    def write(target: Path) -> None:
        with writing_folder(target) as beside:
            fill(beside)

    path = _path(kind, name)
    return path if path.is_dir() else _made(path, write)


@contextmanager
def saving(folder: Path) -> Iterator[None]:
    """Run the block, which writes into a folder of the cache; warn once where that fails."""
    try:
        sweep_once(folder)
        yield
    except (CannotWrite, OSError) as error:
        _warn_once(error)


def _path(kind: str, name: str) -> Path:
    return cache_folder() / kind / name


def _made(path: Path, write: Callable[[Path], None]) -> Path:
    """Where `write` wrote: at the path, or at a temporary one where that is not possible."""
    try:
        write(path)
    except CannotWrite as error:
        _warn_once(error)
        path = _temporary() / path.parent.name / path.name
        if not path.exists():
            write(path)
    return path


@cache
def _temporary() -> Path:
    """A folder that is removed when this process ends."""
    sweep(Path(tempfile.gettempdir()), "cupel-*-*")
    folder = tempfile.mkdtemp(prefix=owned())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _warn_once(error: Exception) -> None:
    if cache_folder() not in _warned:
        _warned.add(cache_folder())
        warn(f"Results are not kept for the next run: {error}")
