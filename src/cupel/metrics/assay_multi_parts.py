"""Long texts in parts: some sentences of a reference, with what a translation has for them.

assay-multi was trained on segments of one to a few sentences, where longer ones have more errors and so
lower grades: of a long text little would be left. So a long reference is cut at the ends of sentences,
and the translation into as many parts in the same order, so that parts share as many words as possible.
The score of the whole is the mean over parts by length.

    f(j, t) = max(f(j, t - 1) + w(t, j), f(j - 1, t) - c(t))

is the best that the first t words of the translation have with the first j parts: w is 1 / n for a word that
n parts have, j among them, less a trifle for being far from its place; c is a cost of a cut that is not at
the end of a sentence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.batch import Batch
from cupel.metrics.assay_multi_features import WORD

LONG = 1200
"""Bytes of a reference that is cut: about 256 word pieces, the longest texts of the training. Below, whole
texts rank translations better than parts. How long translations are does not matter: all are treated alike.
"""
SHORT, HARD = 350, 900
"""Bytes that a part has at least, and after which one without an end is cut at a space."""
_CUT_INSIDE, _PLACE = 0.5, 0.05
_END = re.compile(
    r"(?:[.!?\u2026\u061f\u0964\u06d4\u1362][\"'\u201d\u201c\u00bb)\]]*\s+|[\u3002\uff01\uff1f][\u300d\u300f\u201d]*|\n+)"
)


@dataclass(frozen=True)
class Parts:
    """Pairs of texts, of which those of long references are cut.

    hypotheses, references: of all parts. pair: (parts,), which pair each is of. weight: (parts,).
    """

    hypotheses: list[str]
    references: list[str]
    pair: IntArray
    weight: FloatArray

    @property
    def pairs(self) -> int:
        """How many pairs there are."""
        return int(self.pair[-1]) + 1

    def batch(self) -> Batch:
        """Every part as an item."""
        return Batch(self.hypotheses, [[text] for text in self.references])

    def means(self, scores: FloatArray) -> FloatArray:
        """(pairs,) the mean scores of their parts."""
        count, first = np.bincount(self.pair), np.searchsorted(self.pair, np.arange(self.pairs))
        total = np.bincount(self.pair, self.weight * scores) / np.bincount(self.pair, self.weight)
        # What is one part has its score to the last bit, so that equal translations tie.
        return np.where(count == 1, scores[first], total)


def is_long(reference: str) -> bool:
    """Whether a reference is cut."""
    return len(reference) * 4 > LONG and _size(reference) > LONG


def parts_of(hypotheses: list[str], references: list[str]) -> Parts:
    """Pairs of texts in parts; a pair whose reference is short, or whose texts are equal, is one part."""
    ours: list[str] = []
    theirs: list[str] = []
    pair: list[int] = []
    for number, (hypothesis, reference) in enumerate(zip(hypotheses, references, strict=True)):
        sentences = [reference]
        if hypothesis != reference and is_long(reference):
            sentences = cut(reference)
        ours += aligned(hypothesis, sentences)
        theirs += sentences
        pair += [number] * len(sentences)
    weight = [max(_size(a), _size(b), 1) for a, b in zip(ours, theirs, strict=True)]
    return Parts(ours, theirs, np.array(pair, np.int64), np.array(weight, np.float64))


def cut(text: str) -> list[str]:
    """The sentences of a text, short ones joined to the next."""
    parts, start = [], 0
    ends = [*(match.end() for match in _END.finditer(text)), len(text)]
    for end in ends:
        while _size(text[start:end]) > HARD and (space := _space(text, start, end)) > start:
            parts.append(text[start:space])
            start = space
        if _size(text[start:end]) >= SHORT:
            parts.append(text[start:end])
            start = end
    if start < len(text):
        if parts:
            parts[-1] += text[start:]
        else:
            parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()] or [text]


def _space(text: str, start: int, end: int) -> int:
    """Where a part without an end is cut: behind a space, or a character of scripts without."""
    most = start + HARD // max(1, _size(text[start : start + 50]) // 50)
    space = text.rfind(" ", start + 1, min(most, end))
    return space + 1 if space > 0 else min(most, end)


def aligned(hypothesis: str, sentences: list[str]) -> list[str]:
    """The translation cut into one part for each sentence, some of them empty."""
    if len(sentences) == 1:
        return [hypothesis]
    words = list(WORD.finditer(hypothesis))
    if not words:
        return [hypothesis, *[""] * (len(sentences) - 1)]
    forms = [match.group().lower() for match in words]
    gains = _gains(forms, sentences)
    ends = {match.end() for match in _END.finditer(hypothesis)}
    starts = [match.start() for match in words]
    cost = np.array([0.0 if at in ends else _CUT_INSIDE for at in starts[1:]])
    cost = np.concatenate([[0.0], cost, [0.0]])
    cuts = _best_cuts(gains, cost)
    places = [
        0,
        *(starts[c] if c < len(starts) else len(hypothesis) for c in cuts),
        len(hypothesis),
    ]
    return [hypothesis[a:b].strip() for a, b in pairwise(places)]


def _gains(forms: list[str], sentences: list[str]) -> FloatArray:
    """(sentences, words) w of the formula."""
    bags = [{match.group().lower() for match in WORD.finditer(text)} for text in sentences]
    counts: dict[str, int] = {}
    for bag in bags:
        for word in bag:
            counts[word] = counts.get(word, 0) + 1
    sizes = np.cumsum([0, *(_size(text) for text in sentences)]) / sum(map(_size, sentences))
    centre = (sizes[1:] + sizes[:-1]) / 2
    place = (np.arange(len(forms)) + 0.5) / len(forms)
    gains: FloatArray = -_PLACE * np.abs(place - centre[:, None])
    for row, bag in enumerate(bags):
        gains[row] += [1.0 / counts[word] if word in bag else 0.0 for word in forms]
    return gains


def _best_cuts(gains: FloatArray, cost: FloatArray) -> list[int]:
    """The words before which each sentence but the first begins."""
    sums = np.concatenate([np.zeros((len(gains), 1)), np.cumsum(gains, axis=1)], axis=1)
    best, origins = sums[0], []
    for row in sums[1:]:
        entered = best - cost - row
        highest = np.maximum.accumulate(entered)
        # Where the row was entered: the first place that has the highest value so far.
        place = np.maximum.accumulate(
            np.where(np.concatenate([[True], entered[1:] > highest[:-1]]), np.arange(len(row)), 0)
        )
        origins.append(place)
        best = row + highest
    cuts, at = [], len(cost) - 1
    for place in reversed(origins):
        at = int(place[at])
        cuts.append(at)
    return cuts[::-1]


def _size(text: str) -> int:
    """Bytes, which say more than characters how much text there is in any script."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
