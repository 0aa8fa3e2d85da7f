"""The report of compare-mt 0.2.10, figure for figure, from the same tokenised text.

Aggregate scores, word F by frequency, segments by length, by difference of length and by sentence
BLEU, n-grams that two systems match, and segments on which they differ most (Neubig et al. 2019,
compare-mt: A Tool for Holistic Comparison of Language Generation Systems). Its conventions are kept:
words stand between single blanks; its BLEU takes a precision of 0 for 1 and counts at least one
n-gram of each order in a segment; its sentence BLEU adds 1 to the counts of orders 2 to 4 (NLTK's
smoothing method 2); the n-th occurrence of a word is matched with the n-th in the reference. Equal
n-grams come in the order of their counts here; compare-mt has no order among them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.corpus import Corpus
from cupel.diagnose.ngrams import Group, ngram_groups
from cupel.errors import CupelError
from cupel.records import Row
from cupel.text.tokens import Tokens, intern

_FREQUENCIES = (1, 2, 3, 4, 5, 10, 100, 1000)
_LENGTHS = (10, 20, 30, 40, 50, 60)
_LENGTH_DIFFERENCES = (-20, -10, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 11, 21)
_SCORES = tuple(x * 10.0 for x in range(1, 10))
_ORDERS = 4
_MOST_NGRAMS, _MOST_SEGMENTS = 50, 10
Value = str | int | float


@dataclass(frozen=True)
class Table:
    """A title, the names of the columns, and lines: the name of a row, and its values."""

    name: str
    title: str
    header: Sequence[str]
    lines: Sequence[Sequence[Value]]

    def rows(self) -> list[Row]:
        """Flat records: table, row, column, value."""
        return [
            {"table": self.name, "row": line[0], "column": column, "value": value}
            for line in self.lines
            for column, value in zip(self.header[1:], line[1:], strict=True)
        ]


@dataclass(frozen=True)
class _Texts:
    """Everything tokenised at once: the reference, then each system, n sentences each."""

    everything: Tokens
    n: int
    names: list[str]

    def lengths(self, part: int) -> IntArray:
        return self.everything.lengths[part * self.n : (part + 1) * self.n]

    def ids(self, part: int) -> IntArray:
        offsets = self.everything.offsets
        span = slice(offsets[part * self.n], offsets[(part + 1) * self.n])
        return self.everything.ids[span].astype(np.int64)


def compare_mt_tables(corpus: Corpus) -> list[Table]:
    """All tables of compare-mt's default report, of the first reference and all systems."""
    if len(corpus.systems) < 2:
        raise CupelError("compare-mt's report compares two systems or more: give them with -i.")
    parts = [[texts[0] for texts in corpus.references], *corpus.systems.values()]
    everything = intern([text.strip().split(" ") for part in parts for text in part])
    texts = _Texts(everything, len(corpus), list(corpus.systems))
    groups = list(ngram_groups(everything, texts.n, len(parts)))
    matches = [_by_segment(groups, at, texts.n) for at in range(len(texts.names))]
    sentence = [sentence_bleu(m, texts, at) for at, m in enumerate(matches)]
    columns = ["", *texts.names]
    return [
        Table("scores", "scores", columns, _scores(matches, texts)),
        Table("words", "word F by frequency in the references", columns, _words(texts, groups[0])),
        Table("length", "BLEU by length of the reference", columns, _by_length(matches, texts)),
        _counted(
            "length difference", "segments by length of the output minus that of the reference",
            _LENGTH_DIFFERENCES,
            [texts.lengths(at + 1) - texts.lengths(0) for at in range(len(matches))], texts,
        ),
        _counted("sentence BLEU", "segments by sentence BLEU", _SCORES, sentence, texts),
        *_ngrams(groups, texts.names),
        *_segments(corpus, sentence, texts.names),
    ]  # fmt: skip


