"""The reader of `assay:size=large` as it is trained: Qwen2.5's first layers, their changes, and a head.

It computes what `cupel.neural.qwen` does, which has the formulas, with gradients and in batches that are padded
behind; parameters have the names of the weights that are shipped. Every matrix W is that of the GGUF file, made
floats once, and stays; W + 2 B A is used, and A and B are trained (LoRA). The score is

    out(tanh(hidden(norm(x)))),   x: the vector of a text's last piece

What is not trained may be bfloat16, as on a GPU; A, B, the norms and the head are float32.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from changed_matrix import Changed
from cupel.arrays import IntArray
from cupel.neural.decoder_layers import MATRICES, Weights, norm, turned
from cupel.neural.gguf import Floats
from cupel.neural.qwen import BASE, GROUPS, HEAD, HEADS, SIZE

BIASED = ("q", "k", "v")
HIDDEN = 256
"""Size of the head's one hidden layer."""


@dataclass(frozen=True)
class Place:
    """The device, and the type of the numbers that are not trained."""

    device: torch.device
    kind: torch.dtype

    def __call__(self, array: Floats) -> Tensor:
        """The array there."""
        own = array if array.flags.writeable else array.copy()
        return torch.from_numpy(own).to(self.device, self.kind)


class Layer(nn.Module):
    """One layer, in which a piece sees those before it."""

    q: Changed
    k: Changed
    v: Changed
    o: Changed
    gate: Changed
    up: Changed
    down: Changed
    attn: Tensor
    ffn: Tensor

    def __init__(self, weights: Weights, number: int, rank: int, place: Place) -> None:
        super().__init__()
        for name, stored in MATRICES.items():
            matrix = place(weights.rows(f"blk.{number}.{stored}.weight"))
            bias = place(weights.rows(f"blk.{number}.{stored}.bias")) if name in BIASED else None
            self.add_module(name, Changed(matrix, rank, bias))
        for name in ("attn", "ffn"):
            vector = place(weights.rows(f"blk.{number}.{name}_norm.weight"))
            self.register_buffer(name, vector, persistent=False)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        texts, pieces, _ = x.shape
        h = _norm(x, self.attn)
        q, k, v = (
            matrix(h).view(texts, pieces, count, HEAD).transpose(1, 2)
            for matrix, count in ((self.q, HEADS), (self.k, GROUPS), (self.v, GROUPS))
        )
        q, k = turned(q, cos, sin), turned(k, cos, sin)
        k, v = (a.repeat_interleave(HEADS // GROUPS, 1) for a in (k, v))
        attended = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(attended.transpose(1, 2).reshape(texts, pieces, -1))
        h = _norm(x, self.ffn)
        return x + cast(Tensor, self.down(functional.silu(self.gate(h)) * self.up(h)))


def _norm(x: Tensor, weight: Tensor) -> Tensor:
    return norm(x.float()).to(x.dtype) * weight


class Reader(nn.Module):
    """Scores of texts; ids are places in `vocabulary`, the pieces that the texts have.

    recompute: keep only what is between layers for the gradients, and compute the rest twice.
    """

    table: Tensor

    def __init__(
        self, weights: Weights, vocabulary: IntArray, layers: int, rank: int, place: Place
    ) -> None:
        super().__init__()
        table = place(weights.rows("token_embd.weight", vocabulary))
        self.register_buffer("table", table, persistent=False)
        self.layers = nn.ModuleList(Layer(weights, n, rank, place) for n in range(layers))
        self.hidden = nn.Linear(SIZE, HIDDEN, device=place.device)
        self.out = nn.Linear(HIDDEN, 1, device=place.device)
        nn.init.zeros_(self.out.weight)
        self.recompute = False

    def forward(self, ids: Tensor, last: Tensor) -> Tensor:
        """(texts, pieces) and the place of each text's last piece -> (texts,) scores."""
        score: Tensor = self.out(torch.tanh(self.hidden(norm(self.vectors(ids, last)))))
        return score.squeeze(-1)

    def vectors(self, ids: Tensor, last: Tensor) -> Tensor:
        """(texts, SIZE) of the last pieces."""
        x = functional.embedding(ids, self.table)
        cos, sin = (angle.to(x.dtype) for angle in _turns(ids.shape[1], ids.device))
        for layer in self.layers:
            if self.recompute:
                x = checkpoint(layer, x, cos, sin, use_reentrant=False)
            else:
                x = layer(x, cos, sin)
        return x[torch.arange(len(ids), device=ids.device), last].float()

    def changes(self) -> list[nn.Parameter]:
        """All A and B."""
        return list(self.layers.parameters())

    def head(self) -> list[nn.Parameter]:
        """What stands on top of the layers."""
        return [*self.hidden.parameters(), *self.out.parameters()]


def _turns(pieces: int, device: torch.device) -> tuple[Tensor, Tensor]:
    speed = 1.0 / BASE ** (torch.arange(0, HEAD, 2, device=device).float() / HEAD)
    angle = torch.outer(torch.arange(pieces, device=device).float(), speed)
    both = torch.cat([angle, angle], -1)
    return both.cos(), both.sin()
