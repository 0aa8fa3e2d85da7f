"""A metrics task: a list of questions about metrics, each with a weight, read from a file.

A task file is TOML or JSON. Each entry of `tasks` is one question: language pair, level, statistic
and so on, under the names of `Task`. A list of values means one task for each of them, in all
combinations; `pairs` is one task over several pairs. Keys outside `tasks` hold for all of them.

    name = "my task"
    test = "perm-both"
    [[tasks]]
    pair = ["en-de", "zh-en"]
    level = "segment"
    statistic = "acc-eq"
    weight = 2

Weights are numbers; or `weights = ["pair", "level"]` divides the weight evenly between the values of
the first attribute, then inside each between those of the next, as WMT22 did. WMT's own are included.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any

from cupel.errors import CupelError
from cupel.reading.limits import check_toml
from cupel.reading.lines import read_text
from cupel.reading.segments import nearest

INCLUDED = ("wmt22", "wmt23", "wmt24")
EVERY = "*"
"""As a domain: each domain that the campaign has."""
_LISTS = ("pairs", "reference", "close_references", "systems")
BY = ("value", "rank")


@dataclass(frozen=True)
class Task:
    """One question, with the defaults of mt-metrics-eval; names as in `cupel.evaluate`.

    weight: its share of the average, relative to those of the other tasks.
    """

    pairs: tuple[str, ...]
    level: str = "segment"
    statistic: str = "pearson"
    average: str = ""
    domain: str = ""
    gold: str = ""
    reference: tuple[str, ...] = ()
    close_references: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    include_human: bool = False
    include_outliers: bool = False
    primary: bool = False
    test: str = ""
    permutations: int = 1000
    block: int = 100
    undefined: str = "skip"
    sample_rate: float = 1.0
    weight: float = 1.0

    @property
    def pair(self) -> str:
        """All its language pairs as one name."""
        return ",".join(self.pairs)

    @property
    def name(self) -> str:
        """What distinguishes it, in one line: for tables and errors."""
        parts = [self.pair, self.level, self.statistic]
        parts += [f"average={self.average}"] if self.average else []
        parts += [f"domain={self.domain}"] if self.domain else []
        parts += [f"gold={self.gold}"] if self.gold else []
        parts += [f"reference={'.'.join(self.reference)}"] if self.reference else []
        return " ".join([*parts, *(["human"] if self.include_human else [])])


@dataclass(frozen=True)
class TaskSet:
    """The tasks of a file. by: whether metrics are ordered by average value or average rank.

    weights: attributes between whose values the weight is divided; if empty, tasks have their own.
    """

    name: str
    tasks: tuple[Task, ...]
    by: str = "value"
    weights: tuple[str, ...] = ()

    def shares(self) -> list[float]:
        """The weight of each task; together 1."""
        if not self.weights:
            total = sum(task.weight for task in self.tasks)
            return [task.weight / total for task in self.tasks]
        share = _divided(list(enumerate(self.tasks)), self.weights, 1.0)
        return [share[place] for place in range(len(self.tasks))]

    def with_domains(self, domains: Mapping[str, Sequence[str]]) -> TaskSet:
        """The same with a task for each domain where one says every; pair -> its domains."""
        expanded = [
            replace(task, domain=domain)
            for task in self.tasks
            for domain in (domains[task.pairs[0]] if task.domain == EVERY else [task.domain])
        ]
        return replace(self, tasks=tuple(expanded))


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
    try:
        if Path(name).suffix == ".json":
            document = json.loads(read_text(name))
        else:
            document = tomllib.loads(check_toml(read_text(name), str(name)))
    except (ValueError, RecursionError) as error:  # decoding errors name line and column
        kind = "JSON" if Path(name).suffix == ".json" else "TOML"
        raise CupelError(f"{name} is not {kind}: {error}.") from None
    return _task_set(document, str(name))


def _task_set(document: Any, file: str) -> TaskSet:
    if not isinstance(document, dict) or not isinstance(document.get("tasks"), list):
        raise CupelError(f"{file} has no list of tasks: write each under [[tasks]].")
    common = {key: value for key, value in document.items() if key != "tasks"}
    name = str(common.pop("name", Path(file).stem))
    by = common.pop("by", BY[0])
    if by not in BY:
        raise CupelError(f"{file}: `by` is {by!r}; it may be {' or '.join(BY)}.")
    weights = tuple(common.pop("weights", ()))
    attributes = [field.name for field in fields(Task)] + ["pair"]
    for attribute in weights:
        if attribute not in attributes:
            raise CupelError(
                f"{file}: there is no attribute {attribute!r} to divide the weights by"
                f"{nearest(str(attribute), attributes)}"
            )
    tasks = [
        task
        for number, entry in enumerate(document["tasks"], start=1)
        for task in _expanded({**common, **entry}, f"{file}, task {number}")
    ]
    if not tasks:
        raise CupelError(f"{file} has no list of tasks: write each under [[tasks]].")
    return TaskSet(name, tuple(tasks), by, weights)


def _expanded(entry: Mapping[str, Any], where: str) -> Iterator[Task]:
    """One task for each combination of the values that are lists."""
    if ("pair" in entry) == ("pairs" in entry):
        raise CupelError(f"{where}: give either `pair` or `pairs`.")
    choices: dict[str, list[Any]] = {}
    for key, value in entry.items():
        if key in _LISTS:
            choices[key] = [tuple(value) if isinstance(value, list) else (value,)]
        else:
            choices[key] = value if isinstance(value, list) else [value]
    for values in product(*choices.values()):
        given = dict(zip(choices, values, strict=True))
        if "pair" in given:
            given["pairs"] = (given.pop("pair"),)
        yield _task(given, where)


def _task(given: Mapping[str, Any], where: str) -> Task:
    types = {field.name: field.type for field in fields(Task)}
    for key, value in given.items():
        if key not in types:
            raise CupelError(f"{where}: a task has no {key!r}{nearest(key, list(types))}")
        expected: dict[str, tuple[type, ...]] = {
            "str": (str,), "bool": (bool,), "int": (int,), "float": (int, float),
        }  # fmt: skip
        kinds = expected.get(str(types[key]), (tuple,))
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise CupelError(f"{where}: {key!r} is {value!r}, which has the wrong type.")
    if not 0 < given.get("weight", 1.0) < float("inf"):
        raise CupelError(f"{where}: the weight is {given['weight']}; it must be above 0.")
    return Task(**given)


def _divided(
    tasks: Sequence[tuple[int, Task]], attributes: Sequence[str], weight: float
) -> dict[int, float]:
    if not attributes:
        return {place: weight / len(tasks) for place, _ in tasks}
    parts: dict[Any, list[tuple[int, Task]]] = {}
    for place, task in tasks:
        parts.setdefault(getattr(task, attributes[0]), []).append((place, task))
    return {
        place: share
        for part in parts.values()
        for place, share in _divided(part, attributes[1:], weight / len(parts)).items()
    }
