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
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, TypeVar

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
    """A registered metric: how to make it, what it is, and what it needs; see `register`."""

    name: str
    make: Callable[..., Metric]
    summary: str
    fixed: Mapping[str, object] = field(default_factory=dict)
    modules: tuple[str, ...] = ()
    extra: str | None = None
    check: Callable[[], str | None] | None = None
    captions: str = ""
    elsewhere: str | None = None
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
    def in_all(self) -> bool:
        """Whether it is among `all` metrics: those that give one score of their own of a translation."""
        return self.compares and not (hasattr(self.make, "components") or "metric" in self.options)

    @property
    def costly(self) -> bool:
        """Whether it needs a parser or a network."""
        return bool(getattr(self.make, "costly", False))

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
    captions: str = "",
    elsewhere: str | None = None,
    **fixed: object,
) -> Callable[[Factory], Factory]:
    """Decorate a metric class: make it reachable as `name`, with `fixed` options already set.

    `modules` are imported only when it runs, and come with `pip install 'cupel[extra]'`. `check`
    returns a sentence about what else its defaults need, such as a file, or None when nothing is
    missing. `captions` are the options under which COCO's evaluation of captions runs it. `elsewhere`
    is the metric that takes its place where the target language is not English. All else that others
    need to know of a metric are class attributes, see `cupel.metric.Metric`. What `cupel metrics NAME`
    prints is in the docstring, see `cupel.descriptions`.
    """

    def add(make: Factory) -> Factory:
        _BUILT_IN[name] = Entry(
            name, make, summary, fixed, tuple(modules), extra, check, captions, elsewhere
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
    """The metric of that name, in capital or small letters.

    A built-in metric is in the module of its name, or of the beginning of it (`chrf++` in `chrf`,
    `assay-wmt13` in `assay`): no other one is imported.
    """
    words = re.findall(r"[a-z0-9]+", name.lower())
    for count in range(len(words), 0, -1):
        if find_spec(home := f"cupel.metrics.{'_'.join(words[:count])}"):
            import_module(home)
            if name.lower() in _BUILT_IN:
                return _BUILT_IN[name.lower()]
    by_name = entries()
    return by_name.get(name) or {n.lower(): entry for n, entry in by_name.items()}.get(name.lower())


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
    values = {**options, **_parsed(rest, entry)}
    if values and entry.package == "cupel":
        check_numbers(values, type_hints(entry.make), entry.name)
    try:
        return entry.make(**entry.fixed, **values)
    except TypeError as error:
        raise CupelError(
            f"The metric {entry.name!r} cannot be made from {spec!r}: {error}."
        ) from error


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
    """One metric, or several, as a sequence of them, names in the letters that they are listed in."""
    several = specs if isinstance(specs, Sequence) and not isinstance(specs, str) else [specs]
    return [_canonical(spec) if isinstance(spec, str) else spec for spec in several]


def _canonical(spec: str) -> str:
    """`BLEU:lowercase=yes` -> `bleu:lowercase=yes`; what names no metric stays as it is."""
    name, colon, rest = spec.partition(":")
    entry = entry_of(name)
    return f"{entry.name}{colon}{rest}" if entry else spec


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
    parts = name.split(",")
    if len(parts) > 1 and all(map(entry_of, parts)):
        return f"Several metrics are named with blanks between them: {' '.join(parts)}."
    from difflib import get_close_matches

    from cupel.metrics.external import own_program

    near = get_close_matches(name.lower(), entries(), n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else ""
    return own_program(name) or f"Unknown metric {name!r}: {hint or '`cupel metrics` lists all.'}"


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
    for key, value in pairs:
        if key not in entry.options:
            names = ", ".join(entry.options) or "none"
            raise CupelError(f"The metric {entry.name!r} has no option {key!r}; it has: {names}.")
        values[key] = converted(value, hints.get(key, str), f"{entry.name}:{key}")
    return values


def _callable_metric(spec: str) -> Metric:
    """The function of `module:function`, from the installed packages or the current folder.

    The folder is the last place to look: a `spacy.py` in it never stands in for the real one.
    """
    from cupel.metrics.function import function_metric

    module_name, _, attribute = spec.partition(":")
    top = module_name.partition(".")[0]
    here = Path.cwd()
    if str(here) not in sys.path and "" not in sys.path:
        sys.path.append(str(here))
    if top in sys.stdlib_module_names:
        raise CupelError(_NO_METRICS.format(spec))
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name not in (module_name, top):
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
        origin = getattr(module, "__file__", None) or "built in"
        raise CupelError(f"The module {module_name!r} ({origin}) has no function {attribute!r}.")
    home = str(getattr(function, "__module__", "")) if inspect.isroutine(function) else ""
    if home.partition(".")[0] in sys.stdlib_module_names:
        raise CupelError(_NO_METRICS.format(spec))
    return function_metric(spec, function)


_NO_METRICS = (
    "{!r} is of Python's standard library, which has no metrics: give a function f(hypothesis, "
    "references) of your own, from a module with a name of its own."
)
