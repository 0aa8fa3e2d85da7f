"""What an evaluation of metrics gives: values with intervals, groups, p-values, tables, frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from cupel.arrays import FloatArray
from cupel.meta.comparison import holm, paired_bootstrap
from cupel.records import Row, html_table, json_document, polars_frame

if TYPE_CHECKING:
    import polars as pl

AVERAGE = "avg"
"""The language pair that stands for the mean over all."""


@dataclass(frozen=True)
class Agreement:
    """How well one metric agrees with people on one language pair, or on average.

    low, high  the ends of the 95% bootstrap interval
    n          how many human judgments the value is over
    """

    pair: str
    metric: str
    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class Evaluation:
    """What `cupel.evaluate` returns.

    statistic    which statistic the values are: tau-wmt14, pearson, ...
    level        segment or system
    metrics      their names, as they were asked for
    agreements   one for every language pair and metric, the averages last
    replicates   pair -> (resamples, metrics), the values on resampled judgments
    left_out     pair -> why it has no value
    comparisons  pair -> (metrics, metrics) p-values of "row is better than column", by the test
                 that was asked for
    points       human and metric scores of every judged item: see `cupel.meta.points`
    signatures   metric -> everything that can change its scores
    """

    statistic: str
    level: str
    metrics: tuple[str, ...]
    agreements: list[Agreement]
    replicates: Mapping[str, FloatArray] = field(repr=False)
    left_out: Mapping[str, str] = field(default_factory=dict)
    comparisons: Mapping[str, FloatArray] = field(default_factory=dict)
    points: Sequence[Row] = field(default=(), repr=False)
    dataset: str = ""
    signatures: Mapping[str, str] = field(default_factory=dict, repr=False)

    def value(self, metric: str, pair: str = AVERAGE) -> float:
        """The value of one metric on one language pair, or on average."""
        return next(a.value for a in self.agreements if (a.metric, a.pair) == (metric, pair))

    @property
    def pairs(self) -> list[str]:
        """The language pairs, `avg` last."""
        return list(dict.fromkeys(a.pair for a in self.agreements))

    def p_values(self, pair: str = AVERAGE) -> FloatArray:
        """(metrics, metrics): p of "row is better than column" on one pair, by paired bootstrap."""
        columns = self.replicates[pair].T
        return np.array([[paired_bootstrap(a, b) for b in columns] for a in columns])

    def corrected(self, pair: str = AVERAGE) -> FloatArray:
        """(metrics, metrics): the `comparisons` of one pair, corrected for their number (Holm)."""
        p = self.comparisons[pair].copy()
        others = ~np.eye(len(p), dtype=bool)
        p[others] = holm(list(p[others]))
        return p

    def clusters(self, pair: str = AVERAGE, level: float = 0.05) -> dict[str, int]:
        """Metrics in groups, numbered from 1, the best.

        A new group starts where its first metric is worse than the first of the group before, with
        p below `level` by paired bootstrap.
        """
        order = sorted(self.metrics, key=lambda metric: -self.value(metric, pair))
        p = self.p_values(pair)
        place = {metric: i for i, metric in enumerate(self.metrics)}
        group, head = 1, order[0]
        groups: dict[str, int] = {}
        for metric in order:
            if p[place[head], place[metric]] < level:
                group, head = group + 1, metric
            groups[metric] = group
        return groups

    def rows(self) -> list[Row]:
        """Flat records: dataset, pair, level, statistic, metric, value, low, high, n."""
        about = {"level": self.level, "statistic": self.statistic}
        return [
            {"dataset": self.dataset, "pair": a.pair, **about, "metric": a.metric}
            | {"value": a.value, "low": a.low, "high": a.high, "n": a.n}
            for a in self.agreements
        ]

    def comparison_rows(self) -> list[Row]:
        """Flat records: pair, metric, other, p, which is small where `metric` is the better one."""
        return [
            {"pair": pair, "metric": metric, "other": other, "p": float(p[i, j])}
            for pair, p in self.comparisons.items()
            for i, metric in enumerate(self.metrics)
            for j, other in enumerate(self.metrics)
            if i != j
        ]

    def frame(self) -> pl.DataFrame:
        """A Polars frame of `rows`."""
        return polars_frame(self.rows())

    def to_json(self) -> str:
        """What `cupel meta -f json` prints."""
        compared = {"comparisons": self.comparison_rows()} if self.comparisons else {}
        return json_document(
            self.rows(), signatures=self.signatures, points=list(self.points), **compared
        )

    def table(self, width: int = 3) -> tuple[list[str], list[list[str]]]:
        """Header and rows for people, best metric first; `*` is the best of a column, # its group.

        width: decimals.
        """
        groups = self.clusters()
        best = {
            pair: max(a.value for a in self.agreements if a.pair == pair) for pair in self.pairs
        }
        cells: dict[str, list[str]] = {metric: [metric] for metric in self.metrics}
        for a in self.agreements:
            mark = "*" if a.value == best[a.pair] else " "
            cells[a.metric].append(f"{a.value:.{width}f}{mark}±{(a.high - a.low) / 2:.{width}f}")
        order = sorted(self.metrics, key=lambda metric: -self.value(metric))
        return ["metric", *self.pairs, "#"], [[*cells[m], str(groups[m])] for m in order]

    def _repr_html_(self) -> str:
        """The table that a notebook shows."""
        caption = f"{self.dataset}: {self.statistic}, {self.level} level; ± half a 95% interval"
        return html_table(*self.table(), caption)
