"""Metrics by name: the built-in ones, those of other packages, and any Python function.

A built-in metric registers itself from its file in `cupel.metrics`; another package offers one
through the entry point group `cupel.metrics` (a class or function that makes a metric); and
`module:function` names a callable `f(hypothesis, references) -> float`. A name may carry options:
`bleu:tokenize=intl,lowercase=yes`.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, TypeVar

from cupel.errors import CupelError, MissingPart
from cupel.metric import Metric
from cupel.options import converted

if TYPE_CHECKING:
    from importlib import metadata

ENTRY_POINTS = "cupel.metrics"

Factory = TypeVar("Factory", bound=Callable[..., Any])


@dataclass(frozen=True)
class Entry:
    """A registered metric: how to make it, what it is, and what it needs."""

    name: str
    make: Callable[..., Metric]
    summary: str
    fixed: Mapping[str, object] = field(default_factory=dict)
    modules: tuple[str, ...] = ()
    extra: str | None = None
    check: Callable[[], str | None] | None = None
    package: str = "cupel"
    broken: str | None = None

    @property
    def unready(self) -> str | None:
        """What stands in the way of using it as it is, as a sentence; None when it is ready.

        A metric whose resource is missing may still work with other options.
        """
        return self.missing or (self.check() if self.check else None)

    @property
    def missing(self) -> str | None:
        """What stands in the way of using it at all."""
        if self.broken:
            return self.broken
        absent = [module for module in self.modules if find_spec(module) is None]
        if not absent:
            return None
        wanted = f"'cupel[{self.extra}]'" if self.extra else " ".join(absent)
        return f"The metric {self.name!r} needs {', '.join(absent)}: pip install {wanted}."

    @property
    def options(self) -> dict[str, inspect.Parameter]:
        """The options that may stand behind its name, with their defaults."""
        parameters = inspect.signature(self.make).parameters.values()
        keyword = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        return {
            p.name: p
            for p in parameters
            if p.kind in keyword and not p.name.startswith("_") and p.name not in self.fixed
        }


_BUILT_IN: dict[str, Entry] = {}


def register(
    name: str,
    summary: str,
    *,
    modules: Iterable[str] = (),
    extra: str | None = None,
    check: Callable[[], str | None] | None = None,
    **fixed: object,
) -> Callable[[Factory], Factory]:
    """Decorate a metric class: make it reachable as `name`, with `fixed` options already set.

    `modules` are imported only when it runs, and come with `pip install 'cupel[extra]'`. `check`
    says what else its defaults need, a file perhaps, or None when that is there.
    """

    def add(make: Factory) -> Factory:
        _BUILT_IN[name] = Entry(name, make, summary, fixed, tuple(modules), extra, check)
        return make

    return add


@cache
def entries() -> dict[str, Entry]:
    """Every metric that can be named, in alphabetical order; third-party ones cannot shadow ours."""
    from importlib import metadata

    package = import_module("cupel.metrics")
    for module in iter_modules(package.__path__):
        import_module(f"cupel.metrics.{module.name}")
    found = dict(_BUILT_IN)
    for point in metadata.entry_points(group=ENTRY_POINTS):
        if point.name not in found:
            found[point.name] = _third_party(point)
    return dict(sorted(found.items()))


def _entry(name: str) -> Entry | None:
    """The metric of that name; of the built-in ones, only its own module is imported."""
    if home := _homes().get(name):
        import_module(home)
    return _BUILT_IN.get(name) or entries().get(name)


@cache
def _homes() -> dict[str, str]:
    """The module of each built-in metric: where the text says `@register("NAME"`."""
    homes = {}
    for path in (Path(__file__).parent / "metrics").glob("*.py"):
        for name in _REGISTERED.findall(path.read_text("utf-8")):
            homes[name] = f"cupel.metrics.{path.stem}"
    return homes


_REGISTERED = re.compile(r'^@register\(\s*"([^"]+)"', re.MULTILINE)


def _third_party(point: metadata.EntryPoint) -> Entry:
    package = point.dist.name if point.dist else "unknown"
    try:
        make = point.load()
    except Exception as error:
        sentence = (
            f"The metric {point.name!r} of the package {package!r} could not be loaded: "
            f"{type(error).__name__}: {error}."
        )
        return Entry(
            point.name, _unloadable, "(could not be loaded)", package=package, broken=sentence
        )
    summary = (inspect.getdoc(make) or "").split("\n")[0]
    return Entry(point.name, make, summary, package=package)


def _unloadable() -> Metric:
    raise NotImplementedError


def get_metric(spec: str | Metric, /, **options: object) -> Metric:
    """A metric by its specification: `bleu`, `bleu:tokenize=intl,lowercase=yes`, `module:function`.

    Keyword options are defaults that the specification overrides. A metric is returned as it is.
    """
    if not isinstance(spec, str):
        return spec
    name, _, rest = spec.partition(":")
    entry = _entry(name)
    if entry is None:
        if rest and "=" not in rest:
            return _callable_metric(spec)
        raise CupelError(unknown_metric(name))
    if entry.missing:
        raise MissingPart(entry.missing)
    given = {**options, **_parsed(rest, entry)}
    try:
        return entry.make(**entry.fixed, **given)
    except TypeError as error:
        raise CupelError(f"The metric {name!r} cannot be made from {spec!r}: {error}.") from error


def unknown_metric(name: str) -> str:
    """The sentence for a name that no metric has, with the nearest ones."""
    near = get_close_matches(name, entries(), n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else ""
    return f"Unknown metric {name!r}: {hint or '`cupel metrics` lists all.'}"


def _parsed(rest: str, entry: Entry) -> dict[str, object]:
    """`a=1,b=x,y` -> {"a": 1, "b": "x,y"}, converted to the types of the metric's options."""
    if not rest:
        return {}
    pairs: list[tuple[str, str]] = []
    for part in rest.split(","):
        key, equals, value = part.partition("=")
        if equals:
            pairs.append((key.strip().replace("-", "_"), value))
        elif pairs:
            pairs[-1] = (pairs[-1][0], f"{pairs[-1][1]},{part}")
        else:
            raise CupelError(
                f"The options of {entry.name!r} are written key=value; found {part!r}."
            )
    hints = _type_hints(entry.make)
    values: dict[str, object] = {}
    for key, value in pairs:
        if key not in entry.options:
            known = ", ".join(entry.options) or "none"
            raise CupelError(f"The metric {entry.name!r} has no option {key!r}; it has: {known}.")
        values[key] = converted(value, hints.get(key, str), f"{entry.name}:{key}")
    return values


def _type_hints(make: Callable[..., Any]) -> dict[str, Any]:
    from typing import get_type_hints

    return get_type_hints(make.__init__ if inspect.isclass(make) else make)


def _callable_metric(spec: str) -> Metric:
    from cupel.metrics.function import Function

    module_name, _, attribute = spec.partition(":")
    if "" not in sys.path:
        sys.path.insert(0, "")  # a module in the current folder, as `python -m` would find it
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name not in (module_name, module_name.partition(".")[0]):
            raise CupelError(f"Importing {module_name!r} failed: {error}.") from error
        raise CupelError(
            f"{unknown_metric(module_name)} (And there is no module of that name.)"
        ) from error
    except Exception as error:
        raise CupelError(
            f"Importing {module_name!r} failed: {type(error).__name__}: {error}."
        ) from error
    function = getattr(module, attribute, None)
    if not callable(function):
        raise CupelError(f"The module {module_name!r} has no function {attribute!r}.")
    return Function(spec, function)
