"""What `assay` learns from, as arrays: sentences, items (translation, reference), and judgments.

Preferences say that one item is better than another of the same segment, or that a judge tied
them; grades put a number on an item; and a teacher has scores for all translations of a segment,
judged or not. Everything is integers into a list of distinct sentences, so that training needs no
text, and a batch encodes each of its sentences once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from cupel.arrays import Float32Array, IntArray
from cupel.neural.wordpiece import Pieces

JUDGED, TIED, CORRUPTED, BORROWED = 0, 1, 2, 3
LINES = 10_000
"""A segment's number is LINES times that of its campaign, plus its line."""
OUTPUTS = 8
"""Translations of a segment that are learned from a teacher in an epoch."""
TEACHERS = 0
"""The campaign of what teachers gave, where it is learned as grades are."""
HELD_OUT = 20
"""One line in so many is held out, for all language pairs alike: they share their references."""


@dataclass(frozen=True)
class Judgments:
    """Items and their judgments.

    pieces       of the distinct sentences
    hypothesis   (items,) sentence
    reference    (items,) sentence
    segment      (items,) a number for each segment of each language pair: LINES * campaign + line
    better       (pairs,) item
    worse        (pairs,) item; of a tie, the other one
    kind         (pairs,) JUDGED, TIED, CORRUPTED, or BORROWED: judged, but here compared with
                 another translation in place of the reference
    graded       (g,) item
    grade        (g,) standardised: mean 0, deviation 1
    taught       (t,) item that a teacher has a score for
    lesson       (t,) that score, which means something only among translations of one segment
    marked       (m,) item of a graded campaign (see `cupel.learned.assay.data.graded`)
    mark         (m,) its grade, standardised in its language pair
    campaign     (m,) the number of the campaign, from 1; TEACHERS for the score of teachers
    """

    pieces: Pieces
    hypothesis: IntArray
    reference: IntArray
    segment: IntArray
    better: IntArray
    worse: IntArray
    kind: IntArray
    graded: IntArray
    grade: Float32Array
    taught: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    lesson: Float32Array = field(default_factory=lambda: np.zeros(0, np.float32))
    marked: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    mark: Float32Array = field(default_factory=lambda: np.zeros(0, np.float32))
    campaign: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))

    def part(self, held_out: bool) -> Judgments:
        """The judgments of the held-out lines, or of all others; the items all stay."""
        pairs, grades, lessons, marks = (
            ((self.segment[items] % LINES) % HELD_OUT == 0) == held_out
            for items in (self.better, self.graded, self.taught, self.marked)
        )
        return replace(
            self,
            better=self.better[pairs],
            worse=self.worse[pairs],
            kind=self.kind[pairs],
            graded=self.graded[grades],
            grade=self.grade[grades],
            taught=self.taught[lessons],
            lesson=self.lesson[lessons],
            marked=self.marked[marks],
            mark=self.mark[marks],
            campaign=self.campaign[marks],
        )

    def of_kind(self, *kinds: int) -> Judgments:
        """Only some kinds of pairs."""
        chosen = np.isin(self.kind, kinds)
        return replace(
            self, better=self.better[chosen], worse=self.worse[chosen], kind=self.kind[chosen]
        )


@dataclass(frozen=True)
class Step:
    """One batch: distinct sentences, items as pairs of them, and judgments of these items.

    sentences  (s,) numbers in `Judgments.pieces`
    items      (n, 2) rows of `sentences`: translation, reference
    numbers    (n,) the items' numbers in `Judgments`
    better, worse, weight, kind (pairs,)    graded, grade (g,)
    taught, lesson (t,), and `group`: which of the step's segments, numbered from 0, each is of
    """

    sentences: IntArray
    items: IntArray
    numbers: IntArray
    better: IntArray
    worse: IntArray
    weight: Float32Array
    kind: IntArray
    graded: IntArray
    grade: Float32Array
    taught: IntArray
    lesson: Float32Array
    group: IntArray


def weights_of(
    data: Judgments, corrupted: float, tied: float, agreed: bool, borrowed: float = 0.0
) -> Float32Array:
    """What each pair counts. agreed: contradicting judgments cancel, the majority keeps the rest."""
    weight = np.choose(data.kind, [1.0, tied, corrupted, borrowed]).astype(np.float32)
    if agreed:
        judged = data.kind == JUDGED
        count = len(data.hypothesis)
        ahead = data.better[judged] * count + data.worse[judged]
        behind = data.worse[judged] * count + data.better[judged]
        distinct, counts = np.unique(ahead, return_counts=True)
        own = counts[np.searchsorted(distinct, ahead)]
        at = np.searchsorted(distinct, behind).clip(max=len(distinct) - 1)
        other = np.where(distinct[at] == behind, counts[at], 0)
        weight[judged] = np.maximum(own - other, 0) / own
    return weight


