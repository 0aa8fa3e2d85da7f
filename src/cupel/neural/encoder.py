"""A pretrained BERT-like encoder in plain PyTorch: from word pieces to contextual vectors.

The forward pass of Devlin et al. (2019): embeddings of pieces, positions and segment type; then
layers of self-attention and a feed-forward step, each added to its input and normalised. What is
different in MPNet and DeBERTa is in `cupel.neural.mpnet` and `cupel.neural.deberta`. Weights come from a folder in HuggingFace's layout
(see `cupel.neural.wordpiece`); hidden states equal those of `transformers`, whose import and loading of
MiniLM take 2.9 s of processor time where this takes .2 s, and 600 sentences 6.2 s where these take 5.8. Sentences run in batches
of about equal length, a long one in windows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from cupel.arrays import BoolArray, IntArray
from cupel.errors import CupelError
from cupel.neural.deberta import Distances, attended
from cupel.neural.dropout import dropped
from cupel.neural.encoder_files import ACTIVATIONS, Config, own_names, read_tensors
from cupel.neural.mpnet import RelativePositions
from cupel.neural.wordpiece import (
    MODEL,
    Pieces,
    WordPieces,
    find_encoder,
)

__all__ = [
    "Config",
    "Encoder",
    "Pieces",
    "Windows",
    "cut_windows",
    "encode",
    "find_encoder",
    "padded",
    "windows",
]


OVERLAP = 0.25
"""The part of a window that it shares with the next, where a sentence needs several."""


class Layer(nn.Module):
    """One layer: x = norm(x + attention(x)), then x = norm(x + down(activation(up(x))))."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        size = config.size
        self.heads, self.activation = config.heads, ACTIVATIONS[config.activation]
        self.projections = nn.Linear(size, 3 * size)  # queries, keys and values in one product
        self.output = nn.Linear(size, size)
        self.attention_norm = nn.LayerNorm(size, config.epsilon)
        self.up = nn.Linear(size, config.inner)
        self.down = nn.Linear(config.inner, size)
        self.norm = nn.LayerNorm(size, config.epsilon)

    def forward(
        self, x: Tensor, mask: Tensor | None, dropout: float, distances: Tensor | None = None
    ) -> Tensor:
        mixed = self.output(self.mixed(self.projections(x), mask, dropout, distances))
        x = self.attention_norm(x + self._dropped(mixed, dropout))
        inner = self.down(self.activation(self.up(x)))
        normed: Tensor = self.norm(x + self._dropped(inner, dropout))
        return normed

    def mixed(
        self, projected: Tensor, mask: Tensor | None, dropout: float, distances: Tensor | None
    ) -> Tensor:
        """(b, t, 3 size) queries, keys and values -> (b, t, size), mixed by attention."""
        if distances is not None:
            return attended(projected, self._apart(distances), mask)
        b, t, size = projected.shape
        parts = projected.view(b, t, 3, self.heads, size // (3 * self.heads))
        queries, keys, values = parts.permute(2, 0, 3, 1, 4)
        if mask is not None and mask.is_floating_point():
            mask = mask.to(queries.dtype)
        mixed = functional.scaled_dot_product_attention(
            queries, keys, values, mask, dropout if self.training else 0.0
        )
        return mixed.transpose(1, 2).reshape(b, t, size // 3)

    def _apart(self, distances: Tensor) -> Tensor:
        """(2, heads, distances, size of a head): queries and keys of distances, as of pieces."""
        both = 2 * distances.shape[-1]
        weight, bias = self.projections.weight[:both], self.projections.bias[:both]
        projected = functional.linear(distances, weight, bias)
        return projected.view(len(distances), 2, self.heads, -1).permute(1, 2, 0, 3)

    def _dropped(self, x: Tensor, dropout: float) -> Tensor:
        return dropped(x, dropout) if dropout and self.training else x


class Encoder(nn.Module):
    """`encoder(ids, mask)` gives the hidden states: the embeddings', then one per layer.

    dropout  used in training mode only; 0 unless set
    pieces   the tokenizer, where it was loaded from a folder
    """

    def __init__(self, config: Config, pieces: WordPieces | None = None) -> None:
        super().__init__()
        self.config, self.pieces = config, pieces
        self.dropout = 0.0
        size = config.size
        self.words = nn.Embedding(config.vocabulary, size)
        places = 0 if config.span else config.positions + config.first_position
        self.places = nn.Embedding(places, size)
        self.types = nn.Embedding(config.types, size)
        self.embedding_norm = nn.LayerNorm(size, config.epsilon)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.layers))
        self.relative = RelativePositions(config.buckets, config.heads) if config.buckets else None
        self.distances = Distances(config.span, size, config.epsilon) if config.span else None

    @classmethod
    def load(cls, folder: Path | str | None = None, layers: int | None = None) -> Encoder:
        """The encoder of a folder, in evaluation mode; only its first layers where `layers` is given."""
        place = find_encoder(folder)
        config = Config.read(place)
        if layers is not None:
            if not 0 < layers <= config.layers:
                raise CupelError(
                    f"{place} has {config.layers} layers: {layers} cannot be taken from it."
                )
            config = Config(**{**vars(config), "layers": layers})
        encoder = cls(config, WordPieces.load(place))
        encoder.load_state_dict(own_names(read_tensors(place / MODEL), config, place))
        return encoder.eval()

    @property
    def special(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The pieces that stand before and after every sentence."""
        return self._pieces.before, self._pieces.after

    @property
    def window(self) -> int:
        """How many pieces of a sentence the encoder sees at once, beside the special ones."""
        before, after = self.special
        return self.config.positions - len(before) - len(after)

    @property
    def _pieces(self) -> WordPieces:
        if self.pieces is None:
            raise CupelError("This encoder has no tokenizer: load it from a folder that has one.")
        return self.pieces

    def tokenize(self, sentences: Sequence[str]) -> Pieces:
        """The word pieces of sentences, without the special ones."""
        return self._pieces(sentences)

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor | None = None) -> list[Tensor]:
        """(b, t) piece numbers, and True where there is one -> layers + 1 times (b, t, size).

        types: (b, t) which of two sentences a piece is of; 0 throughout where there are none.
        """
        kind = self.types.weight[0] if types is None else self.types(types)
        x = self.words(ids)
        if self.distances is None:
            places = torch.arange(ids.shape[1], device=ids.device) + self.config.first_position
            x = x + self.places(places)
        x = self.embedding_norm(x + kind)
        if self.dropout and self.training:
            x = dropped(x, self.dropout)
        states = [x]
        # Without a mask attention is faster; on a GPU, asking would wait for it.
        whole = mask.device.type == "cpu" and bool(mask.all())
        seen = None if whole else mask[:, None, None, :]
        if self.relative is not None:
            seen = self.relative(ids.shape[1], seen)
        distances = None if self.distances is None else self.distances(ids.shape[1])
        for layer in self.layers:
            states.append(layer(states[-1], seen, self.dropout, distances))
        return states

    def encode_batches(self, pieces: Pieces, tokens: int = 4096) -> Iterator[Windows]:
        """Sentences in batches of about equal length, of at most so many pieces with padding.

        Below float32 a batch has one length: padding changes last digits, which rounding would
        enlarge, and a score must not depend on what else is in the batch.
        """
        exact = self.words.weight.dtype != torch.float32
        return windows(pieces, *self.special, self.window, tokens, self.config.padding, exact)


@dataclass(frozen=True)
class Windows:
    """A padded batch: rows are sentences, or windows of long ones.

    ids, mask  (b, t)  with the special pieces
    sentence   (b,)    which sentence the row is of
    source     (k,)    places in the flattened batch of the pieces that are kept
    target     (k,)    their places in `Pieces.ids`
    """

    ids: IntArray
    mask: BoolArray
    sentence: IntArray
    source: IntArray
    target: IntArray


def windows(
    pieces: Pieces,
    before: tuple[int, ...],
    after: tuple[int, ...],
    window: int,
    tokens: int,
    padding: int = 0,
    exact: bool = False,
) -> Iterator[Windows]:
    """Batches by length, longest first. Each piece is kept from the window that it is deepest in.

    exact: no padding, only sentences of one length in a batch.
    """
    sentence, start, length, first, last = cut_windows(pieces.lengths, window)
    order = np.argsort(-length, kind="stable")
    extra = len(before) + len(after)
    at = 0
    while at < len(order):
        width = int(length[order[at]]) + extra
        rows = order[at : at + max(1, tokens // width)]
        if exact:
            rows = rows[length[rows] == length[rows[0]]]
        at += len(rows)
        ids = np.full((len(rows), width), padding, np.int64)
        columns = np.arange(width)
        inside = columns - len(before)
        own = (inside >= 0) & (inside < length[rows, None])
        places = (pieces.offsets[sentence[rows]] + start[rows])[:, None] + inside
        ids[own] = pieces.ids[places[own]]
        for column, number in enumerate(before):
            ids[:, column] = number
        for column, number in enumerate(after):
            ids[np.arange(len(rows)), len(before) + length[rows] + column] = number
        kept = own & (inside >= first[rows, None]) & (inside < last[rows, None])
        yield Windows(
            ids,
            columns < length[rows, None] + extra,
            sentence[rows],
            np.flatnonzero(kept),
            places[kept],
        )


def padded(
    pieces: Pieces, before: tuple[int, ...], after: tuple[int, ...], longest: int
) -> tuple[IntArray, BoolArray, BoolArray]:
    """Sentences as one batch, in their order, of each at most its first `longest` pieces.

    (n, t) numbers with the special pieces; True where there is one; where it is not a special one.
    """
    lengths = np.minimum(pieces.lengths, longest)
    columns = np.arange(int(lengths.max(initial=0)) + len(before) + len(after))
    own = (columns >= len(before)) & (columns < len(before) + lengths[:, None])
    ids = np.zeros(own.shape, np.int64)
    places = pieces.offsets[:-1, None] + columns - len(before)
    ids[own] = pieces.ids[places[own]]
    for column, number in enumerate(before):
        ids[:, column] = number
    for column, number in enumerate(after, len(before)):
        ids[np.arange(len(ids)), lengths + column] = number
    return ids, columns < lengths[:, None] + len(before) + len(after), own


def encode(
    encoder: Encoder,
    pieces: Pieces,
    mix: Callable[[list[Tensor]], Tensor],
    device: torch.device | str = "cpu",
    tokens: int = 4096,
) -> tuple[Tensor, Tensor]:
    """Vectors of all pieces (pieces, d), and of all sentences (n, d), the mean of their pieces.

    mix: hidden states -> one state (b, t, d). The mean is over the special pieces too, so that
    also an empty sentence has one.
    """
    vectors: Tensor | None = None
    sums: Tensor | None = None
    counts = torch.zeros(len(pieces), device=device)
    for batch in encoder.encode_batches(pieces, tokens):
        ids, mask = torch.from_numpy(batch.ids), torch.from_numpy(batch.mask)
        ids, mask = ids.to(device, non_blocking=True), mask.to(device, non_blocking=True)
        state = mix(encoder(ids, mask)).float()
        if vectors is None or sums is None:
            vectors = torch.zeros(len(pieces.ids), state.shape[-1], device=device)
            sums = torch.zeros(len(pieces), state.shape[-1], device=device)
        source, target, sentence = (
            torch.from_numpy(array).to(device)
            for array in (batch.source, batch.target, batch.sentence)
        )
        vectors[target] = state.flatten(0, 1)[source]
        sums.index_add_(0, sentence, (state * mask[..., None]).sum(1))
        counts.index_add_(0, sentence, mask.sum(1).float())
    if vectors is None or sums is None:
        empty = torch.zeros(0, encoder.config.size, device=device)
        return empty, empty
    return vectors, sums / counts[:, None]


def cut_windows(
    lengths: IntArray, window: int
) -> tuple[IntArray, IntArray, IntArray, IntArray, IntArray]:
    """Windows of all sentences: sentence, start, length, and which of its pieces are kept."""
    fits = lengths <= window
    whole = np.flatnonzero(fits)
    nothing = np.zeros_like(whole)
    rows = [np.stack([whole, nothing, lengths[whole], nothing, lengths[whole]])]
    overlap = max(1, int(window * OVERLAP)) if window > 1 else 0
    for sentence in np.flatnonzero(~fits).tolist():
        count = int(np.ceil((lengths[sentence] - overlap) / (window - overlap)))
        start = np.linspace(0, lengths[sentence] - window, count).round().astype(np.int64)
        # Two windows part their common pieces in the middle.
        middle = (start[1:] + start[:-1] + window) // 2
        first = np.concatenate([[0], middle]) - start
        last = np.concatenate([middle, [lengths[sentence]]]) - start
        rows.append(
            np.stack(
                [np.full_like(start, sentence), start, np.full_like(start, window), first, last]
            )
        )
    sentence, start, length, first, last = np.concatenate(rows, axis=1)
    return sentence, start, length, first, last
