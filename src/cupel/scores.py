"""The result of scoring: statistics of every metric, system and segment, and all that follows.

Scores, segment scores, intervals and tests are computed from the statistics when asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cupel import __version__, significance
from cupel.arrays import FloatArray
from cupel.corpus import Corpus
from cupel.errors import CupelError
from cupel.metric import Metric, Signature, Vector
from cupel.significance import Interval

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Comparison:
    """A system against the baseline under one metric."""

    metric: str
    system: str
    baseline: str
    difference: float
    p_value: float


@dataclass(frozen=True)
class Scores:
    """What `cupel.score` returns. statistics: metric -> (systems, segments, k)."""

    corpus: Corpus
    metrics: Mapping[str, Metric]
    statistics: Mapping[str, FloatArray]

    def __post_init__(self) -> None:
        for label in self.metrics:
            for system, value in zip(self.systems, self._totals(label), strict=True):
                if not np.isfinite(value):
                    raise CupelError(
                        f"The metric {label!r} gave {value} as the score of system {system!r}."
                    )

    @property
    def systems(self) -> list[str]:
        return list(self.corpus.systems)

    def __getitem__(self, metric: str) -> float | dict[str, float]:
        """The score of the only system, or a mapping system -> score."""
        scores = dict(zip(self.systems, map(float, self._totals(metric)), strict=True))
        return scores if len(scores) > 1 else next(iter(scores.values()))

    def system_score(self, metric: str, system: str | None = None) -> float:
        """The corpus-level score of a system (of the only one, if not named)."""
        return float(self._totals(metric)[self._row(system)])

    def segment_scores(self, metric: str, system: str | None = None) -> FloatArray:
        """(segments,): the score of each segment of a system."""
        statistics = self._of(metric)[self._row(system)]
        return np.asarray(self.metrics[metric].segment_scores(statistics), np.float64)

    def signature(self, metric: str, **extra: object) -> Signature:
        """Everything that can change the score: references, `extra`, the metric's own, version."""
        return (
            Signature.of(nrefs=self.corpus.number_of_references or "var", **extra)
            + self.metrics[metric].signature()
            + Signature.of(version=f"cupel-{__version__}")
        )

    @property
    def signatures(self) -> dict[str, str]:
        return {metric: str(self.signature(metric)) for metric in self.metrics}

    def intervals(
        self,
        metric: str,
        *,
        resamples: int = significance.BOOTSTRAP_RESAMPLES,
        level: float = 0.95,
        seed: int = significance.DEFAULT_SEED,
    ) -> dict[str, Interval]:
        """Bootstrap interval of each system's score."""
        _at_least_one("resamples", resamples)
        scores = significance.bootstrap_scores(
            self.metrics[metric], self._of(metric), resamples, seed
        )
        return {
            system: significance.interval(row, level)
            for system, row in zip(self.systems, scores, strict=True)
        }

    def paired(
        self,
        metric: str,
        test: str = "bs",
        *,
        baseline: str | None = None,
        samples: int | None = None,
        seed: int = significance.DEFAULT_SEED,
    ) -> list[Comparison]:
        """Each system against the baseline (the first, if not named).

        test: `bs` paired bootstrap, `ar` paired approximate randomization.
        """
        if len(self.systems) < 2:
            raise CupelError("A paired test needs at least two systems.")
        statistics, row = self._of(metric), self._row(baseline or self.systems[0])
        actual = self._totals(metric)
        if test == "bs":
            samples = samples or significance.BOOTSTRAP_RESAMPLES
            _at_least_one("resamples", samples)
            scores = significance.bootstrap_scores(self.metrics[metric], statistics, samples, seed)
            p_values = significance.paired_bootstrap(scores, actual, row)
        elif test == "ar":
            samples = samples or significance.RANDOMIZATION_TRIALS
            _at_least_one("trials", samples)
            p_values = significance.paired_randomization(
                self.metrics[metric], statistics, row, samples, seed
            )
        else:
            raise CupelError(f"Unknown paired test {test!r}: it is 'bs' or 'ar'.")
        return [
            Comparison(metric, system, self.systems[row], float(value - actual[row]), float(p))
            for system, value, p in zip(self.systems, actual, p_values, strict=True)
            if system != self.systems[row]
        ]

    def rows(self) -> list[dict[str, Any]]:
        """Flat records: system, metric, score. A vector metric gives one per component."""
        return [
            {"system": system, "metric": label, "score": float(values[row])}
            for row, system in enumerate(self.systems)
            for metric in self.metrics
            for label, values in self._columns(metric, self._of(metric).sum(axis=1)).items()
        ]

    def segment_rows(self) -> list[dict[str, Any]]:
        """Flat records: system, segment (from 1), one entry per metric."""
        columns = self._segment_columns()
        return [
            {"system": system, "segment": segment + 1}
            | {label: float(values[row, segment]) for label, values in columns.items()}
            for row, system in enumerate(self.systems)
            for segment in range(len(self.corpus))
        ]

    def frame(self, level: str = "system") -> pl.DataFrame:
        """A Polars frame of `rows` (level="system") or `segment_rows` (level="segment")."""
        import polars as pl

        if level == "system":
            return pl.DataFrame(self.rows())
        if level != "segment":
            raise CupelError(f"Unknown level {level!r}: it is 'system' or 'segment'.")
        n = len(self.corpus)
        names: dict[str, Any] = {
            "system": np.repeat(self.systems, n),
            "segment": np.tile(np.arange(1, n + 1), len(self.systems)),
        }
        return pl.DataFrame(names | {k: v.ravel() for k, v in self._segment_columns().items()})

    def to_json(self, level: str = "system") -> str:
        """`{"version": ..., "signatures": {...}, "rows": [...]}`."""
        import json

        rows = self.rows() if level == "system" else self.segment_rows()
        document = {"version": __version__, "signatures": self.signatures, "rows": rows}
        return json.dumps(document, indent=1, ensure_ascii=False)

    def _segment_columns(self) -> dict[str, FloatArray]:
        columns: dict[str, FloatArray] = {}
        for metric in self.metrics:
            columns |= self._columns(metric, self._of(metric), segments=True)
        return columns

    def _columns(
        self, label: str, statistics: FloatArray, *, segments: bool = False
    ) -> dict[str, FloatArray]:
        """Scores by label, or by `label.component` for a metric that is a feature vector."""
        metric = self.metrics[label]
        if isinstance(metric, Vector):
            values = metric.components(statistics)
            names = metric.component_names
            return {f"{label}.{name}": values[..., i] for i, name in enumerate(names)}
        if not segments:
            return {label: metric.score(statistics)}
        scores = [metric.segment_scores(rows) for rows in statistics]
        return {label: np.asarray(scores, np.float64)}

    def _of(self, metric: str) -> FloatArray:
        if metric not in self.statistics:
            known = ", ".join(self.statistics)
            raise CupelError(f"There are no scores of {metric!r}; there are: {known}.")
        return self.statistics[metric]

    def _totals(self, metric: str) -> FloatArray:
        statistics = self._of(metric)
        return np.asarray(self.metrics[metric].score(statistics.sum(axis=1)), np.float64)

    def _row(self, system: str | None) -> int:
        if system is None:
            if len(self.systems) > 1:
                raise CupelError(f"Name one of the systems: {', '.join(self.systems)}.")
            return 0
        if system not in self.systems:
            known = ", ".join(self.systems)
            raise CupelError(f"There is no system {system!r}; there are: {known}.")
        return self.systems.index(system)


def _at_least_one(what: str, number: int) -> None:
    if number < 1:
        raise CupelError(f"The number of {what} must be 1 or more, not {number}.")
