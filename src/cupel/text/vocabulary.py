"""One numbering of words for texts that were split and numbered apart.

The numbers grow with the process, so that what is learnt about a word (its stem, its synonyms) is
learnt once, whatever number of batches it occurs in.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from threading import Lock

import numpy as np

from cupel.arrays import Int32Array
from cupel.text.tokens import Tokens

MOST_WORDS = 1_000_000
"""A vocabulary of more words is emptied, to keep it small."""

_PLAIN = str.maketrans(
    dict.fromkeys("“”„«»", '"')
    | dict.fromkeys("‘’‚´`", "'")
    | dict.fromkeys("‐‑–—", "-")
    | dict.fromkeys("\u200b\u00ad\ufeff", "")  # what no reader sees
)
_DOUBLE = {"''": '"', "--": "-"}


def plain(word: str) -> str:
    """The word with typewriter quotes and dashes; those of the Penn Treebank (`` and '') as well."""
    if word.isalnum():
        return word
    written = word.translate(_PLAIN)
    return _DOUBLE.get(written, written) or word


class Vocabulary:
    """Numbers of words, in lower case and in typewriter characters where that is asked for."""

    def __init__(self, lowercase: bool, normalize: bool = False) -> None:
        self._lowercase, self._normalize = lowercase, normalize
        self._lock = Lock()
        self._begin()

    def _begin(self) -> None:
        self._types: list[str] = []
        self._numbers: dict[str, int] = {}

    def renumbered(self, *texts: Tokens) -> list[Tokens]:
        """The texts in ids of this vocabulary, with its words as the `types` of all of them."""
        with self._lock:
            if len(self._types) > MOST_WORDS:
                self._begin()
            fresh = [self._ids(text.types) for text in texts]
            types = self._types
        return [
            Tokens(ids[text.ids], text.offsets, types)
            for ids, text in zip(fresh, texts, strict=True)
        ]

    def _ids(self, words: Sequence[str]) -> Int32Array:
        if self._lowercase:
            words = [word.lower() for word in words]
        if self._normalize:
            words = [plain(word) for word in words]
        numbers = self._numbers
        for word in words:
            if word not in numbers:
                numbers[word] = len(numbers)
                self._types.append(word)
        return np.fromiter(map(numbers.__getitem__, words), np.int32, len(words))


@cache
def vocabulary(lowercase: bool, normalize: bool = False) -> Vocabulary:
    """The process's own."""
    return Vocabulary(lowercase, normalize)
