"""Trials: how a metric scores an original and its corruption (section 6).

    order       s_orig > s_corr                                   altering and disrupting kinds
    difference  |s_orig - s_corr| / |s_orig + epsilon| <= 0.15    the preserving kind

`order` means better, so for an error rate s_orig < s_corr; `difference` takes the raw score of
every metric. A tie is no success of `order`, and is counted separately; learned metrics, whose last
digits depend on the other sentences of a batch, tie within 1e-6.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from cupel.arrays import BoolArray, FloatArray
from cupel.console import Progress
from cupel.errors import CupelError
from cupel.metric import Metric, Vector
from cupel.metrics.external import Source
from cupel.mutt.corruptions import Kind
from cupel.mutt.suites import Suite, TrialSet
from cupel.mutt.trial_scores import trial_scores
from cupel.records import Range, html_table, json_document, polars_frame
from cupel.registry import MetricLike, named_metrics
from cupel.significance import wilson_interval

if TYPE_CHECKING:
    import polars as pl

EPSILON = 1e-9
THRESHOLD = 0.15
LEARNED = 1e-6
"""Scores of a learned metric that differ by at most this are equal."""
NOTE = "accuracy in %; * the best; ~ by the difference formula"
VARIOUS = "var"
"""The number of references where trials differ in it."""


class Formula(StrEnum):
    """When a trial is a success."""

    order = "order"
    difference = "difference"


@dataclass(frozen=True)
class Result:
    """How one metric did in the trials of one corruption with one number of references."""

    suite: str
    trials: TrialSet
    references: int | str
    metric: str
    formula: Formula
    originals: FloatArray = field(repr=False)
    corrupted: FloatArray = field(repr=False)
    successes: BoolArray = field(repr=False)
    higher_is_better: bool = True
    resolution: float = 0.0

    @property
    def costs(self) -> FloatArray:
        """(n,) how much worse each corruption scores than its original."""
        difference = self.originals - self.corrupted
        costs = difference if self.higher_is_better else -difference
        return np.where(self.tied, 0.0, costs)

    @property
    def tied(self) -> BoolArray:
        """(n,) whether the two scores are equal."""
        return np.abs(self.originals - self.corrupted) <= self.resolution

    @property
    def corruption(self) -> str:
        return self.trials.corruption

    @property
    def accuracy(self) -> float:
        """The share of successes, from 0 to 1."""
        return float(self.successes.mean())

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95% interval of the accuracy."""
        return wilson_interval(int(self.successes.sum()), len(self.trials))

    @property
    def ties(self) -> int:
        """Trials in which the two scores are equal."""
        return int(np.count_nonzero(self.tied))

    def failures(self, count: int | None = None) -> list[dict[str, Any]]:
        """The first trials that failed, as flat records with both scores."""
        return [
            {
                "suite": self.suite,
                "corruption": self.corruption,
                "references": self.references,
                "metric": self.metric,
                "trial": int(row) + 1,
                "original": self.trials.trials[row].original,
                "corrupted": self.trials.trials[row].corrupted,
                "original_score": float(self.originals[row]),
                "corrupted_score": float(self.corrupted[row]),
            }
            for row in np.flatnonzero(~self.successes)[:count]
        ]

    def row(self) -> dict[str, Any]:
        """The flat record of machine-readable output."""
        low, high = self.interval
        return {
            "suite": self.suite,
            "corruption": self.corruption,
            "kind": self.trials.kind.value,
            "references": self.references,
            "metric": self.metric,
            "accuracy": self.accuracy,
            "low": low,
            "high": high,
            "ties": self.ties,
            "trials": len(self.trials),
        }


