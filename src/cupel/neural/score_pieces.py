"""Pieces by score: the tokenizer of Gemma and others, with the vocabulary of a GGUF file.

SentencePiece's byte-pair encoding: spaces become U+2581; then, of all neighbours whose join is a
piece, the two with the highest score are joined, until none is left. Characters that are no piece
become their bytes. Pieces that a vocabulary defines as symbols of the user are cut out first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cupel.arrays import Int32Array
from cupel.kernels.score_pieces import joined_pieces, vocabulary
from cupel.neural.gguf import Texts
from cupel.neural.wordpiece import Pieces

SPACE = "\u2581"
_NORMAL, _SYMBOL, _BYTE = 1, 4, 6


class ScorePieces:
    """Cuts sentences as the vocabulary of `settings`, those of a GGUF file, says."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        texts: Texts = settings["tokenizer.ggml.tokens"]
        kinds = np.asarray(settings["tokenizer.ggml.token_type"])
        self._vocabulary = vocabulary(
            texts.content,
            texts.starts,
            texts.ends,
            np.array(settings["tokenizer.ggml.scores"], np.float32),
            kinds == _NORMAL,
            np.flatnonzero(kinds == _BYTE).astype(np.int32),
        )
        symbols = {texts[i]: i for i in np.flatnonzero(kinds == _SYMBOL).tolist()}
        self._symbols = {text: i for text, i in symbols.items() if not text.isspace()}
        marks = "|".join(map(re.escape, sorted(self._symbols, key=len, reverse=True)))
        self._cut = re.compile(f"({marks})") if marks else None

    def __call__(self, sentences: Sequence[str]) -> Pieces:
        """The pieces of sentences: first of what lies between symbols, then put together."""
        cut = self._cut.split if self._cut else lambda text: [text]
        parts = [cut(text) for text in sentences]
        encoded = [
            b"" if part in self._symbols else _bytes_of(part) for row in parts for part in row
        ]
        offsets = np.zeros(len(encoded) + 1, np.int64)
        np.cumsum([len(text) for text in encoded], out=offsets[1:])
        content = np.frombuffer(b"".join(encoded), np.uint8)
        ids, ends = joined_pieces(self._vocabulary, content, offsets)
        if len(encoded) == len(parts):  # the usual case: no symbols
            return Pieces(ids, ends)
        return self._with_symbols(parts, ids, ends.tolist())

    def _with_symbols(
        self, parts: Sequence[Sequence[str]], ids: Int32Array, ends: Sequence[int]
    ) -> Pieces:
        whole, offsets, at = [np.zeros(0, np.int32)], [0], 0
        for row in parts:
            length = 0
            for part in row:
                symbol = self._symbols.get(part)
                piece = ids[ends[at] : ends[at + 1]]
                whole.append(piece if symbol is None else np.array([symbol], np.int32))
                length += len(whole[-1])
                at += 1
            offsets.append(offsets[-1] + length)
        return Pieces(np.concatenate(whole), np.array(offsets, np.int64))

    def pieces(self, text: str) -> list[int]:
        """The numbers of a text's pieces."""
        return [int(number) for number in self([text]).ids]


def _bytes_of(text: str) -> bytes:
    return text.replace(" ", SPACE).encode("utf-8", "surrogatepass")
