"""Metrics by name: the built-in ones, those of other packages, and any Python function.

A built-in metric registers itself from its file in `cupel.metrics`; another package offers one
through the entry point group `cupel.metrics` (a class or function that makes a metric); and
`module:function` names a callable such as `f(hypothesis, references) -> float`. A name may carry options:
`bleu:tokenize=intl,lowercase=yes`.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, TypeVar

from cupel.console import warn
from cupel.descriptions import described_parts, option_sentences, type_hints
from cupel.errors import CupelError, MissingPart
from cupel.metric import REFERENCES, Metric
from cupel.options import check_numbers, converted

if TYPE_CHECKING:
    from importlib import metadata

ENTRY_POINTS = "cupel.metrics"

Factory = TypeVar("Factory", bound=Callable[..., Any])
MetricLike = str | Metric | Callable[..., Any]
"""What a metric may be given as: its name with options, itself, or a function of one segment."""
Metrics = Sequence[MetricLike] | MetricLike | Mapping[str, Metric]
"""What metrics may be given as: one, several, or by the labels that they have in results."""


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
    renamed: Mapping[str, str] = field(default_factory=dict)
    package: str = "cupel"
    broken: str | None = None

    @property
    def unready(self) -> str | None:
        """What is missing to use it as it is, as a sentence; None when it is ready.

        A metric whose resource is missing may still work with other options.
        """
        return self.missing or (self.check() if self.check else None)

    @property
    def missing(self) -> str | None:
        """What is missing to use it at all."""
        if self.broken:
            return self.broken
        absent = [module for module in self.modules if find_spec(module) is None]
        if not absent:
            return None
        package = f"'cupel[{self.extra}]'" if self.extra else " ".join(absent)
        return f"The metric {self.name!r} needs {', '.join(absent)}: pip install {package}."

    @property
    def compares(self) -> bool:
        """Whether it compares translations with references, as most do; else it is a check."""
        return REFERENCES in getattr(self.make, "needs", (REFERENCES,))

    @property
    def languages(self) -> str:
        """The languages that it is for, in words."""
        return str(getattr(self.make, "languages", "any"))

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

    @property
    def option_sentences(self) -> dict[str, str]:
        """What each option does; an option that does not say so is left out."""
        sentences = option_sentences(self.make)
        return {name: sentences[name] for name in self.options if name in sentences}

    @property
    def parts(self) -> dict[str, str]:
        """What it measures, when to use it and so on: see `cupel.descriptions`."""
        return {} if self.broken else described_parts(self.make)


_BUILT_IN: dict[str, Entry] = {}


def register(
    name: str,
    summary: str,
    *,
    modules: Iterable[str] = (),
    extra: str | None = None,
    check: Callable[[], str | None] | None = None,
    renamed: Mapping[str, str] | None = None,
    **fixed: object,
) -> Callable[[Factory], Factory]:
    """Decorate a metric class: make it reachable as `name`, with `fixed` options already set.

    `modules` are imported only when it runs, and come with `pip install 'cupel[extra]'`. `check`
    returns a sentence about what else its defaults need, such as a file, or None when nothing is
    missing. `renamed` maps old names of options, which work for one release, to the new ones: `old`
    to `new`, or `old=value` to `new=value`. What `cupel metrics NAME` prints is in the docstring, see
    `cupel.descriptions`.
    """

    def add(make: Factory) -> Factory:
        _BUILT_IN[name] = Entry(
            name, make, summary, fixed, tuple(modules), extra, check, renamed or {}
        )
        return make

    return add


@cache
def entries() -> dict[str, Entry]:
    """Every metric that can be named, in alphabetical order; third-party ones cannot shadow ours."""
    from importlib import metadata

    package = import_module("cupel.metrics")
    for module in iter_modules(package.__path__):
        import_module(f"cupel.metrics.{module.name}")
    by_name = dict(_BUILT_IN)
    for point in metadata.entry_points(group=ENTRY_POINTS):
        if point.name not in by_name:
            by_name[point.name] = _third_party(point)
    return dict(sorted(by_name.items()))


def entry_of(name: str) -> Entry | None:
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
    summary = inspect.cleandoc(make.__doc__ or "").split("\n")[0]
    return Entry(point.name, make, summary, package=package)


def _unloadable() -> Metric:
    raise NotImplementedError


def list_metrics() -> list[Entry]:
    """Every metric that can be named, in alphabetical order.

    Each has `name`, `summary`, `options` with their defaults, and `unready`: what it lacks, as a
    sentence, or None.
    """
    return list(entries().values())


def get_metric(spec: MetricLike, /, **options: object) -> Metric:
    """A metric by its specification: `bleu`, `bleu:tokenize=intl,lowercase=yes`, `module:function`,
    or a folder that `cupel train` wrote.

    spec: that, or a function f(hypothesis, references) -> float, which is then named after itself,
    or a metric, which is returned as it is. options: defaults that the specification overrides.
    """
    if not isinstance(spec, str):
        return _as_metric(spec)
    name, _, rest = spec.partition(":")
    entry = entry_of(name)
    if entry is None and (kind := _trained_kind(name)):
        return get_metric(f"{kind}:{rest}" if rest else kind, **{**options, "weights": name})
    if entry is None:
        if rest and "=" not in rest:
            return _callable_metric(spec)
        raise CupelError(unknown_metric(name))
    if entry.missing:
        raise MissingPart(entry.missing)
    given = dict(_current(entry, *option) for option in options.items())
    given |= _parsed(rest, entry)
    if given and entry.package == "cupel":
        check_numbers(given, type_hints(entry.make), name)
    try:
        return entry.make(**entry.fixed, **given)
    except TypeError as error:
        raise CupelError(f"The metric {name!r} cannot be made from {spec!r}: {error}.") from error


def _trained_kind(name: str) -> str | None:
    """The metric that a folder written by `cupel train` is of, by its card; None for other names."""
    card = Path(name) / "card.json"
    if not card.is_file():
        return None
    try:
        kind = json.loads(card.read_text(encoding="utf-8")).get("kind")
    except (OSError, ValueError, AttributeError):
        return None
    return kind if isinstance(kind, str) and entry_of(kind) else None


def listed(specs: Sequence[MetricLike] | MetricLike) -> Sequence[MetricLike]:
    """One metric, or several, as a sequence of them."""
    return specs if isinstance(specs, Sequence) and not isinstance(specs, str) else [specs]


def named_metrics(
    specs: Metrics, options: Mapping[str, Mapping[str, object]] | None = None
) -> dict[str, Metric]:
    """Metrics by the label they have in results: the specification, or the metric's own name.

    specs: one or several, or metrics that have their labels already. options: by the name of a
    metric, defaults that its specification overrides.
    """
    if isinstance(specs, Mapping):
        return by_label(specs.items())
    pairs: list[tuple[str, Metric]] = []
    for spec in listed(specs):
        given = (options or {}).get(spec.partition(":")[0], {}) if isinstance(spec, str) else {}
        metric = get_metric(spec, **given)
        pairs.append((spec if isinstance(spec, str) else metric.name, metric))
    return by_label(pairs)


def by_label(metrics: Iterable[tuple[str, Metric]]) -> dict[str, Metric]:
    """Labels and metrics as a dictionary; at least one, and no label twice."""
    labelled: dict[str, Metric] = {}
    for label, metric in metrics:
        if label in labelled:
            raise CupelError(f"The metric {label!r} is asked for twice.")
        labelled[label] = metric
    if not labelled:
        raise CupelError("There is no metric to score with: name at least one.")
    return labelled


def _as_metric(given: object) -> Metric:
    if inspect.isclass(given):
        raise CupelError(
            f"{given.__name__} is a class of metrics: give an object, {given.__name__}()."
        )
    if isinstance(given, Metric):
        return given
    if not callable(given):
        raise CupelError(f"A metric, its name or a function was expected, not {given!r}.")
    from cupel.metrics.function import function_metric

    return function_metric(getattr(given, "__name__", "function"), given)


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
    hints = type_hints(entry.make)
    values: dict[str, object] = {}
    for key, value in (_current(entry, *pair) for pair in pairs):
        if key not in entry.options:
            names = ", ".join(entry.options) or "none"
            raise CupelError(f"The metric {entry.name!r} has no option {key!r}; it has: {names}.")
        values[key] = converted(value, hints.get(key, str), f"{entry.name}:{key}")
    return values


def _current(entry: Entry, key: str, value: Any) -> tuple[str, Any]:
    """An option under its current name."""
    for old in (f"{key}={value}", key):
        if old in entry.renamed:
            _note_renamed(entry.name, old, entry.renamed[old])
            new, equals, new_value = entry.renamed[old].partition("=")
            return new, new_value if equals else value
    return key, value


@cache
def _note_renamed(metric: str, old: str, new: str) -> None:
    warn(
        f"The option {old} of {metric} is now called {new}; the old one works for one more release."
    )


def _callable_metric(spec: str) -> Metric:
    from cupel.metrics.function import function_metric

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
    return function_metric(spec, function)
