"""What an MPNet encoder (Song et al. 2020) has that BERT has not, and the other way round.

Beside absolute positions, attention adds a learned number for each head and each distance of two
pieces, the same in all layers. Distances fall into buckets, as in T5 (Raffel et al. 2020, section
2.1): half of them for pieces to the left and half for those to the right; of each half, the first
half for one distance each, the others for ranges that grow logarithmically up to FARTHEST.
MPNet has no segment types. Here it gets them, with vectors of 0, so that a training that reads two
sentences together can learn to tell them apart; until then hidden states are MPNet's own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor, nn

FARTHEST = 128
"""All distances from here on share a bucket."""


class RelativePositions(nn.Module):
    """A table (buckets, heads) of what attention adds for a distance."""

    def __init__(self, buckets: int, heads: int) -> None:
        super().__init__()
        self.table = nn.Embedding(buckets, heads)

    def forward(self, length: int, seen: Tensor | None) -> Tensor:
        """(1 or b, heads, length, length) for attention; `seen` (b, 1, 1, length) or all."""
        places = torch.arange(length, device=self.table.weight.device)
        distances = places[None, :] - places[:, None]  # of the key, from the query
        buckets = bucket_of(distances, self.table.num_embeddings)
        bias: Tensor = self.table(buckets).permute(2, 0, 1)[None]
        return bias if seen is None else bias.masked_fill(~seen, float("-inf"))


def bucket_of(distances: Tensor, buckets: int) -> Tensor:
    """Signed distances -> numbers of buckets, in both directions."""
    half = buckets // 2
    exact = half // 2
    apart = distances.abs()
    scaled = torch.log(apart.clamp_min(1).float() / exact) / math.log(FARTHEST / exact)
    far = (exact + (scaled * (half - exact)).long()).clamp(max=half - 1)
    return torch.where(apart < exact, apart, far) + half * (distances > 0)


def bert_names(tensors: Mapping[str, Tensor], types: int) -> dict[str, Tensor]:
    """MPNet's tensors under the names that BERT's have, with segment types of 0."""
    parts = {
        "attention.attn.q.": "attention.self.query.",
        "attention.attn.k.": "attention.self.key.",
        "attention.attn.v.": "attention.self.value.",
        "attention.attn.o.": "attention.output.dense.",
        "attention.LayerNorm.": "attention.output.LayerNorm.",
    }
    renamed = {}
    for name, tensor in tensors.items():
        for theirs, ours in parts.items():
            name = name.replace(theirs, ours)
        renamed[name] = tensor
    words = tensors.get("embeddings.word_embeddings.weight")
    if words is not None:
        renamed["embeddings.token_type_embeddings.weight"] = words.new_zeros(types, words.shape[1])
    return renamed
