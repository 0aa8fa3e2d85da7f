"""A trained ReVal model ready to score text: weights, card, the vectors of its words.

Its folder is what `cupel train reval` writes: `weights.safetensors` and `card.json` (see
`cupel.neural.weights`). The card names the vectors it was trained with; others of the same
dimension may be given in their place.

An ensemble is such a folder too: the tensors of its members are numbered from 0 (`0.head...`), and
its card lists the members under `members`. Its similarity is the mean of theirs, as that of
`weights=A+B+C`, whose signature it shares; words are looked up once for all of them.
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
MEMBERS = "members"
PRESETS = {"taught": "reval-2", "single": "reval", "ensemble": "reval-ensemble"}
"""Models that come with Cupel, and the resources that they are in."""


@dataclass(frozen=True)
class Scorer:
    """A model or the members of an ensemble, the card, and the word vectors that they read."""

    networks: tuple[ReVal, ...]
    card: Mapping[str, Any]
    vectors: Vectors
    unknown: str
    tuned: Mapping[str, npt.NDArray[np.float32]]

    @property
    def checksum(self) -> str:
        """The first 12 digits of the weights' SHA-256; of an ensemble those of its members."""
        return "+".join(str(card["sha256"])[:12] for card in self.card.get(MEMBERS, [self.card]))

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
        each = [np.round(similarities(n.to(device), *pairs), 5) for n in self.networks]
        return each[0] if len(each) == 1 else np.mean(each, axis=0, dtype=np.float32)


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
    networks = tuple(ReVal(design) for _ in card.get(MEMBERS, [None]))
    try:
        for network, own in zip(networks, _parted(tensors, card), strict=True):
            network.load_state_dict(own)
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
    return Scorer(tuple(n.eval() for n in networks), card, opened, unknown, tuned)


def _parted(
    tensors: Mapping[str, torch.Tensor], card: Mapping[str, Any]
) -> list[dict[str, torch.Tensor]]:
    """The tensors of each member; of a model that is no ensemble, its own."""
    if MEMBERS not in card:
        return [dict(tensors)]
    return [
        {
            name.removeprefix(f"{number}."): tensor
            for name, tensor in tensors.items()
            if name.startswith(f"{number}.")
        }
        for number in range(len(card[MEMBERS]))
    ]


def save_ensemble(folder: Path | str, models: Sequence[Path | str], **figures: Any) -> None:
    """Join models that differ in nothing but their training into one folder.

    figures: further entries of the card, in place of the members' own.
    """
    from cupel.neural.weights import load_weights, save_weights

    members = [load_weights(model, KIND) for model in models]
    cards = [card for _, card in members]
    if any(TUNED in tensors for tensors, _ in members) or any(
        card.get(key) != cards[0].get(key)
        for card in cards
        for key in ("model", "vectors", "vectors_digest", "unknown", "heads")
    ):
        raise CupelError(
            "Only models of the same shape, vectors and heads, without tuned vectors, can be joined "
            "into one ensemble: give the others as weights=A+B."
        )
    tensors = {
        f"{number}.{name}": tensor
        for number, (member, _) in enumerate(members)
        for name, tensor in member.items()
    }
    own = ("sha256", "training", "dev")
    left_out = {*own, "format", "kind", "test", "chosen", "command"}
    card = {key: value for key, value in cards[0].items() if key not in left_out}
    listed = [{key: one[key] for key in own if key in one} for one in cards]
    save_weights(folder, KIND, tensors, {**card, MEMBERS: listed, **figures})


def _tuned(
    folder: str, values: torch.Tensor | None, card: Mapping[str, Any]
) -> dict[str, npt.NDArray[np.float32]]:
    words = card.get(TUNED_WORDS, [])
    if (0 if values is None else len(values)) != len(words):
        raise CupelError(f"The card in {folder} does not name the words of its tuned vectors.")
    return {} if values is None else dict(zip(words, values.float().numpy(), strict=True))
