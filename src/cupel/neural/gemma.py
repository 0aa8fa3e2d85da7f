"""Gemma 3 as an encoder: its first layers, with attention in both directions.

The weights are those of a GGUF file, each matrix W changed by training to W + 2 B A (LoRA, Hu et
al. 2022), with small A and B. A layer, for a vector x of each piece (Gemma Team 2025):

    x + norm(attention(norm(x))), then x + norm(down(gelu(gate(norm(x))) * up(norm(x))))

with root-mean-square norms, four heads of 256 over one key and value, which are normed and turned
by their positions (RoPE; base 10,000, and 1,000,000 in every sixth layer).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from cupel.arrays import IntArray
from cupel.neural.gguf import Gguf

SIZE, HEADS, HEAD = 640, 4, 256
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


class GemmaEncoder:
    """The first layers of Gemma; `changes` has A and B of matrices, `layers.3.q.a` for example."""

    def __init__(self, file: Gguf, layers: int, changes: Mapping[str, Tensor]) -> None:
        self._file = file
        self._layers = [self._layer(number, changes) for number in range(layers)]

    def _layer(self, number: int, changes: Mapping[str, Tensor]) -> dict[str, Tensor]:
        weights = {}
        for stored, name in {**MATRICES, **NORMS}.items():
            weight = torch.from_numpy(np.array(self._file.rows(f"blk.{number}.{stored}.weight")))
            place = f"layers.{number}.{name}"
            if f"{place}.a" in changes:
                weight += LORA_SCALE * (changes[f"{place}.b"] @ changes[f"{place}.a"])
            weights[name] = weight
        return weights

    def __call__(self, ids: IntArray, mask: Tensor) -> list[Tensor]:
        """(texts, pieces) -> the vectors before the first layer and after each, (texts, pieces, SIZE).

        mask: (texts, pieces), which pieces are there.
        """
        distinct, places = np.unique(ids, return_inverse=True)
        table = torch.from_numpy(self._file.rows("token_embd.weight", distinct))
        x = table[torch.from_numpy(places.reshape(ids.shape))] * SIZE**0.5
        turns = {base: _turns(ids.shape[1], base) for base in (1e4, 1e6)}
        outputs = [x]
        for number, weights in enumerate(self._layers):
            base = 1e6 if (number + 1) % 6 == 0 else 1e4
            x = _layer(x, weights, mask[:, None, None, :], *turns[base])
            outputs.append(x)
        return outputs


def norm(x: Tensor, weight: Tensor | None = None) -> Tensor:
    """Each vector divided by its root mean square."""
    return functional.rms_norm(x, (x.shape[-1],), weight, EPSILON)


def _layer(x: Tensor, w: Mapping[str, Tensor], mask: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    texts, pieces, _ = x.shape
    h = norm(x, w["n1"])
    q = norm((h @ w["q"].T).view(texts, pieces, HEADS, HEAD), w["qn"]).transpose(1, 2)
    k = norm((h @ w["k"].T).view(texts, pieces, 1, HEAD), w["kn"]).transpose(1, 2)
    v = (h @ w["v"].T).view(texts, pieces, 1, HEAD).transpose(1, 2)
    q, k = (
        a * cos + torch.cat([-a[..., HEAD // 2 :], a[..., : HEAD // 2]], -1) * sin for a in (q, k)
    )
    k, v = (a.expand(texts, HEADS, pieces, HEAD) for a in (k, v))
    attended = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=HEAD**-0.5)
    x = x + norm(attended.transpose(1, 2).reshape(texts, pieces, -1) @ w["o"].T, w["n2"])
    h = norm(x, w["n3"])
    inner = functional.gelu(h @ w["gate"].T, approximate="tanh") * (h @ w["up"].T)
    return x + norm(inner @ w["down"].T, w["n4"])


def _turns(pieces: int, base: float) -> tuple[Tensor, Tensor]:
    """(pieces, HEAD) cosines and sines of the angles of positions."""
    speed = 1.0 / base ** (torch.arange(0, HEAD, 2).float() / HEAD)
    angle = torch.arange(pieces).float()[:, None] * speed
    both = torch.cat([angle, angle], -1)
    return both.cos(), both.sin()
