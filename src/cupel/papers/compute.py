"""Compute the cells of the papers' tables, each kind of cell in as few runs as possible.

Cells that ask the same question of different metrics and language pairs are one evaluation; scores
come from the cache of `cupel meta`. What cannot be computed gets a reason, never a made-up number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

from cupel.code_digest import code_of, digest
from cupel.errors import CupelError
from cupel.papers.memory import remember, remembered
from cupel.papers.published import Cell, Table
from cupel.papers.recorded import Recorded, recorded

NOT_TO_BE_HAD = "not to be had"
Key = tuple[str, str, str]
Told = Callable[[str], None]


@dataclass(frozen=True)
class Outcome:
    """Our number, in the units of the computation, or the reason why there is none.

    spread: deviation between seeds of a training. partial: an average over fewer cells than the
    published one.
    """

    value: float | None = None
    reason: str = ""
    spread: float | None = None
    signature: str = ""
    partial: bool = False


def _quiet(_: str) -> None:
    pass


def compute(
    wanted: Sequence[Table],
    *,
    full: bool = False,
    workers: int = 1,
    tell: Told = _quiet,
) -> dict[Key, Outcome]:
    """An outcome for every cell of these tables, in the units in which the tables print."""
    cells = [cell for table in wanted for cell in table.cells if not cell.average]
    found: dict[Key, Outcome] = {}
    known = recorded()
    if full:
        from cupel.papers.training import with_models

        cells, failed = with_models(cells, tell)
        for reason, group in failed.items():
            found |= _not_possible(group, reason)
    left: list[Cell] = []
    for cell in cells:
        if math.isnan(cell.published) and cell.settings.get("kind") == "meta":
            found[cell.key] = Outcome(reason="nothing is printed there")
        elif cell.absent:
            found[cell.key] = Outcome(reason=f"{NOT_TO_BE_HAD}: {cell.absent}")
        elif cell.settings.get("recorded", cell.settings.get("kind") == "recorded"):
            if cell.key in known:
                found[cell.key] = _of_record(known[cell.key])
            elif "metric" in cell.settings:
                left.append(cell)
            else:
                found[cell.key] = Outcome(reason="no training of it is recorded")
        elif cell.settings.get("slow", "") == cell.settings.get("dataset") and not full:
            found[cell.key] = (
                _of_record(known[cell.key])
                if cell.key in known
                else Outcome(reason="hours of parsing: only --full computes it")
            )
        else:
            left.append(cell)
    scales = {table.id: table.scale for table in wanted}
    for kind, group in _grouped(left, lambda cell: cell.settings.get("kind", "none")).items():
        for key, outcome in KINDS[kind](group, workers, tell).items():
            value = None if outcome.value is None else outcome.value * scales[key[0]]
            found[key] = replace(outcome, value=value)
    for table in wanted:
        for cell in table.cells:
            if cell.average:
                found[cell.key] = _average(cell, found, {} if full else known)
    return found


def _of_record(record: Recorded) -> Outcome:
    return Outcome(record.value, "", record.spread, record.signature)


def _grouped(cells: Iterable[Cell], by: Callable[[Cell], Any]) -> dict[Any, list[Cell]]:
    groups: dict[Any, list[Cell]] = {}
    for cell in cells:
        groups.setdefault(by(cell), []).append(cell)
    return groups


def _average(cell: Cell, found: Mapping[Key, Outcome], known: Mapping[Key, Recorded]) -> Outcome:
    if cell.key in known:
        return _of_record(known[cell.key])
    parts = [found[(cell.table, *place)] for place in cell.average]
    values = [part.value for part in parts if part.value is not None]
    if not values:
        return Outcome(reason=parts[0].reason if parts else "nothing to average")
    return Outcome(sum(values) / len(values), partial=len(values) < len(parts))


def _not_possible(cells: Iterable[Cell], reason: str) -> dict[Key, Outcome]:
    return {cell.key: Outcome(reason=_told(reason)) for cell in cells}


def _told(error: object) -> str:
    """A reason fit for a page: without the full stop, and without where Cupel lies here."""
    return str(error).rstrip(".").replace(f"{files('cupel')}/", "cupel/")


def _ready(cells: Sequence[Cell]) -> tuple[list[Cell], dict[Key, Outcome]]:
    """The cells whose metric can be made here, and reasons for the others."""
    from cupel.registry import entries, get_metric

    ready: list[Cell] = []
    found: dict[Key, Outcome] = {}
    for spec, group in _grouped(cells, lambda cell: cell.settings["metric"]).items():
        entry = entries().get(spec)
        try:
            get_metric(spec)
            reason = entry.unready if entry else None
        except CupelError as error:
            reason = str(error)
        except Exception as error:  # one metric that is broken must not cost all other tables
            reason = f"the metric {spec!r} is broken here: {type(error).__name__}: {error}"
        if reason:
            found |= _not_possible(group, reason)
        else:
            ready += group
    return ready, found


def _meta(cells: Sequence[Cell], workers: int, tell: Told) -> dict[Key, Outcome]:
    """Cells that are agreements with people: `cupel meta`."""
    ready, found = _ready(cells)
    direct = [cell for cell in ready if cell.settings.get("decide") == "pairwise"]
    for cell in direct:
        found[cell.key] = _compared(cell, tell)
    settings = ("dataset", "level", "statistic", "human")
    groups = _grouped(
        (cell for cell in ready if cell not in direct),
        lambda cell: tuple(cell.settings.get(name) for name in settings),
    )
    for question, group in groups.items():
        asked = dict(zip(settings, question, strict=True))
        tell(f"{asked['dataset']}, {asked['level']} level, {asked['statistic']}")
        found |= _evaluated(group, asked, workers)
    return found


def _compared(cell: Cell, tell: Told) -> Outcome:
    """The tau of direct comparisons, remembered between runs."""
    from cupel.papers.pairwise import pairwise_tau
    from cupel.registry import get_metric

    asked = {name: cell.settings[name] for name in ("dataset", "pair", "statistic")}
    try:
        metric = get_metric(cell.settings["metric"])
        signature = str(metric.signature())
        parts = ("pairwise", *asked.values(), metric.name, signature, code_of(metric))
        parts += (digest("cupel.papers.pairwise", within="cupel.papers"),)
        known = remembered(*parts)
        if known is None:
            tell(f"{asked['dataset']} {asked['pair']}, pairs compared by {cell.settings['metric']}")
            known = {"value": pairwise_tau(metric=metric, **asked)}
            remember(known, *parts)
    except CupelError as error:
        return Outcome(reason=_told(error))
    return Outcome(known["value"], signature=signature)


def _evaluated(cells: Sequence[Cell], asked: Mapping[str, Any], workers: int) -> dict[Key, Outcome]:
    from cupel.meta.campaign import evaluate

    specs = list(dict.fromkeys(cell.settings["metric"] for cell in cells))
    pairs = list(dict.fromkeys(cell.settings["pair"] for cell in cells))
    try:
        evaluation = evaluate(
            asked["dataset"],
            specs,
            pairs=None if "avg" in pairs else pairs,
            level=asked["level"],
            statistic=asked["statistic"],
            human=asked["human"],
            resamples=1,
            workers=workers,
        )
    except CupelError as error:
        if len(specs) == 1:
            return _not_possible(cells, str(error))
        # One metric failed: find out which, and keep the numbers of the others.
        found: dict[Key, Outcome] = {}
        for group in _grouped(cells, lambda cell: cell.settings["metric"]).values():
            found |= _evaluated(group, asked, workers)
        return found
    return {
        cell.key: Outcome(
            evaluation.value(cell.settings["metric"], cell.settings["pair"]),
            signature=evaluation.signatures[cell.settings["metric"]],
        )
        for cell in cells
    }


def _mutt(cells: Sequence[Cell], workers: int, tell: Told) -> dict[Key, Outcome]:
    """Cells that are accuracies on unit tests: `cupel mutt`."""
    found: dict[Key, Outcome] = {}
    groups = _grouped(cells, lambda c: (c.settings["suite"], c.settings.get("formula")))
    for (suite, formula), group in groups.items():
        tell(f"unit tests of {suite}{' by the Difference formula' if formula else ''}")
        found |= _tried(group, suite, formula, workers)
    return found


def _tried(
    cells: Sequence[Cell], name: str, formula: str | None, workers: int
) -> dict[Key, Outcome]:
    """Accuracies on one suite, metric by metric, remembered between runs."""
    from cupel.mutt.named import PAPER
    from cupel.mutt.suites import open_suite
    from cupel.mutt.trials import run
    from cupel.registry import get_metric

    found: dict[Key, Outcome] = {}
    suite = None
    for label, group in _grouped(cells, lambda cell: cell.settings["metric"]).items():
        places = [(cell.settings["corruption"], cell.settings["references"]) for cell in group]
        try:
            metric = get_metric(PAPER.get(label, label))
            code = (code_of(metric), digest("cupel.mutt.trials", within="cupel.mutt"))
            asked = ("mutt", name, formula, metric.name, metric.signature(), *code,
                     sorted(set(places)))  # fmt: skip
            known = remembered(*asked)
            if known is None:
                suite = suite or open_suite(name)
                needed = tuple(s for s in suite.sets if s.corruption in {c for c, _ in places})
                counts = sorted({count for _, count in places})
                results = run(
                    replace(suite, sets=needed),
                    {label: metric},
                    references=counts,
                    formula=formula,
                    workers=workers,
                )
                accuracies = {
                    f"{c} {n}": results.of(label, c, n).accuracy for c, n in sorted(set(places))
                }
                known = {"accuracies": accuracies, "signature": results.signatures[label]}
                remember(known, *asked)
        except CupelError as error:
            found |= _not_possible(group, str(error))
            continue
        for cell, (corruption, count) in zip(group, places, strict=True):
            value = known["accuracies"][f"{corruption} {count}"]
            found[cell.key] = Outcome(value, signature=known["signature"])
    return found


def _consistency(cells: Sequence[Cell], workers: int, tell: Told) -> dict[Key, Outcome]:
    """Cells about one corruption in SICK: people and metrics, and how they correlate."""
    from cupel.data import find as find_dataset
    from cupel.mutt import templates
    from cupel.mutt.consistency import PEOPLE, consistency
    from cupel.mutt.named import PAPER

    found: dict[Key, Outcome] = {}
    for corruption, group in _grouped(cells, lambda c: c.settings["corruption"]).items():
        tell(f"{corruption} in SICK")
        asked = {c.settings[side] for c in group for side in ("of", "other") if side in c.settings}
        specs = {name: PAPER[name] for name in sorted(asked - {PEOPLE})}
        try:
            pairs = templates.read_pairs(find_dataset("sick") / "SICK.txt")
            chosen = templates.find(pairs, [corruption])
            # People are only told beside a metric: where none is asked for, the cheapest.
            said = consistency(chosen, list(specs.values()) or ["wer"], corruption)
        except CupelError as error:
            found |= _not_possible(group, str(error))
            continue
        place = {name: list(said.scores).index(specs.get(name, name)) for name in asked}
        matrix, spread = said.correlations(), list(said.spread().values())
        for cell in group:
            row = place[cell.settings["of"]]
            if "summary" in cell.settings:
                value = spread[row][cell.settings["summary"] == "deviation"]
            else:
                value = float(matrix[row, place[cell.settings["other"]]])
            found[cell.key] = Outcome(value)
    return found


def _similarity(cells: Sequence[Cell], workers: int, tell: Told) -> dict[Key, Outcome]:
    """Cells about ReVal's training data: variances by Algorithm 1, and sizes of the sets."""
    from cupel.learned.reval.data.sets import SimilarityData
    from cupel.learned.reval.data.similarity import threshold

    found: dict[Key, Outcome] = {}
    for dataset, group in _grouped(cells, lambda c: c.settings["dataset"]).items():
        tell(f"similarity scores from the rankings of {dataset}")
        try:
            data = SimilarityData(dataset)
            wanted = {c.settings["set"] for c in group if "set" in c.settings}
            sizes = {name: data.make(name).sizes for name in sorted(wanted)}
            for cell in group:
                how = cell.settings
                if "set" in how:
                    found[cell.key] = Outcome(float(sizes[how["set"]][how["part"]]))
                    continue
                variance = threshold(data.ranked, how["band"], how["tau"]).variance
                none = "no variance keeps the tau that Algorithm 1 asks for"
                found[cell.key] = Outcome(variance, "" if variance is not None else none)
        except CupelError as error:
            found |= _not_possible(group, str(error))
    return found


def _none(cells: Sequence[Cell], workers: int, tell: Told) -> dict[Key, Outcome]:
    return _not_possible(cells, "no computation is defined")


Kind = Callable[[Sequence[Cell], int, Told], dict[Key, Outcome]]
KINDS: dict[str, Kind] = {
    "meta": _meta,
    "mutt": _mutt,
    "consistency": _consistency,
    "similarity": _similarity,
    "recorded": _none,
    "none": _none,
}
"""How cells are computed, by the `kind` of their table."""
