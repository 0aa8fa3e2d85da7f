"""The result of scoring, wherever the texts came from: totals of every metric, and all that follows.

Scores, segment scores, details, intervals and tests are computed when asked for. Where texts or the
statistics of segments were not kept, because there were too many, what needs them is one error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from cupel import __version__, significance
from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.corpus import Corpus, Outline, counted_segments
from cupel.errors import CupelError
from cupel.metric import (
    REFERENCES,
    Detailed,
    DetailedByText,
    Metric,
    Signature,
    Vector,
    decimals_of,
    needs_of,
    score_columns,
)
from cupel.names import short_names
from cupel.records import Row, html_table, json_document, polars_frame
from cupel.significance import Interval
from cupel.system_ranking import Ranking, ranking
from cupel.totals import Totals, not_kept

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Comparison:
    """A system against the baseline under one metric.

    difference  the system's score minus the baseline's
    p_value     how often chance alone makes the two differ at least so much
    """

    metric: str
    system: str
    baseline: str
    difference: float
    p_value: float


@dataclass(frozen=True)
class Scores:
    """What `cupel.score` returns. Metrics are named as they were asked for: `bleu:tokenize=intl`.

    metrics  name -> metric, prepared on the texts
    totals   what their statistics add up to
    texts    as they were scored, or None where they were not kept
    """

    metrics: Mapping[str, Metric]
    totals: Totals
    texts: Corpus | None = None

    def __post_init__(self) -> None:
        for label in self.metrics:
            for system, value in zip(self.systems, self._totals(label), strict=True):
                if not np.isfinite(value):
                    raise CupelError(
                        f"The metric {label!r} gave {value} as the score of system {system!r}."
                    )

    @property
    def systems(self) -> list[str]:
        """Names of the systems, in their order."""
        return self.totals.systems

    @property
    def segments(self) -> dict[str, int]:
        """system -> how many of its segments were scored."""
        return dict(self.totals.outline.segments)

    @property
    def corpus(self) -> Corpus:
        """The texts."""
        if self.texts is None:
            raise not_kept("texts")
        return self.texts

    @property
    def outline(self) -> Outline:
        """What is counted of the texts, also where they were not kept."""
        return self.totals.outline if self.texts is None else self.texts.outline

    @property
    def statistics(self) -> dict[str, FloatArray]:
        """name -> (systems, segments, k), or (systems, units, k) where units are resampled."""
        return {label: self.totals.units(label) for label in self.metrics}

    def __getitem__(self, metric: str) -> float | dict[str, float]:
        """The score of the only system, or a mapping system -> score."""
        scores = dict(zip(self.systems, map(float, self._totals(metric)), strict=True))
        return scores if len(scores) > 1 else next(iter(scores.values()))

    def system_score(self, metric: str, system: str | None = None) -> float:
        """The corpus-level score of a system (of the only one, if not named)."""
        return float(self._totals(metric)[self._row(system)])

    def segment_scores(self, metric: str, system: str | None = None) -> FloatArray:
        """(segments,): the score of each segment of a system."""
        statistics = self._rows(metric)[self._row(system)]
        return np.asarray(self.metrics[metric].segment_scores(statistics), np.float64)

    @overload
    def details(
        self, metric: str, level: Literal["system"] = "system"
    ) -> dict[str, dict[str, float]]: ...

    @overload
    def details(
        self, metric: str, level: Literal["segment"]
    ) -> dict[str, dict[str, FloatArray]]: ...

    def details(self, metric: str, level: str = "system") -> Any:
        """What the scores are made of: system -> name -> value.

        BLEU has n-gram precisions, brevity penalty and lengths, TER edits by kind, METEOR
        precision, recall and chunks, and so on; a metric that offers no details has an empty
        mapping. level: `system`, or `segment` for (segments,) values.
        """
        scorer = self._metric(metric)
        _check_level(level)
        if not isinstance(scorer, Detailed):
            return {system: {} for system in self.systems}
        if isinstance(scorer, DetailedByText):
            references, sources = self.corpus.references, self.corpus.sources
            batches = (Batch(t, references, sources) for t in self.corpus.systems.values())
            statistics = np.stack([scorer.detail_statistics(batch) for batch in batches])
            summed = statistics.sum(axis=1) if level == "system" else statistics
        else:
            summed = self.totals.sums(metric) if level == "system" else self._rows(metric)
        parts = scorer.details(summed)
        return {
            system: {
                name: float(values[row]) if level == "system" else values[row]
                for name, values in parts.items()
            }
            for row, system in enumerate(self.systems)
        }

    def signature(self, metric: str, **extra: object) -> Signature:
        """Everything that can change the score: references, `extra`, test set, metric, version.

        extra: further entries, such as the number of resamples behind an interval; where units of
        several segments are resampled, their size is put behind these.
        """
        compared = REFERENCES in needs_of(self.metrics[metric])
        count = (self.outline if self.texts is None else self.texts).number_of_references
        if self.totals.unit > 1 and {"bs", "ar"} & extra.keys():
            extra["blocks"] = self.totals.unit
        return (
            Signature.of(
                nrefs=("var" if count is None else count) if compared else None,
                **extra,
                **(self.texts.test_set if self.texts is not None else {}),
            )
            + self.metrics[metric].signature()
            + Signature.of(version=f"cupel-{__version__}")
        )

    @property
    def signatures(self) -> dict[str, str]:
        """Of every metric, as text."""
        return {metric: str(self.signature(metric)) for metric in self.metrics}

    def intervals(
        self,
        metric: str,
        *,
        resamples: int = significance.BOOTSTRAP_RESAMPLES,
        level: float = 0.95,
        seed: int = significance.DEFAULT_SEED,
    ) -> dict[str, Interval]:
        """Bootstrap interval of each system's score: the range of scores that resampled test sets have.

        resamples: test sets of the same size, drawn from the segments with replacement. level: the
        share of them whose scores are in the interval. seed: of the draws.
        """
        _at_least_one("resamples", resamples)
        scores = significance.bootstrap_scores(
            self._metric(metric), self.totals.units(metric), resamples, seed
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

        test: `bs` paired bootstrap, `ar` paired approximate randomization. samples: resamples or
        trials; if not given, 1,000 for `bs` and 10,000 for `ar`. seed: of the draws.
        """
        if len(self.systems) < 2:
            raise CupelError("A paired test needs at least two systems.")
        actual, row = self._totals(metric), self._row(baseline or self.systems[0])
        statistics = self.totals.units(metric)
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

    def clusters(
        self,
        *,
        level: float = 0.05,
        correction: str = "holm",
        resamples: int = significance.BOOTSTRAP_RESAMPLES,
        seed: int = significance.DEFAULT_SEED,
    ) -> dict[str, Ranking]:
        """The systems of each metric in groups that cannot be told apart, and who may be best.

        level: of the tests. correction: of the p-values of all pairs, `holm` or `bh`. resamples,
        seed: of the paired bootstrap, whose draws all systems and metrics share. Vectors of
        features are left out.
        """
        _at_least_one("resamples", resamples - 1)
        metrics = {k: m for k, m in self.metrics.items() if not isinstance(m, Vector)}
        if not metrics:
            raise CupelError("There is no metric with one score to rank the systems by.")
        statistics = {label: self.totals.units(label) for label in metrics}
        drawn = significance.bootstrap_all(metrics, statistics, resamples, seed)
        return {
            label: ranking(
                label,
                self.systems,
                self._totals(label),
                drawn[label],
                segments=self._count,
                higher_is_better=metric.higher_is_better,
                level=level,
                correction=correction,
            )
            for label, metric in metrics.items()
        }

    def rows(self) -> list[Row]:
        """Flat records: system, metric, score. A vector metric gives one per component."""
        return [
            {"system": system, "metric": label, "score": float(values[row])}
            for row, system in enumerate(self.systems)
            for metric in self.metrics
            for label, values in self._columns(metric, self.totals.sums(metric)).items()
        ]

    def segment_rows(self) -> list[Row]:
        """Flat records: system, segment (from 1), one entry per metric."""
        columns = self._segment_columns()
        return [
            {"system": system, "segment": segment + 1}
            | {label: float(values[row, segment]) for label, values in columns.items()}
            for row, system in enumerate(self.systems)
            for segment in range(self._count)
        ]

    def detail_rows(self, level: str = "system") -> list[Row]:
        """Flat records of `details`: system, metric, name, value; segment (from 1) at that level."""
        if level != "segment":
            return [
                {"system": system, "metric": metric, "name": name, "value": value}
                for metric in self.metrics
                for system, parts in self.details(metric).items()
                for name, value in parts.items()
            ]
        return [
            {"system": system, "segment": n, "metric": metric, "name": name, "value": float(value)}
            for metric in self.metrics
            for system, parts in self.details(metric, "segment").items()
            for name, values in parts.items()
            for n, value in enumerate(values, start=1)
        ]

    def frame(self, level: str = "system") -> pl.DataFrame:
        """A Polars frame of `rows` (level="system") or `segment_rows` (level="segment")."""
        _check_level(level)
        if level == "system":
            return polars_frame(self.rows())
        import polars as pl

        n = self._count
        names: dict[str, Any] = {
            "system": np.repeat(self.systems, n),
            "segment": np.tile(np.arange(1, n + 1), len(self.systems)),
        }
        return pl.DataFrame(names | {k: v.ravel() for k, v in self._segment_columns().items()})

    def to_json(self, level: str = "system") -> str:
        """`{"version": ..., "signatures": {...}, "rows": [...]}`; level as in `frame`."""
        _check_level(level)
        rows = self.rows() if level == "system" else self.segment_rows()
        return json_document(rows, signatures=self.signatures)

    def _repr_html_(self) -> str:
        """The table that a notebook shows: scores with their 95% intervals, drawn below them."""
        names = short_names(self.systems)
        cells = {system: [names[system]] for system in self.systems}
        header, drawn = ["system"], {}
        for label, metric in self.metrics.items():
            places = decimals_of(metric)
            totals = self._columns(label, self.totals.sums(label))
            header += totals
            intervals = {} if isinstance(metric, Vector) else self.intervals(label)
            for row, system in enumerate(self.systems):
                half = f" ± {intervals[system].half_width:.{places}f}" if intervals else ""
                cells[system] += [f"{values[row]:.{places}f}{half}" for values in totals.values()]
                if intervals:
                    ends = intervals[system].low, intervals[system].high
                    drawn[names[system], label] = (float(totals[label][row]), *ends)
        caption = f"{counted_segments(self._count)}; ± half a 95% bootstrap interval, drawn below"
        return html_table(header, cells.values(), caption, drawn)

    def __repr__(self) -> str:
        metrics = list(self.metrics)
        return f"Scores(systems={self.systems}, metrics={metrics}, segments={self._count})"

    def _segment_columns(self) -> dict[str, FloatArray]:
        columns: dict[str, FloatArray] = {}
        for metric in self.metrics:
            columns |= self._columns(metric, self._rows(metric), segments=True)
        return columns

    def _columns(
        self, label: str, statistics: FloatArray, *, segments: bool = False
    ) -> dict[str, FloatArray]:
        return score_columns(label, self.metrics[label], statistics, segments=segments)

    @property
    def _count(self) -> int:
        return len(self.totals.outline)

    def _metric(self, metric: str) -> Metric:
        if metric not in self.metrics:
            names = ", ".join(self.metrics)
            raise CupelError(f"There are no scores of {metric!r}; there are: {names}.")
        return self.metrics[metric]

    def _totals(self, metric: str) -> FloatArray:
        """(systems,): their scores."""
        return np.asarray(self._metric(metric).score(self.totals.sums(metric)), np.float64)

    def _rows(self, metric: str) -> FloatArray:
        """(systems, segments, k): the statistics of all segments."""
        self._metric(metric)
        if self.totals.keep != "rows":
            raise not_kept("statistics of the segments")
        return self.totals.units(metric)

    def _row(self, system: str | None) -> int:
        if system is None:
            if len(self.systems) > 1:
                raise CupelError(f"Name one of the systems: {', '.join(self.systems)}.")
            return 0
        if system not in self.systems:
            names = ", ".join(self.systems)
            raise CupelError(f"There is no system {system!r}; there are: {names}.")
        return self.systems.index(system)


def _check_level(level: str) -> None:
    if level not in ("system", "segment"):
        raise CupelError(f"Unknown level {level!r}: it is 'system' or 'segment'.")


def _at_least_one(what: str, number: int) -> None:
    if number < 1:
        raise CupelError(f"The number of {what} must be 1 or more, not {number}.")
