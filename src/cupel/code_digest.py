"""A digest of the code behind a result: of a module, and of all that it imports.

What was computed or compiled once is kept on disk under names that carry such a digest, so that
a change in the code, as in a checkout between two releases, is another entry. Imports are read from
the text, also those inside functions, and followed within one package: other packages change with
their versions. A package's front door (`cupel/__init__.py`) leads everywhere and is left out. A
module may stand for a C source of the same name, which counts with all that it includes.
"""

from __future__ import annotations

import hashlib
import marshal
import re
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)|import[ \t]+([\w.]+))",
    re.MULTILINE,
)
_INCLUDE = re.compile(rb'^#include "([^"]+)"', re.MULTILINE)
_BY_NAME = {f"cupel.registry.{name}" for name in ("get_metric", "named_metrics", "entries")}
"""What imports one of these can run any metric: it depends on all of them."""


@cache
def digest(*modules: str, within: str = "") -> str:
    """Of these modules and of what they import from their packages, or from the package `within`."""
    files: dict[str, Path] = {}
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        path = None if module in files else _path(module)
        if path is None or not f"{module}.".startswith(f"{within}." if within else ""):
            continue
        files[module] = path
        top = module.partition(".")[0]
        waiting += [name for name in _imports(path, module) if name.startswith(f"{top}.")]
    whole = hashlib.sha256()
    for module, path in sorted(files.items()):
        for part in (path, *_c_sources(path)):
            whole.update(module.encode() + b"\0" + hashlib.sha256(_content(part)).digest())
    return whole.hexdigest()


def code_of(metric: Any) -> str:
    """The digest of a metric's code, and where it only calls a function, of that function's.

    A function that was typed in, as in a notebook, has no file: its compiled form stands for it.
    """
    own = type(metric).__module__
    function = getattr(metric, "function", None)
    home = getattr(function, "__module__", None) or own
    typed = getattr(function, "__code__", None) if _path(home) is None else None
    compiled = hashlib.sha256(marshal.dumps(typed)).hexdigest() if typed else ""
    return digest(*sorted({own, home})) + compiled


@cache
def _content(path: Path) -> bytes:
    return path.read_bytes()


def _c_sources(path: Path) -> list[Path]:
    """The C source beside a module, and what it includes."""
    sources: set[Path] = set()
    waiting = [path.with_suffix(".c")]
    while waiting:
        source = waiting.pop()
        if source not in sources and source.is_file():
            sources.add(source)
            included = _INCLUDE.findall(_content(source))
            waiting += [source.parent / name.decode() for name in included]
    return sorted(sources)


@cache
def _path(module: str) -> Path | None:
    """The source file of a module, without importing it; None where there is none."""
    top, *rest = module.split(".")
    try:
        spec = find_spec(top)
    except ValueError:  # `__main__`, for one, has no specification
        return None
    if spec is None or spec.origin is None:
        return None
    origin = Path(spec.origin)
    if not rest:
        return origin if origin.suffix == ".py" and origin.is_file() else None
    place = origin.parent.joinpath(*rest)
    for path in (place.with_suffix(".py"), place / "__init__.py"):
        if path.is_file():
            return path
    return None


@cache
def _imports(path: Path, module: str) -> tuple[str, ...]:
    """The modules, or names in modules, that the file of a module imports."""
    text = _content(path).decode("utf-8", "replace")
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    imports: list[str] = []
    for origin, names, whole in _IMPORT.findall(text):
        if whole:
            imports.append(whole)
            continue
        home = _absolute(origin, package)
        imports += [home, *(f"{home}.{name}" for name in _names(names))]
    if _BY_NAME & set(imports):
        imports += _all_metrics()
    return tuple(imports)


def _absolute(origin: str, package: str) -> str:
    """`..text.tokens` in the package a.b.c -> `a.b.text.tokens`."""
    name = origin.lstrip(".")
    dots = len(origin) - len(name)
    if not dots:
        return name
    parts = package.split(".")
    return ".".join([*parts[: len(parts) - dots + 1], *filter(None, [name])])


def _names(listed: str) -> Iterator[str]:
    for line in listed.strip("()").splitlines():
        for part in line.partition("#")[0].split(","):
            if words := part.split():
                yield words[0]


def _all_metrics() -> list[str]:
    from pkgutil import iter_modules

    home = _path("cupel.metrics")
    assert home is not None
    return [f"cupel.metrics.{module.name}" for module in iter_modules([str(home.parent)])]
