"""Segments in buckets: by length, by what they contain, by document and place, by columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cupel.arrays import IntArray
from cupel.diagnose.columns import LEAST, Column
from cupel.diagnose.lists import NAME_KINDS, capital_inside, is_negation
from cupel.diagnose.material import Material
from cupel.diagnose.words import Words

Test = Callable[[str], bool]
Mask = npt.NDArray[np.bool_]
_LENGTHS = (10, 20, 30, 40)
_CONTENTS: dict[str, Test] = {
    "number": lambda text: any(map(str.isdigit, text)),
    "quotation": lambda text: re.search(r"[\"“”„«»「」]|''|``|(^|\s)['‘]\S", text) is not None,
    "comma": lambda text: re.search(r"[,，、،]", text) is not None,
    "parentheses": lambda text: re.search(r"[()\[\]（）]", text) is not None,
    "colon or semicolon": lambda text: re.search(r"[:;：；](\s|$)", text) is not None,
    "dash": lambda text: re.search(r"[–—]|\s-\s|--", text) is not None,
    "hyphen": lambda text: re.search(r"\w-\w", text) is not None,
    "capitals": lambda text: re.search(r"\b[A-ZА-ЯÄÖÜ]{2,}\b", text) is not None,
    "currency or percent": lambda text: re.search(r"[%€$£¥₹‰]", text) is not None,
    "link or address": lambda text: re.search(r"https?:|www\.|\w@\w|\w/\w", text) is not None,
    "tag or placeholder": lambda text: re.search(r"</?\w+[^>]*>|\{\w*\}|%[sd]", text) is not None,
}
_TYPES = (
    ("question", re.compile(r"[?？؟]['\"”’»)\s]*$")),
    ("exclamation", re.compile(r"[!！]['\"”’»)\s]*$")),
    ("statement", re.compile(r"[.。।…]['\"”’»)\s]*$")),
)
_CLAUSES = ("advcl", "relcl", "ccomp", "csubj", "acl:relcl", "csubjpass")
_TRAINED_ORDER = 4


@dataclass(frozen=True)
class SegmentBucket:
    """feature, name: `length`, `length: over 40 words`; rows: its segments, from 0."""

    feature: str
    name: str
    rows: IntArray


def segment_buckets(material: Material) -> list[SegmentBucket]:
    """All buckets that have segments, and not all of them."""
    count = len(material.corpus)
    return [
        SegmentBucket(feature, f"{feature}: {value}", np.flatnonzero(mask))
        for feature, value, mask in _all(material)
        if 0 < np.count_nonzero(mask) < count
    ]


def _all(material: Material) -> Iterator[tuple[str, str, Mask]]:
    texts, sources = material.texts, material.corpus.sources
    yield from _by_length("length", material.words)
    yield from _by_type("sentence type", texts)
    for what, test in _CONTENTS.items():
        yield "contains", what, _mask(test, texts)
    yield from _by_words(material)
    if sources is not None and material.sources is not None:
        yield from _by_length("source length", material.sources)
        yield from _by_type("source sentence type", sources)
        for what, test in _CONTENTS.items():
            yield "source contains", what, _mask(test, sources)
    yield from _by_document(material)
    for column in material.columns:
        yield from _by_column(column, material.notes)
    yield from _by_training(material)


def _mask(test: Test, texts: Sequence[str]) -> Mask:
    return np.fromiter(map(test, texts), bool, len(texts))


def _by_length(feature: str, words: Words) -> Iterator[tuple[str, str, Mask]]:
    lengths = words.lengths
    for low, high in zip((0, *_LENGTHS), (*_LENGTHS, None), strict=True):
        if high is None:
            yield feature, f"over {low} words", lengths > low
        else:
            yield feature, f"{low + 1} to {high} words", (lengths > low) & (lengths <= high)


def _by_type(feature: str, texts: Sequence[str]) -> Iterator[tuple[str, str, Mask]]:
    rest = np.ones(len(texts), bool)
    for name, pattern in _TYPES:
        mask = np.array([pattern.search(text) is not None for text in texts])
        yield feature, name, mask & rest
        rest &= ~mask
    yield feature, "no full stop", rest


def _by_words(material: Material) -> Iterator[tuple[str, str, Mask]]:
    """What only words, and their labels, can tell."""
    words, count = material.words, len(material.corpus)

    def having(of_words: Mask) -> Mask:
        mask = np.zeros(count, bool)
        mask[words.segments[of_words]] = True
        return mask

    negation = is_negation(words.types, material.language)
    yield "contains", "negation", having(negation[words.ids])
    once = np.fromiter((material.counts[t.lower()] == 1 for t in words.types), bool)
    yield "contains", "word that occurs once", having(once[words.ids])
    kinds, relations = material.label_of_words("ENT_TYPE"), material.label_of_words("DEP")
    if kinds is None or relations is None:
        yield "contains", "name", having(capital_inside(words, material.language))
        return
    is_name = np.array([kind in NAME_KINDS for kind in kinds[1]])
    yield "contains", "name", having(is_name[kinds[0]])
    is_clause = np.array([relation in _CLAUSES for relation in relations[1]])
    yield "contains", "subordinate clause", having(is_clause[relations[0]])


def _by_document(material: Material) -> Iterator[tuple[str, str, Mask]]:
    if material.documents is None:
        return
    documents = list(material.documents)
    place, size = np.zeros(len(documents)), np.zeros(len(documents))
    seen: dict[str, int] = {}
    for row, name in enumerate(documents):
        place[row] = seen[name] = seen.get(name, -1) + 1
    size[:] = [seen[name] + 1 for name in documents]
    third = np.minimum(3 * place // np.maximum(size, 1), 2)
    feature = "position in the document"
    yield feature, "first segment", place == 0
    for number, name in enumerate(("first third", "second third", "last third")):
        yield feature, name, third == number
    if "document" not in {column.name.lower() for column in material.columns}:
        yield from _by_column(Column("document", documents), material.notes)


def _by_column(column: Column, notes: list[str]) -> Iterator[tuple[str, str, Mask]]:
    numbers = column.numbers()
    if numbers is not None:
        values = np.array(numbers)
        low, middle, high = np.quantile(values, (0.25, 0.5, 0.75))
        yield column.name, f"up to {low:g}", values <= low
        yield column.name, f"{low:g} to {middle:g}", (values > low) & (values <= middle)
        yield column.name, f"{middle:g} to {high:g}", (values > middle) & (values <= high)
        yield column.name, f"over {high:g}", values > high
        return
    cells = np.array(column.values, dtype=object)
    frequent = column.frequent()
    rest = np.ones(len(cells), bool)
    for value in frequent:
        mask = cells == value
        rest &= ~mask
        yield column.name, value or "(empty)", mask
    others = len(set(column.values)) - len(frequent)
    if others:
        notes.append(
            f"The column {column.name!r} has {others + len(frequent):,} values: "
            f"{len(frequent)} that have {LEAST} segments or more are buckets, all others are one."
        )
        yield column.name, f"{others:,} other values", rest


def _by_training(material: Material) -> Iterator[tuple[str, str, Mask]]:
    training = material.training
    if training is None:
        return
    feature, words, count = "training data", material.words, len(material.corpus)
    if training.segments:
        yield (
            feature,
            "whole segment seen",
            _mask(lambda text: text.strip() in training.segments, material.texts),
        )
    unseen = np.fromiter((t.lower() not in training.counts for t in words.types), bool)
    mask = np.zeros(count, bool)
    mask[words.segments[unseen[words.ids]]] = True
    yield feature, "has unseen words", mask
    yield feature, "all words seen", ~mask
    if not any(gram.count(" ") == _TRAINED_ORDER - 1 for gram in training.counts):
        return
    seen = np.array([_seen_share(text, training.counts) for text in _lists(words)])
    yield feature, "under a quarter of 4-grams seen", seen < 0.25
    yield feature, "half of 4-grams seen or more", seen >= 0.5


def _lists(words: Words) -> Iterator[list[str]]:
    forms = [form.lower() for form in words.forms]
    for a, b in zip(words.offsets[:-1], words.offsets[1:], strict=True):
        yield forms[a:b]


def _seen_share(words: list[str], counts: Mapping[str, int]) -> float:
    grams = [
        " ".join(words[i : i + _TRAINED_ORDER]) for i in range(len(words) - _TRAINED_ORDER + 1)
    ]
    return sum(gram in counts for gram in grams) / max(len(grams), 1)
