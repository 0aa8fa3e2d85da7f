"""What an evaluation of metrics gives: values with intervals, groups, p-values, tables, frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from cupel.arrays import FloatArray
from cupel.meta.advice import SMALL, Advice, advise
from cupel.meta.disagreements import disagreements
from cupel.meta.graded import Graded
from cupel.meta.ranking import Ranking
from cupel.questions.judge import Judge
from cupel.records import Row, html_table, json_document, polars_frame
from cupel.significance import corrected, share_not_better

if TYPE_CHECKING:
    import polars as pl

AVERAGE = "avg"
"""The language pair that stands for the mean over all."""


@dataclass(frozen=True)
class Agreement:
    """How well one metric agrees with people on one language pair, or on average.

    value      NaN where the statistic is undefined
    low, high  the ends of the 95% bootstrap interval; NaN where there is none
    n          how many human judgments the value is over
    reason     why there is no value
    p_value    of no correlation, where it was asked for
    """

    pair: str
    metric: str
    value: float
    low: float
    high: float
    n: int
    reason: str = ""
    p_value: float | None = None


@dataclass(frozen=True)
class Evaluation:
    """What `cupel.evaluate` returns.

    question     what was asked: dataset, level, statistic (tau-wmt14, pearson, ...), ...
    metrics      their names, as they were asked for
    agreements   one for every language pair and metric, the averages last
    replicates   pair -> (resamples, metrics), the values on resampled judgments
    left_out     pair -> why it has no value
    comparisons  pair -> (metrics, metrics) p-values of "row is better than column", by the test
                 that was asked for
    points       human and metric scores of every judged item: see `cupel.meta.measured`
    signatures   metric -> everything that can change its scores
    rankings     pair -> metrics in order with ranks, p-values and draws, by a permutation test
    graded       of graded judgments, everything that was compared, one for each language pair:
                 systems, items, human scores, metric scores, texts
    """

    question: Judge
    metrics: tuple[str, ...]
    agreements: list[Agreement]
    replicates: Mapping[str, FloatArray] = field(repr=False)
    left_out: Mapping[str, str] = field(default_factory=dict)
    comparisons: Mapping[str, FloatArray] = field(default_factory=dict)
    points: Sequence[Row] = field(default=(), repr=False)
    signatures: Mapping[str, str] = field(default_factory=dict, repr=False)
    rankings: Mapping[str, Ranking] = field(default_factory=dict, repr=False)
    graded: Sequence[Graded] = field(default=(), repr=False)

    @property
    def statistic(self) -> str:
        """Which statistic the values are."""
        return self.question.statistic or "pearson"

    @property
    def level(self) -> str:
        """Segment, document, domain or system."""
        return self.question.level

    @property
    def dataset(self) -> str:
        """Whose judgments these are."""
        return self.question.dataset

    def value(self, metric: str, pair: str = AVERAGE) -> float:
        """The value of one metric on one language pair, or on average; NaN if it has none."""
        values = (a.value for a in self.agreements if (a.metric, a.pair) == (metric, pair))
        return next(values, float("nan"))

    @property
    def no_values(self) -> list[str]:
        """Sentences about the metrics that have no value, and why."""
        return [
            f"{a.metric} has no value on {a.pair}: {a.reason}."
            for a in self.agreements
            if a.reason and a.pair != AVERAGE
        ]

    @property
    def pairs(self) -> list[str]:
        """The language pairs, `avg` last."""
        return list(dict.fromkeys(a.pair for a in self.agreements))

    def p_values(self, pair: str = AVERAGE) -> FloatArray:
        """(metrics, metrics): p of "row is better than column" on one pair, by paired bootstrap."""
        columns = self.replicates[pair].T
        return np.array([[share_not_better(a, b) for b in columns] for a in columns])

    def corrected(self, pair: str = AVERAGE, method: str = "holm") -> FloatArray:
        """(metrics, metrics): the `comparisons` of one pair, corrected for their number."""
        p = self.comparisons[pair].copy()
        others = ~np.eye(len(p), dtype=bool)
        p[others] = corrected(p[others], method)
        return p

    def clusters(self, pair: str = AVERAGE, level: float = 0.05) -> dict[str, int]:
        """Metrics in groups, numbered from 1, the best; without those that have no value.

        By the permutation test that was asked for; else a new group starts where its first metric is
        worse than the first of the group before, with p below `level` by paired bootstrap. Empty
        where neither can be computed.
        """
        if pair in self.rankings:
            return dict(zip(self.rankings[pair].names, self.rankings[pair].ranks, strict=True))
        order = self.order(pair)
        if not order or not np.isfinite(self.replicates[pair]).any():
            return {}
        p = self.p_values(pair)
        place = {metric: i for i, metric in enumerate(self.metrics)}
        group, head = 1, order[0]
        groups: dict[str, int] = {}
        for metric in order:
            if p[place[head], place[metric]] < level:
                group, head = group + 1, metric
            groups[metric] = group
        return groups

    def order(self, pair: str = AVERAGE) -> list[str]:
        """The metrics that have a value, the best first."""
        values = {metric: self.value(metric, pair) for metric in self.metrics}
        return sorted((m for m in values if np.isfinite(values[m])), key=lambda m: -values[m])

    def advice(self, always: bool = True) -> Advice | None:
        """Which metric to trust, or that judgments are too few to tell; None for rankings.

        always: also where there are many judgments.
        """
        if not self.graded:
            return None
        values = np.array([self.value(metric) for metric in self.metrics])
        advice = advise(self.metrics, values, self.replicates[AVERAGE], self.graded)
        return advice if advice and (always or advice.judgments < SMALL) else None

    def rows(self) -> list[Row]:
        """Flat records: dataset, pair, level, statistic, metric, value, low, high, n.

        And p_value, where it was asked for.
        """
        about = {"level": self.level, "statistic": self.statistic}
        tested = any(a.p_value is not None for a in self.agreements)
        return [
            {"dataset": self.dataset, "pair": a.pair, **about, "metric": a.metric}
            | {"value": _number(a.value), "low": _number(a.low), "high": _number(a.high), "n": a.n}
            | ({"p_value": a.p_value} if tested else {})
            for a in self.agreements
        ]

    def rank_rows(self) -> list[Row]:
        """Flat records: pair, metric, value, rank, by the permutation test that was asked for."""
        return [
            {"pair": pair, "metric": metric, "value": value, "rank": rank}
            for pair, ranking in self.rankings.items()
            for metric, value, rank in zip(
                ranking.names, ranking.values, ranking.ranks, strict=True
            )
        ]

    def comparison_rows(self) -> list[Row]:
        """Flat records: pair, metric, other, p, which is small where `metric` is the better one."""
        return [
            {"pair": pair, "metric": metric, "other": other, "p": _number(p[i, j])}
            for pair, p in self.comparisons.items()
            for i, metric in enumerate(self.metrics)
            for j, other in enumerate(self.metrics)
            if i != j
        ]

    def contest_rows(self) -> list[Row]:
        """The same on average by paired bootstrap, for charts where no test was asked for."""
        return replace(self, comparisons={AVERAGE: self.p_values()}).comparison_rows()

    def frame(self) -> pl.DataFrame:
        """A Polars frame of `rows`."""
        return polars_frame(self.rows())

    def to_json(self) -> str:
        """What `cupel meta -f json` prints."""
        extras: dict[str, object] = {}
        if self.comparisons:
            extras["comparisons"] = self.comparison_rows()
        elif self.metrics and np.isfinite(self.replicates.get(AVERAGE, np.nan)).any():
            extras["contest"] = self.contest_rows()
        if self.rankings:
            extras["ranks"] = self.rank_rows()
        if self.graded:
            extras["disagreements"] = disagreements(self.graded, self.order())
        if self.no_values:
            extras["no_values"] = self.no_values
        if advice := self.advice():
            extras["advice"] = advice.rows()
        return json_document(
            self.rows(), signatures=self.signatures, points=list(self.points), **extras
        )

    def table(self, width: int = 3) -> tuple[list[str], list[list[str]]]:
        """Header and rows for people, best metric first; `*` is the best of a column, # its group.

        width: decimals.
        """
        groups, pairs = self.clusters(), self.pairs
        cells = {metric: dict.fromkeys(pairs, "") for metric in self.metrics}
        for pair in pairs:
            best = max((self.value(metric, pair) for metric in self.order(pair)), default=np.nan)
            for a in self.agreements:
                if a.pair == pair:
                    cells[a.metric][pair] = _cell(a, a.value == best, width)
        order = self.order()
        order += [metric for metric in self.metrics if metric not in order]
        header = ["metric", *pairs, *(["#"] if groups else [])]
        rows = [
            [m, *cells[m].values(), *([str(groups.get(m, "-"))] if groups else [])] for m in order
        ]
        return header, rows

    def _repr_html_(self) -> str:
        """The table that a notebook shows."""
        caption = f"{self.dataset}: {self.statistic}, {self.level} level; ± half a 95% interval"
        drawn = {(a.metric, a.pair): (a.value, a.low, a.high) for a in self.agreements}
        return html_table(*self.table(), caption, drawn)


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _cell(a: Agreement, best: bool, width: int) -> str:
    if not np.isfinite(a.value):
        return "no value"
    half = (a.high - a.low) / 2
    interval = f"±{half:.{width}f}" if np.isfinite(half) else ""
    p = "" if a.p_value is None else f" (p = {a.p_value:.{width}f})"
    return f"{a.value:.{width}f}{'*' if best else ' '}{interval}{p}"
