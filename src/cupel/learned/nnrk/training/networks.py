"""K networks side by side in PyTorch, to be trained together: weights and outputs.

They are networks of `cupel.learned.nnrk.model.network`, with a leading dimension K. A sentence's x
are fixed vectors or, with an encoder (sections 5.6 and 5.7), [encoder(words), fixed vectors]. The
words' vectors E may be learned too: `fixed`, `moderate` (a penalty on E - E0 holds them near their
start) or `full` (held by weight decay alone). What is composed on the fly is not normalised.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from cupel.arrays import Float32Array
from cupel.learned.nnrk.model.composition import Encoding
from cupel.learned.nnrk.model.network import Array, Design, Network
from cupel.learned.nnrk.training.settings import EncoderSettings

PARTS = 3
"""Short, middling and long sentences are encoded apart, for their padding costs time."""
TABLE = "table"
"""The name of the words' vectors among the weights."""
NO_VECTORS: Float32Array = np.zeros((0, 0), np.float32)


@dataclass(frozen=True)
class Sentences:
    """Translations and references, one a row.

    fixed    (n, f) vectors
    psi      (n, F) skip-arc features of translations; those of references mean nothing
    words    (n, t) rows of the words' vectors, of which the first `lengths` (n,) are words; row 0 is
             that of unknown words. None without an encoder.
    """

    fixed: Tensor
    psi: Tensor
    words: Tensor | None = None
    lengths: Tensor | None = None


