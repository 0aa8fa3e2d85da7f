"""What assay-multi counts: lexical statistics of a translation and a reference, for any language.

Characters without white space, lower-cased characters, words, and the first four letters of words are
matched as n-grams and by edit distances; then numbers, capitalised words, punctuation, letters of
another script, repetition and length. Words of scripts that are written without spaces are single
characters. Nothing here depends on the other segments.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.batch import Batch
from cupel.kernels.edits import (
    LONG_JUMPS,
    POSITION_INDEPENDENT,
    WORD_ERRORS,
    best_edits,
    lcs_lengths,
)
from cupel.kernels.ngrams import CLIPPED, NO_WEIGHTS, clipped_matches
from cupel.metrics.chrf import Characters, Chrf
from cupel.text.tokens import Tokens, intern

CHARACTERS, WORDS, PREFIX = 6, 4, 4
"""Longest n-grams of characters and of words, and letters of a word's beginning."""
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff"
)
_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0963\u0971-\u0dff"
WORD = re.compile(rf"\d+(?:[.,:]\d+)*|[{_UNSPACED}]|(?:[^\W{_UNSPACED}]|[{_MARKS}])+|[^\w\s]")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_RARE = 8.0
"""Weight of a word that the table of frequencies does not have."""
WHOLE, START = 0, 1
"""Rows of that table: words, and their first letters."""


@dataclass(frozen=True)
class Words:
    """The analyser sentences -> words, digits and marks, in lower case; `prefix` letters of each."""

    prefix: int = 0

    def __call__(self, sentences: Sequence[str]) -> Tokens:
        lists = [WORD.findall(text.lower()) for text in sentences]
        if self.prefix:
            lists = [[word[: self.prefix] for word in words] for words in lists]
        return intern(lists)


@dataclass(frozen=True)
class Kind:
    """The analyser sentences -> tokens of one kind: numbers, capitalised words, or marks."""

    kind: str

    def __call__(self, sentences: Sequence[str]) -> Tokens:
        return intern([_KINDS[self.kind](text) for text in sentences])


def _capitals(text: str) -> list[str]:
    """Words with a capital letter, without the first word."""
    return [word for word in WORD.findall(text)[1:] if word[0].isupper()]


def _marks(text: str) -> list[str]:
    return [word for word in WORD.findall(text) if not word[0].isalnum() and len(word) == 1]


_KINDS: dict[str, Callable[[str], list[str]]] = {
    "numbers": _NUMBER.findall,
    "capitals": _capitals,
    "marks": _marks,
}


@dataclass(frozen=True)
class Outline:
    """The analyser sentences -> (n, 4): letters, share of Latin letters, repetition, last mark."""

    def __call__(self, sentences: Sequence[str]) -> FloatArray:
        rows = np.zeros((len(sentences), 4))
        for row, text in zip(rows, sentences, strict=True):
            letters = [c for c in text if c.isalpha()]
            latin = sum(c < "\u0250" for c in letters)
            grams = [text[i : i + 5] for i in range(len(text) - 4)]
            repeated = 1.0 - len(set(grams)) / len(grams) if grams else 0.0
            last = ord(text[-1]) if text and not text[-1].isalnum() else 0
            row[:] = len(letters), latin / max(len(letters), 1), repeated, last
        return rows


