"""Each system against the first: difference, uncertainty, and a sentence with the verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cupel.report.html import p_value, signed
from cupel.report.runs import PREFERRED

if TYPE_CHECKING:
    from cupel.batch import FloatArray
    from cupel.report.runs import Row
    from cupel.scores import Scores
    from cupel.significance import Interval
    from cupel.system_ranking import Ranking

LEVEL = 0.05


@dataclass(frozen=True)
class Difference:
    """A system minus the baseline under one metric; low and high may be missing."""

    metric: str
    system: str
    baseline: str
    value: float
    p_value: float
    higher_is_better: bool
    low: float | None = None
    high: float | None = None

    @property
    def gain(self) -> float:
        """Above zero where the system is better."""
        return self.value if self.higher_is_better else -self.value

    @property
    def verdict(self) -> str:
        """`better`, `worse`, or `even` where chance explains it.

        An interval that holds zero is enough for that: the p of a bootstrap, by sacreBLEU's
        formula, counts only larger differences, and is too sure where few segments differ at all.
        """
        within = self.low is not None and self.high is not None and self.low <= 0 <= self.high
        if self.p_value >= LEVEL or self.value == 0 or within:
            return "even"
        return "better" if self.gain > 0 else "worse"

    def summary(self, places: int = 1) -> str:
        """`bleu +1.2 (0.7 to 1.7), p < 0.001`."""
        within = (
            f" ({signed(self.low, places)} to {signed(self.high, places)})"
            if self.low is not None and self.high is not None
            else ""
        )
        return f"{self.metric} {signed(self.value, places)}{within}, {p_value(self.p_value)}"


@dataclass(frozen=True)
class Uncertainty:
    """Intervals by (metric, system), differences to the first system, and the shares of wins.

    wins: of each metric (systems, systems), the share of resampled test sets on which the row's
    system is better than the column's; a tie counts half. rankings: the clusters by each metric.
    """

    intervals: Mapping[tuple[str, str], Interval]
    differences: Sequence[Difference]
    wins: Mapping[str, FloatArray]
    rankings: Mapping[str, Ranking]


def uncertainty(scores: Scores, *, resamples: int, seed: int) -> Uncertainty:
    """Every system's interval by bootstrap, and every system against the first.

    Differences have bootstrap intervals, too, from the same resamples; their p-values come from
    approximate randomization, which is right on small test sets as well, and are those of
    `scores.paired(metric, "ar")`. Metrics that are vectors of features have neither.
    """
    from cupel import significance
    from cupel.metric import Vector
    from cupel.system_ranking import ranking

    intervals: dict[tuple[str, str], Interval] = {}
    differences: list[Difference] = []
    wins: dict[str, FloatArray] = {}
    rankings: dict[str, Ranking] = {}
    names = scores.systems
    metrics = {k: metric for k, metric in scores.metrics.items() if not isinstance(metric, Vector)}
    every = significance.bootstrap_all(
        metrics, {label: scores.statistics[label] for label in metrics}, resamples, seed
    )
    for label, metric in metrics.items():
        drawn = every[label]
        actual = np.array([scores.system_score(label, name) for name in names])
        p_values = significance.paired_randomization(metric, scores.statistics[label], seed=seed)
        good = drawn if metric.higher_is_better else -drawn
        wins[label] = np.stack([((row > good) + 0.5 * (row == good)).mean(axis=1) for row in good])
        if len(names) > 1 and len(scores.corpus) > 1 and resamples > 1:
            rankings[label] = ranking(
                label, names, actual, drawn,
                segments=len(scores.corpus), higher_is_better=metric.higher_is_better,
            )  # fmt: skip
        for row, name in enumerate(names):
            intervals[label, name] = significance.interval(drawn[row])
            if row:
                bounds = significance.interval(drawn[row] - drawn[0])
                differences.append(
                    Difference(
                        label,
                        name,
                        names[0],
                        float(actual[row] - actual[0]),
                        float(p_values[row]),
                        metric.higher_is_better,
                        bounds.low,
                        bounds.high,
                    )
                )
    return Uncertainty(intervals, differences, wins, rankings)


def preferred(
    scores: Scores, pair: str | None, domain: str | None
) -> dict[tuple[str, str], dict[str, float]]:
    """(system, metric) -> what a run's rows say of people's preferences, where it is known."""
    from cupel.meaning import meanings
    from cupel.metric import Vector

    rows = {}
    for label, metric in scores.metrics.items():
        if isinstance(metric, Vector) or len(scores.systems) < 2:
            continue
        for one in meanings(scores, label, pair=pair, domain=domain):
            if ends := one.preferred():
                rows[one.system, label] = dict(zip(PREFERRED, ends, strict=True))
    return rows


def people(row: Row | None) -> str:
    """`; people prefer it in 81% (74% to 86%) of such cases`; nothing for a run without a test."""
    if row is None or PREFERRED[0] not in row:
        return ""
    values = [row.get(key) for key in PREFERRED]
    if any(value is None for value in values):
        return "; no evidence of what people prefer"
    share, low, high = (float(value) for value in values if value is not None)
    return f"; people prefer it in {share:.0%} ({low:.0%} to {high:.0%}) of such cases"


def from_rows(rows: Sequence[Row], higher: Mapping[str, bool]) -> list[Difference]:
    """The same from a run's rows, where they have p-values; intervals of differences they lack."""
    first = {row["metric"]: row for row in reversed(rows)}
    return [
        Difference(
            row["metric"],
            row["system"],
            first[row["metric"]]["system"],
            row["score"] - first[row["metric"]]["score"],
            row["p_value"],
            higher[row["metric"]],
        )
        for row in rows
        if row.get("p_value") is not None and row["p_value"] == row["p_value"]
    ]


def by_system(differences: Sequence[Difference]) -> dict[str, list[Difference]]:
    """The differences of each system, in the order in which systems come."""
    groups: dict[str, list[Difference]] = {}
    for one in differences:
        groups.setdefault(one.system, []).append(one)
    return groups


def sentences(differences: Sequence[Difference]) -> list[str]:
    """One sentence per system."""
    return [sentence(group) for group in by_system(differences).values()]


def sentence(differences: Sequence[Difference]) -> str:
    """The verdict of the metrics on one system against the baseline."""
    system, baseline = differences[0].system, differences[0].baseline
    groups = {
        name: [one.metric for one in differences if one.verdict == name]
        for name in ("better", "worse", "even")
    }
    if len(groups["even"]) == len(differences):
        return (
            f"It is not clear whether {system} or {baseline} is better: the "
            f"difference{'s' * (len(differences) > 1)} may be due to chance."
        )
    clear = [name for name in ("better", "worse") if groups[name]]
    if len(clear) == 2:
        return (
            f"The metrics contradict each other: {system} is better than {baseline} by "
            f"{_listed(groups['better'])} and worse by {_listed(groups['worse'])}."
        )
    answer = f"{system} is {clear[0]} than {baseline} by {_listed(groups[clear[0]])}"
    if not groups["even"]:
        return f"{answer}."
    plural = "s" * (len(groups["even"]) > 1)
    return f"{answer}; the difference{plural} by {_listed(groups['even'])} may be due to chance."


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
