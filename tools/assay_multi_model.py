"""The parts of assay-multi that are trained: changes of Gemma's layers, and the head that matches pieces.

They compute what `cupel.neural.gemma` and `cupel.neural.gemma_match` do, which have the formulas, with
gradients, in batches and on any device; parameters have the names of the weights that those read.
"""

from __future__ import annotations

import math
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from changed_matrix import Changed
from cupel.arrays import IntArray
from cupel.neural.decoder_layers import MATRICES, Weights, norm
from cupel.neural.gemma import HEAD, HEADS, NORMS, SIZE
from cupel.neural.gemma_match import K

DIRECTION, VECTOR, INNER, JOINED = 96, 96, 96, 32
"""Sizes of a direction z, of a vector u, of the network of a piece, and of that of both sides."""
SIDE = K + 2
DROPOUT = 0.1


class Layer(nn.Module):
    """One layer, with attention in both directions."""

    q: Changed
    k: Changed
    v: Changed
    o: Changed
    gate: Changed
    up: Changed
    down: Changed

    def __init__(self, weights: Weights, number: int, rank: int) -> None:
        super().__init__()
        self.base = 1e6 if (number + 1) % 6 == 0 else 1e4
        for name, stored in {**MATRICES, **NORMS}.items():
            weight = torch.from_numpy(
                np.array(weights.rows(f"blk.{number}.{stored}.weight"), np.float32)
            )
            if name in MATRICES:
                self.add_module(name, Changed(weight, rank))
            else:
                self.register_buffer(name, weight, persistent=False)

    def _norm(self, x: Tensor, name: str) -> Tensor:
        return norm(x, cast(Tensor, getattr(self, name)).to(x.dtype))

    def forward(self, x: Tensor, mask: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        texts, pieces, _ = x.shape
        h = self._norm(x, "n1")
        q = self._norm(self.q(h).view(texts, pieces, HEADS, HEAD), "qn").transpose(1, 2)
        k = self._norm(self.k(h).view(texts, pieces, 1, HEAD), "kn").transpose(1, 2)
        v = self.v(h).view(texts, pieces, 1, HEAD).transpose(1, 2)
        cos, sin = cos.to(q.dtype), sin.to(q.dtype)
        q, k = (
            a * cos + torch.cat([-a[..., HEAD // 2 :], a[..., : HEAD // 2]], -1) * sin
            for a in (q, k)
        )
        k, v = (a.expand(texts, HEADS, pieces, HEAD).to(q.dtype) for a in (k, v))
        attended = functional.scaled_dot_product_attention(
            q, k, v, attn_mask=mask, scale=HEAD**-0.5
        )
        x = x + self._norm(self.o(attended.transpose(1, 2).reshape(texts, pieces, -1)), "n2")
        h = self._norm(x, "n3")
        inner = functional.gelu(self.gate(h), approximate="tanh") * self.up(h)
        return x + self._norm(self.down(inner), "n4")


class Encoder(nn.Module):
    """The first layers; ids are places in `vocabulary`, the pieces that the texts have."""

    table: Tensor

    def __init__(self, weights: Weights, vocabulary: IntArray, layers: int, rank: int) -> None:
        super().__init__()
        table = np.array(weights.rows("token_embd.weight", vocabulary), np.float32)
        self.register_buffer("table", torch.from_numpy(table), persistent=False)
        self.layers = nn.ModuleList(Layer(weights, number, rank) for number in range(layers))

    def forward(self, ids: Tensor, mask: Tensor) -> list[Tensor]:
        """(texts, pieces) -> vectors before the first layer and after each."""
        x = self.table[ids]
        if torch.is_autocast_enabled(ids.device.type):
            x = x.to(torch.get_autocast_dtype(ids.device.type))
        x = x * SIZE**0.5
        angles = {base: _turns(ids.shape[1], base, ids.device) for base in (1e4, 1e6)}
        outputs = [x]
        for layer in self.layers:
            x = layer(x, mask[:, None, None, :], *angles[cast(Layer, layer).base])
            outputs.append(x)
        return outputs


def _turns(pieces: int, base: float, device: torch.device) -> tuple[Tensor, Tensor]:
    speed = 1.0 / base ** (torch.arange(0, HEAD, 2, device=device).float() / HEAD)
    angle = torch.arange(pieces, device=device).float()[:, None] * speed
    both = torch.cat([angle, angle], -1)
    return both.cos(), both.sin()


class Head(nn.Module):
    """Vectors of two texts -> a score; `scale` and `bias`, one for each group, serve training only."""

    def __init__(self, layers: int, groups: int) -> None:
        super().__init__()
        self.mix = nn.Parameter(torch.zeros(layers + 1))
        self.proj = nn.Linear(SIZE, K * DIRECTION, bias=False)
        self.u = nn.Linear(SIZE, VECTOR, bias=False)
        self.temp = nn.Parameter(torch.full((K,), math.log(12.0)))
        self.wt = nn.Linear(SIZE, 1)
        self.tok = nn.Sequential(nn.Linear(K + 2 * VECTOR, INNER), nn.GELU(), nn.Linear(INNER, 1))
        self.drop = nn.Dropout(DROPOUT)
        last = nn.Linear(JOINED, 1)
        self.out = nn.Sequential(nn.Linear(2 * SIDE, JOINED), nn.Tanh(), last)
        self.lin = nn.Linear(2 * SIDE, 1)
        self.scale = nn.Parameter(torch.tensor(0.5))
        self.bias = nn.Parameter(torch.zeros(groups))
        for zero in (self.wt, last, self.lin):
            nn.init.zeros_(zero.weight)
        # It begins as the mean of the best matches of both sides.
        self.lin.weight.data[:, :K] = 0.5
        self.lin.weight.data[:, SIDE : SIDE + K] = 0.5

    def states(self, outputs: list[Tensor]) -> tuple[Tensor, Tensor, Tensor]:
        """Directions z, vectors u and weights w of pieces."""
        x = torch.zeros((), device=outputs[0].device)
        for share, output in zip(torch.softmax(self.mix.float(), 0), outputs, strict=True):
            x = x + share * norm(output)
        z = functional.normalize(self.proj(x).unflatten(-1, (K, -1)).float(), dim=-1)
        return z, self.u(x).float(), functional.softplus(self.wt(x).float())[..., 0]

    def forward(self, ours: tuple[Tensor, ...], theirs: tuple[Tensor, ...]) -> Tensor:
        """Scores, of z, u, w and the mask of hypotheses and of references."""
        similar = torch.einsum("imkd,inkd->ikmn", ours[0], theirs[0])
        sides = [
            self._side(similar, ours, theirs),
            self._side(similar.transpose(2, 3), theirs, ours),
        ]
        features = torch.cat(sides, 1)
        score: Tensor = self.lin(features) + self.out(features)
        return score[:, 0]

    def _side(
        self, similar: Tensor, ours: tuple[Tensor, ...], theirs: tuple[Tensor, ...]
    ) -> Tensor:
        _, u, w, mask = ours
        sharp = similar * self.temp.exp()[None, :, None, None]
        attention = torch.softmax(sharp.masked_fill(~theirs[3][:, None, None, :], -1e4), -1)
        v = (attention * similar).sum(-1).transpose(1, 2)
        partner = torch.einsum("ikmn,inu->imu", attention, theirs[1]) / K
        weight = w * mask
        weight = weight / weight.sum(1, keepdim=True).clamp_min(1e-6)
        inputs = torch.cat([v, (u - partner).abs(), u * partner], -1)
        e = self.tok(self.drop(inputs))[..., 0]
        worst = torch.log1p((functional.softplus(e - 2.0) * mask).sum(1, keepdim=True))
        return torch.cat(
            [(weight[..., None] * v).sum(1), (weight * e).sum(1, keepdim=True), worst], 1
        )
