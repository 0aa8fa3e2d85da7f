"""ReVal's model: an encoder for both sides and a similarity head (Gupta et al. 2015, section 4).

It reads prepared arrays only: trees whose nodes are rows of a matrix of word vectors, and pairs of
trees; `cupel.learned.reval.model.words` makes them of text. Head and cost are equations 2 and 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from cupel.arrays import Float32Array, IntArray
from cupel.errors import CupelError
from cupel.learned.reval.model.encoder import CELLS, Encoder
from cupel.learned.reval.model.forest import Forest
from cupel.questions.train_reval import RevalShape

Floats = npt.NDArray[np.floating]
CLASSES = 5
"""K: similarities go from 1 to 5."""
CHUNK = {"cpu": 1024, "cuda": 16384}
"""Sentences encoded at once when scoring."""
_PAIRS = 1 << 16
"""Pairs of encoded sentences compared at once."""


@dataclass(frozen=True)
class Design(RevalShape):
    """The shape of a model.

    cell         tree-lstm, lstm or bilstm
    memory       the size of a node's state; the paper's 150 or 300
    hidden       the size of the similarity head's layer; the paper's 50 or 100
    dimension    the word vectors'
    output_gate  equation 1 as printed; the authors' code has none
    projection   the size to which a learned layer takes word vectors first; 0 is none
    """

    cell: str = "tree-lstm"
    dimension: int = 50

    def __post_init__(self) -> None:
        if self.cell not in CELLS:
            raise CupelError(f"There is no cell {self.cell!r}; there are {', '.join(CELLS)}.")
        for name in ("memory", "hidden", "dimension"):
            if getattr(self, name) < 1:
                raise CupelError(f"The {name} of a model must be 1 or more.")

    @classmethod
    def of(cls, card: Mapping[str, Any]) -> Design:
        """The design that a card holds under `model`."""
        names = {field.name for field in fields(cls)}
        given = card.get("model", {})
        if not isinstance(given, dict) or set(given) != names:
            raise CupelError("The card does not say of what shape the model is.")
        return cls(**given)

    def record(self) -> dict[str, Any]:
        """The design as a card keeps it."""
        return asdict(self)


class SimilarityHead(nn.Module):
    """Equation 2: two sentence vectors -> log probabilities of the similarities 1 to K.

    h_s = sigmoid(W_x (h_ref * h_tra) + W_+ |h_ref - h_tra| + b),  p = softmax(W_p h_s + b_p)
    """

    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__()
        self.of_product = nn.Linear(inputs, hidden)
        self.of_distance = nn.Linear(inputs, hidden, bias=False)
        self.classes = nn.Linear(hidden, CLASSES)

    def forward(self, reference: Tensor, translation: Tensor) -> Tensor:
        product = self.of_product(reference * translation)
        distance = self.of_distance((reference - translation).abs())
        return torch.log_softmax(self.classes(torch.sigmoid(product + distance)), dim=-1)


def expected(log_probabilities: Tensor) -> Tensor:
    """y-hat = r^T p with r = [1 2 ... K]."""
    values = torch.arange(1, CLASSES + 1, device=log_probabilities.device)
    return log_probabilities.exp() @ values.to(log_probabilities.dtype)


def targets(similarity: Tensor) -> Tensor:
    """(n,) y from 1 to K -> (n, K) the sparse distribution with r^T p = y.

    >>> targets(torch.tensor([2.7])).round(decimals=3)
    tensor([[0.0000, 0.3000, 0.7000, 0.0000, 0.0000]])
    """
    values = torch.arange(1, CLASSES + 1, device=similarity.device, dtype=similarity.dtype)
    return (1 - (similarity[:, None] - values).abs()).clamp(min=0)


def divergence(log_probabilities: Tensor, similarity: Tensor) -> Tensor:
    """The data term of equation 3: the mean of KL(p || p-hat)."""
    distribution = targets(similarity)
    return nn.functional.kl_div(log_probabilities, distribution, reduction="batchmean")


class ReVal(nn.Module):
    """Pairs of trees -> log probabilities of the similarities 1 to 5."""

    def __init__(self, design: Design) -> None:
        super().__init__()
        self.design = design
        inputs = design.projection or design.dimension
        self.projection = nn.Linear(design.dimension, inputs) if design.projection else None
        self.encoder = Encoder(design.cell, inputs, design.memory, design.output_gate)
        self.head = SimilarityHead(self.encoder.size, design.hidden)

    @property
    def compositional_parameters(self) -> int:
        """How many numbers the encoder learns; the paper's 203,400 and 541,800."""
        return sum(parameter.numel() for parameter in self.encoder.parameters())

    def encode(
        self,
        views: list[Forest],
        rows: npt.NDArray[np.integer],
        vectors: Tensor,
        noise: Callable[[Tensor], Tensor] | None = None,
    ) -> Tensor:
        """(len(rows), size): the trees of those rows; vectors: (words, dimension).

        noise: what a training does to the vectors of the words before they are read.
        """

        def look(words: IntArray) -> Tensor:
            rows = torch.from_numpy(words).to(vectors.device)
            x = nn.functional.embedding(rows, vectors, sparse=vectors.requires_grad)
            x = x if noise is None else noise(x)
            return x if self.projection is None else torch.tanh(self.projection(x))

        states: Tensor = self.encoder(views, rows, look)
        return states

    def forward(
        self,
        views: list[Forest],
        references: npt.NDArray[np.integer],
        translations: npt.NDArray[np.integer],
        vectors: Tensor,
    ) -> Tensor:
        """(n, K) for n pairs of rows; a tree that occurs twice is encoded once."""
        rows, places = np.unique(np.concatenate([references, translations]), return_inverse=True)
        states = self.encode(views, rows, vectors)
        picked = states[torch.from_numpy(places).to(states.device)]
        n = len(references)
        log_probabilities: Tensor = self.head(picked[:n], picked[n:])
        return log_probabilities


@torch.inference_mode()
def similarities(
    model: ReVal,
    forest: Forest,
    references: npt.NDArray[np.integer],
    translations: npt.NDArray[np.integer],
    vectors: Tensor,
    chunk: int | None = None,
) -> Float32Array:
    """(n,) y-hat, from 1 to 5, of each pair of trees.

    Every distinct tree is encoded once. Trees of one depth go together, so that no level of a
    chunk is nearly empty.
    """
    device = vectors.device
    views = model.encoder.views(forest)
    rows, places = np.unique(np.concatenate([references, translations]), return_inverse=True)
    order = np.argsort(_tree_depths(views[0])[rows], kind="stable")
    states = torch.empty(len(rows), model.encoder.size, device=device, dtype=vectors.dtype)
    step = chunk or CHUNK.get(device.type, 1024)
    for start in range(0, len(rows), step):
        some = order[start : start + step]
        states[torch.from_numpy(some).to(device)] = model.encode(views, rows[some], vectors)
    first, second = torch.from_numpy(places).to(device).reshape(2, -1)
    means = torch.empty(len(references), device=device)
    for start in range(0, len(references), _PAIRS):
        part = slice(start, start + _PAIRS)
        means[part] = expected(model.head(states[first[part]], states[second[part]]))
    result: Float32Array = means.cpu().numpy()
    return result


def _tree_depths(forest: Forest) -> IntArray:
    """(n,) the levels of each tree; 0 for an empty one."""
    depths = np.zeros(len(forest), np.int64)
    full = forest.lengths > 0
    if full.any():
        depths[full] = np.maximum.reduceat(forest.depths, forest.offsets[:-1][full]) + 1
    return depths
