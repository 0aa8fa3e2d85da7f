"""Which utility a metric gets."""

from __future__ import annotations

from typing import cast

from cupel.choosing.ngram_utility import ComparableMetric, NgramUtility
from cupel.choosing.segment import Distinct
from cupel.choosing.utilities import PairUtility, Utility
from cupel.choosing.vector_utility import AssayUtility, Cosine, CosineUtility, encodes_alone
from cupel.errors import CupelError
from cupel.metric import SOURCES, Metric, needs_of


def utility_of(metric: Metric, segment: Distinct, source: str | None, place: str) -> Utility:
    """The utility that is fastest for this metric."""
    if SOURCES in needs_of(metric) and source is None:
        raise CupelError(f"{place} has no source, which the metric {metric.name!r} needs.")
    if hasattr(metric, "formula") and (formula := metric.formula()):
        return NgramUtility(cast(ComparableMetric, metric), formula, segment)
    if hasattr(metric, "sentence_vectors"):
        return CosineUtility(cast(Cosine, metric), segment)
    if encodes_alone(metric):
        return AssayUtility(metric, segment)
    return PairUtility(metric, segment, source)
