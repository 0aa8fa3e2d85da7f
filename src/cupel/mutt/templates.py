"""Simple templates that find corruptions among the sentence pairs of SICK (section 4.1, Table 1).

A template looks at a pair and says which sentence is the original and which the corruption, or
None where it does not match. Both sentences of a pair must have been made from the same caption.
The paper names one template in full (footnote 3); the others follow the released lists. Where the
wording does not show which is the original, it is the sentence nearer to the caption in letters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Pair:
    """Two sentences that people compared. captions: what each was made from, "" if unknown."""

    first: str
    second: str
    entailment: str
    relatedness: float | None = None
    captions: tuple[str, str] = ("", "")

    @property
    def same_caption(self) -> bool:
        return _plain(self.captions[0]) == _plain(self.captions[1])

    @property
    def reversed(self) -> tuple[str, str]:
        return self.second, self.first


Template = Callable[[Pair], tuple[str, str] | None]
"""A pair -> (original, corrupted), or None."""


@dataclass(frozen=True)
class Match:
    """A pair that a template matched."""

    corruption: str
    original: str
    corrupted: str
    relatedness: float | None
    caption: str


def negated_subject(pair: Pair) -> tuple[str, str] | None:
    """A contradiction of which only the corruption says "There is no" or "There are no"."""
    return _marked(pair, "CONTRADICTION", "There is no", "There are no")


def negated_action(pair: Pair) -> tuple[str, str] | None:
    """A contradiction of which only the corruption has "is not" or "are not"."""
    return _marked(pair, "CONTRADICTION", " is not ", " are not ")


def active_to_passive(pair: Pair) -> tuple[str, str] | None:
    """An entailment of which only the corruption has "is being" or "are being"."""
    return _marked(pair, "ENTAILMENT", "is being", "are being")


def antonym_replacement(pair: Pair) -> tuple[str, str] | None:
    """One word apart, not a determiner, and no entailment (footnote 3)."""
    if pair.entailment == "ENTAILMENT" or not _one_word_apart(pair):
        return None
    return _nearer_first(pair)


def synonymous_phrases(pair: Pair) -> tuple[str, str] | None:
    """One word apart, not a determiner, and an entailment."""
    if pair.entailment != "ENTAILMENT" or not _one_word_apart(pair):
        return None
    return _nearer_first(pair)


def determiner_substitution(pair: Pair) -> tuple[str, str] | None:
    """The same words but for `a` and `the`."""
    same = _without_determiners(pair.first) == _without_determiners(pair.second)
    return _nearer_first(pair) if same else None


def swapped_roles(pair: Pair) -> tuple[str, str] | None:
    """The same words in another order."""
    same = sorted(pair.first.split()) == sorted(pair.second.split())
    return _nearer_first(pair) if same else None


TEMPLATES: dict[str, Template] = {
    "neg_subj": negated_subject,
    "neg_verb": negated_action,
    "sem_opps": antonym_replacement,
    "passive": active_to_passive,
    "near_syms": synonymous_phrases,
    "det_sub": determiner_substitution,
    "shuffled": swapped_roles,
}
"""The templates of Table 1 by the names of `cupel.mutt.corruptions`, and that of `shuffled`."""


def find(pairs: Iterable[Pair], names: Sequence[str] = tuple(TEMPLATES)) -> list[Match]:
    """Every match of every template, template by template, in the order of the pairs."""
    kept = [pair for pair in pairs if pair.same_caption and pair.first != pair.second]
    return [
        Match(name, *sentences, pair.relatedness, pair.captions[0])
        for name in names
        for pair in kept
        if (sentences := TEMPLATES[name](pair)) is not None
    ]


def read_pairs(path: str | Path) -> list[Pair]:
    """The pairs of a file like SICK.txt: tab-separated, with a header line.

    Needed are the columns sentence_A, sentence_B and entailment_label; relatedness_score,
    sentence_A_original and sentence_B_original are optional.
    """
    from cupel.reading.rows import read_table

    table = read_table(path, "\t")

    def column(name: str) -> list[str]:
        absent = table.place(name) is None and name in _OPTIONAL
        return [""] * len(table.rows) if absent else table.column(name)

    scores = column("relatedness_score")
    relatedness = table.parsed(scores, _number, "relatedness_score", "a number")
    captions = zip(column("sentence_A_original"), column("sentence_B_original"), strict=True)
    texts = ([text.strip() for text in column(name)] for name in ("sentence_A", "sentence_B"))
    return list(map(Pair, *texts, column("entailment_label"), relatedness, captions))


_OPTIONAL = ("relatedness_score", "sentence_A_original", "sentence_B_original")


def _number(cell: str) -> float | None:
    return float(cell) if cell else None


def _marked(pair: Pair, entailment: str, *marks: str) -> tuple[str, str] | None:
    """The sentence with one of the marks is the corruption, if only one has them."""
    if pair.entailment != entailment:
        return None
    first, second = (
        any(mark in sentence for mark in marks) for sentence in (pair.first, pair.second)
    )
    if first == second:
        return None
    return (pair.first, pair.second) if second else pair.reversed


def _one_word_apart(pair: Pair) -> bool:
    """By the sets of words, as the released lists do: a word replaced twice counts once."""
    first, second = set(pair.first.split()), set(pair.second.split())
    return (
        len(first) == len(second)
        and len(first - second) == 1
        and _without_determiners(pair.first) != _without_determiners(pair.second)
    )


def _without_determiners(sentence: str) -> list[str]:
    return [word for word in sentence.lower().split() if word not in ("a", "the")]


def _nearer_first(pair: Pair) -> tuple[str, str]:
    caption = _plain(pair.captions[0])
    if _distance(caption, _plain(pair.first)) > _distance(caption, _plain(pair.second)):
        return pair.reversed
    return pair.first, pair.second


def _plain(sentence: str) -> str:
    """Lower-case letters, digits and single blanks."""
    return " ".join(re.sub("[^a-z0-9 ]", "", sentence.lower()).split())


def _distance(first: str, second: str) -> int:
    from cupel.kernels.edits import levenshtein

    one, two = (np.frombuffer(text.encode("utf-32-le"), np.int32) for text in (first, second))
    return levenshtein(one, two)
