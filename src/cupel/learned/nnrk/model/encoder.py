"""The encoder of a trained model: sentence vectors composed of word vectors on the fly.

Sections 5.6 and 5.7 of the paper. An encoder is trained together with its network
(`cupel.learned.nnrk.training`) and is kept in the folder of the model; to the network it is one more
kind of sentence vectors. An average needs NumPy and SciPy alone, the others need PyTorch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from cupel.arrays import Float32Array, FloatArray, IntArray
from cupel.errors import CupelError
from cupel.neural.packages import check_packages
from cupel.text.tokenizers import Tokenizer
from cupel.text.vectors import EMBEDDED, open_vectors

if TYPE_CHECKING:
    from cupel.learned.nnrk.model.composition import Encoding

LONGEST = 100
"""Words of a sentence that are read."""
TOKENIZER = Tokenizer("13a", lowercase=True)

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class WordNumbers:
    """The analyser sentences -> (s, LONGEST) numbers of their words in a table of vectors.

    0 where there is no word any more, 1 for a word without a vector, 2 + its row for another.
    """

    table: str = EMBEDDED

    @property
    def dimension(self) -> int:
        return LONGEST

    def __call__(self, sentences: Sequence[str]) -> FloatArray:
        tokens = TOKENIZER(sentences)
        numbers = open_vectors(self.table).rows(tokens.types) + 2
        return padded(numbers[tokens.ids], tokens.offsets).astype(np.float64)

    def signature(self) -> str:
        return f"words[{LONGEST}]|{open_vectors(self.table).signature()}"


def padded(numbers: IntArray, offsets: IntArray) -> IntArray:
    """(n, LONGEST): flat numbers as rows, 0 behind their ends."""
    lengths = np.minimum(np.diff(offsets), LONGEST)
    places = np.arange(LONGEST)
    inside = places < lengths[:, None]
    table = np.zeros(inside.shape, np.int64)
    table[inside] = numbers[(offsets[:-1, None] + places)[inside]]
    return table


def averages(table: Float32Array, words: IntArray, lengths: IntArray) -> Float32Array:
    """(K, n, d): the mean of each sentence's vectors by each of K tables (K, v, d), as E f / N."""
    from scipy.sparse import csr_matrix

    inside = np.arange(words.shape[1]) < lengths[:, None]
    ends = np.append(0, np.cumsum(lengths))
    shape = (len(words), table.shape[1])
    bags = csr_matrix((np.ones(ends[-1], np.float32), words[inside], ends), shape)
    sums = np.stack([bags @ one for one in table])
    return np.asarray(sums / np.maximum(lengths, 1)[:, None], np.float32)


@dataclass(frozen=True, eq=False)
class Encoder:
    """The analyser sentences -> (s, K * size): what K trained networks make of their words.

    settings  kind, size, filter and pool length; `vectors`, the table that has the vectors of
              words which were not seen in training, or None where the start was random
    words     those that have a learned vector: rows 1 and on of the tables
    arrays    `table` (K, 1 + words, d), row 0 that of unknown words, and the weights of `Encoding`,
              each with a leading K; where the table is of bytes, `scale` (K, 1 + words) times them
    """

    settings: Mapping[str, Any]
    words: tuple[str, ...]
    arrays: Mapping[str, Array]

    @property
    def dimension(self) -> int:
        k, _, d = self.arrays["table"].shape
        return int(k * (d if self.settings["kind"] == "average" else self._encoding.output(d)))

    def check(self) -> None:
        """Refuse to score where PyTorch is needed and missing; an average is made without."""
        if self.settings["kind"] != "average":
            what = "A network that encodes sentences on the fly"
            check_packages(what, ("torch",), "neural")

    @property
    def _encoding(self) -> Encoding:
        from cupel.learned.nnrk.model.composition import Encoding

        s = self.settings
        return Encoding(s["kind"], s["size"], s["filter"], s["pool"])

    @cached_property
    def _table(self) -> Float32Array:
        table = self.arrays["table"].astype(np.float32)
        if "scale" in self.arrays:
            table *= self.arrays["scale"].astype(np.float32)[..., None]
        return table

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.words, 1)}

    def __call__(self, sentences: Sequence[str]) -> FloatArray:
        tokens = TOKENIZER(sentences)
        rows, table = self._rows(tokens.types)
        words = padded(rows[tokens.ids], tokens.offsets)
        lengths = np.minimum(tokens.lengths, LONGEST)
        encode = averages if self.settings["kind"] == "average" else self._by_torch
        vectors = encode(table, words, lengths)
        return vectors.transpose(1, 0, 2).reshape(len(sentences), -1).astype(np.float64)

    def _by_torch(self, table: Float32Array, words: IntArray, lengths: IntArray) -> Float32Array:
        import torch

        from cupel.learned.nnrk.model.composition import encode_batches

        weights = {
            name: torch.tensor(array.astype(np.float32))
            for name, array in self.arrays.items()
            if name not in ("table", "scale")
        }
        return encode_batches(self._encoding, weights, torch.tensor(table), words, lengths)

    def _rows(self, types: Sequence[str]) -> tuple[IntArray, Float32Array]:
        """The row of each word, and the tables with the vectors of new words behind the learned."""
        rows = np.fromiter((self._numbers.get(w, 0) for w in types), np.int64, len(types))
        table = self._table
        if self.settings["vectors"] is None:
            return rows, table
        vectors = open_vectors(self.settings["vectors"])
        others = vectors.rows(types)
        new = np.flatnonzero((rows == 0) & (others >= 0))
        rows[new] = table.shape[1] + np.arange(len(new))
        more = vectors.matrix[others[new]].astype(np.float32)
        shape = (len(table), *more.shape)
        return rows, np.concatenate([table, np.broadcast_to(more, shape)], axis=1)

    def signature(self) -> str:
        digest = hashlib.sha256("\n".join(self.words).encode())
        for name in sorted(self.arrays):
            digest.update(np.ascontiguousarray(self.arrays[name]).tobytes())
        s = self.settings
        table = open_vectors(s["vectors"]).signature() if s["vectors"] else "random"
        return f"{s['kind']}[{digest.hexdigest()[:12]}]|{table}"

    def small(self) -> Encoder:
        """The same in a quarter of the space: vectors as bytes times a scale, half precision."""
        highest = np.abs(self._table).max(-1)
        scale = (np.maximum(highest, 1e-6) / 127).astype(np.float16)
        codes = np.rint(self._table / scale.astype(np.float32)[..., None])
        arrays = {name: array.astype(np.float16) for name, array in self.arrays.items()}
        bytes_ = np.clip(codes, -127, 127).astype(np.int8)
        return replace(self, arrays=arrays | {"table": bytes_, "scale": scale})

    def packed(self) -> dict[str, Array]:
        """All of it but the settings as arrays, for the file of weights."""
        text = np.frombuffer("\n".join(self.words).encode(), np.uint8)
        return {f"encoder.{name}": array for name, array in self.arrays.items()} | {
            "encoder-words": text
        }


def unpacked(settings: Mapping[str, Any], arrays: Mapping[str, Array]) -> Encoder:
    """What `Encoder.packed` made arrays of."""
    own = {
        name.removeprefix("encoder."): array
        for name, array in arrays.items()
        if name.startswith("encoder.")
    }
    text = arrays["encoder-words"].tobytes().decode()
    encoder = Encoder(settings, tuple(text.split("\n")) if text else (), own)
    if own["table"].shape[1] != 1 + len(encoder.words):
        raise CupelError(
            f"The model has {own['table'].shape[1] - 1} word vectors for {len(encoder.words)} words: "
            "they do not belong together."
        )
    return encoder
