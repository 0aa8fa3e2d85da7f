"""Scoring many items with `assay`: each distinct sentence encoded once, batches by length.

Items are taken in their order, as many at a time as keeps the vectors in memory small; vectors of
sentences that a later item needs again are kept until then.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from cupel.arrays import Float32Array, FloatArray, IntArray
from cupel.learned.assay.model.correction import piece_readings
from cupel.learned.assay.model.joint import Joint, joint_scores
from cupel.learned.assay.model.network import Assay, Side
from cupel.neural.encoder import encode
from cupel.neural.wordpiece import Pieces


@dataclass(frozen=True)
class Limits:
    """How much is done at once, in pieces: of a batch of the encoder, and of kept vectors."""

    batch: int
    kept: int

    @classmethod
    def of(cls, device: torch.device) -> Limits:
        return cls(1024, 1 << 17) if device.type == "cpu" else cls(1 << 16, 1 << 22)


@dataclass(frozen=True)
class Encoded:
    """Vectors of some sentences: of all their pieces, one after the other, and of each as a whole.

    vectors (pieces, d), whole (n, d) normalised; weights, ids (pieces,); offsets (n+1,)
    """

    vectors: Tensor
    whole: Tensor
    weights: Tensor
    ids: Tensor
    offsets: IntArray

    def side(self, rows: IntArray) -> Side:
        """Some sentences, padded: what `Assay.features` takes."""
        device = self.vectors.device
        lengths = self.offsets[rows + 1] - self.offsets[rows]
        inside = np.arange(max(1, int(lengths.max(initial=0))))
        mask = inside < lengths[:, None]
        places = np.where(mask, self.offsets[rows, None] + inside, 0)
        index, inside_mask = torch.from_numpy(places).to(device), torch.from_numpy(mask).to(device)
        number = torch.from_numpy(rows).to(device)
        if not len(self.vectors):  # nothing but empty sentences
            vectors = self.vectors.new_zeros(*places.shape, self.vectors.shape[-1])
            return vectors, self.whole[number], vectors[..., 0], inside_mask, index
        weights = self.weights[index] * inside_mask
        return self.vectors[index], self.whole[number], weights, inside_mask, self.ids[index]

    def only(self, rows: IntArray) -> Encoded:
        """Some of the sentences, so that the others can be forgotten."""
        lengths = self.offsets[rows + 1] - self.offsets[rows]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        places = np.arange(offsets[-1]) + np.repeat(self.offsets[rows] - offsets[:-1], lengths)
        index = torch.from_numpy(places).to(self.vectors.device)
        number = torch.from_numpy(rows).to(self.vectors.device)
        return Encoded(
            self.vectors[index], self.whole[number], self.weights[index], self.ids[index], offsets
        )

    def __add__(self, other: Encoded) -> Encoded:
        return Encoded(
            torch.cat([self.vectors, other.vectors]),
            torch.cat([self.whole, other.whole]),
            torch.cat([self.weights, other.weights]),
            torch.cat([self.ids, other.ids]),
            np.concatenate([self.offsets, other.offsets[1:] + self.offsets[-1]]),
        )


def encoded(model: Assay, pieces: Pieces, limits: Limits) -> Encoded:
    """All sentences, in batches of about equal length."""
    device = model.mix.device
    vectors, whole = encode(model.encoder, pieces, model.mixed, device, limits.batch)
    vectors, whole = functional.normalize(vectors, dim=-1), functional.normalize(whole, dim=-1)
    ids = torch.from_numpy(pieces.ids.astype(np.int64)).to(device)
    weights = model.weights(vectors[None], ids[None], torch.ones_like(ids[None], dtype=torch.bool))
    return Encoded(vectors, whole, weights[0], ids, pieces.offsets)


@torch.inference_mode()
def item_features(
    model: Assay,
    pieces: Pieces,
    hypothesis: IntArray,
    reference: IntArray,
    limits: Limits | None = None,
) -> Tensor:
    """(items, f) for pairs of sentences, in the order given; see `Assay.features`."""
    limits = limits or Limits.of(model.mix.device)
    features = torch.zeros(len(hypothesis), model.design.features)
    for start, stop, vectors, of in _groups(model, pieces, hypothesis, reference, limits):
        first, second = of[hypothesis[start:stop]], of[reference[start:stop]]
        for rows in _by_length(vectors.offsets, first, second, limits.batch):
            sides = vectors.side(first[rows]), vectors.side(second[rows])
            features[start + rows] = model.features(*sides).cpu()
    return features


@torch.inference_mode()
def raw_scores(
    model: Assay,
    pieces: Pieces,
    hypothesis: IntArray,
    reference: IntArray,
    limits: Limits | None = None,
) -> Float32Array:
    """(items,) scores, not calibrated; corrected, where the model has a correction."""
    if model.correction is not None:
        table = readings(model, pieces, hypothesis, reference, limits)
        return model.correction(table).astype(np.float32)
    return _release_scores(model, pieces, hypothesis, reference, limits)


def distinct_scores(
    model: Assay, pieces: Pieces, hypothesis: IntArray, reference: IntArray
) -> FloatArray:
    """`raw_scores` of each distinct pair of sentences once, in the order of first appearance."""
    key = hypothesis * len(pieces) + reference
    _, first, of = np.unique(key, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    chosen = first[order]
    scores = raw_scores(model, pieces, hypothesis[chosen], reference[chosen]).astype(np.float64)
    expanded: FloatArray = scores[rank[of]]
    return expanded


@torch.inference_mode()
def readings(
    model: Assay,
    pieces: Pieces,
    hypothesis: IntArray,
    reference: IntArray,
    limits: Limits | None = None,
) -> FloatArray:
    """(items, columns): the score without correction, and what may correct it; see `correction`."""
    assert model.encoder.pieces is not None
    scores = _release_scores(model, pieces, hypothesis, reference, limits)
    counted = piece_readings(pieces, model.encoder.pieces.spelling, hypothesis, reference)
    return np.column_stack([scores.astype(np.float64), counted])


def _release_scores(
    model: Assay,
    pieces: Pieces,
    hypothesis: IntArray,
    reference: IntArray,
    limits: Limits | None,
) -> Float32Array:
    if isinstance(model, Joint):
        return joint_scores(model, pieces, hypothesis, reference)
    features = item_features(model, pieces, hypothesis, reference, limits)
    scores: Float32Array = model.head(features.to(model.mix.device)).cpu().numpy()
    return scores


def _groups(
    model: Assay, pieces: Pieces, hypothesis: IntArray, reference: IntArray, limits: Limits
) -> Iterator[tuple[int, int, Encoded, IntArray]]:
    """Runs of items with the vectors of their sentences, and where in these each sentence is."""
    both = np.stack([hypothesis, reference], 1)
    last = np.zeros(len(pieces), np.int64)
    np.maximum.at(last, both.ravel(), np.repeat(np.arange(len(both)), 2))
    of = np.full(len(pieces), -1, np.int64)
    held: Encoded | None = None
    start = 0
    while start < len(both):
        held_before = int((of >= 0).sum())
        stop, new = _run(both, start, pieces.lengths, of, limits.kept)
        fresh = encoded(model, pieces.take(new), limits)
        of[new] = np.arange(len(new)) + held_before
        vectors = fresh if held is None else held + fresh
        yield start, stop, vectors, of
        present = np.flatnonzero(of >= 0)
        needed = present[last[present] >= stop]
        needed = needed[np.argsort(of[needed])]
        held = vectors.only(of[needed]) if len(needed) else None
        of[present] = -1
        of[needed] = np.arange(len(needed))
        start = stop


def _run(
    both: IntArray, start: int, lengths: IntArray, of: IntArray, limit: int
) -> tuple[int, IntArray]:
    """How far the items reach whose new sentences have `limit` pieces together, and those."""
    rest = both[start:].ravel()
    distinct, first = np.unique(rest, return_index=True)
    order = np.argsort(first)
    distinct, first = distinct[order], first[order]
    fresh = of[distinct] < 0
    distinct, first = distinct[fresh], first[fresh]
    total = np.cumsum(lengths[distinct] + 2)
    over = np.flatnonzero(total > limit)
    if not len(over):
        return len(both), distinct
    stop = max(int(first[over[0]]) // 2, 1)
    return start + stop, distinct[first < 2 * stop]


def _by_length(
    offsets: IntArray, first: IntArray, second: IntArray, limit: int
) -> Iterator[IntArray]:
    """Items in batches of about equal length, of at most `limit` pieces on a side."""
    lengths = np.diff(offsets)
    longer = np.maximum(lengths[first], lengths[second])
    order = np.argsort(-longer, kind="stable")
    at = 0
    while at < len(order):
        rows = order[at : at + max(1, limit // max(1, int(longer[order[at]])))]
        at += len(rows)
        yield rows
