"""Long texts for a model that learned from sentences: cut, aligned in order, and read part by part.

A translation and its reference are cut at the ends of sentences, and a sentence that is long itself
at commas or between words. Their sentences are aligned (`sentence_alignment`), and each aligned part
is read as a pair of sentences by itself; one without a partner is read beside an empty sentence. The
score of the two texts is the mean over parts, weighted by the length of the reference, or of the
translation where it has added something.

It is done from word pieces alone, so that a word has its place in the whole text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from cupel.arrays import FloatArray, Int32Array, IntArray
from cupel.learned.assay.model.sentence_alignment import align_sentences
from cupel.neural.wordpiece import Pieces, WordPieces

LONG = 100
"""A reference of more pieces is long."""
SENTENCE = 125
"""A sentence of more pieces is cut."""
SHORTEST = 5
"""A sentence of fewer pieces is one with the next."""
ENDS, CLAUSES, CLOSING = ".!?…。！？।", ",;:—–，；、：", '"”’)]»'
TITLES = frozenset(
    "mr mrs ms dr prof st vs jr sr inc ltd co corp gen sen rep gov lt col no".split()
)
"""Words with a full stop that does not end a sentence."""

_END, _CLAUSE, _CLOSE, _INNER = 1, 2, 3, 4
_MARKS = frozenset(ENDS + CLAUSES + CLOSING)


@dataclass(frozen=True)
class Parts:
    """Aligned parts of a translation and a reference, with weights (parts,) that add up to 1.

    begin, end: (parts, 2) from which piece to which, of both
    """

    begin: IntArray
    end: IntArray
    weights: FloatArray

    def of(self, ours: Int32Array, theirs: Int32Array) -> Iterator[tuple[Int32Array, Int32Array]]:
        """The pieces of each part."""
        for (a, b), (c, d) in zip(self.begin.tolist(), self.end.tolist(), strict=True):
            yield ours[a:c], theirs[b:d]


@dataclass(frozen=True)
class LongTexts:
    """How a model reads long texts.

    readable: how many pieces of each side it can read at once
    same: the score of a part that equals its reference, where that is fixed
    """

    tokenizer: WordPieces
    readable: int
    same: float | None = None

    def parts(self, ours: Int32Array, theirs: Int32Array) -> Parts:
        """The parts of a translation and a reference, both as pieces."""
        ours_at, theirs_at = self.sentences(ours), self.sentences(theirs)
        steps = align_sentences(ours, ours_at, theirs, theirs_at, self.readable)
        begin = np.stack([ours_at[steps[:, 0]], theirs_at[steps[:, 1]]], 1)
        end = np.stack([ours_at[steps[:, 2]], theirs_at[steps[:, 3]]], 1)
        lengths = end - begin
        weights = np.where(lengths[:, 1] > 0, lengths[:, 1], lengths[:, 0]).astype(np.float64)
        return Parts(begin, end, weights / weights.sum())

    def texts(self, parts: Parts, ours: str, theirs: str) -> list[list[str]]:
        """The two texts of each part, as they are written."""
        spans = [self.tokenizer.spans(text) for text in (ours, theirs)]
        return [
            [
                text[of[a][0] : of[b - 1][1]] if b > a else ""
                for text, of, a, b in zip((ours, theirs), spans, begin, end, strict=True)
            ]
            for begin, end in zip(parts.begin.tolist(), parts.end.tolist(), strict=True)
        ]

    def sentences(self, ids: Int32Array) -> IntArray:
        """(n+1,) where sentences of a text begin, and where the last one ends."""
        edges = [0]
        for end in self._ends(ids):
            if end - edges[-1] >= SHORTEST:
                edges.append(end)
        if edges[-1] and len(ids) - edges[-1] < SHORTEST:
            edges.pop()
        if not len(ids):
            return np.zeros(1, np.int64)
        return np.array([*self._shorter(ids, [*edges, len(ids)]), len(ids)], np.int64)

    def _ends(self, ids: Int32Array) -> Iterator[int]:
        """Behind the last mark of each sentence, and what it closes."""
        kinds = self._kinds[ids]
        for at in np.flatnonzero(kinds == _END).tolist():
            after = at + 1
            if after < len(ids) and self._goes_on(ids, at):
                continue
            while after < len(ids) and kinds[after] == _CLOSE:
                # A straight quotation mark closes only what one has opened.
                if self._texts[ids[after]] == '"' and (ids[:after] == ids[after]).sum() % 2 == 0:
                    break
                after += 1
            if after == len(ids) or kinds[after] != _END:
                yield after

    def _goes_on(self, ids: Int32Array, at: int) -> bool:
        """Whether a mark is part of a number or an abbreviation."""
        before, mark, after = (self._texts[n] for n in ids[[max(at - 1, 0), at, at + 1]].tolist())
        if before.isdigit() and after.isdigit():
            return True
        return mark == "." and (before.lower() in TITLES or (len(before) == 1 and before.isalpha()))

    def _shorter(self, ids: Int32Array, edges: Sequence[int]) -> Iterator[int]:
        """Where sentences begin when long ones are cut, behind a comma or else between words."""
        kinds = self._kinds[ids]
        for start, stop in pairwise(edges):
            yield start
            count = -(-(stop - start) // min(SENTENCE, self.readable // 2))
            reach = (stop - start) // (3 * count)
            for number in range(1, count):
                aim = start + (stop - start) * number // count
                places = np.arange(aim - reach, aim + reach + 1)
                good = places[kinds[places - 1] == _CLAUSE]
                good = good if len(good) else places[kinds[places] != _INNER]
                good = good if len(good) else places
                yield int(good[np.abs(good - aim).argmin()])

    @cached_property
    def _texts(self) -> list[str]:
        """The pieces of the vocabulary, as they are written."""
        spelling = self.tokenizer.spelling
        characters = spelling.characters.astype(np.uint32).tobytes().decode("utf-32-le")
        offsets = spelling.offsets.tolist()
        return [characters[a:b] for a, b in pairwise(offsets)]

    @cached_property
    def _kinds(self) -> IntArray:
        """What each piece of the vocabulary is: a mark, the inside of a word, or anything else (0)."""
        kinds = np.where(self.tokenizer.inside, _INNER, 0)
        for number, text in enumerate(self._texts):
            if text and set(text) <= _MARKS:
                inner = text.strip(CLOSING)
                ends = any(mark in ENDS for mark in inner)
                kinds[number] = _END if ends else _CLAUSE if inner else _CLOSE
        return kinds


def joined(texts: Sequence[Int32Array]) -> Pieces:
    """Texts of pieces, one after the other."""
    offsets = np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.int64)
    ids = np.concatenate([*texts, np.zeros(0)]).astype(np.int32)
    return Pieces(ids, offsets)
