"""Metrics of n-grams, such as BLEU and chrF, as utilities: numbered once, all pairs in a kernel.

Their aggregate is the score with one bag of n-grams, in which each counts as often as in the mean
pseudo-reference (DeNero et al. 2009; Vamvas and Sennrich 2024): linear in the number of candidates.
"""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.choosing.segment import Distinct
from cupel.choosing.utilities import PairUtility
from cupel.kernels.pair_ngrams import (
    Comparable,
    Formula,
    Ngrams,
    PairIndex,
    bag_matches,
    expected_of,
    matrix_of,
)
from cupel.metric import Metric

FEW = 20_000
"""So few pairs are done before a thread has started."""


class ComparableMetric(Metric, Comparable, Protocol):
    """A metric of n-grams."""


class NgramUtility:
    """A segment's n-grams, and the formula of the metric."""

    most_pairs = 1_000_000_000

    def __init__(self, metric: ComparableMetric, formula: Formula, segment: Distinct) -> None:
        self._metric, self._formula, self._segment = metric, formula, segment
        self._parts = metric.parts(segment.sentences)

    @cached_property
    def _index(self) -> PairIndex:
        return PairIndex.of(Ngrams.of(self._parts), self._segment.columns)

    def expected(self, rows: IntArray, threads: int = 1) -> FloatArray:
        weights = self._segment.weights
        threads = threads if len(rows) * len(weights) > FEW else 1
        return expected_of(self._index, self._formula, rows, weights, threads)

    def matrix(self, rows: IntArray, low: int, high: int) -> FloatArray:
        return matrix_of(self._index, self._formula, rows, low, high)

    def pairs(self, rows: IntArray, columns: IntArray) -> FloatArray:
        return PairUtility(self._metric, self._segment).pairs(rows, columns)

    def aggregate(self) -> FloatArray | None:
        segment = self._segment
        ngrams = Ngrams.of(self._parts, unary=False)
        matches, sizes = bag_matches(ngrams, segment.columns, segment.weights, segment.rows)
        totals = ngrams.totals[segment.rows].astype(np.float64)
        return self._metric.bag_scores(totals, sizes, matches)