class Networks:
    """K networks over the same sentences: weights with a leading K, and their outputs.

    seeds    one for each network: of its start, and (`random`) of the order of its examples
    dropout  share of the numbers of x left out in training; with an encoder, of words and units
    vectors  (v, d) where the words' vectors start
    """

    def __init__(
        self,
        sentences: Sentences,
        design: Design,
        seeds: Sequence[int],
        dropout: float = 0.0,
        encoder: EncoderSettings | None = None,
        vectors: Float32Array = NO_VECTORS,
    ) -> None:
        self.sentences, self.design, self.dropout = sentences, design, dropout
        self.encoder, e = encoder, encoder
        self.encoding = Encoding(e.kind, e.units, e.filter, e.pool) if e else None
        self.device = sentences.fixed.device
        self.fixed, self.arcs = sentences.fixed.shape[1], 2 * sentences.psi.shape[1]
        self.own = self.encoding.output(vectors.shape[1]) if self.encoding else 0
        self.size = self.own + self.fixed
        self.units = design.units(self.size)
        self.mask = torch.from_numpy(design.mask(self.size)).to(self.device)
        self.random = [np.random.default_rng(seed) for seed in seeds]
        starts = [self._start(random, vectors) for random in self.random]
        self.weights: dict[str, Tensor] = {}
        for name in starts[0]:
            weights = torch.from_numpy(np.stack([start[name] for start in starts]))
            tuned = name != TABLE or encoder is None or encoder.word_vectors != "fixed"
            self.weights[name] = weights.to(self.device).requires_grad_(tuned)
        moderate = encoder is not None and encoder.word_vectors == "moderate"
        self.moderate_start = self.weights[TABLE].detach().clone() if moderate else None

    def __len__(self) -> int:
        return len(self.random)

    def _start(self, random: np.random.Generator, vectors: Float32Array) -> dict[str, Float32Array]:
        """Glorot's uniform start: weights within sqrt(6 / (inputs + outputs)), biases 0."""

        def uniform(inputs: int, outputs: int, *shape: int) -> Float32Array:
            bound = math.sqrt(6 / max(inputs + outputs, 1))
            return random.uniform(-bound, bound, shape).astype(np.float32)

        size, units, pairwise = self.size, self.units, self.design.architecture == "pairwise"
        arcs = self.arcs + (0 if units else 3 * size)
        group = (2 * size, self.design.hidden) if pairwise else (3 * size, units)
        start = {}
        if units:
            hidden = uniform(*group, 3 * size, units) * self.design.mask(size)
            start = {"hidden": hidden, "output": uniform(units + arcs, 1, units, 1)}
            start["hidden-bias"] = np.zeros((1, units), np.float32)
        start |= {
            "skip": uniform(units + arcs, 1, arcs, 1),
            "output-bias": np.zeros((1, 1), np.float32),
        }
        if self.encoder is None or self.encoding is None:
            return start
        for name, shape in self.encoding.shapes(vectors.shape[1]).items():
            zero = name.endswith("bias")
            start[name] = np.zeros(shape, np.float32) if zero else uniform(*shape[-2:], *shape)
        drawn = self.encoder.initial == "random"
        table = random.standard_normal(vectors.shape) * vectors.std() if drawn else vectors
        return start | {TABLE: table.astype(np.float32)}

    def inputs(self, rows: Tensor, training: bool = False) -> tuple[Tensor, Tensor]:
        """x (K, n, 3, size) and psi (K, n, 2, F) of two translations and a reference each.

        rows: (K, n, 3) of sentences.
        """
        x = self.vectors(rows.flatten(1), training).view(*rows.shape, self.size)
        return x, self.sentences.psi[rows[..., :2]]

    def vectors(self, rows: Tensor, training: bool = False) -> Tensor:
        """(K, n, size): x of the sentences of these rows (K, n)."""
        fixed = self.sentences.fixed[rows]
        if self.encoding is None:
            return self._dropped(fixed) if training else fixed
        return torch.cat([self._encoded(rows, training), fixed], dim=-1)

    def _encoded(self, rows: Tensor, training: bool) -> Tensor:
        """(K, n, own): what the encoder makes of the words."""
        words, lengths = self.sentences.words, self.sentences.lengths
        assert words is not None
        assert lengths is not None
        if rows.is_cuda and training:  # a recorded step has to have the same shapes every time
            return self._composed(words[rows], lengths[rows], training)
        order = lengths[rows].argsort(dim=1)
        parts = []
        for part in order.chunk(PARTS, dim=1):
            some = rows.gather(1, part)
            longest = max(int(lengths[some].max()), 1)
            parts.append(self._composed(words[some, :longest], lengths[some], training))
        back = order.argsort(dim=1)[..., None].expand(-1, -1, self.own)
        return torch.cat(parts, dim=1).gather(1, back)

    def _composed(self, ids: Tensor, lengths: Tensor, training: bool) -> Tensor:
        assert self.encoding is not None
        k, vocabulary, d = self.weights[TABLE].shape
        shift = (torch.arange(k, device=ids.device) * vocabulary)[:, None, None]
        words = functional.embedding(ids + shift, self.weights[TABLE].view(k * vocabulary, d))
        if training:
            words = self._dropped(words)
        places = torch.arange(ids.shape[-1], device=ids.device)
        mask = (places < lengths[..., None]).to(words.dtype)
        return self.encoding(self.weights, words, mask)

    def logits(self, x: Tensor, psi: Tensor, training: bool = False) -> Tensor:
        """(K, n): the output before the sigmoid, of what `inputs` gives."""
        w, wide, arcs = self.weights, x.flatten(2), psi.flatten(2)
        if not self.units:
            direct = torch.cat([wide, arcs], dim=-1)
            return torch.baddbmm(w["output-bias"], direct, w["skip"])[..., 0]
        units = torch.tanh(torch.baddbmm(w["hidden-bias"], wide, w["hidden"]))
        if training and self.encoding is not None:
            units = self._dropped(units)
        skipped = torch.baddbmm(w["output-bias"], arcs, w["skip"])
        return torch.baddbmm(skipped, units, w["output"])[..., 0]

    def _dropped(self, values: Tensor) -> Tensor:
        if not self.dropout:
            return values
        kept = (torch.rand_like(values) >= self.dropout).to(values.dtype)
        return values * kept / (1 - self.dropout)

    def joined(self) -> Network:
        """The K networks as one, whose output before the sigmoid is the mean of theirs.

        Its x is [what each of the K encodes, fixed vectors]; hidden units stand side by side, each
        with its share of the output's weight.
        """
        w = {name: tensor.detach().cpu().numpy() for name, tensor in self.weights.items()}
        k, own, units = len(self), self.own, self.units
        size = k * own + self.fixed
        hidden = np.zeros((3 * size, k * units), np.float32)
        skip = np.zeros((0 if units else 3 * size) + self.arcs, np.float32)
        if self.arcs:
            skip[-self.arcs :] = w["skip"][:, -self.arcs :, 0].mean(0)
        for n in range(k):
            # Where the vectors of network n are among those of all.
            places = np.append(n * own + np.arange(own), k * own + np.arange(self.fixed))
            rows = np.concatenate([side * size + places for side in range(3)])
            if units:
                hidden[rows, n * units : (n + 1) * units] = w["hidden"][n]
            else:
                skip[rows] += w["skip"][n, : 3 * self.size, 0] / k
        return Network(
            hidden,
            w["hidden-bias"].reshape(-1) if units else np.zeros(0, np.float32),
            (w["output"] / k).reshape(-1) if units else np.zeros(0, np.float32),
            skip,
            w["output-bias"].mean(0).reshape(1),
        )

    def encoder_arrays(self) -> dict[str, Array]:
        """The weights of the encoder and its words' vectors, as its model keeps them."""
        assert self.encoding is not None
        names = [*self.encoding.shapes(self.weights[TABLE].shape[2]), TABLE]
        return {name: self.weights[name].detach().cpu().numpy() for name in names}