class Columns:
    """Named columns of equal length, in order."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.values: list[FloatArray] = []

    def add(self, name: str, values: Any) -> None:
        self.names.append(name)
        self.values.append(np.asarray(values, np.float64))

    def triple(self, name: str, matches: Any, ours: Any, theirs: Any, empty: Any = 1.0) -> None:
        """Precision, recall and F; `empty` where a side has nothing to match."""
        for part, total in (("p", ours), ("r", theirs), ("f", (ours + theirs) / 2.0)):
            share = np.divide(matches, total, out=np.zeros(len(total)), where=total > 0)
            self.add(f"{name}-{part}", np.where(total > 0, share, empty))


def features(batch: Batch, frequencies: Path | None = None) -> tuple[list[str], FloatArray]:
    """Names, and (m, names): statistics of each hypothesis with each of its references.

    frequencies: the table of word weights, `word_weights` of it; without it all words weigh alike.
    """
    hypotheses = np.repeat(batch.hypothesis_index, batch.reference_counts)
    pair = (hypotheses, batch.reference_index)
    columns = Columns()
    _chrf(columns, batch, pair)
    words, starts = batch.analyse(Words()), batch.analyse(Words(PREFIX))
    _ngrams(columns, "word", words, pair, WORDS)
    _ngrams(columns, "start", starts, pair, 2)
    weights = word_weights(frequencies)
    _weighted(columns, "rare", words, pair, weights(words.types, WHOLE))
    _weighted(columns, "rare-start", starts, pair, weights(starts.types, START))
    _edits(columns, "word", words, pair)
    _edits(columns, "char", _renumbered(batch.analyse(Characters())), pair)
    for kind in _KINDS:
        tokens = batch.analyse(Kind(kind))
        matches, ours, theirs = _matches(tokens, pair, 1)
        columns.triple(kind, matches[:, 0], ours[:, 0], theirs[:, 0])
        columns.add(f"{kind}-wrong", np.log1p(ours[:, 0] + theirs[:, 0] - 2 * matches[:, 0]))
    _lengths(columns, batch, words, pair)
    return columns.names, np.stack(columns.values, axis=1)


def _chrf(columns: Columns, batch: Batch, pair: tuple[IntArray, IntArray]) -> None:
    tokens = batch.analyse(Characters())
    _ngrams(columns, "char", tokens, pair, CHARACTERS)
    lower = batch.analyse(Characters(lowercase=True))
    _ngrams(columns, "lower", lower, pair, CHARACTERS)
    alone = Batch(
        [batch.sentences[i] for i in pair[0].tolist()],
        [[batch.sentences[i]] for i in pair[1].tolist()],
    )
    metric = Chrf(word_order=2)
    columns.add("chrf++", metric.score(metric.statistics(alone)) / 100.0)


def _ngrams(
    columns: Columns, name: str, tokens: Tokens, pair: tuple[IntArray, IntArray], orders: int
) -> None:
    """An order for which a side is too short has the values of the order below."""
    matches, ours, theirs = _matches(tokens, pair, orders)
    both = [np.ones(len(matches))] * 3
    for n in range(orders):
        columns.triple(f"{name}{n + 1}", matches[:, n], ours[:, n], theirs[:, n], 0.0)
        enough = (ours[:, n] > 0) & (theirs[:, n] > 0)
        if n == 0:
            enough = (ours[:, n] > 0) | (theirs[:, n] > 0)
        both = [np.where(enough, columns.values[part - 3], both[part]) for part in range(3)]
        columns.values[-3:] = both


def _matches(
    tokens: Tokens, pair: tuple[IntArray, IntArray], orders: int, weights: FloatArray = NO_WEIGHTS
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(m, orders): matches, n-grams of the hypothesis, n-grams of the reference."""
    counts, _ = clipped_matches(
        tokens.ids, tokens.offsets, *pair, np.arange(len(pair[0]) + 1), orders, weights, CLIPPED
    )
    less = np.arange(orders)
    ours, theirs = (np.maximum(tokens.lengths[side][:, None] - less, 0) for side in pair)
    return counts.astype(np.float64), ours.astype(np.float64), theirs.astype(np.float64)


