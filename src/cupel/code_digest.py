"""A digest of the code behind a result: of a module, and of all that it imports.

What was computed or compiled once is kept on disk under names that carry such a digest, so that
a change in the code, as in a checkout between two releases, is another entry. Imports, also
those inside functions, are followed within one package: other packages change with
their versions. A package's front door (`cupel/__init__.py`) leads everywhere and is left out. A
module may stand for a C source of the same name, which counts with all that it includes.
"""

from __future__ import annotations

import ast
import hashlib
import marshal
import re
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec, resolve_name
from pathlib import Path
from typing import Any

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
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    imports: list[str] = []
    for node in _statements(ast.parse(_content(path))):
        if isinstance(node, ast.Import):
            imports += [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            home = resolve_name("." * node.level + (node.module or ""), package)
            imports += [home, *(f"{home}.{name.name}" for name in node.names)]
    if _BY_NAME & set(imports):
        imports += _all_metrics()
    return tuple(imports)


def _statements(module: ast.Module) -> Iterator[ast.stmt]:
    """All statements of a module, also those inside others; expressions hold no imports."""
    waiting: list[ast.AST] = [module]
    while waiting:
        node = waiting.pop()
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, block, ())
            waiting += inner if isinstance(inner, list) else ()
        if isinstance(node, ast.stmt):
            yield node


def _all_metrics() -> list[str]:
    from pkgutil import iter_modules

    home = _path("cupel.metrics")
    assert home is not None
    return [f"cupel.metrics.{module.name}" for module in iter_modules([str(home.parent)])]