@dataclass(frozen=True)
class Table:
    """One table: a title, a header and rows of text; intervals by the names of row and column."""

    title: str
    header: list[str]
    rows: list[list[str]]
    intervals: Mapping[tuple[str, str], Range]

    @classmethod
    def of(cls, title: str, results: Sequence[Result], width: int) -> Table:
        """One row per metric, one column per corruption."""
        corruptions = list(dict.fromkeys(result.corruption for result in results))
        cells = {(result.metric, result.corruption): result for result in results}
        best = {
            name: max(result.accuracy for result in results if result.corruption == name)
            for name in corruptions
        }
        rows = []
        for metric in dict.fromkeys(result.metric for result in results):
            values = [cells[metric, name].accuracy for name in corruptions]
            marks = ["*" if v == best[n] else " " for n, v in zip(corruptions, values, strict=True)]
            shown = [f"{100 * v:.{width}f}{m}" for v, m in zip(values, marks, strict=True)]
            rows.append([metric, *shown, f"{100 * sum(values) / len(values):.{width}f}"])
        by_difference = {r.corruption for r in results if r.formula is Formula.difference}
        header = {name: name + "~" * (name in by_difference) for name in corruptions}
        intervals = {(r.metric, header[r.corruption]): (r.accuracy, *r.interval) for r in results}
        return cls(title, ["metric", *header.values(), "avg"], rows, intervals)


def counted_references(references: object) -> str:
    """`1 reference`, `5 references`; `all references` where their number differs."""
    if references == 1:
        return "1 reference"
    return f"{references} references" if isinstance(references, int) else "all references"


@dataclass(frozen=True)
class Results:
    """Every result, suite by suite, number of references by number, corruption by corruption."""

    results: tuple[Result, ...]
    signatures: Mapping[str, str]

    def rows(self) -> list[dict[str, Any]]:
        """Flat records: suite, corruption, kind, references, metric, accuracy and what it is of."""
        return [result.row() for result in self.results]

    def frame(self) -> pl.DataFrame:
        """A Polars frame of `rows`."""
        return polars_frame(self.rows())

    def to_json(self) -> str:
        """What `cupel mutt -f json` prints."""
        return json_document(self.rows(), signatures=self.signatures)

    def tables(self, width: int = 1) -> Iterator[Table]:
        """Accuracies in percent with `width` decimals, one table per suite and number of references.

        `*` marks the best of a column, `avg` is the mean of the row.
        """
        groups = dict.fromkeys((result.suite, result.references) for result in self.results)
        for suite, references in groups:
            own = [r for r in self.results if (r.suite, r.references) == (suite, references)]
            yield Table.of(f"{suite}, {counted_references(references)}", own, width)

    def _repr_html_(self) -> str:
        """The tables that a notebook shows."""
        return "".join(
            html_table(t.header, t.rows, f"{t.title}: {NOTE}", t.intervals) for t in self.tables()
        )

    def failures(self, count: int | None = None) -> list[dict[str, Any]]:
        """The first `count` failing trials of each metric and corruption, with both scores."""
        return [failure for result in self.results for failure in result.failures(count)]

    def below(self, accuracy: float) -> list[Result]:
        """The results with a lower accuracy."""
        return [result for result in self.results if result.accuracy < accuracy]

    def of(self, metric: str, corruption: str, references: int | str | None = None) -> Result:
        """The one result with these names; references may be left out where there is one."""
        matches = [
            result
            for result in self.results
            if (result.metric, result.corruption) == (metric, corruption)
            and references in (None, result.references)
        ]
        if len(matches) != 1:
            raise CupelError(
                f"There are {len(matches)} results of {metric!r} for {corruption!r}; one was expected."
            )
        return matches[0]

    def remarks(self) -> list[str]:
        """Sentences about metrics that give every pair of sentences the same score."""
        sentences = []
        for metric in dict.fromkeys(result.metric for result in self.results):
            results = [result for result in self.results if result.metric == metric]
            trials = sum(len(result.trials) for result in results)
            if trials == sum(result.ties for result in results):
                sentences.append(
                    f"The metric {metric!r} ties everywhere: it gives the original and the "
                    f"corrupted sentence the same score in each of the {trials} trials, and a tie "
                    "is no success where the original must score better."
                )
        return sentences


