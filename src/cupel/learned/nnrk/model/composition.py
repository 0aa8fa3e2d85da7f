"""Sentence vectors made of word vectors on the fly: average, CNN, LSTM (NNRK, sections 5.6, 5.7).

Every function works on K networks side by side, so that several train together in the time of one:
weights carry a leading dimension K, words are (K, n, t, d), the mask is (n, t) or (K, n, t), and
sentence vectors come as (K, n, size). Needs PyTorch.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from cupel.arrays import Float32Array, IntArray


@dataclass(frozen=True)
class Encoding:
    """The kind of encoder and its sizes."""

    kind: str = "average"
    size: int = 100  # filters of the CNN, units of each LSTM
    filter_length: int = 3  # L words a filter sees
    pool_length: int = 3  # p features that a maximum is over

    def output(self, dimension: int) -> int:
        """How long a sentence vector is."""
        return {"average": dimension, "bilstm": 2 * self.size}.get(self.kind, self.size)

    def shapes(self, dimension: int) -> dict[str, tuple[int, ...]]:
        """The weights, without the leading K; a name that ends in `bias` starts at 0."""
        if self.kind == "cnn":
            wide = self.filter_length * dimension
            return {"filters": (wide, self.size), "filters-bias": (self.size,)}
        shapes: dict[str, tuple[int, ...]] = {}
        for way in {"lstm": ("forth",), "bilstm": ("forth", "back")}.get(self.kind, ()):
            shapes |= {
                f"{way}-input": (dimension, 4 * self.size),
                f"{way}-state": (self.size, 4 * self.size),
                # Input, forget and output gate; equation 11 has none for the cell.
                f"{way}-bias": (3 * self.size,),
            }
        return shapes

    def __call__(self, weights: dict[str, Tensor], words: Tensor, mask: Tensor) -> Tensor:
        """(K, n, t, d) words -> (K, n, output)."""
        if self.kind == "average":
            return average(words, mask)
        if self.kind == "cnn":
            return convolution(
                words,
                mask,
                weights["filters"],
                weights["filters-bias"],
                self.filter_length,
                self.pool_length,
            )
        parts = ("input", "state", "bias")
        if self.kind == "lstm":
            return lstm(words, mask, *(weights[f"forth-{part}"] for part in parts))
        # Both ways at once, as twice as many networks: the steps are bound by their launches.
        both = (
            torch.cat([weights[f"{way}-{part}"] for way in ("forth", "back")]) for part in parts
        )
        masks = mask.expand(words.shape[:-1]).repeat(2, 1, 1)
        ways = lstm(torch.cat([words, backwards(words, mask)]), masks, *both)
        return torch.cat(ways.chunk(2), dim=-1)


def average(words: Tensor, mask: Tensor) -> Tensor:
    """The mean of the words' vectors, x = E f / N."""
    counts = mask.sum(-1).clamp_min(1)[..., None]
    return (words * mask[..., None]).sum(2) / counts


def convolution(
    words: Tensor, mask: Tensor, filters: Tensor, bias: Tensor, length: int, pool: int
) -> Tensor:
    """Equations 7 and 8: h_t = tanh(u . x_{t:t+L-1} + b) in a wide convolution, max-pooled.

    The paper leaves open how the maxima of a varying number of windows become a vector of fixed
    length; here they are averaged.
    """
    k, n, t, _ = words.shape
    padded = functional.pad(words * mask[..., None], (0, 0, length - 1, length - 1))
    places = t + length - 1
    windows = torch.cat([padded[:, :, i : i + places] for i in range(length)], dim=-1)
    maps = torch.baddbmm(bias[:, None], windows.flatten(1, 2), filters).tanh()
    maps = maps.view(k, n, places, -1)
    inside = functional.pad(mask, (0, length - 1)) > 0
    starts = torch.arange(places, device=mask.device)
    ends = inside.sum(-1, keepdim=True) + (length - 1) * inside.any(-1, keepdim=True)
    real = starts < ends  # T + L - 1 places of a sentence of T words
    maps = maps.masked_fill(~real[..., None], -1.0)
    short = -places % pool
    maps = functional.pad(maps, (0, 0, 0, short), value=-1.0)
    windowed = functional.pad(real, (0, short)).reshape(*real.shape[:-1], -1, pool)
    some = windowed.any(-1).to(words.dtype)
    maxima = maps.view(k, n, -1, pool, maps.shape[-1]).amax(3)
    return (maxima * some[..., None]).sum(2) / some.sum(-1).clamp_min(1)[..., None]


def backwards(words: Tensor, mask: Tensor) -> Tensor:
    """(K, n, t, d): each sentence from its last word to its first, padded behind."""
    places = torch.arange(words.shape[2], device=mask.device)
    last = mask.sum(-1, keepdim=True).long() - 1
    turned = (last - places).clamp_min(0)[..., None].expand_as(words)
    return words.gather(2, turned)


def lstm(words: Tensor, mask: Tensor, inputs: Tensor, state: Tensor, bias: Tensor) -> Tensor:
    """Equations 9 to 13, the last state; hard sigmoid gates clip(0.2 z + 0.5, 0, 1).

    The columns of the weights are input, forget and output gate, then the cell.
    """
    k, n, t, _ = words.shape
    size = state.shape[1]
    # relu6(z + 3) / 6 of 1.2 z is the hard sigmoid with the slope 0.2.
    scale = torch.ones(4 * size, device=words.device, dtype=words.dtype)
    scale[: 3 * size] = 1.2
    bias = functional.pad(bias, (0, size)) * scale
    before = torch.baddbmm(bias[:, None], words.flatten(1, 2), inputs * scale).view(k, n, t, -1)
    state = state * scale
    h = c = torch.zeros(k, n, size, device=words.device, dtype=words.dtype)
    steps = before.unbind(2)
    present = mask.to(words.dtype).unbind(-1)
    for step, here in zip(steps, present, strict=True):
        z = torch.baddbmm(step, h, state)
        gates = functional.hardsigmoid(z[..., : 3 * size])
        i, f, o = gates.chunk(3, dim=-1)
        fresh = torch.addcmul(f * c, i, torch.tanh(z[..., 3 * size :]))
        at = here[..., None]
        c = torch.lerp(c, fresh, at)
        h = torch.lerp(h, o * torch.tanh(fresh), at)
    return h


def encode_batches(
    encoding: Encoding,
    weights: dict[str, Tensor],
    table: Tensor,
    words: IntArray,
    lengths: IntArray,
    size: int = 1000,
) -> Float32Array:
    """(K, n, output): sentences by trained weights, those of about the same length together.

    words: (n, t) rows of the tables (K, v, d), of which the first `lengths` are words.
    """
    k, _, d = table.shape
    vectors = np.zeros((k, len(words), encoding.output(d)), np.float32)
    order = np.argsort(lengths, kind="stable")
    with torch.no_grad():
        for low in range(0, len(order), size):
            part = order[low : low + size]
            longest = max(int(lengths[part[-1]]), 1)
            ids = torch.from_numpy(words[part, :longest])
            inside = torch.arange(longest) < torch.from_numpy(lengths[part])[:, None]
            vectors[:, part] = encoding(weights, table[:, ids], inside.to(table.dtype)).numpy()
    return vectors
