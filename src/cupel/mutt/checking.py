"""`check`: unit tests of a metric, for its test suite or from Python.

>>> from cupel.mutt import check
>>> report = check("chrf", suite="sample", thresholds=0.0)
>>> report.passed
True
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cupel.errors import CupelError
from cupel.metric import Metric
from cupel.mutt.suites import Suite, open_suite
from cupel.mutt.trials import THRESHOLD, Result, run
from cupel.registry import get_metric

if TYPE_CHECKING:
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
            f"{self.result.corruption} ({self.result.references} references): accuracy "
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


def check(
    metric: str | Metric | Callable[[str, Sequence[str]], float],
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
    corruptions, or corruption -> accuracy, of which `default` is for those not named. formula and
    threshold are those of `cupel.mutt.run`. Raises `CheckFailed` where one is not reached, unless
    `raises` is false.
    """
    opened = open_suite(suite) if isinstance(suite, str) else suite
    if corruptions is not None:
        opened = opened.only(corruptions)
    required = _required(thresholds, opened)
    made = as_metric(metric)
    results = run(
        opened, {made.name: made}, references=references, formula=formula, threshold=threshold
    )
    verdicts = tuple(Verdict(result, required[result.corruption]) for result in results.results)
    report = Report(made.name, verdicts, tuple(results.remarks()))
    if raises and not report.passed:
        raise CheckFailed(f"The metric {made.name!r} falls short.\n{report}")
    return report


def as_metric(metric: str | Metric | Callable[[str, Sequence[str]], float]) -> Metric:
    """A metric from its specification, a metric itself, or a function."""
    if isinstance(metric, str):
        return get_metric(metric)
    if isinstance(metric, Metric):
        return metric
    if callable(metric):
        from cupel.metrics.function import Function

        return Function(getattr(metric, "__name__", "function"), metric)
    raise CupelError(f"A metric, its name or a function was expected, not {metric!r}.")


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
