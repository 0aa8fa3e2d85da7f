"""METEOR's word lists: function words, and per language the prefixes that keep their period.

Embedded in `resources/meteor/words.json`; its CARD.md says where they come from. METEOR 1.5 has
function words of several languages, but its jar takes the English ones for all of them, and its
scores depend on it: so there is one list here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True)
class Prefixes:
    """Abbreviations whose period stays: always, or before a number."""

    always: frozenset[str]
    before_number: frozenset[str]


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
