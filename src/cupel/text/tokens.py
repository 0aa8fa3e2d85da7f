"""Sentences as integers: the form in which every lexical metric and kernel takes its text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, islice, pairwise

import numpy as np
import numpy.typing as npt

from cupel.arrays import Bytes, Int32Array, IntArray
from cupel.text.code_points import Case, case_table, in_case, white_space

ClassesOf = Callable[[Int32Array], Bytes]


@dataclass(frozen=True)
class Tokens:
    """Token ids of n sentences in one flat array.

    ids      (total,)  sentence i is `ids[offsets[i]:offsets[i+1]]`
    offsets  (n+1,)
    types    the token of each id
    """

    ids: Int32Array
    offsets: IntArray
    types: Sequence[str]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> IntArray:
        """How many tokens each sentence has."""
        return np.diff(self.offsets)

    def of(self, sentence: int) -> list[str]:
        """The tokens of one sentence as strings: for people and slow paths."""
        span = self.ids[self.offsets[sentence] : self.offsets[sentence + 1]]
        return [self.types[i] for i in span]


def intern(sentences: Iterable[Sequence[str]]) -> Tokens:
    """Number the distinct tokens of tokenised sentences in order of first appearance."""
    lists = sentences if isinstance(sentences, list) else list(sentences)
    offsets = offsets_of(map(len, lists), len(lists))
    ids, types = number(chain.from_iterable(lists), int(offsets[-1]))
    return Tokens(ids, offsets, types)


def joined(parts: Iterable[Tokens]) -> Tokens:
    """The sentences of all parts, one after the other; equal tokens have one id in all of them."""
    iterator = iter(parts)
    some = list(islice(iterator, 2))
    if len(some) == 1:
        return some[0]
    numbers: dict[str, int] = {}
    ids, lengths = [np.zeros(0, np.int32)], [np.zeros(0, np.int64)]
    for part in chain(some, iterator):
        places = [numbers.setdefault(word, len(numbers)) for word in part.types]
        ids.append(np.array(places, np.int32)[part.ids])
        lengths.append(part.lengths)
    counts = np.concatenate(lengths)
    return Tokens(np.concatenate(ids), offsets_of(counts, len(counts)), list(numbers))


def number(words: Iterable[str], count: int) -> tuple[Int32Array, list[str]]:
    """Ids of `count` words, the same for equal words, and the words in order of their ids."""
    listed = words if isinstance(words, list) else list(words)
    types = list(dict.fromkeys(listed))
    numbers = dict(zip(types, range(len(types)), strict=True))
    return np.fromiter(map(numbers.__getitem__, listed), np.int32, count), types


def offsets_of(lengths: Iterable[int] | npt.NDArray[np.integer | np.bool_], count: int) -> IntArray:
    """Running sums of `count` lengths, starting at 0."""
    if not isinstance(lengths, np.ndarray):
        lengths = np.fromiter(lengths, np.int64, count)
    offsets = np.zeros(count + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def ragged_take(values: Int32Array, offsets: IntArray, rows: npt.NDArray[np.integer]) -> Int32Array:
    """`values[offsets[r]:offsets[r+1]]` for each r of `rows`, one after the other."""
    lengths = np.diff(offsets)[rows]
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    within = np.arange(total) - np.repeat(ends - lengths, lengths)
    taken: Int32Array = values[np.repeat(offsets[rows], lengths) + within]
    return taken


def split_words(
    sentences: Sequence[str],
    rules: int = 0,
    classes: Bytes | ClassesOf | None = None,
    lower: Case = None,
) -> Tokens:
    """The words between white space, split further by the rules of `cupel.kernels.words`.

    classes: a table of `cupel.text.code_points`, or what makes one of all code points of the text.
    lower: a case of `cupel.text.code_points` into which the text is brought first.
    """
    from cupel.kernels.words import replaced_codes

    codes = code_points(sentences)
    if lower:
        lowered = replaced_codes(codes, case_table(lower))
        if lowered is None:  # where it depends on the code points around one
            return split_words(in_case(sentences, lower), rules, classes)
        codes = lowered
    return numbered(codes, offsets_of(map(len, sentences), len(sentences)), rules, classes)


def numbered(
    codes: Int32Array,
    offsets: IntArray,
    rules: int = 0,
    classes: Bytes | ClassesOf | None = None,
) -> Tokens:
    """The same of sentences given by their code points, and where each starts among them."""
    from cupel.kernels.words import numbered_words

    table = white_space() if classes is None else classes(codes) if callable(classes) else classes
    return named(*numbered_words(codes, offsets, table, rules))


def named(ids: Int32Array, ends: IntArray, letters: Int32Array, starts: IntArray) -> Tokens:
    """Tokens from what `cupel.kernels.words.numbered_words` gives."""
    text = letters.tobytes().decode("utf-32-le", "surrogatepass")
    places = starts.tolist()
    return Tokens(ids, ends, [text[a:b] for a, b in pairwise(places)])


def code_points(sentences: Sequence[str]) -> Int32Array:
    """Those of all sentences, one after the other."""
    return np.frombuffer("".join(sentences).encode("utf-32-le", "surrogatepass"), np.int32)


def characters(sentences: Sequence[str], *, keep_whitespace: bool = False) -> Tokens:
    """The code points of each sentence, as ids; `types` is empty."""
    codes = code_points(sentences)
    offsets = offsets_of(map(len, sentences), len(sentences))
    if keep_whitespace:
        return Tokens(codes, offsets, ())
    white = white_space()
    kept = (white[np.minimum(codes, len(white) - 1)] == 0) | (codes >= len(white))
    return Tokens(codes[kept], offsets_of(kept, len(kept))[offsets], ())


def ngram_totals(lengths: IntArray, orders: int) -> IntArray:
    """(n, orders): how many n-grams sentences of these lengths have."""
    totals: IntArray = np.maximum(lengths[:, None] - np.arange(orders), 0)
    return totals
