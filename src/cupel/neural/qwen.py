"""Qwen2.5 as a reader: its first layers, which read one piece after the other.

The weights are those of a GGUF file, each matrix W changed by training to W + 2 B A (LoRA, Hu et
al. 2022), with small A and B. A layer, for a vector x of each piece (Qwen Team 2024):

    x + attention(norm(x)), then x + down(silu(gate(norm(x))) * up(norm(x)))

with root-mean-square norms, 12 heads of 128 over two keys and values, and queries and keys turned by
their positions (RoPE, base 1,000,000). A piece sees those before it only. So texts that begin
alike share their beginning: it is read once, and what follows it is read as often as it differs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from cupel.arrays import IntArray
from cupel.errors import CupelError
from cupel.models import model, model_folder, problems
from cupel.neural.decoder_layers import (
    MATRICES,
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
from cupel.neural.wordpiece import Pieces

SIZE, HEADS, GROUPS, HEAD, INNER = 1536, 12, 2, 128, 8960
BASE = 1e6

QWEN = "qwen2.5-coder-1.5b"


@lru_cache(maxsize=1)
def open_qwen() -> Gguf:
    """Qwen2.5-Coder 1.5B, once it is the file that weights were trained from."""
    if wrong := problems(model(QWEN)):
        raise CupelError(wrong[0])
    (file,) = model(QWEN).files
    return Gguf(model_folder(QWEN) / file.name)


@dataclass(frozen=True)
class Rows:
    """Where the pieces of some texts lie, as a table of texts: `places` (texts, longest), and which
    of its cells have a piece.
    """

    places: Tensor
    there: Tensor

    @classmethod
    def of(cls, lengths: IntArray, device: torch.device) -> Rows:
        """Texts of these lengths, one after the other."""
        columns = np.arange(int(lengths.max(initial=1)))
        there = columns < lengths[:, None]
        places = np.where(there, (np.cumsum(lengths) - lengths)[:, None] + columns, 0)
        return cls(torch.from_numpy(places).to(device), torch.from_numpy(there).to(device))


@dataclass(frozen=True)
class Shared:
    """Texts that begin alike: which pieces see which.

    first, then   the beginnings, and what follows, as tables
    of            (texts,) the beginning of each
    mask          (texts, 1, then, first + then) what a piece of `then` sees
    """

    first: Rows
    then: Rows
    of: Tensor
    mask: Tensor

    @classmethod
    def build(cls, first: IntArray, then: IntArray, of: IntArray, device: torch.device) -> Shared:
        beginnings, rest = Rows.of(first, device), Rows.of(then, device)
        number = torch.from_numpy(of).to(device)
        width = rest.there.shape[1]
        before = torch.ones(width, width, dtype=torch.bool, device=device).tril()
        own = before[None] & rest.there[:, None, :]
        seen = beginnings.there[number][:, None, :].expand(-1, width, -1)
        return cls(beginnings, rest, number, torch.cat([seen, own], -1)[:, None])


class QwenReader:
    """The first layers; `changes` has A and B of matrices, `layers.3.q.a` for example.

    kind: of the numbers in products of matrices; all others are float32.
    """

    def __init__(
        self,
        file: Gguf,
        layers: int,
        changes: Mapping[str, Tensor],
        kind: torch.dtype = torch.bfloat16,
        device: torch.device | None = None,
    ) -> None:
        self._file = file
        self.device = device or torch.device("cpu")
        self._layers = [self._layer(number, changes, kind) for number in range(layers)]
        # A GPU would wait for the rows of each batch.
        on_gpu = self.device.type == "cuda"
        self._table = tensor(file, "token_embd.weight").to(self.device) if on_gpu else None

    def _layer(
        self, number: int, changes: Mapping[str, Tensor], kind: torch.dtype
    ) -> dict[str, Tensor]:
        names = {name: f"blk.{number}.{name}_norm.weight" for name in ("attn", "ffn")}
        weights = {name: tensor(self._file, stored) for name, stored in names.items()}
        biases = [tensor(self._file, f"blk.{number}.{MATRICES[name]}.bias") for name in "qkv"]
        weights["bias"] = torch.cat(biases)
        weights = {name: weight.to(self.device) for name, weight in weights.items()}
        return weights | products(self._file, number, changes, kind, self.device)

    def __call__(self, beginnings: Pieces, endings: Pieces, of: IntArray) -> Tensor:
        """(texts, SIZE) the vector of the last piece of each text.

        Text i is the beginning `of[i]` and the ending i; neither is empty.
        """
        x = self._embedded(beginnings, endings)
        first, then = beginnings.lengths, endings.lengths
        shared = Shared.build(first, then, of, self.device)
        at = np.concatenate([positions(first), positions(then) + np.repeat(first[of], then)])
        cos, sin = (part.to(self.device) for part in turns(at, HEAD, BASE))
        middle = int(first.sum())
        for weights in self._layers:
            x = _layer(x, weights, shared, middle, cos, sin)
        ends = torch.from_numpy(middle + np.cumsum(then) - 1).to(self.device)
        return x[ends]

    def _embedded(self, beginnings: Pieces, endings: Pieces) -> Tensor:
        """(pieces, SIZE) what stands for pieces before the first layer."""
        ids = np.concatenate([beginnings.ids, endings.ids])
        if self._table is None:
            return embedded(self._file, ids)
        return self._table[torch.from_numpy(ids.astype(np.int64)).to(self.device)]


def _layer(
    x: Tensor, w: Mapping[str, Tensor], shared: Shared, middle: int, cos: Tensor, sin: Tensor
) -> Tensor:
    projected = product(norm(x, w["attn"]), w["qkv"]) + w["bias"]
    q = turned(projected[:, : HEADS * HEAD].reshape(-1, HEADS, HEAD), cos, sin)
    rest = projected[:, HEADS * HEAD :].reshape(-1, 2, GROUPS, HEAD)
    k, v = turned(rest[:, 0], cos, sin), rest[:, 1]
    attended = torch.empty(len(x), HEADS * HEAD, device=x.device)
    _attend(attended, q, k, v, shared, middle)
    x = x + product(attended, w["o"])
    both = product(norm(x, w["ffn"]), w["both"])
    inner = functional.silu(both[:, :INNER]).mul_(both[:, INNER:])
    return x + product(inner, w["down"])


def _attend(out: Tensor, q: Tensor, k: Tensor, v: Tensor, shared: Shared, middle: int) -> None:
    """Fill `out` (pieces, HEADS * HEAD) with what each piece takes from those that it sees."""
    first, then = shared.first, shared.then
    keys, values = (part[:middle][first.places].transpose(1, 2) for part in (k, v))
    queries = q[:middle][first.places].transpose(1, 2)
    mixed = _attention(queries, keys, values, None)
    out[:middle][first.places[first.there]] = mixed[first.there]
    own = (part[middle:][then.places].transpose(1, 2) for part in (k, v))
    keys, values = (
        torch.cat([before[shared.of], part], 2)
        for before, part in zip((keys, values), own, strict=True)
    )
    queries = q[middle:][then.places].transpose(1, 2)
    mixed = _attention(queries, keys, values, shared.mask)
    out[middle:][then.places[then.there]] = mixed[then.there]


def _attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
    """(texts, pieces, HEADS * HEAD); without a mask each piece sees those before it.

    On a GPU in bfloat16, as in training.
    """
    if q.is_cuda:
        q, k, v = (part.bfloat16() for part in (q, k, v))
    k, v = (part.repeat_interleave(HEADS // GROUPS, 1) for part in (k, v))
    mixed = functional.scaled_dot_product_attention(q, k, v, mask, is_causal=mask is None)
    return mixed.transpose(1, 2).flatten(2).float()
