"""Two texts matched piece by piece: the part of assay-multi that reads meaning.

Each text is read by itself. A mix of the layers' vectors x gives each piece K directions z_k (of
length 1), a vector u and a weight w. A piece i of one text meets all pieces j of the other:

    a_kij = softmax_j(t_k z_ki . z_kj)      v_ki = sum_j a_kij z_ki . z_kj
    m_i   = mean_k sum_j a_kij u_j          e_i  = network(v_i, |u_i - m_i|, u_i m_i)

A side has the means of v_k and e by weight w, and log(1 + sum_i softplus(e_i - 2)). A linear map and
a network of 32 units make the score of both sides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from cupel.arrays import FloatArray, IntArray
from cupel.neural.gemma import BEGIN, GemmaEncoder, norm
from cupel.neural.wordpiece import Pieces

K = 4
LONGEST = 256
"""Pieces of a text that are read, as in training; what follows is left to the lexical part."""
_AT_ONCE = 3000
"""Pieces of a batch, about."""


@dataclass(frozen=True)
class States:
    """Of one text: directions (pieces, K, d), vectors (pieces, u), weights (pieces,)."""

    z: Tensor
    u: Tensor
    w: Tensor


class Matcher:
    """Scores of pairs of texts. weights: those of the card's file that begin with `head.`."""

    def __init__(self, encoder: GemmaEncoder, weights: Mapping[str, Tensor]) -> None:
        self._encoder = encoder
        self._w = {name.removeprefix("head."): value for name, value in weights.items()}

    @torch.inference_mode()
    def __call__(self, pieces: Pieces, hypotheses: IntArray, references: IntArray) -> FloatArray:
        """(m,) the score of each hypothesis with its reference, numbers of texts in `pieces`."""
        used = np.unique(np.concatenate([hypotheses, references]))
        states = self._states(pieces, used)
        scores = np.zeros(len(hypotheses))
        lengths = np.minimum(pieces.lengths, LONGEST) + 1
        size = np.maximum(lengths[hypotheses], lengths[references])
        for rows in _batches(size):
            ours, theirs = (
                _padded([states[int(i)] for i in side[rows]]) for side in (hypotheses, references)
            )
            scores[rows] = self._score(ours, theirs).double().numpy()
        return scores

    def _states(self, pieces: Pieces, used: IntArray) -> dict[int, States]:
        lengths = np.minimum(pieces.lengths[used], LONGEST)
        states = {}
        for rows in _batches(lengths + 1):
            longest = int(lengths[rows].max()) + 1
            ids = np.zeros((len(rows), longest), np.int64)
            ids[:, 0] = BEGIN
            for row, of in enumerate(rows.tolist()):
                first = int(pieces.offsets[used[of]])
                ids[row, 1 : 1 + lengths[of]] = pieces.ids[first : first + lengths[of]]
            mask = torch.from_numpy(np.arange(longest) <= lengths[rows, None])
            z, u, w = self._of_vectors(self._encoder(ids, mask))
            for row, of in enumerate(rows.tolist()):
                # An empty text has the piece that every text begins with, and no other.
                span = slice(1, 1 + int(lengths[of])) if lengths[of] else slice(0, 1)
                states[int(used[of])] = States(
                    z[row, span].clone(), u[row, span].clone(), w[row, span].clone()
                )
        return states

    def _of_vectors(self, outputs: list[Tensor]) -> tuple[Tensor, Tensor, Tensor]:
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


def _batches(lengths: IntArray) -> list[IntArray]:
    """Places, the short ones first, in batches of about as many pieces."""
    order = np.argsort(lengths, kind="stable")
    batches, first = [], 0
    while first < len(order):
        count = max(1, _AT_ONCE // int(lengths[order[first]]))
        while (
            count > 1 and count * int(lengths[order[min(first + count, len(order)) - 1]]) > _AT_ONCE
        ):
            count -= 1
        batches.append(order[first : first + count])
        first += count
    return batches


def _padded(states: list[States]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """(texts, pieces, ...) directions, vectors, weights, and which pieces are there."""
    longest = max(len(state.w) for state in states)
    z, u, w = (
        torch.stack([_longer(getattr(state, part), longest) for state in states])
        for part in ("z", "u", "w")
    )
    mask = torch.arange(longest) < torch.tensor([len(state.w) for state in states])[:, None]
    return z, u, w, mask


def _longer(values: Tensor, length: int) -> Tensor:
    return torch.cat([values, values.new_zeros(length - len(values), *values.shape[1:])])
