"""Which utility a metric gets."""

from __future__ import annotations

from cupel.choosing.ngram_utility import NgramUtility, has_ngrams
from cupel.choosing.segment import Distinct
from cupel.choosing.utilities import PairUtility, Utility
from cupel.choosing.vector_utility import AssayUtility, CosineUtility, encodes_alone
from cupel.errors import CupelError
from cupel.metric import SOURCES, Metric, needs_of
from cupel.metrics.w2v_avg import W2vAvg


def utility_of(metric: Metric, segment: Distinct, source: str | None, place: str) -> Utility:
    """The utility that is fastest for this metric."""
    if SOURCES in needs_of(metric) and source is None:
        raise CupelError(f"{place} has no source, which the metric {metric.name!r} needs.")
    if has_ngrams(metric):
        return NgramUtility(metric, segment)
    if isinstance(metric, W2vAvg):
        return CosineUtility(metric, segment)
    if encodes_alone(metric):
        return AssayUtility(metric, segment)
    return PairUtility(metric, segment, source)
