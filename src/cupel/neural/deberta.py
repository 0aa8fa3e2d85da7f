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


def attended(projected: Tensor, apart: Tensor, seen: Tensor | None) -> Tensor:
    """(b, t, 3 size) queries, keys and values of the pieces -> (b, t, size), mixed by attention.

    apart: (2, heads, 2 t - 1, d), the queries and the keys of the distances; seen: (b, 1, 1, t) or all.
    """
    mixed: Tensor = _Attention.apply(projected, apart, seen)  # type: ignore[no-untyped-call]
    return mixed


class _Attention(torch.autograd.Function):
    """With a way back of its own, in which a skewed table is a view: half the time of PyTorch's.

    Heads are the first dimension, so that what pieces and distances have in common is one product a head.
    """

    @staticmethod
    def forward(ctx: Any, projected: Tensor, apart: Tensor, seen: Tensor | None) -> Tensor:
        b, t, _ = projected.shape
        _, heads, _, size = apart.shape
        parts = projected.view(b, t, 3, heads, size).permute(2, 3, 0, 1, 4).contiguous()
        far_queries, far_keys = apart[0].flip(1), apart[1]
        scores = _scores(parts, far_queries, far_keys)
        if seen is not None:
            scores.view(heads, b, t, t).masked_fill_(~seen.transpose(0, 1), float("-inf"))
        shares = torch.softmax(scores, -1)
        ctx.save_for_backward(parts, shares, far_queries, far_keys)
        return _mixed(shares, parts)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None]:
        parts, shares, far_queries, far_keys = ctx.saved_tensors
        _, heads, b, t, size = parts.shape
        queries, keys, values = parts.flatten(1, 2)
        mixed = gradient.view(b, t, heads, size).permute(2, 0, 1, 3).reshape(heads * b, t, size)
        scores = torch._softmax_backward_data(
            torch.bmm(mixed, values.mT), shares, -1, shares.dtype
        ).mul_(1.0 / math.sqrt(3 * size))
        table = scores.new_zeros(heads * b, t, 2 * t - 1)
        flat = table.view(heads, b * t, -1)
        skewed(table).copy_(scores)
        of_queries = torch.bmm(scores, keys).view(heads, b * t, size).baddbmm_(flat, far_keys)
        of_far_keys = torch.bmm(flat.mT, parts[0].flatten(1, 2))
        skewed(table).copy_(scores.mT)
        of_keys = torch.bmm(scores.mT, queries).view(heads, b * t, size).baddbmm_(flat, far_queries)
        of_far_queries = torch.bmm(flat.mT, parts[1].flatten(1, 2))
        whole = gradient.new_empty(b, t, 3, heads, size)
        for at, own in enumerate((of_queries, of_keys, torch.bmm(shares.mT, mixed))):
            whole[:, :, at] = own.view(heads, b, t, size).permute(1, 2, 0, 3)
        return whole.flatten(2), torch.stack([of_far_queries.flip(1), of_far_keys]), None


def _scores(parts: Tensor, far_queries: Tensor, far_keys: Tensor) -> Tensor:
    """(heads b, t, t) what is before the softmax, of the parts (3, heads, b, t, d) of pieces.

    far_queries, far_keys: (heads, 2 t - 1, d) of the distances, those of queries from the least on.
    """
    _, heads, b, t, size = parts.shape
    queries, keys = parts[0].flatten(1, 2), parts[1].flatten(1, 2)
    to_keys = torch.bmm(queries, far_keys.mT).view(heads * b, t, -1)
    to_queries = torch.bmm(keys, far_queries.mT).view(heads * b, t, -1)
    scale = 1.0 / math.sqrt(3 * size)
    # One sum of two views: added in turn, the second one takes five times as long.
    scores = skewed(to_keys) + skewed(to_queries).mT
    pieces = parts.flatten(1, 2)
    return scores.baddbmm_(pieces[0], pieces[1].mT, beta=scale, alpha=scale)


def _mixed(shares: Tensor, parts: Tensor) -> Tensor:
    """(b, t, size) the values in their shares."""
    _, heads, b, t, size = parts.shape
    mixed = torch.bmm(shares, parts[2].flatten(0, 1)).view(heads, b, t, size)
    return mixed.permute(1, 2, 0, 3).reshape(b, t, heads * size)


def skewed(table: Tensor) -> Tensor:
    """(n, t, 2 t - 1) -> (n, t, t), a view: of row i the t columns that begin with the one at t - 1 - i."""
    n, length, width = table.shape
    return table.as_strided(
        (n, length, length), (length * width, width - 1, 1), table.storage_offset() + length - 1
    )


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
