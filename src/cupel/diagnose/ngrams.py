"""What one system gets and another does not: n-grams, words and lemmas of the references.

An n-gram is got as often as the translation has it, at most as often as the reference of the same
segment; a lemma, where a word of it is matched by the alignment. The interval is that of a sum of
independent changes, one for each segment: difference ± 1.96 sqrt(sum d_i^2).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.diagnose.material import Material
from cupel.diagnose.words import Words
from cupel.significance import corrected, normal_interval, normal_p_values
from cupel.text.ngrams import NgramTable, build
from cupel.text.tokens import Tokens, offsets_of

ORDERS = 4
_EXAMPLES = 3
_LEAST = 3
"""Smaller differences are not listed."""


@dataclass(frozen=True)
class Phrase:
    """An n-gram or lemma that the systems get a different number of times.

    kind        `word`, `2-gram` to `4-gram`, or `lemma`
    count       how often it is in the references; first, own: how often the systems get it
    segments    examples of segments that differ, from 1
    """

    kind: str
    text: str
    system: str
    count: int
    first: int
    own: int
    low: float
    high: float
    q_value: float
    segments: tuple[int, ...]

    @property
    def difference(self) -> int:
        return self.own - self.first


def phrases(material: Material, most: int = 20) -> list[Phrase]:
    """For each system and kind at most so many phrases that it gets more often, and less often."""
    if not (material.corpus.has_references and material.corpus.has_texts):
        return []
    names = list(material.corpus.systems)
    result: list[Phrase] = []
    for kind, texts, reference, outputs in (*_ngram_counts(material), *_lemma_counts(material)):
        for system, own in zip(names[1:], outputs[1:], strict=True):
            result += _listed(kind, texts, system, reference, outputs[0], own, most)
    return result


@dataclass(frozen=True)
class Counts:
    """Counts by segment and phrase, those above 0: keys segment * size + phrase, ascending."""

    keys: IntArray
    values: IntArray
    size: int

    def at(self, keys: IntArray) -> IntArray:
        """The counts of these keys."""
        if not len(self.keys):
            return np.zeros(len(keys), np.int64)
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[places] == keys, self.values[places], 0)

    def totals(self) -> IntArray:
        """(phrases,): over all segments."""
        sums = np.bincount(self.keys % self.size, self.values, self.size)
        return sums.astype(np.int64)


def counted(segments: IntArray, phrases_: IntArray, size: int) -> Counts:
    """Counts of pairs of a segment and a phrase."""
    keys, values = np.unique(segments * size + phrases_, return_counts=True)
    return Counts(keys, values.astype(np.int64), size)


def matched(reference: Counts, own: Counts) -> Counts:
    """The smaller count of each pair."""
    values = np.minimum(own.values, reference.at(own.keys))
    kept = values > 0
    return Counts(own.keys[kept], values[kept], own.size)


class Texts:
    """The texts of phrases by number, made when asked for."""

    def __init__(self, table: NgramTable | None, order: int, types: list[str]) -> None:
        self._table, self._order, self._types = table, order, types

    def __getitem__(self, number: int) -> str:
        words: list[str] = []
        for n in range(self._order, 1, -1):
            assert self._table is not None
            words.append(self._types[int(self._table.lasts(n)[number])])
            number = int(self._table.prefixes(n)[number])
        return " ".join([self._types[number], *reversed(words)])


Group = tuple[str, Texts, Counts, list[Counts]]


def _ngram_counts(material: Material) -> Iterator[Group]:
    everything = joined([material.words, *material.outputs])
    yield from ngram_groups(everything, len(material.corpus), 1 + len(material.outputs))


def ngram_groups(everything: Tokens, n: int, texts: int) -> Iterator[Group]:
    """Counts of n-grams of references and what each system matches of them, order by order.

    everything: the sentences of the reference, of the first system and so on, n each.
    """
    table, numbers = build(everything, ORDERS)
    sentence = np.repeat(np.arange(len(everything)), everything.lengths)
    bounds = everything.offsets[np.arange(texts + 1) * n]
    for order in range(1, ORDERS + 1):
        counts = []
        for part in range(texts):
            span = slice(int(bounds[part]), int(bounds[part + 1]))
            grams, segments = numbers[span, order - 1], sentence[span] - part * n
            kept = grams >= 0
            phrases = grams[kept].astype(np.int64)
            counts.append(counted(segments[kept], phrases, table.sizes()[order - 1]))
        kind = "word" if order == 1 else f"{order}-gram"
        named = Texts(table, order, list(everything.types))
        yield kind, named, counts[0], [matched(counts[0], own) for own in counts[1:]]


def joined(parts: list[Words]) -> Tokens:
    """The texts of all parts over one list of forms."""
    types = list(dict.fromkeys(form for part in parts for form in part.types))
    numbers = {form: place for place, form in enumerate(types)}
    ids = [
        np.fromiter((numbers[form] for form in part.types), np.int32, len(part.types))[part.ids]
        for part in parts
        if len(part.ids)
    ]
    lengths = np.concatenate([part.lengths for part in parts])
    return Tokens(
        np.concatenate([np.zeros(0, np.int32), *ids]), offsets_of(lengths, len(lengths)), types
    )


def _lemma_counts(material: Material) -> Iterator[Group]:
    labels = material.label_of_words("LEMMA")
    if labels is None:
        return
    places, types = labels
    segments, size = material.words.segments, len(types)
    reference = counted(segments, places, size)
    outputs = []
    for aligned in material.aligned:
        got = aligned.credit > 0
        outputs.append(counted(segments[got], places[got], size))
    yield "lemma", Texts(None, 1, types), reference, outputs


def _listed(
    kind: str, texts: Texts, system: str, reference: Counts, first: Counts, own: Counts, most: int
) -> Iterator[Phrase]:
    keys = np.union1d(first.keys, own.keys)
    change = (own.at(keys) - first.at(keys)).astype(np.float64)
    keys, change = keys[change != 0], change[change != 0]
    phrase = keys % first.size
    sums = np.bincount(phrase, change, first.size)
    squares = np.bincount(phrase, change**2, first.size)
    candidates = np.flatnonzero(np.abs(sums) >= _LEAST)
    t = sums[candidates] / np.sqrt(squares[candidates])
    q = corrected(normal_p_values(t), "bh")
    totals, before, after = reference.totals(), first.totals(), own.totals()
    for sign in (-1, 1):
        chosen = np.flatnonzero(np.sign(t) == sign)
        order = np.lexsort((-np.abs(sums[candidates[chosen]]), -np.abs(t[chosen])))[:most]
        for at in chosen[order].tolist():
            which = int(candidates[at])
            yield Phrase(
                kind, texts[which], system,
                int(totals[which]), int(before[which]), int(after[which]),
                *normal_interval(float(sums[which]), math.sqrt(squares[which])),
                float(q[at]), _examples(keys, change, phrase == which, first.size, sign),
            )  # fmt: skip


def _examples(
    keys: IntArray, change: FloatArray, mine: IntArray, size: int, sign: int
) -> tuple[int, ...]:
    rows = keys[mine & (np.sign(change) == sign)] // size
    return tuple(int(row) + 1 for row in rows[:_EXAMPLES])