def _weighted(
    columns: Columns, name: str, tokens: Tokens, pair: tuple[IntArray, IntArray], weight: FloatArray
) -> None:
    """Matches of single words, of which rare ones count more."""
    of_token = weight[tokens.ids] if len(weight) else np.zeros(0)
    _, sums = clipped_matches(
        tokens.ids,
        tokens.offsets,
        *pair,
        np.arange(len(pair[0]) + 1),
        1,
        np.ascontiguousarray(of_token[:, None]),
        CLIPPED,
    )
    sentence = np.repeat(np.arange(len(tokens)), tokens.lengths)
    total = np.bincount(sentence, of_token, len(tokens))
    matches, ours, theirs = sums[:, 0], total[pair[0]], total[pair[1]]
    columns.triple(name, matches, ours, theirs, 0.0)
    columns.add(f"{name}-lost", np.log1p(np.maximum(theirs - matches, 0.0)))
    columns.add(f"{name}-extra", np.log1p(np.maximum(ours - matches, 0.0)))


def _edits(columns: Columns, name: str, tokens: Tokens, pair: tuple[IntArray, IntArray]) -> None:
    """Edit rates by the length of the longer side, and the longest common subsequence.

    CDER of characters is left out: its time grows with the square of the length.
    """
    place = np.arange(len(pair[0]) + 1)
    size = int(tokens.ids.max(initial=0)) + 1
    longer = np.maximum(tokens.lengths[pair[0]], tokens.lengths[pair[1]])
    for label, distance in (
        ("wer", WORD_ERRORS),
        ("per", POSITION_INDEPENDENT),
        ("cder", LONG_JUMPS),
    ):
        if (name, label) == ("char", "cder"):
            continue
        edits = best_edits(tokens.ids, tokens.offsets, *pair, place, size, distance)[:, 0]
        columns.add(f"{name}-{label}", np.minimum(edits / np.maximum(longer, 1), 2.0))
    common = lcs_lengths(tokens.ids, tokens.offsets, *pair, place, size)
    columns.add(f"{name}-lcs", np.where(longer > 0, common / np.maximum(longer, 1), 1.0))


def _renumbered(tokens: Tokens) -> Tokens:
    """Code points as small ids, so that tables by id stay small."""
    _, ids = np.unique(tokens.ids, return_inverse=True)
    return Tokens(ids.astype(np.int32), tokens.offsets, ())


def _lengths(
    columns: Columns, batch: Batch, words: Tokens, pair: tuple[IntArray, IntArray]
) -> None:
    for name, tokens in (("char", batch.analyse(Characters())), ("word", words)):
        ours, theirs = (tokens.lengths[side] for side in pair)
        ratio = np.log((ours + 1.0) / (theirs + 1.0))
        columns.add(f"{name}-longer", np.clip(ratio, 0.0, 2.0))
        columns.add(f"{name}-shorter", np.clip(-ratio, 0.0, 2.0))
    outline = batch.analyse(Outline())
    first, second = outline[pair[0]], outline[pair[1]]
    columns.add("latin", np.maximum(first[:, 1] - second[:, 1], 0.0))
    columns.add("not-latin", np.maximum(second[:, 1] - first[:, 1], 0.0))
    columns.add("repeats", np.maximum(first[:, 2] - second[:, 2], 0.0))
    columns.add("last-mark", first[:, 3] != second[:, 3])
    columns.add("equal", pair[0] == pair[1])
    columns.add("size", np.log1p(batch.analyse(Characters()).lengths[pair[1]]))


@cache
def word_weights(table: Path | None) -> Callable[[Sequence[str], int], FloatArray]:
    """The function words, WHOLE or START -> weights, (n,), by a table of hashed words.

    The weight of a word is -log of its frequency, that of a beginning the lowest of its words.
    """
    if table is None:
        return lambda types, row: np.ones(len(types))
    weights = np.load(table, allow_pickle=False).astype(np.float64) * (_RARE / 255.0)

    def of(types: Sequence[str], row: int) -> FloatArray:
        size = weights.shape[1]
        places = np.fromiter(
            (zlib.crc32(word.encode("utf-8", "surrogatepass")) % size for word in types),
            np.int64,
            len(types),
        )
        result: FloatArray = weights[row, places]
        return result

    return of
