"""`check`: unit tests of a metric, for its test suite or from Python.

>>> from cupel.mutt import check
>>> report = check("chrf", suite="sample", thresholds=0.0)
>>> report.passed
True
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cupel.errors import CupelError
from cupel.metrics.external import Given, read_sources
from cupel.mutt.named import mutt_metrics, open_suite
from cupel.mutt.suites import Suite
from cupel.mutt.trials import THRESHOLD, Result, Results, counted_references, run
from cupel.registry import MetricLike, get_metric

if TYPE_CHECKING:
    from cupel.console import Progress
    from cupel.mutt.trials import Formula

SUITE = "sample"
MIN_ACCURACY = 0.5
"""The default threshold: a metric must be right more often than wrong."""
_SHOWN = 3


class CheckFailed(AssertionError):
    """A metric fell short; the message lists the corruptions, and trials that failed."""


@dataclass(frozen=True)
class Verdict:
    """How a metric did on one corruption, and the accuracy that was required."""

    result: Result
    threshold: float

    @property
    def passed(self) -> bool:
        return self.result.accuracy >= self.threshold

    def __str__(self) -> str:
        low, high = self.result.interval
        lines = [
            f"{self.result.corruption} ({counted_references(self.result.references)}): accuracy "
            f"{self.result.accuracy:.3f} (95% from {low:.3f} to {high:.3f}) in "
            f"{len(self.result.trials)} trials with {self.result.ties} ties; "
            f"{self.threshold:g} is required."
        ]
        if not self.passed:
            lines += [
                f"  trial {f['trial']}: {f['original_score']:.6g} {f['original']!r}, "
                f"{f['corrupted_score']:.6g} {f['corrupted']!r}"
                for f in self.result.failures(_SHOWN)
            ]
        return "\n".join(lines)


@dataclass(frozen=True)
class Report:
    """The verdicts on one metric. remarks: what explains them, as sentences."""

    metric: str
    verdicts: tuple[Verdict, ...]
    remarks: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return all(verdict.passed for verdict in self.verdicts)

    def __str__(self) -> str:
        return "\n".join([*self.remarks, *map(str, self.verdicts)])


def unit_tests(
    metrics: Sequence[MetricLike] | MetricLike,
    suites: Sequence[str | Suite] | str | Suite = "mutt",
    *,
    corruptions: Sequence[str] | None = None,
    references: Sequence[int] | None = None,
    formula: Formula | str | None = None,
    threshold: float = THRESHOLD,
    scores: Given = (),
    lower: Sequence[str] = (),
    workers: int = 1,
    progress: Progress | None = None,
) -> Results:
    """Put metrics to unit tests: does a corrupted sentence score as it should? As `cupel mutt`.

    metrics: as for `cupel.score`; `paper` are those of the paper, `all` all that are ready. suites:
    names (mutt, sample, sick, a file of JSON lines, ...) or `cupel.mutt.Suite` objects; one, or a
    list. corruptions: only these; if not given, all of each suite. references: numbers of
    references; the first so many of each trial are used. formula: what success is (order,
    difference); if not given, by the kind of the corruption. threshold: how large a relative
    difference may be. scores, lower: scores that others gave the systems `original` and `corrupted`
    of the trials, as for `cupel.score`; metrics may then be empty. workers, progress: as there.
    """
    named = [suites] if isinstance(suites, str | Suite) else suites
    opened = [open_suite(suite) if isinstance(suite, str) else suite for suite in named]
    if corruptions is not None:
        opened = [suite.only(corruptions) for suite in opened]
    return run(
        opened,
        {} if scores and not metrics else mutt_metrics(metrics),
        references=references,
        formula=formula,
        threshold=threshold,
        external=read_sources(scores),
        lower=lower,
        workers=workers,
        progress=progress,
    )


def check(
    metric: MetricLike,
    *,
    suite: str | Suite = SUITE,
    thresholds: float | Mapping[str, float] = MIN_ACCURACY,
    references: Sequence[int] | None = None,
    corruptions: Sequence[str] | None = None,
    formula: Formula | str | None = None,
    threshold: float = THRESHOLD,
    raises: bool = True,
) -> Report:
    """Run the trials of a suite on a metric, one test per corruption.

    metric: a specification (`chrf`, `mypkg:metric`), a metric, or a function f(hypothesis,
    references). suite: a name, a file or a `Suite`. thresholds: the accuracy to be reached by all
    corruptions, or corruption -> accuracy, of which `default` is for those not named. references,
    corruptions, formula, threshold: as for `cupel.unit_tests`. raises: whether to raise
    `CheckFailed` where an accuracy is not reached; else the report is returned.
    """
    opened = open_suite(suite) if isinstance(suite, str) else suite
    if corruptions is not None:
        opened = opened.only(corruptions)
    required = _required(thresholds, opened)
    made = get_metric(metric)
    results = run(
        opened, {made.name: made}, references=references, formula=formula, threshold=threshold
    )
    verdicts = tuple(Verdict(result, required[result.corruption]) for result in results.results)
    report = Report(made.name, verdicts, tuple(results.remarks()))
    if raises and not report.passed:
        raise CheckFailed(f"The metric {made.name!r} falls short.\n{report}")
    return report


def _required(thresholds: float | Mapping[str, float], suite: Suite) -> dict[str, float]:
    names = [trials.corruption for trials in suite.sets]
    if not isinstance(thresholds, Mapping):
        thresholds = {"default": thresholds}
    for name, value in thresholds.items():
        if name != "default" and name not in names:
            raise CupelError(
                f"There is a threshold for {name!r}, but the suite {suite.name} has "
                f"{', '.join(names)}."
            )
        if not 0 <= value <= 1:
            raise CupelError(f"The threshold of {name!r} must be from 0 to 1, not {value}.")
    default = thresholds.get("default", MIN_ACCURACY)
    return {name: thresholds.get(name, default) for name in names}
