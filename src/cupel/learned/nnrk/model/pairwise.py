"""The pairwise network over sentences encoded on the fly (NNRK, sections 5.6 and 5.7), K at once.

As the basic network, but x is [encoder(words), fixed vectors], and the words' vectors E may be
learned too: `fixed`, `moderate` (a penalty on E - E0 holds them near their start) or `full` (held
by L2 alone). There is no min-max normalisation of what is composed on the fly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from cupel.arrays import Float32Array, IntArray
from cupel.learned.nnrk.model.sentence_encoders import Encoding

TUNINGS = ("fixed", "moderate", "full")
PARTS = 3
"""Short, middling and long sentences are encoded apart, for their padding costs time."""


@dataclass(frozen=True)
class Variant:
    """One of the K networks: its seed, and what may differ between them."""

    seed: int = 12345
    dropout: float = 0.0  # of word vectors and hidden units
    tuning: str = "full"
    pretrained: bool = True


@dataclass(frozen=True)
class Sentences:
    """Word numbers (n, t) padded with 0, and fixed vectors (n, f) beside what is encoded.

    Row 0 of the words' vectors is that of unknown words; what it is does not matter to padding.
    """

    words: Tensor
    lengths: Tensor
    fixed: Tensor

    def mask(self, rows: Tensor) -> Tensor:
        places = torch.arange(self.words.shape[1], device=rows.device)
        return (places < self.lengths[rows][:, None]).to(self.fixed.dtype)


class Pairwise:
    """K networks: weights with a leading K, and their forward pass."""

    def __init__(
        self,
        encoding: Encoding,
        variants: Sequence[Variant],
        vectors: Float32Array,
        fixed: int,
        arcs: int,
        hidden: int = 4,
        device: str | torch.device = "cpu",
    ) -> None:
        self.encoding, self.variants, self.hidden = encoding, tuple(variants), hidden
        self.size = encoding.output(vectors.shape[1]) + fixed
        shapes = encoding.shapes(vectors.shape[1]) | {
            "hidden": (3, 2 * self.size, hidden),
            "hidden-bias": (3, hidden),
            "output": (3 * hidden + 2 * arcs,),
            "output-bias": (),
        }
        self.weights: dict[str, Tensor] = {}
        generators = [torch.Generator().manual_seed(v.seed) for v in variants]
        for name, shape in shapes.items():
            starts = [_glorot(name, shape, generator) for generator in generators]
            self.weights[name] = torch.stack(starts).to(device).requires_grad_()
        start = torch.from_numpy(np.asarray(vectors, np.float32))
        spread = float(start.std())
        tables = [
            start if variant.pretrained else torch.randn(start.shape, generator=generator) * spread
            for variant, generator in zip(variants, generators, strict=True)
        ]
        self.start = torch.stack(tables).to(device)
        self.table = self.start.clone().requires_grad_()
        self.rates = torch.tensor([v.dropout for v in variants], device=device)
        self.device = device

    def encoded(self, sentences: Sentences, rows: Tensor, training: bool) -> Tensor:
        """(K, n, size): x of these sentences."""
        if rows.is_cuda and training:  # a recorded step has to have the same shapes every time
            return self._encoded(sentences, rows, sentences.words.shape[1], training)
        lengths = sentences.lengths[rows]
        order = torch.argsort(lengths)
        parts = [
            self._encoded(sentences, rows[part], max(int(lengths[part[-1]]), 1), training)
            for part in order.chunk(PARTS)
            if len(part)
        ]
        return torch.cat(parts, dim=1)[:, torch.argsort(order)]

    def _encoded(self, sentences: Sentences, rows: Tensor, longest: int, training: bool) -> Tensor:
        """The same of sentences of at most so many words."""
        k, vocabulary, d = self.table.shape
        ids = sentences.words[rows, :longest]
        shift = (torch.arange(k, device=ids.device) * vocabulary)[:, None, None]
        words = functional.embedding(ids[None] + shift, self.table.view(k * vocabulary, d))
        if training:
            words = self._dropped(words)
        x = self.encoding(self.weights, words, sentences.mask(rows)[:, :longest])
        fixed = sentences.fixed[rows]
        return torch.cat([x, fixed[None].expand(k, -1, -1)], dim=-1)

    def logits(
        self, x1: Tensor, x2: Tensor, r: Tensor, psi1: Tensor, psi2: Tensor, training: bool = False
    ) -> Tensor:
        """(K, n): the output before the sigmoid, of (K, n, size) vectors and (n, F) features."""
        w = self.weights
        groups = ((x1, x2), (x1, r), (x2, r))
        units = [
            torch.tanh(
                torch.baddbmm(w["hidden-bias"][:, g, None], torch.cat(pair, -1), w["hidden"][:, g])
            )
            for g, pair in enumerate(groups)
        ]
        h = torch.cat(units, dim=-1)
        if training:
            h = self._dropped(h)
        psi = torch.cat([psi1, psi2], dim=-1)[None].expand(len(h), -1, -1)
        inputs = torch.cat([h, psi], dim=-1)
        weights = w["output"][..., None]
        z: Tensor = torch.baddbmm(w["output-bias"][:, None, None], inputs, weights)[..., 0]
        return z

    def _dropped(self, values: Tensor) -> Tensor:
        if not any(variant.dropout for variant in self.variants):
            return values
        rates = self.rates.view(-1, *[1] * (values.ndim - 1))
        kept = (torch.rand_like(values) >= rates).to(values.dtype)
        dropped: Tensor = values * kept / (1 - rates)
        return dropped


def encode_batches(
    encoding: Encoding,
    weights: dict[str, Tensor],
    table: Tensor,
    words: IntArray,
    lengths: IntArray,
    size: int = 1000,
) -> Float32Array:
    """(K, n, output): sentences by trained weights, those of about the same length together.

    words: (n, t) rows of the tables (K, v, d), `lengths` of them real.
    """
    k, _, d = table.shape
    found = np.zeros((k, len(words), encoding.output(d)), np.float32)
    order = np.argsort(lengths, kind="stable")
    with torch.no_grad():
        for low in range(0, len(order), size):
            part = order[low : low + size]
            longest = max(int(lengths[part[-1]]), 1)
            ids = torch.from_numpy(words[part, :longest])
            mask = (torch.arange(longest) < torch.from_numpy(lengths[part])[:, None]).to(
                table.dtype
            )
            found[:, part] = encoding(weights, table[:, ids], mask).numpy()
    return found


def _glorot(name: str, shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
    if name.endswith("bias"):
        return torch.zeros(shape)
    fans = shape[-2] + shape[-1] if len(shape) > 1 else shape[0] + 1
    bound = math.sqrt(6 / fans)
    return (torch.rand(shape, generator=generator) * 2 - 1) * bound
