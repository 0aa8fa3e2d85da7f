"""Graded campaigns: translations by the systems of today, each with a number that people gave it.

A campaign is a named dataset or a folder, in one of two layouts: mt-metrics-eval's (mqm21, say; see
`cupel.human.evalset`), or `PAIR.jsonl` with one translation a line (da15, da17). Only segments that have a reference are read, and by default only pairs into English.

MQM sums up penalties, of which a few are very high: such a grade is -log(1 + penalty). Grades are
standardised in each language pair of a campaign, because judges, scales and systems differ. What a
batch compares across segments must therefore come from one campaign, which each grade names.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.data.catalog import DATASETS, EMBEDDED
from cupel.data.find import find
from cupel.errors import CupelError
from cupel.human.evalset import evalset_pairs, read_evalset
from cupel.learned.assay.data.examples import HELD_OUT, LINES, TEACHERS, Builder, Judgments
from cupel.learned.language_pairs import chosen_pairs
from cupel.learned.manifest import Gate, measured
from cupel.reading.jsons import json_lines

_DATASETS = {**EMBEDDED, **DATASETS}
CAMPAIGNS = tuple(n for n, one in _DATASETS.items() if one.kind in ("graded", "graded-json"))
"""Datasets with grades; `NAME:PAIR,PAIR` means only some of their language pairs."""
SAME_SEGMENT = 4
"""Translations of one segment that follow each other."""
POOL = 8
"""Batches that are sorted by length together."""


@dataclass(frozen=True)
class GradedPair:
    """One language pair of a campaign: entry i of each list is a translation with its grade.

    lines: the number of the segment; grades (n,): higher is better, standardised. documents: of
    each translation, where the campaign has documents. sources: "" where there is none.
    """

    pair: str
    hypotheses: list[str]
    references: list[str]
    lines: list[int]
    grades: FloatArray
    documents: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)

    def part(self, dataset: str, gate: Gate | None) -> GradedPair:
        """The translations in documents for training, or, without a gate, in those for measuring."""
        name = dataset if Path(dataset).is_dir() else dataset.partition(":")[0]
        documents = self.documents or [""] * len(self.lines)
        choose = gate.documents if gate is not None else measured
        kept = choose(name, self.pair, documents)
        if kept.all():
            return self
        if not kept.any():
            raise CupelError(f"{self.pair} of {name} has no documents for training.")
        columns = (self.hypotheses, self.references, self.lines, self.documents, self.sources)
        lists: list[list[Any]] = [list(compress(column, kept)) for column in columns]
        hypotheses, references, lines, documents, sources = lists
        grades = standardised(self.grades[kept], Path(name))
        return GradedPair(self.pair, hypotheses, references, lines, grades, documents, sources)


@dataclass
class LineNumbers:
    """A number below LINES for each distinct reference of a test set that has no line numbers.

    Whether a line is held out depends on its reference alone, so that none of these test
    sets trains on a reference that another one holds out.
    """

    numbers: dict[str, int] = field(default_factory=dict)
    used: list[int] = field(default_factory=lambda: [0] * HELD_OUT)

    def __call__(self, reference: str) -> int:
        if reference not in self.numbers:
            place = zlib.crc32(reference.encode()) % HELD_OUT
            self.numbers[reference] = HELD_OUT * self.used[place] + place
            self.used[place] += 1
        return self.numbers[reference]


def is_campaign(dataset: str) -> bool:
    """Whether a name means a graded campaign: a dataset, or a folder of another name."""
    is_folder = dataset not in _DATASETS and Path(dataset).is_dir()
    return is_folder or dataset.partition(":")[0] in CAMPAIGNS


def graded_pairs(dataset: str, pairs: Sequence[str] | None = None) -> list[GradedPair]:
    """The language pairs of a campaign that `NAME:PAIR,PAIR` names, else `pairs`, else into English."""
    name, _, listed = (dataset, "", "") if Path(dataset).is_dir() else dataset.partition(":")
    folder = pack_folder(name)
    in_evalset = (folder / "sources").is_dir()
    every = evalset_pairs(folder) if in_evalset else sorted(p.stem for p in folder.glob("*.jsonl"))
    chosen = chosen_pairs(name, every, listed.split(",") if listed else pairs)
    if not chosen:
        raise CupelError(f"{folder} has no language pair into English.")
    return [_of_evalset(folder, p) if in_evalset else _of_lines(folder, p) for p in chosen]


def pack_folder(name: str) -> Path:
    """The folder of the dataset of this name, or the folder itself."""
    return find(name) if name in _DATASETS or not Path(name).is_dir() else Path(name)


def _of_evalset(folder: Path, pair: str) -> GradedPair:
    """The first human scores of a language pair that are of segments."""
    campaign = read_evalset(folder, pair)
    scores = next((s for s in campaign.human.values() if s.segment_scores), None)
    if scores is None:
        raise CupelError(f"{folder} has no human-scores/{pair}.NAME.seg.score.")
    corpus = campaign.corpus
    systems = [name for name in corpus.systems if name in scores.segment_scores]
    matrix = scores.matrix(systems)
    given = np.isfinite(matrix) & [bool(references[0]) for references in corpus.references]
    of, columns = np.nonzero(given)
    lines: list[int] = columns.tolist()
    grades = matrix[given]
    return GradedPair(
        pair,
        [corpus.systems[systems[s]][line] for s, line in zip(of.tolist(), lines, strict=True)],
        [corpus.references[line][0] for line in lines],
        lines,
        standardised(from_penalties(grades) if scores.name.startswith("mqm") else grades, folder),
        [campaign.documents[line] for line in lines] if campaign.documents else [],
        [corpus.sources[line] if corpus.sources else "" for line in lines],
    )


def _of_lines(folder: Path, pair: str) -> GradedPair:
    """`PAIR.jsonl`: objects with hypothesis, reference and score, and a source if there is one."""
    number = LineNumbers()
    rows: list[tuple[str, str, float]] = []
    sources: list[str] = []
    for place, row in json_lines(folder / f"{pair}.jsonl"):
        try:
            rows.append((str(row["hypothesis"]), str(row["reference"]), float(row["score"])))
        except (KeyError, TypeError, ValueError) as error:
            raise CupelError(
                f"{place}: a hypothesis, a reference and a score were expected."
            ) from error
        sources.append(str(row.get("source") or ""))
    return GradedPair(
        pair,
        [hypothesis for hypothesis, _, _ in rows],
        [reference for _, reference, _ in rows],
        [number(reference) for _, reference, _ in rows],
        standardised(np.array([score for *_, score in rows]), folder),
        sources=sources,
    )


def from_penalties(scores: FloatArray) -> FloatArray:
    """MQM scores, which are negated penalties, as -log(1 + penalty)."""
    return -np.log1p(np.maximum(-scores, 0.0))


def standardised(grades: FloatArray, where: Path) -> FloatArray:
    """Mean 0 and deviation 1."""
    spread = float(grades.std()) if len(grades) else 0.0
    if spread == 0.0:
        raise CupelError(f"{where}: there is nothing to learn from grades that are all the same.")
    scaled: FloatArray = (grades - grades.mean()) / spread
    return scaled


def add_campaign(
    builder: Builder,
    dataset: str,
    first: int,
    pairs: Sequence[str] | None = None,
    outputs: bool = False,
    gate: Gate | None = None,
) -> int:
    """Add a campaign's grades; its language pairs are numbered from `first`. Returns the next.

    outputs: its translations are to be taught, too. gate: keeps the documents for training; without
    it, those for measuring stay.
    """
    number = 1 + max((campaign for *_, campaign in builder.marks), default=0)
    for whole in graded_pairs(dataset, pairs):
        of_pair = whole.part(dataset, gate)
        rows = zip(
            of_pair.hypotheses, of_pair.references, of_pair.lines, of_pair.grades, strict=True
        )
        for hypothesis, reference, line, grade in rows:
            item = builder.item(hypothesis, reference, first * LINES + line)
            builder.marks.append((item, float(grade), number))
            if outputs:
                builder.outputs[item] = None
        for line, text in zip(of_pair.lines, of_pair.sources, strict=True):
            builder.source(first * LINES + line, text)
        first += 1
    return first


def add_outputs(builder: Builder, folder: str, first: int, gate: Gate | None = None) -> int:
    """Add the translations of a folder in mt-metrics-eval's layout, to be taught; human scores are
    not read. Its language pairs into English are numbered from `first`. Returns the next.
    """
    for pair in chosen_pairs(folder, evalset_pairs(folder), None):
        if gate is not None:
            gate.check(folder, [pair])
        for name in read_evalset(folder, pair).references:
            corpus = read_evalset(folder, pair, [name]).corpus
            for texts in corpus.systems.values():
                for line, (text, given) in enumerate(zip(texts, corpus.references, strict=True)):
                    if text and given[0]:
                        builder.outputs[builder.item(text, given[0], first * LINES + line)] = None
            first += 1
    return first


@dataclass(frozen=True)
class GradedBatch:
    """Entries of `Judgments.marked`, some of every campaign, and pairs of them to compare.

    marks          (m,) entries
    campaign       (m,) the batch's campaigns, numbered from 0
    higher, lower  (p,) places in `marks`: two translations of one segment, the first one's grade
                   the higher one; of each two such translations there is one pair, or none
    """

    marks: IntArray
    campaign: IntArray
    higher: IntArray
    lower: IntArray


def graded_batches(
    data: Judgments,
    size: int,
    generator: np.random.Generator,
    share: float = 0.0,
    lessons: int = 0,
) -> Iterator[GradedBatch]:
    """Without end: `size` grades of each campaign, at most SAME_SEGMENT of a segment in an epoch.

    share: campaigns have parts in proportion to this power of their sizes, `size` on average.
    lessons: scores of teachers, beside these.
    A batch takes what is about as long as its share of each campaign's pool, so that little of it
    is padding.
    """
    campaigns, counts = np.unique(data.campaign, return_counts=True)
    taught = int(campaigns[0] == TEACHERS)
    parts = [lessons] * taught + _parts(counts[taught:], size, share)
    streams = [
        _pools(data, number, part, generator)
        for number, part in zip(campaigns.tolist(), parts, strict=True)
    ]
    campaign = np.repeat(np.arange(len(streams)), parts)
    while streams:
        pools = [next(stream) for stream in streams]
        for turn in generator.permutation(POOL):
            marks = np.concatenate([
                pool[turn * part : (turn + 1) * part]
                for pool, part in zip(pools, parts, strict=True)
            ])  # fmt: skip
            yield GradedBatch(marks, campaign, *compared(data, marks))


def _parts(counts: IntArray, size: int, share: float) -> list[int]:
    """How many grades of each campaign a batch has: `size` on average, and at least 2."""
    weights = counts.astype(np.float64) ** share
    whole: IntArray = np.rint(size * len(counts) * weights / weights.sum()).astype(np.int64)
    return np.maximum(whole, 2).tolist()  # type: ignore[no-any-return]


def _pools(
    data: Judgments, campaign: int, size: int, generator: np.random.Generator
) -> Iterator[IntArray]:
    """The grades of one campaign again and again: as many as POOL batches need, by length."""
    own = np.flatnonzero(data.campaign == campaign)
    segment = data.segment[data.marked]
    length = data.pieces.lengths[data.reference[data.marked]]
    waiting = np.zeros(0, np.int64)
    while True:
        while len(waiting) < POOL * size:
            waiting = np.concatenate([waiting, _shuffled(own, segment[own], generator)])
        pool, waiting = waiting[: POOL * size], waiting[POOL * size :]
        yield pool[np.lexsort([segment[pool], length[pool]])]


def _shuffled(entries: IntArray, segment: IntArray, generator: np.random.Generator) -> IntArray:
    """Segments in random order, of each at most SAME_SEGMENT of its entries, drawn at random."""
    _, of = np.unique(segment, return_inverse=True)
    place = generator.permutation(of.max() + 1)[of]
    order = np.lexsort([generator.random(len(of)), place])
    rank = np.arange(len(order)) - np.searchsorted(place[order], place[order])
    chosen: IntArray = entries[order[rank < SAME_SEGMENT]]
    return chosen


def compared(data: Judgments, marks: IntArray) -> tuple[IntArray, IntArray]:
    """Places of the higher and of the lower of each two grades of a segment that differ."""
    items, grades = data.marked[marks], data.mark[marks]
    same = data.segment[items][:, None] == data.segment[items]
    same &= data.campaign[marks] != TEACHERS
    higher, lower = np.nonzero(same & (grades[:, None] > grades))
    apart = items[higher] != items[lower]
    return higher[apart], lower[apart]