def steps(
    data: Judgments, weight: Float32Array, size: int, generator: np.random.Generator
) -> Iterator[Step]:
    """An epoch in random order: all judgments of `size` segments a step.

    Of a segment that a teacher has scores for, at most OUTPUTS translations are among them.
    Steps gather segments of about equal length from a pool, so that little is padding.
    """
    of_pair, of_grade = data.segment[data.better], data.segment[data.graded]
    of_taught = data.segment[data.taught]
    units = np.unique(np.concatenate([of_pair, of_grade, of_taught]))
    length = np.zeros(int(units[-1]) + 1, np.int64)
    length[of_pair] = data.pieces.lengths[data.reference[data.better]]
    length[of_grade] = data.pieces.lengths[data.reference[data.graded]]
    length[of_taught] = data.pieces.lengths[data.reference[data.taught]]
    pairs, grades, taught = _Grouped(of_pair), _Grouped(of_grade), _Grouped(of_taught)
    generator.shuffle(units)
    batches: list[IntArray] = []
    for start in range(0, len(units), 16 * size):
        pool = units[start : start + 16 * size]
        pool = pool[np.argsort(length[pool], kind="stable")]
        batches += [pool[at : at + size] for at in range(0, len(pool), size)]
    for number in generator.permutation(len(batches)):
        of = batches[number]
        lessons = _some(taught.of(of), of_taught, generator)
        yield _step(data, weight, pairs.of(of), grades.of(of), lessons)


def step_count(data: Judgments, size: int) -> int:
    """How many steps an epoch of `steps` has."""
    judged = np.concatenate([data.better, data.graded, data.taught])
    return -(-len(np.unique(data.segment[judged])) // size)


class _Grouped:
    """Which entries have which number."""

    def __init__(self, numbers: IntArray) -> None:
        self.order = np.argsort(numbers, kind="stable")
        self.sorted = numbers[self.order]

    def of(self, numbers: IntArray) -> IntArray:
        first = np.searchsorted(self.sorted, numbers, "left")
        last = np.searchsorted(self.sorted, numbers, "right")
        spans = [self.order[a:b] for a, b in zip(first.tolist(), last.tolist(), strict=True)]
        return np.concatenate(spans) if spans else np.zeros(0, np.int64)


def _some(entries: IntArray, segment: IntArray, generator: np.random.Generator) -> IntArray:
    """At most OUTPUTS of the entries of each segment, at random."""
    shuffled = generator.permutation(entries)
    ordered = shuffled[np.argsort(segment[shuffled], kind="stable")]
    numbers = segment[ordered]
    rank = np.arange(len(numbers)) - np.searchsorted(numbers, numbers)
    chosen: IntArray = ordered[rank < OUTPUTS]
    return chosen


def _step(
    data: Judgments, weight: Float32Array, pairs: IntArray, grades: IntArray, lessons: IntArray
) -> Step:
    pairs = pairs[weight[pairs] > 0]
    judged = (data.better[pairs], data.worse[pairs], data.graded[grades], data.taught[lessons])
    numbers, of = np.unique(np.concatenate(judged), return_inverse=True)
    better, worse, graded, taught = np.split(of, np.cumsum([len(part) for part in judged])[:-1])
    both = np.stack([data.hypothesis[numbers], data.reference[numbers]], 1)
    sentences, items = np.unique(both, return_inverse=True)
    return Step(
        sentences,
        items.reshape(both.shape),
        numbers,
        better,
        worse,
        weight[pairs],
        data.kind[pairs],
        graded,
        data.grade[grades],
        taught,
        data.lesson[lessons],
        np.unique(data.segment[data.taught[lessons]], return_inverse=True)[1],
    )


@dataclass
class Builder:
    """Collects sentences, items and their judgments; `build` makes the arrays."""

    sentences: dict[str, int] = field(default_factory=dict)
    items: dict[tuple[int, int, int], int] = field(default_factory=dict)
    pairs: list[tuple[int, int, int]] = field(default_factory=list)
    grades: list[tuple[int, float]] = field(default_factory=list)
    marks: list[tuple[int, float, int]] = field(default_factory=list)  # of graded campaigns
    outputs: dict[int, None] = field(default_factory=dict)  # items that a teacher may score
    sources: dict[int, str] = field(default_factory=dict)  # of segments, where there is one

    def item(self, hypothesis: str, reference: str, segment: int) -> int:
        number = self.sentences.setdefault
        key = (
            number(hypothesis, len(self.sentences)),
            number(reference, len(self.sentences)),
            segment,
        )
        return self.items.setdefault(key, len(self.items))

    def source(self, segment: int, text: str) -> None:
        """The source of a segment, if it has none yet."""
        if text:
            self.sources.setdefault(segment, text)

    def build(self, tokenizer: Callable[[list[str]], Pieces]) -> Judgments:
        items = np.array(list(self.items), np.int64).reshape(-1, 3)
        pairs = np.array(self.pairs, np.int64).reshape(-1, 3)
        return Judgments(
            pieces=tokenizer(list(self.sentences)),
            hypothesis=items[:, 0],
            reference=items[:, 1],
            segment=items[:, 2],
            better=pairs[:, 0],
            worse=pairs[:, 1],
            kind=pairs[:, 2],
            graded=np.array([item for item, _ in self.grades], np.int64),
            grade=np.array([grade for _, grade in self.grades], np.float32),
            taught=np.array(list(self.outputs), np.int64),
            lesson=np.zeros(len(self.outputs), np.float32),
            marked=np.array([item for item, _, _ in self.marks], np.int64),
            mark=np.array([mark for _, mark, _ in self.marks], np.float32),
            campaign=np.array([campaign for _, _, campaign in self.marks], np.int64),
        )
