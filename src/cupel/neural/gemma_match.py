"""Two texts matched piece by piece: the part of assay-multi that reads meaning.

Each text is read by itself. A mix of the layers' vectors x gives each piece K directions z_k (of
length 1), a vector u and a weight w. A piece i of one text meets all pieces j of the other:

    a_kij = softmax_j(t_k z_ki . z_kj)      v_ki = sum_j a_kij z_ki . z_kj
    m_i   = mean_k sum_j a_kij u_j          e_i  = network(v_i, |u_i - m_i|, u_i m_i)

A side has the means of v_k and e by weight w, and log(1 + sum_i softplus(e_i - 2)). A linear map and
a network of 32 units make the score of both sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from cupel.arrays import BoolArray, FloatArray, IntArray
from cupel.neural.decoder_layers import norm
from cupel.neural.encoder import cut_windows
from cupel.neural.gemma import BEGIN, GemmaEncoder
from cupel.neural.wordpiece import Pieces

K = 4
LONGEST = 256
"""Pieces that are read at once, as in training; a longer text is read in windows that overlap."""
_AT_ONCE = 1000
"""Pieces of a batch, about: their vectors stay in the processor's cache."""
_KEPT = 40_000
"""Pieces whose states are kept at a time, about 2 kB each."""


@dataclass(frozen=True)
class States:
    """Directions (pieces, K, d), vectors (pieces, u) and weights (pieces,) of the pieces of some texts.

    Those of text i are `count[i]`, from `first[i]` on.
    """

    z: Tensor
    u: Tensor
    w: Tensor
    first: IntArray
    count: IntArray

    def padded(self, texts: IntArray) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """(texts, pieces, ...) directions, vectors, weights, and which pieces are there."""
        columns = np.arange(int(self.count[texts].max()))
        mask: BoolArray = columns < self.count[texts, None]
        places = torch.from_numpy(np.where(mask, self.first[texts, None] + columns, 0))
        return self.z[places], self.u[places], self.w[places], torch.from_numpy(mask)


