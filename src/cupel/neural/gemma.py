"""Gemma 3 as an encoder: its first layers, with attention in both directions.

The weights are those of a GGUF file, each matrix W changed by training to W + 2 B A (LoRA, Hu et
al. 2022), with small A and B. A layer, for a vector x of each piece (Gemma Team 2025):

    x + norm(attention(norm(x))), then x + norm(down(gelu(gate(norm(x))) * up(norm(x))))

with root-mean-square norms, four heads of 256 over one key and value, which are normed and turned
by their positions (RoPE; base 10,000, and 1,000,000 in every sixth layer).

The pieces of all texts lie one after the other, without padding: only attention looks at texts, at
all of one length together. So no text changes another's score beyond the last digits of a product.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from cupel.arrays import IntArray
from cupel.neural.gguf import Gguf

SIZE, HEADS, HEAD, INNER = 640, 4, 256, 2048
BEGIN = 2
"""The piece that every text begins with."""
LORA_SCALE = 2.0
EPSILON = 1e-6
MATRICES = {
    "attn_q": "q", "attn_k": "k", "attn_v": "v", "attn_output": "o",
    "ffn_gate": "gate", "ffn_up": "up", "ffn_down": "down",
}  # fmt: skip
NORMS = {
    "attn_norm": "n1", "post_attention_norm": "n2", "ffn_norm": "n3", "post_ffw_norm": "n4",
    "attn_q_norm": "qn", "attn_k_norm": "kn",
}  # fmt: skip
PRODUCTS = {"qkv": ("q", "k", "v"), "o": ("o",), "both": ("gate", "up"), "down": ("down",)}
"""Matrices that are multiplied at once."""


class GemmaEncoder:
    """The first layers of Gemma; `changes` has A and B of matrices, `layers.3.q.a` for example.

    kind: of the numbers in products of matrices; all others are float32.
    """

    def __init__(
        self,
        file: Gguf,
        layers: int,
        changes: Mapping[str, Tensor],
        kind: torch.dtype = torch.float32,
    ) -> None:
        self._file = file
        self._layers = [self._layer(number, changes, kind) for number in range(layers)]

    def _layer(
        self, number: int, changes: Mapping[str, Tensor], kind: torch.dtype
    ) -> dict[str, Tensor]:
        stored = {
            name: f"blk.{number}.{part}.weight" for part, name in {**MATRICES, **NORMS}.items()
        }
        weights = {name: self._weight(stored[name]) for name in NORMS.values()}
        for product, names in PRODUCTS.items():
            parts = []
            for name in names:
                place, weight = f"layers.{number}.{name}", self._weight(stored[name])
                if f"{place}.a" in changes:
                    a, b = changes[f"{place}.a"], changes[f"{place}.b"]
                    weight.addmm_(b, a, alpha=LORA_SCALE)
                parts.append(weight.to(kind))
            weights[product] = torch.cat(parts) if len(parts) > 1 else parts[0]
        return weights

    def _weight(self, name: str) -> Tensor:
        floats = self._file.rows(name)
        return torch.from_numpy(floats if floats.flags.writeable else floats.copy())

    def __call__(self, ids: IntArray, lengths: IntArray) -> Iterator[Tensor]:
        """The vectors of pieces before the first layer and after each, (pieces, SIZE).

        ids: those of all texts, one after the other. lengths: (texts,), which never falls from one to
        the next.
        """
        distinct, places = np.unique(ids, return_inverse=True)
        table = torch.from_numpy(self._file.rows("token_embd.weight", distinct))
        x = table[torch.from_numpy(places.reshape(-1))] * SIZE**0.5
        at = torch.from_numpy(
            np.arange(len(ids)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        )
        turns = {base: _turns(at, base) for base in (1e4, 1e6)}
        groups = _groups(lengths)
        yield x
        for number, weights in enumerate(self._layers):
            base = 1e6 if (number + 1) % 6 == 0 else 1e4
            x = _layer(x, weights, groups, *turns[base])
            yield x


def norm(x: Tensor, weight: Tensor | None = None) -> Tensor:
    """Each vector divided by its root mean square."""
    return functional.rms_norm(x, (x.shape[-1],), weight, EPSILON)


def _layer(
    x: Tensor, w: Mapping[str, Tensor], groups: list[tuple[slice, int]], cos: Tensor, sin: Tensor
) -> Tensor:
    queries, keys = HEADS * HEAD, (HEADS + 1) * HEAD
    projected = _product(norm(x, w["n1"]), w["qkv"])
    q = _turned(norm(projected[:, :queries].reshape(-1, HEADS, HEAD), w["qn"]), cos, sin)
    k = _turned(norm(projected[:, queries:keys].reshape(-1, 1, HEAD), w["kn"]), cos, sin)
    v = projected[:, keys:]
    attended = torch.empty(len(x), queries)
    for rows, length in groups:
        # All heads have the same keys and values: they are more queries of one head.
        a, b, c = (
            part[rows].reshape(-1, 1, count, HEAD)
            for part, count in ((q, length * HEADS), (k, length), (v, length))
        )
        mixed = functional.scaled_dot_product_attention(a, b, c, scale=HEAD**-0.5)
        attended[rows] = mixed.reshape(-1, queries)
    x = x + norm(_product(attended, w["o"]), w["n2"])
    both = _product(norm(x, w["n3"]), w["both"])
    inner = functional.gelu(both[:, :INNER], approximate="tanh").mul_(both[:, INNER:])
    return x + norm(_product(inner, w["down"]), w["n4"])


def _product(x: Tensor, weight: Tensor) -> Tensor:
    return functional.linear(x.to(weight.dtype), weight).float()


def _turned(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    half = HEAD // 2
    return x * cos + torch.cat([-x[..., half:], x[..., :half]], -1) * sin


def _turns(places: Tensor, base: float) -> tuple[Tensor, Tensor]:
    """(pieces, 1, HEAD) cosines and sines of the angles of positions."""
    speed = 1.0 / base ** (torch.arange(0, HEAD, 2).float() / HEAD)
    angle = torch.arange(int(places.max()) + 1).float()[:, None] * speed
    both = torch.cat([angle, angle], -1)
    return both.cos()[places][:, None], both.sin()[places][:, None]


def _groups(lengths: IntArray) -> list[tuple[slice, int]]:
    """The places of the pieces of all texts of a length, and that length."""
    sizes, counts = np.unique(lengths, return_counts=True)
    ends = np.cumsum(sizes * counts)
    return [
        (slice(int(end - size * count), int(end)), int(size))
        for size, count, end in zip(sizes, counts, ends, strict=True)
    ]
