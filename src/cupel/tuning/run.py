"""From the name of a metric and of a dataset to tuned parameters: what `cupel tune` does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, cast

import numpy as np

from cupel import __version__
from cupel.console import Progress
from cupel.data.catalog import of_kind
from cupel.errors import CupelError
from cupel.human.rankings import Rankings, ranked_corpus, wmt_rankings
from cupel.human.system_scores import years_own_scores
from cupel.meta.correlations import FEWEST_SYSTEMS
from cupel.metric import Metric, Tunable
from cupel.presets import Preset
from cupel.registry import entries, get_metric
from cupel.significance import DEFAULT_SEED
from cupel.tuning.features import corpus_features
from cupel.tuning.goals import Goal, goal_named
from cupel.tuning.grids import Grids, check_parameter, read_grids
from cupel.tuning.material import Agreement, Material, TunableMetric, material
from cupel.tuning.search import SearchResult, Trials, genetic_search, grid_search

ITERATIONS = {"grid": 8, "genetic": 20}
"""The searches, and how many iterations or generations each makes at most."""
LINES = "lines"
EVERY = 5
"""Held out by lines: every fifth line of every language pair."""

Shown = Callable[[str], AbstractContextManager[Progress | None]]


@dataclass(frozen=True)
class Compared:
    """One language pair before and after tuning."""

    dataset: str
    pair: str
    held_out: bool
    before: Agreement
    after: Agreement


@dataclass(frozen=True)
class Tuned:
    """The result of a search. start, parameters: before and after; steps: the way there."""

    metric: str
    goal: str
    search: str
    seed: int
    start: Mapping[str, float]
    result: SearchResult = field(repr=False)
    compared: list[Compared]

    @property
    def parameters(self) -> dict[str, float]:
        return self.result.parameters

    @property
    def spec(self) -> str:
        """The tuned metric as `score` and `meta` take it: `redp:alpha=0.9,...`."""
        values = ",".join(f"{name}={value:g}" for name, value in self.parameters.items())
        return f"{self.metric}:{values}"

    def rows(self) -> list[dict[str, Any]]:
        """Flat records, as `cupel tune -f json|tsv` prints them."""
        return [
            {
                "dataset": one.dataset,
                "pair": one.pair,
                "part": "held out" if one.held_out else "tuned on",
                "level": level,
                "statistic": statistic,
                "before": getattr(one.before, f"{level}s"),
                "after": getattr(one.after, f"{level}s"),
            }
            for one in self.compared
            for level, statistic in (("system", "spearman-no-ties"), ("segment", "tau-wmt13"))
        ]

    def preset(self) -> Preset:
        """The parameters with all that led to them."""
        used = [f"{one.dataset} {one.pair}" for one in self.compared if not one.held_out]
        about = {
            "tuned on": used,
            "goal": self.goal,
            "value": self.result.value,
            "search": self.search,
            "settings": self.result.tried,
            "seed": self.seed,
            "version": f"cupel-{__version__}",
        }
        return Preset(self.metric, self.parameters, about)


def tune(
    metric: str | Metric,
    on: Sequence[str] = ("wmt13",),
    *,
    goal: str = "sys+seg",
    search: str = "grid",
    pairs: Sequence[str] | None = None,
    hold_out: Sequence[str] = (),
    grids: Iterable[str] = (),
    subset: Sequence[str] = (),
    iterations: int | None = None,
    seed: int = DEFAULT_SEED,
    workers: int = 1,
    use_cache: bool = True,
    shown: Shown = lambda _: nullcontext(),
) -> Tuned:
    """Search the parameters of a tunable metric for the best agreement with human rankings.

    metric: one with parameters, such as redp. on: datasets with rankings. goal: the agreement to
    maximise, sys+seg, sys or seg. search: grid or genetic. pairs: language pairs; if not given, all
    into English. hold_out: language pairs that the search does not see but the result reports, or
    "lines" for every fifth line of each. grids: values to try, `NAME=FIRST:LAST:STEP`, or
    `NAME=VALUE` for one that stays. subset: the parameters to tune first; if not given, the first
    half. iterations: rounds of the grid, or generations, at most. seed: of the genetic search.
    workers: processes for features, threads for the search. use_cache: whether features are kept on
    disk between runs. shown: makes a progress bar of a title.
    """
    chosen = tunable(metric)
    start = dict(chosen.parameters)
    aim, tried = goal_named(goal), read_grids(grids, start, chosen.name)
    _check_values(chosen, tried)
    subsets = _subsets(start, subset, tried, chosen.name)
    first = {name: tried.nearest(name, value) for name, value in start.items()}
    if search not in ITERATIONS:
        raise CupelError(f"There is no search {search!r}; there are: {', '.join(ITERATIONS)}.")
    limit = ITERATIONS[search] if iterations is None else iterations
    if limit < 1 or workers < 1:
        what, number = ("iterations", limit) if limit < 1 else ("workers", workers)
        raise CupelError(f"The number of {what} must be 1 or more, not {number}.")
    if seed < 0:
        raise CupelError(f"The seed must be 0 or more, not {seed}.")
    seen, held = _materials(chosen, on, pairs, hold_out, workers, use_cache, shown)
    if aim.systems and not any(one.enough_systems for one in seen):
        raise CupelError(
            f"No language pair to tune on has {FEWEST_SYSTEMS} judged systems: tune for seg."
        )
    with shown("tuning") as progress, _pool(workers) as pool:
        trials = Trials(_objective(seen, aim), pool, progress)
        if search == "grid":
            result = grid_search(trials, first, subsets, tried, limit)
        else:
            result = genetic_search(trials, first, tried, limit, seed)
    compared = [
        Compared(one.dataset, one.pair, one in held, one.agreement(start),
                 one.agreement(result.parameters))
        for one in [*seen, *held]
    ]  # fmt: skip
    return Tuned(chosen.name, aim.name, search, seed, start, result, compared)


def tunable(metric: str | Metric) -> TunableMetric:
    """The metric, if it can be tuned; else an error that names those that can."""
    made = get_metric(metric)
    if isinstance(made, Tunable):
        return cast(TunableMetric, made)
    needed = ("parameters", "features", "rescore")
    able = [n for n, entry in entries().items() if all(hasattr(entry.make, a) for a in needed)]
    raise CupelError(
        f"The metric {made.name!r} has no parameters to tune; those that have: "
        f"{', '.join(able) or 'none'}."
    )


def _check_values(metric: TunableMetric, grids: Grids) -> None:
    """A metric that takes its parameters as options must take every value that is tried."""
    options: list[str] = [one.name for one in fields(metric)] if is_dataclass(metric) else []
    for name, values in grids.given.items():
        if name in options:
            for value in (min(values), max(values)):
                replace(cast(Any, metric), **{name: value})


def _subsets(
    start: Mapping[str, float], first: Sequence[str], grids: Grids, metric: str
) -> list[list[str]]:
    for name in first:
        check_parameter(name, start, metric)
    free = [name for name in start if len(grids.given.get(name, (0, 1))) > 1]
    if not free:
        raise CupelError(f"All parameters of {metric} are fixed: there is nothing to tune.")
    one = [name for name in free if name in first] if first else free[: len(free) // 2]
    parts = [one, [name for name in free if name not in one]]
    return [part for part in parts if part]


def _objective(materials: Sequence[Material], goal: Goal) -> Callable[[Mapping[str, float]], float]:
    if not goal.systems:
        materials = [one.segments_only() for one in materials]

    def value(parameters: Mapping[str, float]) -> float:
        return goal.value([one.agreement(parameters) for one in materials])

    return value


@contextmanager
def _pool(workers: int) -> Iterator[ThreadPoolExecutor | None]:
    """Threads: the arrays are shared, and NumPy and compiled kernels run beside each other."""
    if workers == 1:
        yield None
        return
    with ThreadPoolExecutor(workers) as pool:
        yield pool


def _materials(
    metric: TunableMetric,
    datasets: Sequence[str],
    pairs: Sequence[str] | None,
    hold_out: Sequence[str],
    workers: int,
    use_cache: bool,
    shown: Shown,
) -> tuple[list[Material], list[Material]]:
    """What the search sees, and what it does not."""
    for name in datasets:
        if datasets.count(name) > 1:
            raise CupelError(f"The dataset {name!r} is named twice: leave one out.")
    rankings = [(name, one) for name in datasets for one in _rankings(name, pairs, hold_out)]
    judged = {one.pair for _, one in rankings}
    for pair in hold_out:
        if pair != LINES and pair not in judged:
            raise CupelError(
                f"There is nothing to hold out called {pair!r}; there are: "
                f"{', '.join([*sorted(judged), LINES])}."
            )
    if judged <= set(hold_out):
        raise CupelError("Every language pair is held out: there is nothing left to tune on.")
    seen: list[Material] = []
    held: list[Material] = []
    for dataset, one in rankings:
        corpus = ranked_corpus(dataset, one)
        prepared = metric.prepare(corpus)
        with shown(f"features of {dataset} {one.pair}") as progress:
            features = corpus_features(
                corpus, metric, workers=workers, progress=progress, use_cache=use_cache
            )
        if one.pair in hold_out or LINES not in hold_out:
            whole = material(dataset, one, prepared, features, years_own_scores(dataset, one))
            (held if one.pair in hold_out else seen).append(whole)
            continue
        apart = np.arange(len(corpus)) % EVERY == EVERY - 1
        for lines, into in ((~apart, seen), (apart, held)):
            human = years_own_scores(dataset, one.rows(lines[one.segments]))
            into.append(material(dataset, one, prepared, features, human, lines))
    return seen, held


def _rankings(dataset: str, pairs: Sequence[str] | None, hold_out: Sequence[str]) -> list[Rankings]:
    if dataset not in of_kind("wmt"):
        raise CupelError(
            f"There are no human rankings in {dataset!r} to tune on; there are in "
            f"{', '.join(of_kind('wmt'))}."
        )
    there = wmt_rankings(dataset)
    for pair in pairs or ():
        if pair not in there:
            raise CupelError(f"{dataset} has no rankings of {pair!r}; it has {', '.join(there)}.")
    chosen = [*pairs, *hold_out] if pairs else [pair for pair in there if pair.endswith("-en")]
    return [one for pair, one in there.items() if pair in chosen]
