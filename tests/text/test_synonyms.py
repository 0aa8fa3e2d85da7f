"""WordNet's synonym sets and its morphology."""

from __future__ import annotations

import hashlib
from importlib.resources import files
from itertools import pairwise

import numpy as np
import pytest

from cupel.text.synonyms import load_synonyms

SYNONYMS = load_synonyms()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("quick", "fast"),
        ("answer", "solution"),
        ("dogs", "dog"),
        ("cities", "city"),
        ("went", "go"),
        ("policemen", "policeman"),
        ("brightest", "bright"),
        ("comics", "funnies"),  # an irregular form of a word with a blank
    ],
)
def test_words_that_share_a_set(first, second):
    assert SYNONYMS.of(first) & SYNONYMS.of(second)


@pytest.mark.parametrize(("first", "second"), [("cat", "mat"), ("glass", "gla"), ("as", "a")])
def test_words_that_share_none(first, second):
    assert not SYNONYMS.of(first) & SYNONYMS.of(second)


def test_unknown_words_have_no_sets():
    assert SYNONYMS.of("xyzzy") == SYNONYMS.of("") == SYNONYMS.of("'s") == frozenset()


def test_sets_of_many_words_are_those_of_each():
    words = ["went", "xyzzy", "dogs", "", "quick"]
    values, offsets = SYNONYMS.sets(words)
    rows = [values[a:b] for a, b in pairwise(offsets)]
    assert [frozenset(row.tolist()) for row in rows] == [SYNONYMS.of(word) for word in words]
    assert len(SYNONYMS.words) == 83_122
    assert np.diff(SYNONYMS.offsets).max() == 75


def test_the_card_has_the_checksums():
    folder = files("cupel") / "resources" / "meteor"
    card = (folder / "CARD.md").read_text(encoding="utf-8")
    for name in ("words.json", "synonyms-en.npz"):
        content = (folder / name).read_bytes()
        assert hashlib.sha256(content).hexdigest() in card
        assert f"{len(content):,}" in card
