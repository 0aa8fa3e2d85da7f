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

from cupel.cache import kept_json
from cupel.cache import key as cache_key
from cupel.code_digest import code_of, digest
from cupel.errors import CupelError
from cupel.papers.published import Cell, Table
from cupel.papers.recorded import Recorded, recorded

NOT_AVAILABLE = "not available"
Key = tuple[str, str, str]
Report = Callable[[str], None]
"""Called with a phrase about what is computed next."""


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


Outcomes = dict[Key, Outcome]


def _quiet(_: str) -> None:
    pass


def compute(
    tables: Sequence[Table], *, full: bool = False, workers: int = 1, report: Report = _quiet
) -> Outcomes:
    """An outcome for every cell of these tables, in the units in which the tables print."""
    cells = [cell for table in tables for cell in table.cells if not cell.average]
    outcomes: Outcomes = {}
    records = recorded()
    if full:
        from cupel.papers.training import with_models

        cells, failed = with_models(cells, report)
        for reason, group in failed.items():
            outcomes |= _not_possible(group, reason)
    left: list[Cell] = []
    for cell in cells:
        outcome = _without_computing(cell, records, full)
        if outcome is None:
            left.append(cell)
        else:
            outcomes[cell.key] = outcome
    scales = {table.id: table.scale for table in tables}
    for kind, group in _grouped(left, lambda cell: cell.settings.get("kind", "none")).items():
        for key, outcome in KINDS[kind](group, workers, report).items():
            value = None if outcome.value is None else outcome.value * scales[key[0]]
            outcomes[key] = replace(outcome, value=value)
    for table in tables:
        for cell in table.cells:
            if cell.average:
                outcomes[cell.key] = _average(cell, outcomes, {} if full else records)
    return outcomes


def _without_computing(cell: Cell, records: Mapping[Key, Recorded], full: bool) -> Outcome | None:
    """A recorded number, or a reason against computing one; None where it is to be computed."""
    settings = cell.settings
    kind = settings.get("kind")
    if math.isnan(cell.published) and kind == "meta" and cell.key not in records:
        return Outcome(reason="nothing is printed there")
    if cell.absent:
        return Outcome(reason=f"{NOT_AVAILABLE}: {cell.absent}")
    if settings.get("recorded", kind == "recorded"):
        if cell.key not in records and "metric" in settings:
            return None
        reason = "no training of it is recorded"
    elif settings.get("slow", "") == settings.get("dataset") and not full:
        reason = "hours of parsing: only --full computes it"
    else:
        return None
    return _of_record(records[cell.key]) if cell.key in records else Outcome(reason=reason)


def _of_record(record: Recorded) -> Outcome:
    return Outcome(record.value, "", record.spread, record.signature)


def _grouped(cells: Iterable[Cell], by: Callable[[Cell], Any]) -> dict[Any, list[Cell]]:
    groups: dict[Any, list[Cell]] = {}
    for cell in cells:
        groups.setdefault(by(cell), []).append(cell)
    return groups


def _average(
    cell: Cell, outcomes: Mapping[Key, Outcome], records: Mapping[Key, Recorded]
) -> Outcome:
    if cell.key in records:
        return _of_record(records[cell.key])
    parts = [outcomes[(cell.table, *place)] for place in cell.average]
    values = [part.value for part in parts if part.value is not None]
    if not values:
        return Outcome(reason=parts[0].reason if parts else "nothing to average")
    return Outcome(sum(values) / len(values), partial=len(values) < len(parts))


def _not_possible(cells: Iterable[Cell], error: object) -> Outcomes:
    """The reason in a form for pages: no full stop, and no path of this installation."""
    reason = str(error).rstrip(".").replace(f"{files('cupel')}/", "cupel/")
    return {cell.key: Outcome(reason=reason) for cell in cells}


def _ready(cells: Sequence[Cell]) -> tuple[list[Cell], Outcomes]:
    """The cells whose metric can be made here, and reasons for the others."""
    from cupel.registry import entries, get_metric

    ready: list[Cell] = []
    outcomes: Outcomes = {}
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
            outcomes |= _not_possible(group, reason)
        else:
            ready += group
    return ready, outcomes