class Matcher:
    """Scores of pairs of texts. weights: those of the card's file that begin with `head.`."""

    def __init__(self, encoder: GemmaEncoder, weights: Mapping[str, Tensor]) -> None:
        self._encoder = encoder
        self._w = {name.removeprefix("head."): value for name, value in weights.items()}

    @torch.inference_mode()
    def __call__(self, pieces: Pieces, hypotheses: IntArray, references: IntArray) -> FloatArray:
        """(m,) the score of each hypothesis with its reference, numbers of texts in `pieces`.

        Pairs of the same texts should be near each other: states are not kept for all texts at once.
        """
        scores = np.zeros(len(hypotheses))
        total = np.cumsum(pieces.lengths[hypotheses] + pieces.lengths[references] + 1)
        for part in np.unique(total // _KEPT):
            rows = np.flatnonzero(total // _KEPT == part)
            used, sides = np.unique(
                np.stack([hypotheses[rows], references[rows]]), return_inverse=True
            )
            ours, theirs = sides.reshape(2, -1)
            states = self._states(pieces.take(used))
            for batch in _batches(np.maximum(states.count[ours], states.count[theirs]), True):
                pairs = states.padded(ours[batch]), states.padded(theirs[batch])
                scores[rows[batch]] = self._score(*pairs).double().numpy()
        return scores

    def _states(self, pieces: Pieces) -> States:
        """Window by window; a piece has its state from the window that it is deepest in."""
        text, start, length, low, high = cut_windows(pieces.lengths, LONGEST)
        # An empty text has the piece that every text begins with, and no other.
        count = np.maximum(pieces.lengths, 1)
        first = np.cumsum(count) - count
        states: tuple[Tensor, ...] = ()
        for rows in _batches(length + 1, False):
            sizes = length[rows] + 1
            window, inside = _flat(sizes)
            begins = inside == 0
            places = (pieces.offsets[text[rows]] + start[rows])[window] + inside - 1
            ids = np.full(len(window), BEGIN, np.int64)
            ids[~begins] = pieces.ids[places[~begins]]
            parts = self._of_vectors(self._encoder(ids, sizes))
            states = states or tuple(x.new_zeros(int(count.sum()), *x.shape[1:]) for x in parts)
            kept = ~begins & (inside > low[rows][window]) & (inside <= high[rows][window])
            kept |= begins & (sizes[window] == 1)
            target = (first[text[rows]] + start[rows])[window] + np.maximum(inside - 1, 0)
            for state, part in zip(states, parts, strict=True):
                state[torch.from_numpy(target[kept])] = part[torch.from_numpy(kept)]
        z, u, w = states
        return States(z, u, w, first, count)

    def _of_vectors(self, outputs: Iterable[Tensor]) -> tuple[Tensor, Tensor, Tensor]:
        mix = torch.softmax(self._w["mix"], 0)
        x = sum((share * norm(x) for share, x in zip(mix, outputs, strict=True)), torch.zeros(()))
        z = functional.normalize((x @ self._w["proj.weight"].T).unflatten(-1, (K, -1)), dim=-1)
        weight = functional.softplus(x @ self._w["wt.weight"].T + self._w["wt.bias"])[..., 0]
        return z, x @ self._w["u.weight"].T, weight

    def _score(self, ours: tuple[Tensor, ...], theirs: tuple[Tensor, ...]) -> Tensor:
        similar = torch.einsum("imkd,inkd->ikmn", ours[0], theirs[0])
        features = torch.cat(
            [
                self._side(similar, ours, theirs),
                self._side(similar.transpose(2, 3), theirs, ours),
            ],
            1,
        )
        inner = torch.tanh(features @ self._w["out.0.weight"].T + self._w["out.0.bias"])
        score = features @ self._w["lin.weight"].T + self._w["lin.bias"]
        return (score + inner @ self._w["out.2.weight"].T + self._w["out.2.bias"])[:, 0]

    def _side(
        self, similar: Tensor, ours: tuple[Tensor, ...], theirs: tuple[Tensor, ...]
    ) -> Tensor:
        _, u, w, mask = ours
        sharp = similar * self._w["temp"].exp()[:, None, None]
        attention = torch.softmax(sharp.masked_fill(~theirs[3][:, None, None, :], -1e4), -1)
        v = (attention * similar).sum(-1).transpose(1, 2)
        partner = torch.einsum("ikmn,inu->imu", attention, theirs[1]) / K
        weight = w * mask
        weight = weight / weight.sum(1, keepdim=True).clamp_min(1e-6)
        inputs = torch.cat([v, (u - partner).abs(), u * partner], -1)
        inner = functional.gelu(inputs @ self._w["tok.0.weight"].T + self._w["tok.0.bias"])
        e = (inner @ self._w["tok.2.weight"].T + self._w["tok.2.bias"])[..., 0]
        worst = torch.log1p((functional.softplus(e - 2.0) * mask).sum(1, keepdim=True))
        return torch.cat(
            [(weight[..., None] * v).sum(1), (weight * e).sum(1, keepdim=True), worst], 1
        )


def _flat(sizes: IntArray) -> tuple[IntArray, IntArray]:
    """Of each place in lists of these sizes, one after the other: its list, and its place there."""
    number = np.repeat(np.arange(len(sizes)), sizes)
    return number, np.arange(len(number)) - np.repeat(np.cumsum(sizes) - sizes, sizes)


def _batches(lengths: IntArray, padded: bool) -> Iterator[IntArray]:
    """Places, the short ones first, in batches of about as many pieces, with padding or without."""
    order = np.argsort(lengths, kind="stable")
    sizes = lengths[order].tolist()
    first, total = 0, 0
    for at, size in enumerate(sizes):
        total = size * (at + 1 - first) if padded else total + size
        if at > first and total > _AT_ONCE:
            yield order[first:at]
            first, total = at, size
    if len(order):
        yield order[first:]
