"""Words that take long to find, those of MeCab, kept on disk: each sentence is analysed once.

MeCab costs some 20 times what BLEU costs otherwise. The cache folder keeps, for every sentence that was
analysed, where its words start: a bit for each character, under a hash of 128 bits. A second system,
metric or run finds the words of the references there.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from threading import Lock

import numpy as np

from cupel import cache
from cupel.arrays import BoolArray, Bytes, Int32Array, IntArray
from cupel.kernels.kept_words import (
    Hashes,
    hash_places,
    numbered_kept_words,
    sentence_hashes,
    spaced_words,
)
from cupel.kernels.words import replaced_codes
from cupel.text.code_points import Case, case_table, in_case, white_space
from cupel.text.tokens import Tokens, code_points, named, offsets_of

KIND = "words"
VERSION = 2
"""Of the hashes."""
MOST_SENTENCES = 200_000
"""More are not kept: with 45 characters each they take 6 MB."""
_PART = 4096
"""How many new sentences wait in memory before they are written, at the latest at the end."""


@dataclass(frozen=True)
class Kept:
    """Sentences by their hashes, the first of which are in ascending order.

    starts: where the words of each begin in `words`, as bytes; see `kernels.kept_words`.
    """

    hashes: Hashes
    starts: IntArray
    words: Bytes

    @classmethod
    def none(cls) -> Kept:
        return cls(np.zeros((0, 2), np.uint64), np.zeros(0, np.int64), np.zeros(0, np.uint8))

    @classmethod
    def load(cls, name: str) -> Kept:
        arrays = cache.load_arrays(KIND, name)
        return cls.none() if arrays is None else cls(**arrays)

    def places(self, hashes: Hashes) -> IntArray:
        """Where the words of each sentence begin, -1 for one that is not kept."""
        return hash_places(hashes, self.hashes, self.starts)


def joined(parts: Iterable[Kept]) -> Kept:
    """All of them, without those that would be too many."""
    some = [Kept.none(), *parts]
    places = offsets_of((len(part.words) for part in some), len(some))
    hashes = np.concatenate([part.hashes for part in some])[:MOST_SENTENCES]
    starts = [part.starts + place for part, place in zip(some, places, strict=False)]
    _, first = np.unique(hashes[:, 0], return_index=True)
    words = np.concatenate([part.words for part in some])
    return Kept(np.ascontiguousarray(hashes[first]), np.concatenate(starts)[first], words)


class KeptWords:
    """A tokenizer that puts blanks between words, whose results are kept.

    tokenize: sentence -> tokenised sentence. name: stands for it and all that its results depend on.
    """

    def __init__(self, tokenize: Callable[[str], str], name: str) -> None:
        self._tokenize, self._name = tokenize, cache.key(KIND, VERSION, name)
        self._kept = Kept.load(self._name)
        self._new: list[Kept] = []
        self._lock = Lock()
        atexit.register(self.save)

    def __call__(self, sentences: Sequence[str], case: Case = None) -> Tokens:
        """The words; case: one of `cupel.text.code_points`, into which the text is brought first."""
        codes, offsets, starts, words = self._placed(sentences, case)
        return named(*numbered_kept_words(codes, offsets, starts, words, white_space()))

    def lines(self, sentences: Sequence[str]) -> list[str]:
        """The tokenised sentences as text."""
        codes, offsets = spaced_words(*self._placed(sentences))
        whole = codes.tobytes().decode("utf-32-le", "surrogatepass")
        return [whole[a:b] for a, b in pairwise(offsets.tolist())]

    def _placed(
        self, sentences: Sequence[str], case: Case = None
    ) -> tuple[Int32Array, IntArray, IntArray, Bytes]:
        """The code points, where each sentence starts, the place of its words, and all words."""
        texts, kept = list(map(str.strip, sentences)), self._kept
        codes: Int32Array | None = code_points(texts)
        if case and codes is not None:
            codes = replaced_codes(codes, case_table(case))
        if codes is None:  # where case depends on the code points around one
            return self._placed(in_case(texts, case))
        offsets = offsets_of(map(len, texts), len(texts))
        hashes = sentence_hashes(codes, offsets)
        starts = kept.places(hashes)
        missing = np.flatnonzero(starts < 0)
        if len(missing):
            texts = in_case(texts, case)
            others = [texts[n] for n in missing.tolist()]
            lines = list(map(self._tokenize, others))
            self._add(others, hashes[missing], lines)
            for n, line in zip(missing.tolist(), lines, strict=True):
                texts[n] = line
            codes, offsets = code_points(texts), offsets_of(map(len, texts), len(texts))
        return codes, offsets, starts, kept.words

    def _add(self, texts: Sequence[str], hashes: Hashes, lines: Sequence[str]) -> None:
        if len(self._kept.hashes) >= MOST_SENTENCES:
            return
        with self._lock:
            self._new.append(word_starts(texts, hashes, lines))
        if sum(len(part.hashes) for part in self._new) >= _PART:
            self.save()

    def save(self) -> None:
        """Write what is new, with what others have written in the meantime."""
        with self._lock:
            if self._new:
                self._kept = joined([Kept.load(self._name), *self._new])
                self._new = []
                cache.save_arrays(KIND, self._name, vars(self._kept))


def word_starts(texts: Sequence[str], hashes: Hashes, lines: Sequence[str]) -> Kept:
    """Where the words of tokenised lines start in the texts; without lines that have other letters,
    or words across blanks.
    """
    letters, counts, firsts = _letters(lines)
    own, own_counts, own_firsts = _letters(texts)
    same = np.array_equal(letters, own) and np.array_equal(counts, own_counts)
    if not same or (own_firsts & ~firsts).any():
        half = len(texts) // 2
        if not half:
            return Kept.none()
        ways = slice(half), slice(half, None)
        return joined(word_starts(texts[way], hashes[way], lines[way]) for way in ways)
    sizes = np.array([(len(text) + 7) // 8 for text in texts], np.int64)
    starts = offsets_of(sizes, len(sizes))
    offsets = offsets_of(counts, len(counts))
    bits = np.zeros(8 * int(starts[-1]), np.bool_)
    bits[np.arange(len(own)) + np.repeat(8 * starts[:-1] - offsets[:-1], counts)] = firsts
    order = np.argsort(hashes[:, 0])
    words = np.packbits(bits, bitorder="little")
    return Kept(np.ascontiguousarray(hashes[order]), starts[:-1][order], words)


def _letters(lines: Sequence[str]) -> tuple[Int32Array, IntArray, BoolArray]:
    """All but blanks, how much each line has of it, and whether a blank comes before it."""
    codes, offsets = code_points(lines), offsets_of(map(len, lines), len(lines))
    is_letter = codes != ord(" ")
    behind = np.zeros(len(codes), np.bool_)
    behind[1:] = ~is_letter[:-1]
    running = offsets_of(is_letter, len(codes))
    return codes[is_letter], np.diff(running[offsets]), behind[is_letter]
