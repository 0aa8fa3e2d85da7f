"""A trained ReVal model ready to score text: weights, card, the vectors of its words.

Its folder is what `cupel train reval` writes: `weights.safetensors` and `card.json` (see
`cupel.neural.weights`). The card names the vectors it was trained with; others of the same
dimension may be given in their place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from cupel.checksums import state_of
from cupel.errors import CupelError
from cupel.text.unknown_words import check_unknown
from cupel.text.vectors import Vectors, open_vectors

if TYPE_CHECKING:
    import torch

    from cupel.learned.reval.model.network import ReVal
    from cupel.syntax.trees import Trees

KIND = "reval"
TUNED, TUNED_WORDS = "vectors", "words"
"""Tuned word vectors among the tensors, and their words in the card."""
PRESETS = {"taught": "reval-2", "single": "reval"}
"""The trained models, and the folders of their weights."""


@dataclass(frozen=True)
class Scorer:
    """A model, its card, and the word vectors that it reads."""

    network: ReVal
    card: Mapping[str, Any]
    vectors: Vectors
    unknown: str
    tuned: Mapping[str, npt.NDArray[np.float32]]

    @property
    def checksum(self) -> str:
        """The first 12 digits of the weights' SHA-256."""
        return str(self.card["sha256"])[:12]

    def matrix(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        """(len(words), dimension): the vector of each word, tuned where the training did so."""
        from cupel.learned.reval.model.words import word_matrix

        matrix = word_matrix(words, self.vectors, self.unknown)
        for row, word in enumerate(words) if self.tuned else ():
            own = self.tuned.get(word)
            if own is not None:
                matrix[row] = own
        return matrix

    def similarities(
        self,
        trees: Trees,
        references: npt.NDArray[np.integer],
        translations: npt.NDArray[np.integer],
        device: torch.device,
    ) -> npt.NDArray[np.float32]:
        """(n,) y-hat, from 1 to 5, of pairs of rows of `trees`.

        To five decimals: what stands beside a sentence in a batch changes the seventh, and would
        decide between equal translations of two systems.
        """
        import torch

        from cupel.learned.reval.model.network import similarities
        from cupel.learned.reval.model.words import forest_of

        forest, words = forest_of(trees)
        vectors = torch.from_numpy(self.matrix(words)).to(device)
        pairs = forest, references, translations, vectors
        return np.round(similarities(self.network.to(device), *pairs), 5)


def open_scorer(folder: Path | str, vectors: str | None = None) -> Scorer:
    """The model in a folder, with other vectors where given; read once."""
    state = tuple(state_of(Path(folder) / name) for name in ("card.json", "weights.safetensors"))
    return _opened(str(folder), vectors, state)


@lru_cache(maxsize=8)
def _opened(folder: str, vectors: str | None, state: object) -> Scorer:
    from cupel.learned.reval.model.network import Design, ReVal
    from cupel.neural.weights import load_weights

    tensors, card = load_weights(folder, KIND)
    tuned = _tuned(folder, tensors.pop(TUNED, None), card)
    design = Design.of(card)
    network = ReVal(design)
    try:
        network.load_state_dict(tensors)
    except RuntimeError as error:
        raise CupelError(
            f"The weights in {folder} are not of the shape that their card describes."
        ) from error
    opened = open_vectors(vectors or str(card.get("vectors", "")))
    dimension = int(opened.matrix.shape[1])
    if dimension != design.dimension:
        raise CupelError(
            f"The vectors {opened.name} have {dimension} dimensions, but the model in {folder} was "
            f"trained with {design.dimension}: give vectors of that dimension, or train another model."
        )
    unknown = str(card.get("unknown", "hash"))
    check_unknown(unknown)
    return Scorer(network.eval(), card, opened, unknown, tuned)


def _tuned(
    folder: str, values: torch.Tensor | None, card: Mapping[str, Any]
) -> dict[str, npt.NDArray[np.float32]]:
    words = card.get(TUNED_WORDS, [])
    if (0 if values is None else len(values)) != len(words):
        raise CupelError(f"The card in {folder} does not name the words of its tuned vectors.")
    return {} if values is None else dict(zip(words, values.float().numpy(), strict=True))