def run(
    suites: Suite | Sequence[Suite],
    metrics: Sequence[MetricLike] | MetricLike | Mapping[str, Metric],
    *,
    references: Sequence[int] | None = None,
    formula: Formula | str | None = None,
    threshold: float = THRESHOLD,
    external: Sequence[Source] = (),
    lower: Sequence[str] = (),
    workers: int = 1,
    progress: Progress | None = None,
) -> Results:
    """Run the trials of suites on metrics.

    references: numbers of references to use of each trial, one run for each; if not given, those
    of the suite (5, 10 and 20 for that of the paper), or all.
    formula: for all corruptions, instead of that of their kind. threshold: that of `difference`.
    external, lower: as for `cupel.scoring.score_corpus`; systems `original` and `corrupted`.
    """
    if not threshold >= 0:
        raise CupelError(f"The threshold of the difference must be 0 or more, not {threshold}.")
    if formula is not None and formula not in list(Formula):
        raise CupelError(f"Unknown formula {formula!r}; known are {', '.join(Formula)}.")
    chosen = None if formula is None else Formula(formula)
    by_label = metrics if isinstance(metrics, Mapping) else named_metrics(metrics)
    for label, metric in by_label.items():
        if isinstance(metric, Vector):
            raise CupelError(f"The metric {label!r} is a vector of features, not one score.")
    opened = [suites] if isinstance(suites, Suite) else suites
    names = [suite.name for suite in opened]
    for name in names:
        if names.count(name) > 1:
            raise CupelError(f"Two suites are called {name!r}: leave one out, or rename its file.")
    groups = trial_groups(opened, references, one=bool(external))
    scored = trial_scores(
        [trials for _, _, trials in groups], by_label, external, lower, workers, progress
    )
    equal = {label: resolution(metric) for label, metric in scored.metrics.items()}
    results = []
    for row, (name, count, trials) in enumerate(groups):
        usual = Formula.difference if trials.kind is Kind.preserving else Formula.order
        used = chosen or usual
        for label, metric in scored.metrics.items():
            both, higher = scored.pairs[label][row], metric.higher_is_better
            better = successes(
                *both,
                used,
                higher_is_better=higher,
                threshold=threshold,
                resolution=equal[label],
            )
            results.append(
                Result(name, trials, count, label, used, *both, better, higher, equal[label])
            )
    return Results(tuple(results), scored.signatures)


def successes(
    originals: FloatArray,
    corrupted: FloatArray,
    formula: Formula,
    *,
    higher_is_better: bool = True,
    threshold: float = THRESHOLD,
    resolution: float = 0.0,
) -> BoolArray:
    """(n,) whether each trial is a success; scores within `resolution` of each other are equal."""
    if formula is Formula.difference:
        return np.abs((originals - corrupted) / (originals + EPSILON)) <= threshold
    difference = originals - corrupted
    return difference > resolution if higher_is_better else difference < -resolution


def resolution(metric: Metric) -> float:
    """How far apart equal scores may be: 0, or `LEARNED` where the signature names weights."""
    keys = {key for key, _ in metric.signature().entries}
    return LEARNED if keys & {"model", "weights"} else 0.0


def trial_groups(
    suites: Sequence[Suite], references: Sequence[int] | None = None, *, one: bool = False
) -> list[tuple[str, int | str, TrialSet]]:
    """Suite, number of references and trials, of all that is run; `one`: of one number, or an error."""
    numbers = [(suite, count) for suite in suites for count in _counts(suite, references)]
    if one and len(numbers) > 1:
        raise CupelError(
            "Texts and scores are of the trials of one suite with one number of references: choose "
            "them with --suite and --references."
        )
    return [
        (suite.name, count, trials if count == VARIOUS else trials.with_references(int(count)))
        for suite, count in numbers
        for trials in suite.sets
    ]


def _counts(suite: Suite, references: Sequence[int] | None) -> list[int | str]:
    for count in references or ():
        if count < 1:
            raise CupelError(f"The number of references must be 1 or more, not {count}.")
    if counts := references or suite.counts:
        return list(dict.fromkeys(counts))
    lengths = {len(trial.references) for trials in suite.sets for trial in trials.trials}
    return [lengths.pop()] if len(lengths) == 1 else [VARIOUS]
