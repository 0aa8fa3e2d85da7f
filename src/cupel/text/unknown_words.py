"""Vectors for words that a table of vectors does not have, each by itself and always the same.

zero     none at all: the word counts for its place in the sentence only
hash     a random vector of its own, drawn from the word's hash
letters  the mean of such vectors of its letter trigrams to pentagrams (`<modi>`: `<mo`, `mod`,
         ...), so that names with similar spelling have similar vectors
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from cupel.arrays import Float32Array
from cupel.errors import CupelError

UNKNOWN = ("zero", "hash", "letters")
HASH_SCALE = 0.05
"""Components of a random vector lie between -0.05 and 0.05, as in the code of Tai et al. (2015)."""
LETTERS_NORM = 5.0
"""About the length of GloVe 6B 50d's vectors."""


def check_unknown(unknown: str) -> None:
    """Raise an error for a way that does not exist."""
    if unknown not in UNKNOWN:
        raise CupelError(
            f"There is no way {unknown!r} to treat unknown words; there are {', '.join(UNKNOWN)}."
        )


def unknown_vectors(words: Sequence[str], dimension: int, unknown: str = "hash") -> Float32Array:
    """(n, dimension): a vector for each word."""
    check_unknown(unknown)
    if unknown == "zero" or not words:
        return np.zeros((len(words), dimension), np.float32)
    if unknown == "hash":
        return (HASH_SCALE * _uniform(words, dimension)).astype(np.float32)
    return _of_letters(words, dimension)


def _of_letters(words: Sequence[str], dimension: int) -> Float32Array:
    grams = [_grams(word) for word in words]
    types = list(dict.fromkeys(gram for some in grams for gram in some))
    numbers = {gram: number for number, gram in enumerate(types)}
    flat = np.array([numbers[gram] for some in grams for gram in some], np.int64)
    starts = np.cumsum([0, *(len(some) for some in grams[:-1])])
    sums = np.add.reduceat(_uniform(types, dimension)[flat], starts, axis=0)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    scaled: Float32Array = (LETTERS_NORM * sums / lengths).astype(np.float32)
    return scaled


def _grams(word: str) -> list[str]:
    marked = f"<{word}>"
    return [
        marked[start : start + size]
        for size in (3, 4, 5)
        for start in range(max(len(marked) - size, 0) + 1)
    ]


def _uniform(words: Sequence[str], dimension: int) -> npt.NDArray[np.float64]:
    """(n, dimension) numbers from -1 to 1 that depend on each word alone.

    SplitMix64 counts on from the word's hash: vectors do not depend on the vocabulary around them.
    """
    digests = (
        blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest() for word in words
    )
    keys = np.frombuffer(b"".join(digests), "<u8")
    steps = np.arange(1, dimension + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    with np.errstate(over="ignore"):
        state = keys[:, None] + steps
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        state ^= state >> np.uint64(31)
    uniform: npt.NDArray[np.float64] = (state >> np.uint64(11)).astype(np.float64) / 2**52 - 1.0
    return uniform