def _by_segment(groups: Sequence[Group], system: int, n: int) -> IntArray:
    """(segments, orders): matched n-grams of a system."""
    columns = []
    for _, _, _, outputs in groups:
        own = outputs[system]
        columns.append(np.bincount(own.keys // own.size, own.values, n))
    return np.stack(columns, axis=1).astype(np.int64)


def _totals(lengths: IntArray) -> IntArray:
    """(segments, orders): n-grams of the output, at least one."""
    totals: IntArray = np.maximum(lengths[:, None] - np.arange(_ORDERS), 1)
    return totals


def corpus_bleu(matches: IntArray, own: IntArray, reference: IntArray) -> float:
    """BLEU of some segments: (segments, orders) matches, lengths of outputs and references."""
    correct, total = matches.sum(axis=0).tolist(), _totals(own).sum(axis=0).tolist()
    if not len(own) or correct[0] == 0:
        return 0.0
    logs = 0.0
    for right, all_ in zip(correct, total, strict=True):
        share = right / all_
        logs += (math.log(share) if share > 0 else 0) * 0.25
    length = int(own.sum())
    penalty = min(1, math.exp(1 - int(reference.sum()) / length)) if length else 0
    return 100 * penalty * math.exp(logs)


def sentence_bleu(matches: IntArray, texts: _Texts, system: int) -> FloatArray:
    """(segments,): BLEU with 1 added to numerator and denominator from order 2 on."""
    own, reference = texts.lengths(system + 1).tolist(), texts.lengths(0).tolist()
    scores = np.zeros(len(own))
    totals = _totals(texts.lengths(system + 1)).tolist()
    for at, (right, all_) in enumerate(zip(matches.tolist(), totals, strict=True)):
        if right[0] == 0:
            continue
        logs = [0.25 * math.log(right[0] / all_[0])]
        logs += [
            0.25 * math.log((r + 1) / (a + 1)) for r, a in zip(right[1:], all_[1:], strict=True)
        ]
        penalty = 1 if own[at] > reference[at] else math.exp(1 - reference[at] / own[at])
        scores[at] = 100 * (penalty * math.exp(math.fsum(logs)))
    return scores


def _scores(matches: Sequence[IntArray], texts: _Texts) -> list[list[Value]]:
    reference = texts.lengths(0)
    owns = [texts.lengths(at + 1) for at in range(len(matches))]
    bleu = [corpus_bleu(m, own, reference) for m, own in zip(matches, owns, strict=True)]
    ratios = [int(own.sum()) / int(reference.sum()) for own in owns]
    return [["BLEU", *bleu], ["length ratio", *ratios]]


def bucket_names(bounds: Sequence[float]) -> list[str]:
    """`<1`, `1`, `[5,10)`, `>=10`."""
    names = [f"<{bounds[0]}"]
    for low, high in pairwise(bounds):
        single = isinstance(high, int) and high - 1 == low
        names.append(f"{low}" if single else f"[{low},{high})")
    return [*names, f">={bounds[-1]}"]


def _words(texts: _Texts, words: Group) -> list[list[Value]]:
    _, _, reference, outputs = words
    counts = reference.totals()
    bucket = np.searchsorted(np.array(_FREQUENCIES), counts, side="right")
    names = bucket_names(_FREQUENCIES)
    size = len(names)
    there = np.bincount(bucket, counts, size)
    lines: list[list[Value]] = [[name] for name in names]
    for at, own in enumerate(outputs):
        right = np.bincount(bucket, own.totals(), size)
        used = np.bincount(bucket[texts.ids(at + 1)], minlength=size)
        for line, m, r, o in zip(lines, right.tolist(), there.tolist(), used.tolist(), strict=True):
            line.append(_f(m, r, o))
    return lines


def _f(matched: float, reference: float, own: float) -> float:
    if not matched:
        return 0.0
    recall, precision = matched / reference, matched / own
    return 2 * precision * recall / (precision + recall)


def _by_length(matches: Sequence[IntArray], texts: _Texts) -> list[list[Value]]:
    reference = texts.lengths(0)
    bucket = np.searchsorted(np.array(_LENGTHS), reference, side="right")
    lines: list[list[Value]] = []
    for which, name in enumerate(bucket_names(_LENGTHS)):
        rows = bucket == which
        scores = [
            corpus_bleu(m[rows], texts.lengths(at + 1)[rows], reference[rows])
            for at, m in enumerate(matches)
        ]
        lines.append([name, *scores])
    return lines


def _counted(
    name: str,
    title: str,
    bounds: Sequence[float],
    values: Sequence[IntArray | FloatArray],
    texts: _Texts,
) -> Table:
    size = len(bounds) + 1
    counts = [
        np.bincount(np.searchsorted(np.array(bounds), one, side="right"), minlength=size).tolist()
        for one in values
    ]
    rows = zip(*counts, strict=True)
    lines = [[label, *row] for label, row in zip(bucket_names(bounds), rows, strict=True)]
    return Table(name, title, ["", *texts.names], lines)


def _ngrams(groups: Sequence[Group], names: Sequence[str]) -> list[Table]:
    """N-grams that the first two systems match, by (a + 1) / (a + b + 2)."""
    candidates: list[tuple[float, int, int, int, int]] = []
    for order, (_, _, _, outputs) in enumerate(groups):
        one, two = (counts.totals() for counts in outputs[:2])
        both = np.flatnonzero((one > 0) | (two > 0))
        shares = (one[both] + 1.0) / (one[both] + two[both] + 2.0)
        # Only the ends of the list are shown, so that only they need be sorted.
        kept = both[_ends(shares, _MOST_NGRAMS)]
        candidates += [
            ((int(one[g]) + 1.0) / (int(one[g]) + int(two[g]) + 2.0), int(one[g]), int(two[g]), order, g)
            for g in kept.tolist()
        ]  # fmt: skip
    tables = []
    for sign, title in ((-1, f"{names[0]}>{names[1]}"), (1, f"{names[1]}>{names[0]}")):
        texts = sorted(
            ((sign * s, -a - b, groups[order][1][g], s, a, b) for s, a, b, order, g in candidates)
        )[:_MOST_NGRAMS]
        lines: list[list[Value]] = [[text, share, a, b] for _, _, text, share, a, b in texts]
        tables.append(
            Table(
                f"n-grams {title}", f"n-grams matched more often, {title}",
                ["", "share", names[0], names[1]], lines,
            )
        )  # fmt: skip
    return tables


def _ends(values: FloatArray, most: int) -> IntArray:
    """Places of values up to the most-th smallest, and from the most-th largest, ties included."""
    if len(values) <= 2 * most:
        return np.arange(len(values))
    ordered = np.partition(values, (most - 1, len(values) - most))
    low, high = ordered[most - 1], ordered[len(values) - most]
    return np.flatnonzero((values <= low) | (values >= high))


def _segments(corpus: Corpus, scores: Sequence[FloatArray], names: Sequence[str]) -> list[Table]:
    """Segments on which the first two systems differ most, each combination of texts once."""
    first, second = (list(corpus.systems.values())[at] for at in (0, 1))
    seen = set()
    listed: list[tuple[float, float, float, int]] = []
    one, two = scores[0].tolist(), scores[1].tolist()
    for at, (a, b, texts) in enumerate(zip(first, second, corpus.references, strict=True)):
        key = (a.strip(), b.strip(), texts[0].strip())
        if key not in seen:
            seen.add(key)
            listed.append((two[at] - one[at], one[at], two[at], at))
    listed.sort()
    header = ["", "difference", names[0], names[1]]
    parts = (
        (f"{names[0]}>{names[1]}", listed[:_MOST_SEGMENTS]),
        (f"{names[1]}>{names[0]}", listed[-_MOST_SEGMENTS:]),
    )
    return [
        Table(
            f"segments {title}", f"segments by sentence BLEU, {title}", header,
            [[str(at + 1), -difference, a, b] for difference, a, b, at in part],
        )
        for title, part in parts
    ]  # fmt: skip
