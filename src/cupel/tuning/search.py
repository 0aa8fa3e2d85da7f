"""Two ways through a space of parameters, both the WMT14 paper's (section 2): grid and genetic.

**Grid.** The parameters are divided into two subsets. One iteration tries every combination of the
first subset's values while the second is fixed, keeps the best, and then the other way round;
iterations are repeated until one changes nothing. "This heuristic search may not find the global
optimum but it can save a lot of time compared with exhaustive search" (RED, section 4).

**Genetic.** A population of settings; the better ones of random groups of three become parents,
children take each parameter from either, and some of it is changed a little.

Both are deterministic, remember what they have tried, and move only for something strictly better.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from itertools import islice, product
from math import prod

import numpy as np

from cupel.console import Progress
from cupel.errors import CupelError
from cupel.tuning.grids import Grids

Parameters = dict[str, float]
Objective = Callable[[Mapping[str, float]], float]

MOST_SETTINGS = 1_000_000
POPULATION = 24
_PARENTS_OF = 3
_SURVIVORS = 2
_SPREAD = 0.15
"""Standard deviation of a mutation, in parts of a parameter's range."""


@dataclass(frozen=True)
class SearchResult:
    """The best setting, its value, how many settings were tried, and the best after each step."""

    parameters: Parameters
    value: float
    tried: int
    steps: tuple[tuple[str, float], ...]


@dataclass
class Trials:
    """Values of settings, each computed once, several at a time where there are workers."""

    objective: Objective
    pool: Executor | None = None
    progress: Progress | None = None
    expected: int = 0
    done: dict[tuple[float, ...], float] = field(default_factory=dict)

    def values(self, settings: Sequence[Parameters]) -> list[float]:
        """The value of each setting."""
        keys = [tuple(setting.values()) for setting in settings]
        fresh = {k: s for k, s in zip(keys, settings, strict=True) if k not in self.done}
        run = map if self.pool is None else self.pool.map
        for key, value in zip(fresh, run(self.objective, fresh.values()), strict=True):
            self.done[key] = value
            if self.progress is not None:
                self.progress(len(self.done), max(len(self.done), self.expected))
        return [self.done[key] for key in keys]


def grid_search(
    trials: Trials,
    start: Mapping[str, float],
    subsets: Sequence[Sequence[str]],
    grids: Grids,
    iterations: int,
) -> SearchResult:
    """Alternate over the subsets, at most `iterations` times."""
    best = dict(start)
    value = trials.values([best])[0]
    steps = [("start", value)]
    for iteration in range(iterations):
        before = dict(best)
        for number, subset in enumerate(subsets, start=1):
            values = [grids.values(name, best[name], iteration) for name in subset]
            count = prod(map(len, values))
            if count > MOST_SETTINGS:
                raise CupelError(
                    f"The grid over {', '.join(subset)} has {count:,} settings, more than "
                    f"{MOST_SETTINGS:,}: choose wider steps, or fix some parameters."
                )
            trials.expected = len(trials.done) + count * len(subsets)
            for some in _chunks(product(*values)):
                settings = [best | dict(zip(subset, one, strict=True)) for one in some]
                scores = trials.values(settings)
                top = int(np.argmax(scores))
                if scores[top] > value:
                    best, value = settings[top], scores[top]
            steps.append((f"iteration {iteration + 1}, subset {number}", value))
        if best == before and iteration >= grids.narrowed:
            break
    return SearchResult(best, value, len(trials.done), tuple(steps))


def genetic_search(
    trials: Trials,
    start: Mapping[str, float],
    grids: Grids,
    iterations: int,
    seed: int,
) -> SearchResult:
    """`iterations` generations of `POPULATION` settings, of which the start is one."""
    names = list(start)
    random = np.random.default_rng(seed)
    trials.expected = POPULATION * (iterations + 1)
    population = [dict(start)] + [
        {name: grids.snapped(name, random.random()) for name in names}
        for _ in range(POPULATION - 1)
    ]
    values = trials.values(population)
    steps = [("start", values[0])]
    for generation in range(iterations):
        order = sorted(range(POPULATION), key=lambda i: -values[i])
        children = [population[i] for i in order[:_SURVIVORS]]
        while len(children) < POPULATION:
            mother, father = (
                population[min(random.integers(0, POPULATION, _PARENTS_OF), key=order.index)]
                for _ in range(2)
            )
            children.append(_child(mother, father, grids, random))
        population = children
        values = trials.values(population)
        steps.append((f"generation {generation + 1}", max(values)))
    top = int(np.argmax(values))
    if values[top] <= steps[0][1]:
        return SearchResult(dict(start), steps[0][1], len(trials.done), tuple(steps))
    return SearchResult(population[top], values[top], len(trials.done), tuple(steps))


def _child(
    mother: Parameters, father: Parameters, grids: Grids, random: np.random.Generator
) -> Parameters:
    child: Parameters = {}
    for name in mother:
        value = (mother if random.random() < 0.5 else father)[name]
        if random.random() < 1.5 / len(mother):
            value = grids.snapped(name, grids.place(name, value) + random.normal(0, _SPREAD))
        child[name] = value
    return child


def _chunks(settings: Iterable[tuple[float, ...]]) -> Iterator[list[tuple[float, ...]]]:
    """Some at a time: a grid may be larger than memory should hold."""
    remaining = iter(settings)
    while some := list(islice(remaining, 4096)):
        yield some
