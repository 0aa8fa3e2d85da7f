"""What a DeBERTa encoder (He et al. 2021, 2023) has that BERT has not.

Positions are not added to the pieces; attention knows how far apart two pieces are instead. Of a query q
and a key k at a distance d = place of q - place of k, before the softmax,

    (q . k  +  q . K r(d)  +  k . Q r(d)) / sqrt(3 size of a head)

r: a table of vectors for distances, normalised, the same in all layers; Q and K are the layer's own
projections of queries and keys. Distances below half of the table's span have a vector each, larger
ones share them, in ranges that grow logarithmically. DeBERTa has no segment types: as MPNet, it gets
some with vectors of 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from cupel.errors import CupelError

FARTHEST = 512
"""The distance at which the ranges end."""
VERSION_3 = {
    "relative_attention": True,
    "position_biased_input": False,
    "share_att_key": True,
    "norm_rel_ebd": "layer_norm",
    "max_relative_positions": -1,
    "max_position_embeddings": FARTHEST,
}
"""What config.json of a DeBERTa of version 3 has."""


def check_version(entries: Mapping[str, Any], folder: Path) -> None:
    """Refuse older versions, whose attention is another."""
    for name, value in VERSION_3.items():
        if entries.get(name) != value:
            raise CupelError(
                f"{folder} holds a DeBERTa whose {name} is {entries.get(name)!r}; only those of version "
                f"3 can be read, where it is {value!r}."
            )


class Distances(nn.Module):
    """The table (2 span, size) of vectors for distances."""

    def __init__(self, span: int, size: int, epsilon: float) -> None:
        super().__init__()
        self.span = span
        self.table = nn.Embedding(2 * span, size)
        self.norm = nn.LayerNorm(size, epsilon)

    def forward(self, length: int) -> Tensor:
        """(2 length - 1, size): of the distances from length - 1 down to 1 - length."""
        device = self.table.weight.device
        apart = torch.arange(length - 1, -length, -1, device=device)
        rows: Tensor = self.norm(self.table(bucket_of(apart, self.span) + self.span))
        return rows


def bucket_of(distances: Tensor, span: int) -> Tensor:
    """Signed distances -> numbers above -span and below span."""
    exact = span // 2
    apart = distances.abs()
    scaled = torch.log(apart.clamp_min(1).double() / exact) / math.log((FARTHEST - 1) / exact)
    far = (torch.ceil(scaled * (exact - 1)) + exact).long() * distances.sign()
    return torch.where(apart <= exact, distances, far).clamp(-span, span - 1)


def attended(
    queries: Tensor, keys: Tensor, values: Tensor, apart: Tensor, seen: Tensor | None
) -> Tensor:
    """(b, heads, t, d) -> the same, mixed by attention.

    apart: (2, heads, 2 t - 1, d), the queries and the keys of the distances; seen: (b, 1, 1, t) or all.
    """
    size = math.sqrt(3 * queries.shape[-1])
    queries = queries / size
    about = skewed(queries @ apart[1].mT) + skewed(keys @ (apart[0] / size).flip(1).mT).mT
    if seen is not None:
        about = about.masked_fill(~seen, float("-inf"))
    return functional.scaled_dot_product_attention(queries, keys, values, about, scale=1.0)


def skewed(table: Tensor) -> Tensor:
    """(..., t, 2 t - 1) -> (..., t, t): of row i the t columns that begin with the one at t - 1 - i."""
    length = table.shape[-2]
    if length == 1:
        return table
    flat = table.flatten(-2)[..., length - 1 : length - 1 + length * (2 * length - 2)]
    return flat.reshape(*table.shape[:-2], length, 2 * length - 2)[..., :length]


def bert_names(tensors: Mapping[str, Tensor], types: int) -> dict[str, Tensor]:
    """DeBERTa's tensors under the names that BERT's have, with segment types of 0."""
    renamed = {
        name.replace("_proj.", ".") if ".attention.self." in name else name: tensor
        for name, tensor in tensors.items()
    }
    words = tensors.get("embeddings.word_embeddings.weight")
    if words is not None:
        renamed["embeddings.token_type_embeddings.weight"] = words.new_zeros(types, words.shape[1])
        renamed["embeddings.position_embeddings.weight"] = words.new_zeros(0, words.shape[1])
    return renamed