def _meta(cells: Sequence[Cell], workers: int, report: Report) -> Outcomes:
    """Cells that are agreements with people: `cupel meta`."""
    ready, outcomes = _ready(cells)
    direct = [cell for cell in ready if cell.settings.get("decide") == "pairwise"]
    for cell in direct:
        outcomes |= _pairwise(cell, report)
    settings = ("dataset", "level", "statistic", "human")
    groups = _grouped(
        (cell for cell in ready if cell not in direct),
        lambda cell: tuple(cell.settings.get(name) for name in settings),
    )
    for question, group in groups.items():
        asked = dict(zip(settings, question, strict=True))
        report(f"{asked['dataset']}, {asked['level']} level, {asked['statistic']}")
        outcomes |= _evaluated(group, asked, workers)
    return outcomes


def _pairwise(cell: Cell, report: Report) -> Outcomes:
    """The tau of direct comparisons."""
    from cupel.papers.pairwise import pairwise_tau
    from cupel.registry import get_metric

    asked = {name: cell.settings[name] for name in ("dataset", "pair", "statistic")}

    def tau() -> float:
        report(f"{asked['dataset']} {asked['pair']}, pairs compared by {cell.settings['metric']}")
        return pairwise_tau(metric=metric, **asked)

    try:
        metric = get_metric(cell.settings["metric"])
        signature = str(metric.signature())
        code = code_of(metric), digest("cupel.papers.pairwise", within="cupel.papers")
        key = cache_key("pairwise", *asked.values(), metric.name, signature, *code)
        return {cell.key: Outcome(kept_json("reproduce", key, tau), signature=signature)}
    except CupelError as error:
        return _not_possible([cell], error)


def _evaluated(cells: Sequence[Cell], asked: Mapping[str, Any], workers: int) -> Outcomes:
    from cupel.meta.campaign import evaluate

    specs = list(dict.fromkeys(cell.settings["metric"] for cell in cells))
    pairs = list(dict.fromkeys(cell.settings["pair"] for cell in cells))
    try:
        evaluation = evaluate(
            asked["dataset"],
            specs,
            pairs=() if "avg" in pairs else pairs,
            level=asked["level"],
            statistic=asked["statistic"],
            human=asked["human"],
            resamples=1,
            workers=workers,
        )
    except CupelError as error:
        if len(specs) == 1:
            return _not_possible(cells, error)
        # One metric failed: find out which, and keep the numbers of the others.
        outcomes: Outcomes = {}
        for group in _grouped(cells, lambda cell: cell.settings["metric"]).values():
            outcomes |= _evaluated(group, asked, workers)
        return outcomes
    return {
        cell.key: Outcome(
            evaluation.value(cell.settings["metric"], cell.settings["pair"]),
            signature=evaluation.signatures[cell.settings["metric"]],
        )
        for cell in cells
    }


def _mutt(cells: Sequence[Cell], workers: int, report: Report) -> Outcomes:
    """Cells that are accuracies on unit tests: `cupel mutt`."""
    outcomes: Outcomes = {}
    groups = _grouped(cells, lambda c: (c.settings["suite"], c.settings.get("formula")))
    for (suite, formula), group in groups.items():
        report(f"unit tests of {suite}{' by the Difference formula' if formula else ''}")
        for label, part in _grouped(group, lambda cell: cell.settings["metric"]).items():
            try:
                outcomes |= _accuracies(part, suite, formula, label, workers)
            except CupelError as error:
                outcomes |= _not_possible(part, error)
    return outcomes


