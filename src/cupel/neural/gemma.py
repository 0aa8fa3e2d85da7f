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
from cupel.neural.decoder_layers import (
    embedded,
    norm,
    positions,
    product,
    products,
    tensor,
    turned,
    turns,
)
from cupel.neural.gguf import Gguf

SIZE, HEADS, HEAD, INNER = 640, 4, 256, 2048
BEGIN = 2
"""The piece that every text begins with."""
NORMS = {
    "n1": "attn_norm", "n2": "post_attention_norm", "n3": "ffn_norm", "n4": "post_ffw_norm",
    "qn": "attn_q_norm", "kn": "attn_k_norm",
}  # fmt: skip
"""The norms of a layer -> their names in the file."""


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
        norms = {
            name: tensor(self._file, f"blk.{number}.{stored}.weight")
            for name, stored in NORMS.items()
        }
        return norms | products(self._file, number, changes, kind, torch.device("cpu"))

    def __call__(self, ids: IntArray, lengths: IntArray) -> Iterator[Tensor]:
        """The vectors of pieces before the first layer and after each, (pieces, SIZE).

        ids: those of all texts, one after the other. lengths: (texts,), which never falls from one to
        the next.
        """
        x = embedded(self._file, ids) * SIZE**0.5
        at = positions(lengths)
        turned_by = {base: turns(at, HEAD, base) for base in (1e4, 1e6)}
        groups = _groups(lengths)
        yield x
        for number, weights in enumerate(self._layers):
            base = 1e6 if (number + 1) % 6 == 0 else 1e4
            x = _layer(x, weights, groups, *turned_by[base])
            yield x


def _layer(
    x: Tensor, w: Mapping[str, Tensor], groups: list[tuple[slice, int]], cos: Tensor, sin: Tensor
) -> Tensor:
    queries, keys = HEADS * HEAD, (HEADS + 1) * HEAD
    projected = product(norm(x, w["n1"]), w["qkv"])
    q = turned(norm(projected[:, :queries].reshape(-1, HEADS, HEAD), w["qn"]), cos, sin)
    k = turned(norm(projected[:, queries:keys].reshape(-1, 1, HEAD), w["kn"]), cos, sin)
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
    x = x + norm(product(attended, w["o"]), w["n2"])
    both = product(norm(x, w["n3"]), w["both"])
    inner = functional.gelu(both[:, :INNER], approximate="tanh").mul_(both[:, INNER:])
    return x + norm(product(inner, w["down"]), w["n4"])


def _groups(lengths: IntArray) -> list[tuple[slice, int]]:
    """The places of the pieces of all texts of a length, and that length."""
    sizes, counts = np.unique(lengths, return_counts=True)
    ends = np.cumsum(sizes * counts)
    return [
        (slice(int(end - size * count), int(end)), int(size))
        for size, count, end in zip(sizes, counts, ends, strict=True)
    ]
