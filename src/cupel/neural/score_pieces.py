"""Pieces by score: the tokenizer of Gemma and others, with the vocabulary of a GGUF file.

SentencePiece's byte-pair encoding: spaces become U+2581; then, of all neighbours whose join is a
piece, the two with the highest score are joined, until none is left. Characters that are no piece
become their bytes. Pieces that a vocabulary defines as symbols of the user are cut out first.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cupel.arrays import Int32Array
from cupel.neural.wordpiece import Pieces

SPACE = "\u2581"
_NORMAL, _SYMBOL, _BYTE = 1, 4, 6
_KEPT = 200_000
"""Words whose pieces are remembered."""


class ScorePieces:
    """Cuts sentences as the vocabulary of `settings`, those of a GGUF file, says."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        texts: list[str] = settings["tokenizer.ggml.tokens"]
        kinds = settings["tokenizer.ggml.token_type"].tolist()
        self._scores: list[float] = settings["tokenizer.ggml.scores"].tolist()
        self._ids = {
            t: i for i, (t, k) in enumerate(zip(texts, kinds, strict=True)) if k == _NORMAL
        }
        self._bytes = [i for i, k in enumerate(kinds) if k == _BYTE]
        self._symbols = {
            t: i
            for i, (t, k) in enumerate(zip(texts, kinds, strict=True))
            if k == _SYMBOL and not t.isspace()
        }
        marks = "|".join(map(re.escape, sorted(self._symbols, key=len, reverse=True)))
        self._cut = re.compile(f"({marks})") if marks else None
        # No piece but these has a space after another character: words can be cut one by one.
        self._across = [t for t in self._ids if SPACE in t.lstrip(SPACE)]
        self._words: dict[str, list[int]] = {}

    def __call__(self, sentences: Sequence[str]) -> Pieces:
        cut = [self.pieces(text) for text in sentences]
        offsets = np.zeros(len(cut) + 1, np.int64)
        np.cumsum([len(ids) for ids in cut], out=offsets[1:])
        flat: Int32Array = np.array([i for ids in cut for i in ids], np.int32)
        return Pieces(flat, offsets)

    def pieces(self, text: str) -> list[int]:
        """The numbers of a text's pieces."""
        ids: list[int] = []
        text = text.replace(" ", SPACE)
        for part in self._cut.split(text) if self._cut else [text]:
            if part in self._symbols:
                ids.append(self._symbols[part])
            elif any(piece in part for piece in self._across):
                ids += self._joined(part)
            else:
                for word in _WORDS.findall(part):
                    ids += self._of_word(word)
        return ids

    def _of_word(self, word: str) -> list[int]:
        ids = self._words.get(word)
        if ids is None:
            if len(self._words) > _KEPT:
                self._words.clear()
            ids = self._words[word] = self._joined(word)
        return ids

    def _joined(self, text: str) -> list[int]:
        """Join neighbours by score; of equal scores the first in the text."""
        if text in self._ids and len(text) == 1:
            return [self._ids[text]]
        symbols: list[str | None] = list(text)
        after = [*range(1, len(symbols)), -1]
        before = list(range(-1, len(symbols) - 1))
        queue: list[tuple[float, int, int, str]] = []

        def offer(left: int, right: int) -> None:
            if left < 0 or right < 0:
                return
            piece = f"{symbols[left]}{symbols[right]}"
            if piece in self._ids:
                heapq.heappush(queue, (-self._scores[self._ids[piece]], left, right, piece))

        for place in range(len(symbols) - 1):
            offer(place, place + 1)
        while queue:
            _, left, right, piece = heapq.heappop(queue)
            if symbols[left] is None or symbols[right] is None:
                continue
            if f"{symbols[left]}{symbols[right]}" != piece or after[left] != right:
                continue
            symbols[left], symbols[right] = piece, None
            after[left] = after[right]
            if after[right] >= 0:
                before[after[right]] = left
            offer(before[left], left)
            offer(left, after[left])
        return [i for symbol in symbols if symbol is not None for i in self._numbers(symbol)]

    def _numbers(self, symbol: str) -> list[int]:
        if symbol in self._ids:
            return [self._ids[symbol]]
        return [self._bytes[byte] for byte in symbol.encode("utf-8", "surrogatepass")]


_WORDS = re.compile(f"{SPACE}*[^{SPACE}]+|{SPACE}+")