def _accuracies(
    cells: Sequence[Cell], name: str, formula: str | None, label: str, workers: int
) -> Outcomes:
    """Accuracies of one metric on one suite."""
    from cupel.mutt.named import PAPER, open_suite
    from cupel.mutt.trials import run
    from cupel.registry import get_metric

    places = [(cell.settings["corruption"], cell.settings["references"]) for cell in cells]
    distinct = sorted(set(places))
    metric = get_metric(PAPER.get(label, label))

    def compute() -> dict[str, Any]:
        suite = open_suite(name)
        sets = tuple(s for s in suite.sets if s.corruption in {c for c, _ in places})
        results = run(
            replace(suite, sets=sets),
            {label: metric},
            references=sorted({count for _, count in places}),
            formula=formula,
            workers=workers,
        )
        accuracies = {f"{c} {n}": results.of(label, c, n).accuracy for c, n in distinct}
        return {"accuracies": accuracies, "signature": results.signatures[label]}

    code = code_of(metric), digest("cupel.mutt.trials", within="cupel.mutt")
    key = cache_key("mutt", name, formula, metric.name, metric.signature(), *code, distinct)
    kept = kept_json("reproduce", key, compute)
    return {
        cell.key: Outcome(kept["accuracies"][f"{c} {n}"], signature=kept["signature"])
        for cell, (c, n) in zip(cells, places, strict=True)
    }


def _consistency(cells: Sequence[Cell], workers: int, report: Report) -> Outcomes:
    """Cells about one corruption in SICK: people and metrics, and how they correlate."""
    from cupel.data import find as find_dataset
    from cupel.mutt import templates
    from cupel.mutt.consistency import PEOPLE, consistency
    from cupel.mutt.named import PAPER

    outcomes: Outcomes = {}
    for corruption, group in _grouped(cells, lambda c: c.settings["corruption"]).items():
        report(f"{corruption} in SICK")
        asked = {c.settings[side] for c in group for side in ("of", "other") if side in c.settings}
        specs = {name: PAPER[name] for name in sorted(asked - {PEOPLE})}
        try:
            pairs = templates.read_pairs(find_dataset("sick") / "SICK.txt")
            chosen = templates.find(pairs, [corruption])
            # People's scores come beside those of a metric: where none is asked for, the cheapest.
            scored = consistency(chosen, list(specs.values()) or ["wer"], corruption)
        except CupelError as error:
            outcomes |= _not_possible(group, error)
            continue
        place = {name: list(scored.scores).index(specs.get(name, name)) for name in asked}
        matrix, spread = scored.correlations(), list(scored.spread().values())
        for cell in group:
            row = place[cell.settings["of"]]
            if "summary" in cell.settings:
                value = spread[row][cell.settings["summary"] == "deviation"]
            else:
                value = float(matrix[row, place[cell.settings["other"]]])
            outcomes[cell.key] = Outcome(value)
    return outcomes


def _similarity(cells: Sequence[Cell], workers: int, report: Report) -> Outcomes:
    """Cells about ReVal's training data: variances by Algorithm 1, and sizes of the sets."""
    from cupel.learned.reval.data.examples import SimilarityData
    from cupel.learned.reval.data.similarity import threshold

    outcomes: Outcomes = {}
    for dataset, group in _grouped(cells, lambda c: c.settings["dataset"]).items():
        report(f"similarity scores from the rankings of {dataset}")
        try:
            data = SimilarityData(dataset)
            names = {c.settings["set"] for c in group if "set" in c.settings}
            sizes = {name: data.make(name).sizes for name in sorted(names)}
            for cell in group:
                how = cell.settings
                if "set" in how:
                    outcomes[cell.key] = Outcome(float(sizes[how["set"]][how["part"]]))
                    continue
                variance = threshold(data.ranked, how["band"], how["tau"]).variance
                none = "no variance keeps the tau that Algorithm 1 asks for"
                outcomes[cell.key] = Outcome(variance, "" if variance is not None else none)
        except CupelError as error:
            outcomes |= _not_possible(group, error)
    return outcomes


def _none(cells: Sequence[Cell], workers: int, report: Report) -> Outcomes:
    return _not_possible(cells, "no computation is defined")


KINDS: dict[str, Callable[[Sequence[Cell], int, Report], Outcomes]] = {
    "meta": _meta,
    "mutt": _mutt,
    "consistency": _consistency,
    "similarity": _similarity,
    "recorded": _none,
    "none": _none,
}
"""How cells are computed, by the `kind` of their table."""
