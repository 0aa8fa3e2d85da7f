"""BLEU, sentence BLEU, chrF and chrF++ as utilities: n-grams numbered once, all pairs in a kernel.

Their aggregate is the score with one bag of n-grams, in which each counts as often as in the mean
pseudo-reference (DeNero et al. 2009; Vamvas and Sennrich 2024): linear in the number of candidates.
"""

from __future__ import annotations

from functools import cached_property
from typing import TypeGuard

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.choosing.segment import Distinct
from cupel.choosing.utilities import PairUtility
from cupel.kernels.pair_ngrams import (
    BLEU,
    CHRF,
    CHRF_SMOOTHED,
    MAX_ORDERS,
    SMOOTHINGS,
    Formula,
    Ngrams,
    PairIndex,
    Part,
    bag_matches,
    expected_of,
    matrix_of,
)
from cupel.metric import Metric
from cupel.metrics.bleu import SMOOTHING_VALUES, Bleu
from cupel.metrics.chrf import Characters, Chrf, Words
from cupel.metrics.sentbleu import SentBleu
from cupel.text.tokens import Tokens

NgramMetric = Bleu | SentBleu | Chrf
FEW = 20_000
"""So few pairs are done before a thread has started."""


def has_ngrams(metric: Metric) -> TypeGuard[NgramMetric]:
    """Whether it is one of these metrics, with n-grams of a length that the kernel takes."""
    if isinstance(metric, Chrf):
        return metric.char_order + metric.word_order <= MAX_ORDERS
    return isinstance(metric, Bleu | SentBleu) and metric.max_ngram_order <= MAX_ORDERS


class NgramUtility:
    """A segment's n-grams, and the formula of the metric."""

    most_pairs = 1_000_000_000

    def __init__(self, metric: NgramMetric, segment: Distinct) -> None:
        self._segment, self._given = segment, metric
        self._metric = metric.bleu if isinstance(metric, SentBleu) else metric
        self._parts = _parts(self._metric, segment.sentences)
        self._formula = _formula(self._metric)

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
        return PairUtility(self._given, self._segment).pairs(rows, columns)

    def aggregate(self) -> FloatArray | None:
        segment, metric = self._segment, self._metric
        ngrams = Ngrams.of(self._parts, unary=False)
        matches, sizes = bag_matches(ngrams, segment.columns, segment.weights, segment.rows)
        totals = ngrams.totals[segment.rows].astype(np.float64)
        if isinstance(metric, Bleu):
            lengths = np.column_stack([totals[:, 0], np.full(len(totals), sizes[0])])
            return metric.score(np.concatenate([lengths, matches, totals], axis=1))
        statistics = np.empty((len(totals), 3 * len(sizes)))
        statistics[:, 0::3] = np.where(sizes > 0, totals, 0.0)
        statistics[:, 1::3], statistics[:, 2::3] = sizes, matches
        return metric.score(statistics)


def _parts(metric: Bleu | Chrf, sentences: list[str]) -> list[Part]:
    if isinstance(metric, Bleu):
        return [_part(metric.tokenizer(sentences), metric.max_ngram_order)]
    parts = []
    if metric.char_order:
        characters = Characters(metric.lowercase, metric.whitespace)(sentences)
        parts.append(_part(characters, metric.char_order))
    if metric.word_order:
        parts.append(_part(Words(metric.lowercase)(sentences), metric.word_order))
    return parts


def _part(tokens: Tokens, orders: int) -> Part:
    return Part(tokens.ids, tokens.offsets, orders)


def _formula(metric: Bleu | Chrf) -> Formula:
    if isinstance(metric, Chrf):
        kind = CHRF_SMOOTHED if metric.eps_smoothing else CHRF
        return Formula(kind, factor=float(metric.beta**2))
    value = metric.smooth_value
    if value is None:
        value = SMOOTHING_VALUES[metric.smooth_method] or 0.0
    return Formula(BLEU, SMOOTHINGS[metric.smooth_method], metric.effective_order, value=value)
