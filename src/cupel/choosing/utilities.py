"""The utility of a candidate if a pseudo-reference were the truth: any metric, for all pairs.

A utility compares the distinct sentences of one segment, each analysed once. Metrics that need
more than pairs have their own: n-grams (`ngram_utility`) and vectors (`vector_utility`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.batch import Batch
from cupel.choosing.segment import Distinct
from cupel.corpus import Corpus
from cupel.errors import CupelError
from cupel.metric import REFERENCES, Metric, learns_from_corpus, needs_of

TILE = 8192
"""Pairs that are scored at once: memory does not grow with the number of pairs."""


class Utility(Protocol):
    """Scores of the rows (distinct candidates) with the columns (distinct pseudo-references)."""

    most_pairs: int
    """More than these would take hours: methods that need them refuse."""

    def expected(self, rows: IntArray, threads: int = 1) -> FloatArray:
        """(rows,): the mean of each row's scores, by the weights of the columns."""
        ...

    def matrix(self, rows: IntArray, low: int, high: int) -> FloatArray:
        """(rows, high - low): scores with the columns low to high."""
        ...

    def pairs(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """(n,): scores of single pairs."""
        ...

    def aggregate(self) -> FloatArray | None:
        """(all rows,): scores with one reference made of all; None where a metric has no such."""
        ...


class PairBatch(Batch):
    """Pairs of a segment's sentences as a batch that shares the analyses of all of them."""

    def __init__(
        self,
        sentences: list[str],
        rows: IntArray,
        columns: IntArray,
        source: str | None,
        analyses: dict[Any, Any],
    ) -> None:
        self.hypotheses = [sentences[i] for i in rows.tolist()]
        self.references = [[sentences[i]] for i in columns.tolist()]
        self.sources = None if source is None else [source] * len(rows)
        self.sentences = sentences
        self.hypothesis_index, self.reference_index = rows, columns
        self.reference_offsets = np.arange(len(rows) + 1)
        self._analyses = analyses


class PairUtility:
    """Any metric, pair by pair."""

    most_pairs = 50_000_000

    def __init__(self, metric: Metric, segment: Distinct, source: str | None = None) -> None:
        self._metric, self._segment, self._source = metric, segment, source
        self._analyses: dict[Any, Any] = {}

    def pairs(self, rows: IntArray, columns: IntArray) -> FloatArray:
        values = np.empty(len(rows))
        for part in _tiles(len(rows)):
            values[part] = self._scores(rows[part], self._segment.columns[columns[part]])
        return values

    def matrix(self, rows: IntArray, low: int, high: int) -> FloatArray:
        width = high - low
        columns = np.tile(np.arange(low, high), len(rows))
        return self.pairs(np.repeat(rows, width), columns).reshape(len(rows), width)

    def expected(self, rows: IntArray, threads: int = 1) -> FloatArray:
        width, weights = len(self._segment.columns), self._segment.weights
        parts = list(_tiles(len(rows) * width))

        def work(part: slice) -> FloatArray:
            row, column = np.divmod(np.arange(part.start, part.stop), width)
            scores = self._scores(rows[row], self._segment.columns[column])
            sums: FloatArray = np.zeros(int(row[-1] - row[0]) + 1)
            np.add.at(sums, row - row[0], weights[column] * scores)
            return sums

        total = np.zeros(len(rows))
        first = [work(part) for part in parts[:1]]  # makes the analyses that the others share
        for part, values in zip(
            parts, [*first, *self._spread(work, parts[1:], threads)], strict=True
        ):
            start = part.start // width
            total[start : start + len(values)] += values
        return total

    def aggregate(self) -> FloatArray | None:
        return None

    def _spread(self, work: Any, parts: list[slice], threads: int) -> list[FloatArray]:
        if threads == 1 or not getattr(self._metric, "threaded", False) or not parts:
            return list(map(work, parts))
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(work, parts))

    def _scores(self, rows: IntArray, columns: IntArray) -> FloatArray:
        sentences = self._segment.sentences
        batch = PairBatch(sentences, rows, columns, self._source, self._analyses)
        return self._metric.segment_scores(np.asarray(self._metric.statistics(batch), np.float64))


def _tiles(count: int) -> Iterator[slice]:
    for start in range(0, count, TILE):
        yield slice(start, min(start + TILE, count))


def utility_metric(label: str, metric: Metric) -> Metric:
    """The metric as a utility: as single segments need it, prepared; or an error."""
    if REFERENCES not in needs_of(metric):
        raise CupelError(
            f"The metric {label!r} compares with no reference, so it is no utility: use cupel rerank."
        )
    if learns_from_corpus(metric):
        raise CupelError(
            f"The metric {label!r} learns from a whole corpus, so it cannot compare the candidates "
            "of one segment: choose another metric."
        )
    metric = metric.for_segments() if hasattr(metric, "for_segments") else metric
    return metric.prepare(Corpus.of(["a"], ["a"]))
