"""WordNet 3.0 synonym sets of single words, with WordNet's morphology, as METEOR 1.5 uses them.

A word has the sets of its own form and those of its base form: for an irregular form ("went") the
bases that WordNet lists, for any other the first word that a suffix rule leads to ("cities" ->
"city"). Two different words are synonyms when they share a set, so "dog" and "dogs" are, too.

The sets are embedded (`resources/meteor/synonyms-en.npz`; CARD.md has WordNet's licence).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import as_file, files
from itertools import chain, pairwise

import numpy as np

from cupel.arrays import Int32Array, IntArray
from cupel.text.tokens import offsets_of, ragged_take

# WordNet's rules of detachment, for nouns, verbs and adjectives, tried in this order.
_ENDINGS = (
    ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"),
    ("men", "man"), ("ies", "y"),
    ("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"),
    ("ing", ""),
    ("er", ""), ("est", ""), ("er", "e"), ("est", "e"),
)  # fmt: skip
_ENDINGS_BY_LETTER = {
    letter: tuple(rule for rule in _ENDINGS if rule[0][-1] == letter) for letter in "sndgrt"
}


@dataclass(frozen=True, eq=False)
class Synonyms:
    """words     in alphabetical order
    offsets   the sets of word i are `synsets[offsets[i]:offsets[i+1]]`
    irregular form -> numbers of the words that it is a form of
    """

    words: Sequence[str]
    offsets: IntArray
    synsets: Int32Array
    irregular: dict[str, list[int]]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return dict(zip(self.words, range(len(self.words)), strict=True))

    def entries(self, word: str) -> list[int]:
        """The numbers of the words whose sets `word` has: itself and its bases."""
        own = self._numbers.get(word)
        numbers = [] if own is None else [own]
        bases = self.irregular.get(word)
        if bases is None:
            base = self._base(word)
            bases = [] if base is None else [base]
        return numbers + [base for base in bases if base != own]

    def _base(self, word: str) -> int | None:
        if len(word) <= 2 or word.endswith("ss"):
            return None
        for ending, replacement in _ENDINGS_BY_LETTER.get(word[-1], ()):
            if word.endswith(ending):
                base = self._numbers.get(word[: -len(ending)] + replacement)
                if base is not None:
                    return base
        return None

    def of(self, word: str) -> frozenset[int]:
        """The synonym sets of a word; empty where it has none."""
        return frozenset(self.sets([word])[0].tolist())

    def sets(self, words: Sequence[str]) -> tuple[Int32Array, IntArray]:
        """The synonym sets of each word, one after the other, and the offsets.

        A set that a word has in its own form and in its base form is there twice.
        """
        entries = list(map(self.entries, words))
        flat = np.fromiter(chain.from_iterable(entries), np.int64)
        counts = offsets_of(np.diff(self.offsets)[flat], len(flat))
        ends = counts[offsets_of(map(len, entries), len(entries))]
        return ragged_take(self.synsets, self.offsets, flat), ends


@cache
def load_synonyms() -> Synonyms:
    """The embedded English sets."""
    with (
        as_file(files("cupel") / "resources" / "meteor" / "synonyms-en.npz") as path,
        np.load(path, allow_pickle=False) as arrays,
    ):
        words = arrays["words"].tobytes().decode("utf-8").split("\n")
        forms = arrays["forms"].tobytes().decode("utf-8").split("\n")
        offsets = offsets_of(arrays["counts"], len(words))
        ends = offsets_of(arrays["base_counts"], len(forms)).tolist()
        bases = arrays["bases"].tolist()
        synsets = arrays["synsets"]
    irregular = {
        form: bases[start:end] for form, (start, end) in zip(forms, pairwise(ends), strict=True)
    }
    return Synonyms(words, offsets, synsets, irregular)
