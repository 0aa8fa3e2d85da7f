"""How sentences are prepared for the two measures of BADGER."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cupel.arrays import IntArray
from cupel.text.tokens import Tokens, characters, intern, number, offsets_of, split_words

_WORD = re.compile(r"\d+|([^\s\d']+(?:'[^\s\d']+)?)\d*")


@dataclass(frozen=True)
class AlignmentWords:
    """The analyser sentences -> words, as the program BADGER takes them.

    Full stops are left out wherever they stand (U.S. is us, 2.5 is 25) and all else that is no
    letter, digit or apostrophe parts words. A word is a number, or letters with at most one
    apostrophe among them; digits right behind letters are dropped (US2YT is us, yt).
    """

    lowercase: bool

    def __call__(self, sentences: Sequence[str]) -> Tokens:
        if self.lowercase:
            sentences = [sentence.lower() for sentence in sentences]
        text = "\n".join([sentence.replace("\n", " ") for sentence in sentences])
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.int32)
        present = np.flatnonzero(np.bincount(codes, minlength=128))
        plain = np.zeros(int(present.max(initial=127)) + 1, np.int32)
        plain[present] = [code if _kept(chr(code)) else ord(" ") for code in present]
        lines = plain[codes[codes != ord(".")]].tobytes().decode("utf-32-le").split("\n")
        return intern([_words(line) for line in lines[: len(sentences)]])


def _kept(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] in "LM" or category == "Nd" or character in "'\n"


def _words(line: str) -> list[str]:
    return [match[1] or match[0] for match in _WORD.finditer(line)]


@dataclass(frozen=True)
class Texts:
    """Sentences as words and words as letters.

    words    word ids of the sentences
    ranks    (sentences,) place of each sentence in the order of their words; equal ones alike
    letters  letters of each word, numbered from 2 in the order of their code points
    groups   (letters,) equal numbers for letters that are alike, see `cupel.kernels.compression`
    """

    words: Tokens
    ranks: IntArray
    letters: Tokens
    groups: npt.NDArray[np.int32]


@dataclass(frozen=True)
class CompressionTexts:
    """The analyser sentences -> `Texts`: what white space separates, without outer punctuation."""

    lowercase: bool

    def __call__(self, sentences: Sequence[str]) -> Texts:
        from cupel.kernels.compression import GROUPS

        if self.lowercase:
            sentences = [sentence.lower() for sentence in sentences]
        words = _trimmed(split_words(sentences))
        lines = [" ".join(words.of(sentence)) for sentence in range(len(words))]
        places = {line: place for place, line in enumerate(sorted(set(lines)))}
        ranks = np.fromiter((places[line] for line in lines), np.int64, len(lines))
        spelled = characters(words.types, keep_whitespace=True)
        codes, numbers = np.unique(spelled.ids, return_inverse=True)
        group_of = {ord(letter): g for g, group in enumerate(GROUPS) for letter in group}
        groups = np.fromiter(
            (group_of.get(int(code), len(GROUPS) + place) for place, code in enumerate(codes)),
            np.int32,
            len(codes),
        )
        letters = Tokens(numbers.astype(np.int32) + 2, spelled.offsets, ())
        return Texts(words, ranks, letters, groups[numbers])


def _trimmed(pieces: Tokens) -> Tokens:
    """The pieces without outer punctuation; those that are nothing else are left out."""
    trimmed = [_trim(piece) for piece in pieces.types]
    numbers, types = number(trimmed, len(trimmed))
    ids = numbers[pieces.ids]
    kept = np.array([bool(word) for word in types], np.bool_)[ids]
    return Tokens(ids[kept], offsets_of(kept, len(kept))[pieces.offsets], types)


def _trim(piece: str) -> str:
    start, end = 0, len(piece)
    while start < end and unicodedata.category(piece[start])[0] == "P":
        start += 1
    while start < end and unicodedata.category(piece[end - 1])[0] == "P":
        end -= 1
    return piece[start:end]
