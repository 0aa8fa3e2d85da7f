"""Words, alignments and the kinds of errors, on worked examples."""

from __future__ import annotations

import numpy as np
import pytest

from cupel.diagnose.alignment import KINDS, align, error_counts
from cupel.diagnose.words import split


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("He didn't pay $3,500.50.", ["He", "did", "n't", "pay", "$", "3,500.50", "."]),
        ("It's the U.S. army", ["It", "'s", "the", "U.S.", "army"]),
        ("我喜欢茶。", ["我", "喜", "欢", "茶", "。"]),
        ("", []),
    ],
)
def test_texts_are_split_into_words(text: str, words: list[str]) -> None:
    assert split([text]).forms == words


def test_words_know_their_places() -> None:
    words = split(["a bc", "", "d  e"])
    assert words.starts.tolist() == [0, 2, 0, 3]
    assert words.segments.tolist() == [0, 0, 2, 2]


def kinds(reference: str, translation: str, source: str = "") -> dict[str, int]:
    words, own = split([reference]), split([translation])
    counts = error_counts(align(words, own, "en", split([source])), words, own)[0]
    return {kind: int(count) for kind, count in zip(KINDS, counts, strict=True) if count}


@pytest.mark.parametrize(
    ("reference", "translation", "source", "errors"),
    [
        ("the cat sat down", "the cat sat down", "", {}),
        ("the old cat sat", "the cat sat", "", {"missing": 1}),
        ("the cat sat", "the big cat sat", "", {"added": 1}),
        ("the old cat sat", "the green cat sat", "", {"substituted": 1}),
        ("two cats sat", "two cat sat", "", {"inflected": 1}),
        ("the Cat sat", "the cat sat", "", {"case": 1}),
        ("the big cat sat", "the large cat sat", "", {"synonym": 1}),
        ("today we walk home", "we walk home today", "", {"reordered": 1}),
        ("we walk home", "we walk walk home", "", {"repeated": 1}),
        ("we walk home", "we walk nach hause home", "wir gehen nach hause", {"copied": 2}),
        ("we drink tea", "we drink 茶 tea", "我们喝茶", {"copied": 1}),
        ("a b c", "", "", {"missing": 3}),
        ("", "a b c", "", {"added": 3}),
    ],
)  # fmt: skip
def test_each_kind_of_error(
    reference: str, translation: str, source: str, errors: dict[str, int]
) -> None:
    assert kinds(reference, translation, source) == errors


def test_credit_is_that_of_the_matcher() -> None:
    words, own = split(["the Cats sat large"]), split(["the cat sat big"])
    aligned = align(words, own, "en")
    assert aligned.credit.tolist() == [1.0, 0.6, 1.0, 0.8]
    assert aligned.own_credit.tolist() == aligned.credit.tolist()
    other = align(split(["The cat"]), split(["the cat"]), "en")
    assert other.credit.tolist() == [0.8, 1.0]


def test_a_language_without_stems_is_aligned_by_form() -> None:
    aligned = align(split(["kissan talo on"]), split(["kissat talo on"]), "fi")
    np.testing.assert_array_equal(aligned.credit, [0, 1, 1])
