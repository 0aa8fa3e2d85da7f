"""Features from a pretrained encoder: sentence vectors, and how well contextual vectors match.

`minilm` is the sentence vector of all-MiniLM-L6-v2, of unit length, turned and cut to its main
directions on the training data; `minilm-match` is [P, R, F, cosine]: greedy token matching (see
`cupel.neural.token_match`) over one middle layer, and the cosine of the two sentence vectors;
`minilm-layers` has P, R and F of every layer, then the cosine. The encoder stays as it is, and
comes with the extra `[contextual]`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from cupel.batch import Batch, FloatArray, IntArray
from cupel.learned.nnrk.model.inputs import check_finite
from cupel.neural.packages import check_packages
from cupel.neural.weights import embedded, load_arrays
from cupel.neural.wordpiece import encoder_checksum, find_encoder

if TYPE_CHECKING:
    import torch

    from cupel.corpus import Corpus
    from cupel.neural.encoder import Encoder

LAYER = 4
"""Of the six layers the one whose F agrees best with people on held-out lines of wmt13."""
LAYERS = (1, 2, 3, 4, 5, 6)
CHUNK = 256
"""Items whose sentences are encoded together: what bounds memory."""
PROJECTION = "nnrk-minilm"


def _check() -> None:
    check_packages("The feature 'minilm'", ("torch", "tokenizers"), "contextual")
    find_encoder(None)


@cache
def _encoder() -> Encoder:
    from cupel.neural.encoder import Encoder

    return Encoder.load()


@cache
def _projection() -> tuple[FloatArray, FloatArray, str]:
    arrays, card = load_arrays(embedded(PROJECTION), PROJECTION)
    return (
        arrays["mean"].astype(np.float64),
        arrays["basis"].astype(np.float64),
        str(card["sha256"])[:12],
    )


def _encoder_digest() -> str:
    return encoder_checksum(find_encoder(None))[:12]


def _states(
    sentences: Sequence[str], layers: Sequence[int]
) -> tuple[list[torch.Tensor], torch.Tensor]:
    """Of each sentence (pieces, layers, d) vectors of its pieces, normalised, and its own."""
    import torch
    from torch.nn import functional

    from cupel.neural.encoder import encode

    encoder = _encoder()
    pieces = encoder.tokenize(sentences)
    with torch.no_grad():

        def both(states: list[torch.Tensor]) -> torch.Tensor:
            return torch.cat([*(states[layer] for layer in layers), states[-1]], dim=-1)

        flat, means = encode(encoder, pieces, both)
    size = encoder.config.size
    stacked = flat[:, : len(layers) * size].reshape(len(flat), len(layers), size)
    vectors = functional.normalize(stacked, dim=-1)
    own = functional.normalize(means[:, -size:], dim=-1)
    places = pieces.offsets.tolist()
    return [vectors[low:high] for low, high in pairwise(places)], own


def unit_vectors(sentences: Sequence[str]) -> FloatArray:
    """(s, d): the encoder's sentence vectors, of unit length."""
    rows = [np.zeros((0, _encoder().config.size))]
    for low in range(0, len(sentences), CHUNK):
        rows += [_states(sentences[low : low + CHUNK], ())[1].double().numpy()]
    return np.concatenate(rows)


@dataclass(frozen=True)
class SentenceVector:
    """The analyser sentences -> (s, d): unit sentence vectors on the main directions."""

    def __post_init__(self) -> None:
        _check()

    @property
    def dimension(self) -> int:
        return int(_projection()[1].shape[1])

    def __call__(self, sentences: Sequence[str]) -> FloatArray:
        mean, basis, _ = _projection()
        return np.asarray((unit_vectors(sentences) - mean) @ basis, np.float64)

    def signature(self) -> str:
        return f"minilm[{_encoder_digest()}].{_projection()[2]}"


@dataclass(frozen=True)
class Match:
    """P, R and F of each layer, then the cosine of the sentences, as skip-arc features."""

    layers: tuple[int, ...] = (LAYER,)

    def __post_init__(self) -> None:
        _check()

    @property
    def name(self) -> str:
        return "minilm-match" if len(self.layers) == 1 else "minilm-layers"

    def prepare(self, corpus: Corpus) -> Match:
        return self

    def signature(self) -> str:
        return f"minilm-match.{','.join(map(str, self.layers))}[{_encoder_digest()}]"

    def values(self, batch: Batch) -> FloatArray:
        """(n, 3 layers + 1) of items with one reference each."""
        parts = [self._matched(batch, rows) for rows in _chunks(batch.reference_index)]
        out = np.empty((len(batch), 3 * len(self.layers) + 1))
        if parts:
            out[np.argsort(batch.reference_index, kind="stable")] = np.concatenate(parts)
        return check_finite(self.name, out)

    def _matched(self, batch: Batch, rows: IntArray) -> FloatArray:
        import torch
        from torch.nn.utils.rnn import pad_sequence

        from cupel.neural.token_match import best_matches, f_score, similarities

        pairs = np.stack([batch.hypothesis_index[rows], batch.reference_index[rows]])
        used, places = np.unique(pairs, return_inverse=True)
        vectors, own = _states([batch.sentences[row] for row in used.tolist()], self.layers)
        hypotheses, references = places.reshape(2, -1).tolist()

        def padded(chosen: list[int]) -> tuple[torch.Tensor, torch.Tensor]:
            parts = [vectors[i] for i in chosen]
            lengths = torch.tensor([len(part) for part in parts])
            table = pad_sequence(parts, batch_first=True)
            return table, torch.arange(table.shape[1]) < lengths[:, None]

        columns = []
        with torch.no_grad():
            first, first_mask = padded(hypotheses)
            second, second_mask = padded(references)
            for layer in range(len(self.layers)):
                cosines = similarities(first[:, :, layer], second[:, :, layer])
                matches = best_matches(cosines, first_mask, second_mask)
                precision, recall = (
                    values.sum(1) / mask.sum(1).clamp_min(1)
                    for values, mask in zip(matches, (first_mask, second_mask), strict=True)
                )
                columns += [precision, recall, f_score(precision, recall)]
            columns.append((own[hypotheses] * own[references]).sum(1))
        table: FloatArray = torch.stack(columns, 1).double().numpy()
        return table


def _chunks(reference: IntArray) -> Iterator[IntArray]:
    """Items in the order of their references, so that neighbours share one."""
    order = np.argsort(reference, kind="stable")
    for low in range(0, len(order), CHUNK):
        yield order[low : low + CHUNK]
