"""Encoders of one's own models: sentence vectors composed of word vectors on the fly.

Sections 5.6 and 5.7 of the paper. An encoder is trained together with its network
(`cupel.nnrk.encoded_training`) and stands in its model's folder; to the network it is one more
kind of sentence vectors.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from cupel.batch import FloatArray, IntArray
from cupel.errors import CupelError, MissingPart
from cupel.text.tokenizers import Tokenizer
from cupel.text.vectors import EMBEDDED, open_vectors

if TYPE_CHECKING:
    from cupel.neural.sentence_encoders import Encoding

ENCODERS = ("average", "cnn", "lstm", "bilstm")
TUNINGS = ("fixed", "moderate", "full")
INITIALS = ("pretrained", "random")
LONGEST = 100
"""Words of a sentence that are read."""
TOKENIZER = Tokenizer("13a", lowercase=True)

Array = npt.NDArray[Any]


def check_torch() -> None:
    """Encoders are PyTorch's."""
    if find_spec("torch") is None:
        raise MissingPart(
            "A network that encodes sentences on the fly needs torch: pip install 'cupel[neural]'."
        )


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


@dataclass(frozen=True, eq=False)
class Encoder:
    """The analyser sentences -> (s, K * size): what K trained networks make of their words.

    settings  kind, size, filter and pool length; `vectors`, the table that has the vectors of
              words which were not seen in training, or None where the start was random
    words     those that have a learned vector: rows 1 and on of the tables
    arrays    `table` (K, 1 + words, d) and the weights of `Encoding`, each with a leading K
    """

    settings: Mapping[str, Any]
    words: tuple[str, ...]
    arrays: Mapping[str, Array]

    @property
    def dimension(self) -> int:
        k, _, d = self.arrays["table"].shape
        return int(k * self._encoding.output(d))

    @property
    def _encoding(self) -> Encoding:
        check_torch()
        from cupel.neural.sentence_encoders import Encoding

        s = self.settings
        return Encoding(s["kind"], s["size"], s["filter"], s["pool"])

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.words, 1)}

    def __call__(self, sentences: Sequence[str]) -> FloatArray:
        encoding = self._encoding
        import torch

        from cupel.neural.pairwise import encode_batches

        tokens = TOKENIZER(sentences)
        rows, table = self._rows(tokens.types)
        words = padded(rows[tokens.ids], tokens.offsets)
        lengths = np.minimum(tokens.lengths, LONGEST)
        weights = {n: torch.tensor(a) for n, a in self.arrays.items() if n != "table"}
        found = encode_batches(encoding, weights, torch.tensor(table), words, lengths)
        return found.transpose(1, 0, 2).reshape(len(sentences), -1).astype(np.float64)

    def _rows(self, types: Sequence[str]) -> tuple[IntArray, npt.NDArray[np.float32]]:
        """The row of each word, and the tables with the vectors of new words behind the learned."""
        rows = np.fromiter((self._numbers.get(w, 0) for w in types), np.int64, len(types))
        table = np.asarray(self.arrays["table"], np.float32)
        if self.settings["vectors"] is None:
            return rows, table
        vectors = open_vectors(self.settings["vectors"])
        known = vectors.rows(types)
        new = np.flatnonzero((rows == 0) & (known >= 0))
        rows[new] = table.shape[1] + np.arange(len(new))
        more = vectors.matrix[known[new]].astype(np.float32)
        shape = (len(table), *more.shape)
        return rows, np.concatenate([table, np.broadcast_to(more, shape)], axis=1)

    def signature(self) -> str:
        digest = hashlib.sha256("\n".join(self.words).encode())
        for name in sorted(self.arrays):
            digest.update(np.ascontiguousarray(self.arrays[name]).tobytes())
        s = self.settings
        table = open_vectors(s["vectors"]).signature() if s["vectors"] else "random"
        return f"{s['kind']}[{digest.hexdigest()[:12]}]|{table}"

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
