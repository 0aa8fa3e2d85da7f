"""A metrics task: a list of questions about metrics, each with a weight, read from a file.

A task file is TOML or JSON. Each entry of `tasks` is one question: language pair, level, statistic
and so on, under the names of `cupel.evaluate`. A list of values means one task for each of them, in
all combinations; `pairs` is one task over several pairs. Keys outside `tasks` hold for all of them.

    name = "my task"
    compare = "perm-both"
    [[tasks]]
    pair = ["en-de", "zh-en"]
    level = "segment"
    statistic = "acc-eq"
    weight = 2

Weights are numbers; or `weights = ["pair", "level"]` divides the weight evenly between the values of
the first field, then inside each between those of the next, as WMT22 did. WMT's own are included.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any

from cupel.errors import CupelError
from cupel.questions.field import fields_of
from cupel.questions.judge import TASK_FIELDS, Judge
from cupel.reading.limits import check_toml
from cupel.reading.lines import read_text
from cupel.reading.segments import nearest

INCLUDED = ("wmt22", "wmt23", "wmt24")
EVERY = "*"
"""As a domain: each domain that the campaign has."""
BY = ("value", "rank")
_FIELDS = {field.name: field for field in fields_of(Judge) if field.name in TASK_FIELDS}
_NAMES = [*_FIELDS, "weight", "pair"]


def task_name(task: Judge) -> str:
    """What distinguishes a task, in one line: for tables and errors."""
    parts = [",".join(task.pairs), task.level, task.statistic or "pearson"]
    options = {name: getattr(task, name) for name in ("average", "domain", "human")}
    options["reference"] = ".".join(task.reference)
    parts += [f"{name}={value}" for name, value in options.items() if value]
    return " ".join([*parts, *(["with human translations"] if task.include_human else [])])


@dataclass(frozen=True)
class TaskSet:
    """The tasks of a file. by: whether metrics are ordered by average value or average rank.

    weights: of each task, relative to those of the others; if empty, all are equal. divided: fields
    between whose values the weight is divided instead.
    """

    name: str
    tasks: tuple[Judge, ...]
    by: str = "value"
    weights: tuple[float, ...] = ()
    divided: tuple[str, ...] = ()

    def shares(self) -> list[float]:
        """The weight of each task; together 1."""
        if self.divided:
            share = _divided(list(enumerate(self.tasks)), self.divided, 1.0)
            return [share[place] for place in range(len(self.tasks))]
        total = sum(self._weights())
        return [weight / total for weight in self._weights()]

    def _weights(self) -> tuple[float, ...]:
        return self.weights or (1.0,) * len(self.tasks)

    def with_domains(self, domains: Mapping[str, Sequence[str]]) -> TaskSet:
        """The same with a task for each domain where one says every; pair -> its domains."""
        expanded = [
            (replace(task, domain=domain), weight)
            for task, weight in zip(self.tasks, self._weights(), strict=True)
            for domain in (domains[task.pairs[0]] if task.domain == EVERY else [task.domain])
        ]
        tasks, weights = zip(*expanded, strict=True)
        return replace(self, tasks=tasks, weights=weights)


def read_tasks(name: Path | str) -> TaskSet:
    """The tasks of a file, or those that are included: wmt22, wmt23, wmt24."""
    if str(name) in INCLUDED:
        text = files("cupel").joinpath("resources", "campaigns", f"{name}.toml").read_text("utf-8")
        return _task_set(tomllib.loads(text), f"{name}.toml")
    if not Path(name).is_file():
        raise CupelError(
            f"There is no task {str(name)!r}: name one of {', '.join(INCLUDED)}, or a file "
            "(.toml or .json)."
        )
    kind = "JSON" if Path(name).suffix == ".json" else "TOML"
    text = read_text(name)
    try:
        document = (
            json.loads(text) if kind == "JSON" else tomllib.loads(check_toml(text, str(name)))
        )
    except (ValueError, RecursionError) as error:  # decoding errors name line and column
        raise CupelError(f"{name} is not {kind}: {error}.") from None
    return _task_set(document, str(name))


def _task_set(document: Any, file: str) -> TaskSet:
    entries = document.get("tasks") if isinstance(document, dict) else None
    if not isinstance(entries, list) or not entries:
        raise CupelError(f"{file} has no list of tasks: write each under [[tasks]].")
    common = {key: value for key, value in document.items() if key != "tasks"}
    name = str(common.pop("name", Path(file).stem))
    by = common.pop("by", BY[0])
    if by not in BY:
        raise CupelError(f"{file}: `by` is {by!r}; it may be {' or '.join(BY)}.")
    divided = tuple(common.pop("weights", ()))
    for field in divided:
        if field not in _NAMES:
            raise CupelError(
                f"{file}: there is no field {field!r} to divide the weights by"
                f"{nearest(str(field), _NAMES)}"
            )
    weighted = [
        pair
        for number, entry in enumerate(entries, start=1)
        for pair in _expanded({**common, **entry}, f"{file}, task {number}")
    ]
    tasks, weights = zip(*weighted, strict=True)
    return TaskSet(name, tasks, by, weights, tuple("pairs" if n == "pair" else n for n in divided))


def _expanded(entry: Mapping[str, Any], where: str) -> Iterator[tuple[Judge, float]]:
    """One task, with its weight, for each combination of the values that are lists."""
    if ("pair" in entry) == ("pairs" in entry):
        raise CupelError(f"{where}: give either `pair` or `pairs`.")
    choices: dict[str, list[Any]] = {}
    for key, value in entry.items():
        if key not in _NAMES:
            raise CupelError(f"{where}: a task has no {key!r}{nearest(key, _NAMES)}")
        several = value if isinstance(value, list) else [value]
        choices[key] = [several] if key in _FIELDS and _FIELDS[key].many else several
    for values in product(*choices.values()):
        task = dict(zip(choices, values, strict=True))
        weight = task.pop("weight", 1.0)
        if isinstance(weight, bool) or not isinstance(weight, int | float):
            raise CupelError(f"{where}: the weight is {weight!r}; it must be a number.")
        if not 0 < weight < float("inf"):
            raise CupelError(f"{where}: the weight is {weight}; it must be above 0.")
        if "pair" in task:
            task["pairs"] = [task.pop("pair")]
        yield Judge(dataset="", **{n: _value(n, raw, where) for n, raw in task.items()}), weight


def _value(name: str, raw: object, where: str) -> Any:
    try:
        return _FIELDS[name].value(raw)
    except ValueError as error:
        raise CupelError(f"{where}: {name!r} cannot be {raw!r}: {error}.") from None


def _divided(
    tasks: Sequence[tuple[int, Judge]], names: Sequence[str], weight: float
) -> dict[int, float]:
    if not names:
        return {place: weight / len(tasks) for place, _ in tasks}
    parts: dict[Any, list[tuple[int, Judge]]] = {}
    for place, task in tasks:
        parts.setdefault(getattr(task, names[0]), []).append((place, task))
    return {
        place: share
        for part in parts.values()
        for place, share in _divided(part, names[1:], weight / len(parts)).items()
    }
