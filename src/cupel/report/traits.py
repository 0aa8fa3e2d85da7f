"""What a run does not say about its metrics but the registry does: direction and decimals."""

from __future__ import annotations

from collections.abc import Iterable

from cupel.errors import CupelError
from cupel.metric import Metric, decimals_of


def metric_of(label: str) -> Metric | None:
    """The metric of that name, or None where there is none here."""
    from cupel.registry import get_metric

    try:
        return get_metric(label)
    except CupelError:
        return None  # a component of a vector, or a metric that is not installed here


def higher_is_better(label: str) -> bool:
    """Whether higher is better; true for a metric that is not installed here."""
    metric = metric_of(label)
    return True if metric is None else metric.higher_is_better


def is_check(label: str) -> bool:
    """Whether a segment with a score above 0 is one that a check flags."""
    from cupel.metrics.check import Check

    return isinstance(metric_of(label), Check)


def decimals(label: str, values: Iterable[float]) -> int:
    """As `cupel score` prints the metric; of an unknown one by the size of its values."""
    metric = metric_of(label)
    if metric is not None:
        return decimals_of(metric)
    return 4 if max(map(abs, values), default=0.0) <= 5 else 1
