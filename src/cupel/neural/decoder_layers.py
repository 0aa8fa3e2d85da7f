"""Layers of language models such as Qwen, as a GGUF file stores them.

Each matrix W of a layer is changed by training to W + 2 B A (LoRA, Hu et al. 2022), with small A and
B; positions turn queries and keys (RoPE); vectors are divided by their root mean square.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from cupel.arrays import IntArray
from cupel.neural.gguf import Floats

LORA_SCALE = 2.0
EPSILON = 1e-6
MATRICES = {
    "q": "attn_q", "k": "attn_k", "v": "attn_v", "o": "attn_output",
    "gate": "ffn_gate", "up": "ffn_up", "down": "ffn_down",
}  # fmt: skip
"""The matrices of a layer -> their names in the file."""
PRODUCTS = {"qkv": ("q", "k", "v"), "o": ("o",), "both": ("gate", "up"), "down": ("down",)}
"""Matrices that are multiplied at once."""


class Weights(Protocol):
    """Where weights are: a `cupel.neural.gguf.Gguf`, for example."""

    def rows(self, name: str, rows: npt.NDArray[np.integer] | None = None) -> Floats:
        """A tensor, or these rows of it."""
        ...


def tensor(file: Weights, name: str) -> Tensor:
    """A tensor of the file, which may be written to."""
    floats = file.rows(name)
    return torch.from_numpy(floats if floats.flags.writeable else floats.copy())


def products(
    file: Weights,
    layer: int,
    changes: Mapping[str, Tensor],
    kind: torch.dtype,
    device: torch.device,
) -> dict[str, Tensor]:
    """The matrices of PRODUCTS; `changes` has A and B of matrices, `layers.3.q.a` for example."""
    weights = {}
    for product, names in PRODUCTS.items():
        parts = []
        for name in names:
            weight = tensor(file, f"blk.{layer}.{MATRICES[name]}.weight").to(device)
            place = f"layers.{layer}.{name}"
            if f"{place}.a" in changes:
                a, b = (changes[f"{place}.{part}"].to(device) for part in "ab")
                weight.addmm_(b, a, alpha=LORA_SCALE)
            parts.append(weight.to(kind))
        weights[product] = torch.cat(parts) if len(parts) > 1 else parts[0]
    return weights


def embedded(file: Weights, ids: npt.NDArray[np.integer]) -> Tensor:
    """(pieces, size) the vector of each piece; of the table only rows that are needed are read."""
    distinct, places = np.unique(ids, return_inverse=True)
    table = torch.from_numpy(file.rows("token_embd.weight", distinct))
    return table[torch.from_numpy(places.reshape(-1))]


def norm(x: Tensor, weight: Tensor | None = None) -> Tensor:
    """Each vector divided by its root mean square."""
    return functional.rms_norm(x, (x.shape[-1],), weight, EPSILON)


def product(x: Tensor, weight: Tensor) -> Tensor:
    """In the kind of the weight's numbers; the result is float32."""
    return functional.linear(x.to(weight.dtype), weight).float()


def positions(lengths: IntArray) -> IntArray:
    """The position of each piece in its text; texts lie one after the other."""
    places: IntArray = np.arange(int(lengths.sum())) - np.repeat(
        np.cumsum(lengths) - lengths, lengths
    )
    return places


def turns(places: IntArray, size: int, base: float) -> tuple[Tensor, Tensor]:
    """(pieces, 1, size) cosines and sines of the angles of positions."""
    speed = 1.0 / base ** (torch.arange(0, size, 2).float() / size)
    angle = torch.arange(int(places.max(initial=0)) + 1).float()[:, None] * speed
    both, at = torch.cat([angle, angle], -1), torch.from_numpy(places)
    return both.cos()[at][:, None], both.sin()[at][:, None]


def turned(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Vectors (..., size), turned by these angles."""
    half = x.shape[-1] // 2
    return x * cos + torch.cat([-x[..., half:], x[..., :half]], -1) * sin
