"""Texts as words with their places and their case: what buckets, alignments and labels share.

Words are runs of letters, numbers with their points and commas, and single signs; English
contractions go apart (`do n't`, `it 's`), and Chinese, Japanese and Thai characters are words of
their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import regex

from cupel.arrays import Int32Array, IntArray
from cupel.text.tokens import Tokens, number, offsets_of

_WORD = regex.compile(
    r"""
    [\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]
    | \p{N}+(?:[.,:]\p{N}+)*
    | (?:\p{Lu}\.){2,}
    | \p{L}[\p{L}\p{M}]*?(?=n['’]t\b)
    | n['’]t\b
    | ['’](?:s|re|ve|ll|d|m|t)\b
    | [\p{L}\p{M}]+
    | [^\s]
    """,
    regex.VERBOSE | regex.IGNORECASE,
)


@dataclass(frozen=True)
class Words:
    """The words of n texts, one after the other.

    ids       (total,)  the form of each word, case kept, as a place in `types`
    offsets   (n+1,)    those of text i are `ids[offsets[i]:offsets[i+1]]`
    starts    (total,)  the character at which each word begins, from 0
    types     the form of each id
    """

    ids: Int32Array
    offsets: IntArray
    starts: Int32Array
    types: Sequence[str]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> IntArray:
        """(n,): how many words each text has."""
        return np.diff(self.offsets)

    @property
    def segments(self) -> IntArray:
        """(total,): the text that each word is in."""
        return np.repeat(np.arange(len(self)), self.lengths)

    @property
    def forms(self) -> list[str]:
        """(total,): the words themselves."""
        return [self.types[i] for i in self.ids.tolist()]

    def lowered(self) -> Tokens:
        """The same in lower case, numbered by themselves."""
        lower = [form.lower() for form in self.types]
        numbers, types = number(lower, len(lower))
        ids = numbers[self.ids] if len(lower) else np.zeros(0, np.int32)
        return Tokens(ids, self.offsets, types)


def split(texts: Sequence[str]) -> Words:
    """The words of each text."""
    matches = [[(m.group(), m.start()) for m in _WORD.finditer(text)] for text in texts]
    offsets = offsets_of(map(len, matches), len(matches))
    total = int(offsets[-1])
    ids, types = number([word for text in matches for word, _ in text], total)
    starts = np.fromiter((at for text in matches for _, at in text), np.int32, total)
    return Words(ids, offsets, starts, types)
