"""Words in buckets: by frequency, part of speech, relation, entity kind, form and place.

Words of a translation that are matched have the label of their partner in the reference. Labels of
the parser for the others are looked up: the one that the same word has most often in the references.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from cupel.arrays import IntArray
from cupel.diagnose.counts import in_test_set
from cupel.diagnose.lists import NAME_KINDS, POS_NAMES, capital_inside, is_negation
from cupel.diagnose.material import Material
from cupel.diagnose.words import Words

_PLACES = ("first word", "first quarter", "second quarter", "third quarter", "last quarter",
           "last word")  # fmt: skip
_QUOTES, _BRACKETS = "\"“”„«»「」'‘’`", "()[]（）{}"


@dataclass(frozen=True)
class WordFeature:
    """A way to put words into buckets, each word into one or none.

    names      of the buckets
    reference  (reference words,) the bucket of each, or -1
    outputs    the same for each system
    """

    feature: str
    names: Sequence[str]
    reference: IntArray
    outputs: Sequence[IntArray]


def word_features(material: Material) -> Iterator[WordFeature]:
    """All ways to put words into buckets."""
    yield _of_forms(material, *_frequency(material))
    yield _of_forms(material, "capital letters", ("first letter", "all letters"), _capitals)
    yield _of_forms(
        material, "words", ("numbers", "negation", "quotation marks", "commas", "parentheses",
                            "question or exclamation marks", "full stops", "other signs"),
        lambda types: _sorts(types, material.language),
    )  # fmt: skip
    yield _of_places(material)
    yield _after_comma(material)
    if material.training is not None:
        counts = material.training.counts
        yield _of_forms(
            material, "training data", ("unseen words", "seen words"),
            lambda types: np.array([int(t.lower() in counts) for t in types], np.int64),
        )  # fmt: skip
    if material.sources is not None:
        yield _in_source(material)
    yield from _labelled(material)


def _of_forms(
    material: Material,
    feature: str,
    names: Sequence[str],
    buckets: Callable[[Sequence[str]], IntArray],
) -> WordFeature:
    """A feature that the form of a word decides."""

    def of(words: Words) -> IntArray:
        return buckets(words.types)[words.ids] if len(words.ids) else np.zeros(0, np.int64)

    return WordFeature(feature, names, of(material.words), [of(own) for own in material.outputs])


def _frequency(
    material: Material,
) -> tuple[str, Sequence[str], Callable[[Sequence[str]], IntArray]]:
    frequencies = material.frequencies or in_test_set(material.counts)
    return (
        frequencies.feature,
        frequencies.names,
        lambda types: frequencies.buckets([form.lower() for form in types]),
    )


def _capitals(types: Sequence[str]) -> IntArray:
    def bucket(form: str) -> int:
        if len(form) > 1 and form.isupper():
            return 1
        return 0 if form[:1].isupper() else -1

    return np.fromiter(map(bucket, types), np.int64, len(types))


def _sorts(types: Sequence[str], language: str) -> IntArray:
    negation = is_negation(types, language)

    def bucket(form: str) -> int:
        if any(map(str.isdigit, form)):
            return 0
        for place, signs in (
            (2, _QUOTES),
            (3, ",，、،"),
            (4, _BRACKETS),
            (5, "?!？！"),
            (6, ".。।"),
        ):
            if form in signs:
                return place
        return -1 if form[0].isalnum() or len(form) > 1 else 7

    result = np.fromiter(map(bucket, types), np.int64, len(types))
    result[negation] = 1
    return result


def _of_places(material: Material) -> WordFeature:
    def of(words: Words) -> IntArray:
        place = np.arange(len(words.ids)) - words.offsets[words.segments]
        length = words.lengths[words.segments]
        quarter = np.minimum(4 * place // np.maximum(length, 1), 3) + 1
        return np.where(place == 0, 0, np.where(place == length - 1, 5, quarter))

    return WordFeature(
        "place in the segment", _PLACES, of(material.words), [of(own) for own in material.outputs]
    )


def _after_comma(material: Material) -> WordFeature:
    def of(words: Words) -> IntArray:
        commas = np.fromiter((form in ",，、،" for form in words.types), bool, len(words.types))
        is_comma = commas[words.ids] if len(words.ids) else np.zeros(0, bool)
        before = np.cumsum(is_comma) - is_comma
        first = np.append(before, 0)[words.offsets[:-1]] if len(words) else before
        return np.where((before - first[words.segments] > 0) & ~is_comma, 0, -1)

    return WordFeature(
        "after a comma", ("words behind it",), of(material.words), [of(o) for o in material.outputs]
    )


def _in_source(material: Material) -> WordFeature:
    """Words that stand in the source as they are: names, numbers, terms."""
    assert material.sources is not None
    forms = material.sources.forms
    sets = [
        frozenset(f for f in forms[a:b] if len(f) > 1)
        for a, b in zip(material.sources.offsets[:-1], material.sources.offsets[1:], strict=True)
    ]

    def of(words: Words) -> IntArray:
        pairs = zip(words.forms, words.segments.tolist(), strict=True)
        return np.fromiter(
            (0 if form in sets[segment] else -1 for form, segment in pairs),
            np.int64,
            len(words.ids),
        )

    return WordFeature(
        "in the source", ("the same word",), of(material.words), [of(o) for o in material.outputs]
    )


def _labelled(material: Material) -> Iterator[WordFeature]:
    pos, kinds = material.label_of_words("POS"), material.label_of_words("ENT_TYPE")
    relations = material.label_of_words("DEP")
    if pos is None or kinds is None or relations is None:
        capital = capital_inside(material.words, material.language)
        named = [capital_inside(own, material.language) for own in material.outputs]
        yield WordFeature(
            "names", ("names",), np.where(capital, 0, -1), [np.where(n, 0, -1) for n in named]
        )
        return
    names = np.array([kind in NAME_KINDS for kind in kinds[1]])[kinds[0]]
    names |= np.array([tag == "PROPN" for tag in pos[1]])[pos[0]]
    yield _spread(material, "names", ("names",), np.where(names, 0, -1))
    titles = [f"{tag} ({POS_NAMES[tag]})" if tag in POS_NAMES else tag for tag in pos[1]]
    yield _spread(material, "part of speech", titles, _present(pos))
    yield _spread(material, "entity", kinds[1], _present(kinds))
    yield _spread(material, "dependency relation", relations[1], _present(relations))


def _present(labels: tuple[IntArray, list[str]]) -> IntArray:
    """The places, with -1 for the empty label."""
    empty = np.array([not label for label in labels[1]])
    return np.where(empty[labels[0]], -1, labels[0])


def _spread(
    material: Material, feature: str, names: Sequence[str], reference: IntArray
) -> WordFeature:
    """The labels of the reference on the words of the systems."""
    usual = _usual(material.words, reference)
    outputs = []
    for own, aligned in zip(material.outputs, material.aligned, strict=True):
        looked_up = np.array([usual.get(form.lower(), -1) for form in own.types], np.int64)
        codes = looked_up[own.ids] if len(own.ids) else np.zeros(0, np.int64)
        matched = aligned.partner >= 0
        codes[matched] = reference[aligned.partner[matched]]
        outputs.append(codes)
    return WordFeature(feature, names, reference, outputs)


def _usual(words: Words, labels: IntArray) -> dict[str, int]:
    """Lower-cased word -> the label that it has most often."""
    lowered = words.lowered()
    size = int(labels.max(initial=0)) + 2
    keys, times = np.unique(lowered.ids.astype(np.int64) * size + labels + 1, return_counts=True)
    order = np.argsort(times, kind="stable")  # of a word's labels, the most frequent comes last
    which, label = np.divmod(keys[order], size)
    return {lowered.types[w]: at - 1 for w, at in zip(which.tolist(), label.tolist(), strict=True)}
