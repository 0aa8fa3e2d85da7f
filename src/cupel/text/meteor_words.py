"""METEOR's word lists: function words, and per language the prefixes that keep their period.

Embedded in `resources/meteor/words.json`; its CARD.md says where they come from. METEOR 1.5 has
function words of several languages, but its jar takes the English ones for all of them, and its
scores depend on it: so there is one list here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

FUNCTION_WORD_RATE = 1e-3
LEAST_OCCURRENCES = 5


@dataclass(frozen=True)
class Prefixes:
    """Abbreviations whose period stays: always, or before a number."""

    always: frozenset[str]
    before_number: frozenset[str]


METEOR_LANGUAGES = ("en", "cs", "de", "es", "fr", "ru")
"""The languages that METEOR 1.5 has rules and parameters for."""


def frequent_words(texts: Iterable[str]) -> frozenset[str]:
    """Words that are at least one in a thousand of all words of these texts, in lower case.

    That is how Meteor Universal (Denkowski and Lavie 2014, section 3.2) finds the function words of
    a language that has no list of them.
    """
    from cupel.text.scripts import word_classes  # loads regex, which no other part of METEOR needs
    from cupel.text.tokens import split_words

    tokens = split_words([text.lower() for text in texts], classes=word_classes)
    counts = np.bincount(tokens.ids, minlength=len(tokens.types))
    least = max(len(tokens.ids) * FUNCTION_WORD_RATE, LEAST_OCCURRENCES)
    return frozenset(tokens.types[word] for word in np.flatnonzero(counts >= least).tolist())


@cache
def function_words() -> frozenset[str]:
    """Words that count less in METEOR (its delta): the 100 most frequent ones, or so."""
    return frozenset(_lists()["function"])


@cache
def nonbreaking_prefixes(language: str) -> Prefixes:
    """Those of one of the languages that METEOR 1.5 tokenizes: en, cs, de, es, fr, ru."""
    lists = _lists()["prefixes"][language]
    return Prefixes(frozenset(lists["always"]), frozenset(lists["before_number"]))


@cache
def _lists() -> Any:
    resource = files("cupel") / "resources" / "meteor" / "words.json"
    return json.loads(resource.read_text(encoding="utf-8"))
