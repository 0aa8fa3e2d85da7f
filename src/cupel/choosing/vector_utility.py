"""Utilities of vectors: n sentences are encoded once, and pairs only compare what is there.

A metric such as w2v-avg is a cosine, so that its mean over all pseudo-references is one product
with their mean: exact in linear time. assay-wmt13 encodes each sentence by itself and matches the vectors of all pairs in
tiles, on the device of the metric. assay reads both sentences of a pair together and has no such
vectors: it is scored pair by pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.choosing.segment import Distinct
from cupel.choosing.utilities import PairUtility
from cupel.metric import Metric, ratio
from cupel.metrics.assay import Assay, WordPieceAnalysis, calibrated
from cupel.text.vectors import cosines

if TYPE_CHECKING:
    from cupel.learned.assay.model.scoring import Encoded

CELLS = {"cpu": 1 << 21, "cuda": 1 << 26}
"""Pairs of word pieces that are matched at once."""


class Cosine(Protocol):
    """A metric that is the cosine of sentence vectors."""

    def sentence_vectors(self, sentences: Sequence[str]) -> FloatArray:
        """(sentences, dimensions)."""
        ...


class CosineUtility:
    """A cosine."""

    most_pairs = 1_000_000_000

    def __init__(self, metric: Cosine, segment: Distinct) -> None:
        self._centroids = metric.sentence_vectors(segment.sentences)
        lengths = np.sqrt(np.einsum("ij,ij->i", self._centroids, self._centroids))
        self._units = ratio(self._centroids, lengths[:, None])
        self._segment = segment

    def expected(self, rows: IntArray, threads: int = 1) -> FloatArray:
        mean = self._segment.weights @ self._units[self._segment.columns]
        result: FloatArray = self._units[rows] @ mean
        return result

    def matrix(self, rows: IntArray, low: int, high: int) -> FloatArray:
        columns = self._units[self._segment.columns[low:high]]
        return np.clip(self._units[rows] @ columns.T, -1.0, 1.0)

    def pairs(self, rows: IntArray, columns: IntArray) -> FloatArray:
        return cosines(self._centroids[rows], self._centroids[self._segment.columns[columns]])

    def aggregate(self) -> FloatArray | None:
        mean = self._segment.weights @ self._centroids[self._segment.columns]
        rows = self._centroids[self._segment.rows]
        return cosines(rows, np.broadcast_to(mean, rows.shape))


def encodes_alone(metric: Metric) -> TypeGuard[Assay]:
    """Whether it is an assay that encodes each sentence by itself, and adds nothing to that."""
    if not isinstance(metric, Assay) or metric.meteor or metric.size != "small":
        return False
    from cupel.learned.assay.model.releases import BASE
    from cupel.neural.weights import read_card

    card = read_card(metric.folder, "assay")
    return BASE not in card and not card["design"].get("joint", False)


def reads_pairs(metric: Metric) -> bool:
    """Whether it is an assay that reads two sentences at once, so that n of them cost n^2 readings."""
    return isinstance(metric, Assay) and not encodes_alone(metric)


class AssayUtility:
    """assay-wmt13: its vectors, and its network over the pairs of a tile."""

    most_pairs = 50_000_000

    def __init__(self, metric: Assay, segment: Distinct) -> None:
        from cupel.learned.assay.files import open_assay

        self._metric, self._segment = metric, segment
        self._model, self._card = open_assay(
            metric.folder, metric.place, metric.device, metric.precision
        )
        self.cells = CELLS.get(self._model.mix.device.type, CELLS["cpu"])

    @cached_property
    def encoded(self) -> Encoded:
        """The vectors of all sentences, computed when they are first needed."""
        import torch

        from cupel.learned.assay.model.scoring import Limits, encoded

        pieces = WordPieceAnalysis(self._metric.place)(self._segment.sentences)
        with torch.inference_mode():
            return encoded(self._model, pieces, Limits.of(self._model.mix.device))

    def expected(self, rows: IntArray, threads: int = 1) -> FloatArray:
        weights = self._segment.weights
        sums = np.zeros(len(rows))
        for own, other, scores in self._tiles(rows, np.arange(len(weights))):
            sums[own] += scores @ weights[other]
        return sums

    def matrix(self, rows: IntArray, low: int, high: int) -> FloatArray:
        matrix = np.zeros((len(rows), high - low))
        for own, other, scores in self._tiles(rows, np.arange(low, high)):
            matrix[np.ix_(own, other)] = scores
        return matrix

    def pairs(self, rows: IntArray, columns: IntArray) -> FloatArray:
        return PairUtility(self._metric, self._segment).pairs(rows, columns)

    def aggregate(self) -> FloatArray | None:
        """Cosines of the sentence vectors with their mean: not assay's scale, but its order roughly."""
        whole = self.encoded.whole.float().cpu().numpy().astype(np.float64)
        mean = self._segment.weights @ whole[self._segment.columns]
        return cosines(
            whole[self._segment.rows], np.broadcast_to(mean, whole[self._segment.rows].shape)
        )

    def _tiles(self, rows: IntArray, columns: IntArray) -> Any:
        """(places in rows, places in columns, scores): all pairs, sentences of like length together."""
        lengths = np.diff(self.encoded.offsets)
        sentences = self._segment.columns[columns]
        first = np.argsort(-lengths[rows], kind="stable")
        second = np.argsort(-lengths[sentences], kind="stable")
        side = max(1, int((self.cells / max(1, lengths.max(initial=1)) ** 2) ** 0.5))
        for i in range(0, len(first), side):
            own = first[i : i + side]
            for j in range(0, len(second), side):
                other = second[j : j + side]
                yield own, other, self._scores(rows[own], sentences[other])

    def _scores(self, rows: IntArray, columns: IntArray) -> FloatArray:
        import torch

        from cupel.learned.assay.model.matrix import score_matrix

        with torch.inference_mode():
            raw = score_matrix(self._model, self.encoded.side(rows), self.encoded.side(columns))
        scores = raw.double().cpu().numpy()
        if "same" in self._card:
            scores[rows[:, None] == columns] = float(self._card["same"])
        return calibrated(scores, self._card, float(self._card["slope"]))
