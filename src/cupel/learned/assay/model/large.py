"""The large reader of assay: a language model that reads a reference, a translation, and then judges.

It reads "Reference: ...", "Translation: ...", "Quality score:", a line each. The vector x of the last
piece, divided by its root mean square, gives

    s = v . tanh(W x + b) + c

What training changed of the language model's matrices is stored at low rank (`cupel.neural.qwen`).
Translations of one reference share what is read before them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from cupel.arrays import FloatArray, Int32Array, IntArray
from cupel.errors import CupelError
from cupel.learned.assay.model.joint import Joint, is_long
from cupel.learned.assay.model.releases import KIND
from cupel.neural.byte_pairs import BytePairs
from cupel.neural.decoder_layers import norm
from cupel.neural.devices import find_device
from cupel.neural.qwen import QwenReader, open_qwen
from cupel.neural.weights import load_weights
from cupel.neural.wordpiece import Pieces

PROMPT = ("Reference:", "\nTranslation:", "\nQuality score:")
AT_ONCE = {"cpu": 1500, "cuda": 30_000}
"""Pieces of a batch, about."""
KIND_OF_NUMBERS = torch.bfloat16
"""In products of matrices, as in training."""


class LargeReader:
    """Scores of translations; weights: those of the language model's changes and of the head."""

    def __init__(
        self, reader: QwenReader, tokenizer: BytePairs, weights: Mapping[str, Tensor]
    ) -> None:
        names = ("hidden.weight", "hidden.bias", "out.weight", "out.bias")
        self._head = [weights[name].to(reader.device) for name in names]
        self._reader = reader
        self._tokenizer = tokenizer
        self._prompt = [tokenizer([part]).ids for part in PROMPT]

    @torch.inference_mode()
    def __call__(self, translations: Sequence[str], references: Sequence[str]) -> FloatArray:
        """(items,) the score of each translation beside its reference; equal pairs are read once."""
        numbers: dict[str, int] = {}
        pairs: dict[tuple[int, str], int] = {}
        of = [
            pairs.setdefault((numbers.setdefault(theirs, len(numbers)), ours), len(pairs))
            for theirs, ours in zip(references, translations, strict=True)
        ]
        before, between, after = self._prompt
        beginnings = self._lines(numbers, before, between)
        endings = self._lines([ours for _, ours in pairs], before[:0], after)
        reference = np.array([number for number, _ in pairs], np.int64)
        scores = np.zeros(len(pairs))
        for rows in _batches(beginnings.lengths, endings.lengths, reference, self._at_once):
            used, own = np.unique(reference[rows], return_inverse=True)
            vectors = self._reader(beginnings.take(used), endings.take(rows), own)
            scores[rows] = self._score(vectors).double().cpu().numpy()
        return scores[of]

    @property
    def _at_once(self) -> int:
        return AT_ONCE.get(self._reader.device.type, AT_ONCE["cpu"])

    def _lines(self, texts: Iterable[str], before: Int32Array, after: Int32Array) -> Pieces:
        """Texts as pieces, each behind a space and between two parts of the prompt."""
        inside = self._tokenizer([" " + " ".join(text.split()) for text in texts])
        rows = np.split(inside.ids, inside.offsets[1:-1])
        around = [part for row in rows for part in (before, row, after)]
        lengths = inside.lengths + len(before) + len(after)
        return Pieces(
            np.concatenate(around).astype(np.int32),
            np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        )

    def _score(self, vectors: Tensor) -> Tensor:
        weight, bias, last, constant = self._head
        inner = torch.tanh(functional.linear(norm(vectors), weight, bias))
        return functional.linear(inner, last, constant).squeeze(-1)


def _batches(
    beginnings: IntArray, endings: IntArray, of: IntArray, limit: int
) -> Iterator[IntArray]:
    """Items in batches of about `limit` pieces, those of a reference together, by length."""
    order = np.lexsort([endings, of, beginnings[of]])
    begins = np.diff(of[order], prepend=-1) != 0
    total = np.cumsum(endings[order] + np.where(begins, beginnings[of[order]], 0))
    yield from np.split(order, np.flatnonzero(np.diff(total // limit)) + 1) if len(order) else ()


@lru_cache(maxsize=1)
def open_large(folder: Path, device: str) -> tuple[LargeReader, Mapping[str, Any]]:
    """The reader and its card, loaded once."""
    stored, card = load_weights(folder, KIND)
    weights = {
        name: tensor.float() * stored[f"{name}.scale"].float()[:, None]
        if f"{name}.scale" in stored
        else tensor.float()
        for name, tensor in stored.items()
        if not name.endswith(".scale")
    }
    # The second factor is stored by its columns, so that each has a scale.
    changes = {name: t.T if name.endswith(".b") else t for name, t in weights.items()}
    file = open_qwen()
    try:
        reader = QwenReader(
            file, int(card["layers"]), changes, KIND_OF_NUMBERS, find_device(device)
        )
        return LargeReader(reader, BytePairs(file.settings), weights), card
    except (KeyError, RuntimeError) as error:
        raise CupelError(f"The weights in {folder} do not fit what their card says.") from error


def is_large(card: Mapping[str, Any]) -> bool:
    """Whether a card is that of a large reader."""
    return str((card.get("encoder") or {}).get("name")).startswith("Qwen")


def large_scores(
    reader: LargeReader,
    model: Joint,
    pieces: Pieces,
    sentences: Sequence[str],
    hypothesis: IntArray,
    reference: IntArray,
) -> FloatArray:
    """(items,) scores; texts that are long for `model` in the parts that it reads.

    pieces: those of the sentences, as `model` cuts them
    """
    pairs, item, weights = [], [], []
    for number, row in enumerate(zip(hypothesis.tolist(), reference.tolist(), strict=True)):
        ours, theirs = (pieces.ids[pieces.offsets[at] : pieces.offsets[at + 1]] for at in row)
        for *texts, weight in parts_read(model, ours, theirs, *(sentences[at] for at in row)):
            pairs.append(texts)
            item.append(number)
            weights.append(weight)
    scores = reader([ours for ours, _ in pairs], [theirs for _, theirs in pairs])
    means = np.zeros(len(hypothesis))
    np.add.at(means, item, np.array(weights) * scores)
    return means


def parts_read(
    model: Joint, our_pieces: Int32Array, their_pieces: Int32Array, ours: str, theirs: str
) -> list[tuple[str, str, float]]:
    """What the reader reads of a translation and a reference, with weights that add up to 1: all of
    both, or the parts of those that are long for `model`, which has these pieces.
    """
    long = model.long
    lengths = np.array([[len(our_pieces)], [len(their_pieces)]])
    if long is None or not is_long(model, *lengths).all():
        return [(ours, theirs, 1.0)]
    parts = long.parts(our_pieces, their_pieces)
    texts = long.texts(parts, ours, theirs)
    return [(*both, weight) for both, weight in zip(texts, parts.weights.tolist(), strict=True)]
