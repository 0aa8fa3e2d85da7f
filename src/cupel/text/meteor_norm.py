r"""The rules of METEOR's `-norm` option, its tokenizer, for sentences and for pieces of them.

A descendant of the Moses tokenizer, with rules of its own that make outputs easier to match. In
order, each rule one substitution over the whole text:

1. a blank around everything but letters (Latin, Cyrillic), digits, white space and ``. ' ` , -``
2. two or more periods become a token
3. a comma goes apart unless it stands between digits
4. all quotes become ``'`` or ``"``, all dashes ``-``
5. a dash between two words is dropped: "U.S.-based" is "U.S. based"
6. apostrophes: English splits to the right ("do n't" is "don 't"), French to the left ("l' eau"),
   the other languages on both sides
7. a final period goes apart unless the word is an abbreviation (a list per language) or the next
   word starts in lower case; "U.S." becomes "US"

Substitutions consume the characters beside a comma or apostrophe, so of "a,b,c" only the first
comma goes apart. METEOR's scores depend on such oddities, and they are kept.

Only rule 7 looks past white space, and only at the first character of the next piece. So a
sentence can be tokenised by its pieces (what stands between white space), each for every kind of
successor: see `cupel.text.meteor_tokens`. Where a rule could reach over a single blank after all
(", ,b"), or where white space is unusual, a sentence has to be tokenised as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from cupel.text.meteor_words import nonbreaking_prefixes

_ALPHA = "A-Za-zÀ-ÖØ-öø-žЀ-ԧꙀ-ꙮ꙾-ꚗᴀ-ᵿ"
_ALNUM = "0-9" + _ALPHA
_BLANKS = " \t\n\r\f"
_PERIOD = "\ud800"  # stands for a period of a run of them; no readable text has a lone surrogate

_OTHER = re.compile(rf"([^{_ALNUM} \t\n\x0b\r\f.'`,\-‘’])")
_PERIODS = re.compile(r"\.{2,}")
_COMMAS = tuple(
    re.compile(rf"({left}),({right})")
    for left, right in (("[^0-9]", "[^0-9]"), ("[0-9]", "[^0-9]"), ("[^0-9]", "[0-9]"))
)
_SINGLE_QUOTES = re.compile("[`‘’]")
_DOUBLE_QUOTES = re.compile("[“”]|''")
_DASH = re.compile(rf"([{_ALNUM}.])-([{_ALNUM}])")
_APOSTROPHES = {
    "en": (
        (re.compile(rf"([^{_ALPHA}])'([^{_ALPHA}])"), r"\1 ' \2"),
        (re.compile(rf"([^{_ALPHA}0-9])'([{_ALPHA}])"), r"\1 ' \2"),
        (re.compile(rf"([{_ALPHA}])'([^{_ALPHA}])"), r"\1 ' \2"),
        (re.compile(rf"([{_ALPHA}])'([{_ALPHA}])"), r"\1 '\2"),
        (re.compile(r"([0-9])'(s)"), r"\1 '\2"),  # the 1990's
    ),
    "fr": (
        (re.compile(rf"([^{_ALPHA}])'([^{_ALPHA}])"), r"\1 ' \2"),
        (re.compile(rf"([^{_ALPHA}])'([{_ALPHA}])"), r"\1 ' \2"),
        (re.compile(rf"([{_ALPHA}])'([^{_ALPHA}])"), r"\1 ' \2"),
        (re.compile(rf"([{_ALPHA}])'([{_ALPHA}])"), r"\1' \2"),
    ),
}
_BOTH_SIDES = ((re.compile("'"), " ' "),)
_HAS_LETTER = re.compile(f"[{_ALPHA}]")
_WIDE_BLANKS = re.compile("[ \xa0\u2000-\u200a\u202f\u205f\u3000]+")
_SPLIT = re.compile(f"[{_BLANKS}]+")
_TRIMMED = "".join(map(chr, range(33)))

# What follows a word: nothing or anything else, a lower-case letter, a digit (ASCII, both).
ELSE, LOWER, DIGIT = range(3)


class Piece(NamedTuple):
    """The tokens of a piece before a successor of each kind, and the kind that it is itself."""

    before_else: list[str]
    before_lower: list[str]
    before_digit: list[str]
    kind: int


@dataclass(frozen=True)
class Rules:
    """METEOR's rules for a language."""

    language: str = "en"

    def sentence(self, sentence: str) -> list[str]:
        """The tokens of one sentence, by every rule in turn."""
        words = _SPLIT.split(self._ruled(f" {sentence} ").strip(_BLANKS))
        if words == [""]:
            return []
        kinds = [*map(_kind, words[1:]), ELSE]
        text = " ".join(map(self._final_period, words, kinds)).replace(_PERIOD, ".")
        text = _WIDE_BLANKS.sub(" ", text).strip(_TRIMMED).lower()
        return _SPLIT.split(text) if text else []

    def pieces(self, pieces: Sequence[str]) -> list[Piece]:
        """The tokens of pieces without white space; not yet in lower case."""
        # Those of other shapes stand on a line of their own between two blanks, so that no rule
        # sees their neighbours.
        prefixes = nonbreaking_prefixes(self.language)
        simple = [_is_simple(piece) for piece in pieces]
        others = [piece for piece, plain in zip(pieces, simple, strict=True) if not plain]
        ruled = iter(self._ruled(" " + " \n ".join(others) + " ").split("\n"))
        made: list[Piece] = []
        for piece, plain in zip(pieces, simple, strict=True):
            if not plain:
                words = next(ruled).split()
                made.append(self._piece(words) if words else Piece([], [], [], ELSE))
            elif piece[-1] == "." and piece[:-1] not in prefixes.always:
                whole, split = [piece], [piece[:-1], "."]
                numbered = whole if piece[:-1] in prefixes.before_number else split
                made.append(Piece(split, whole, numbered, _kind(piece)))
            else:
                tokens = [piece[:-1], ","] if piece[-1] == "," else [piece]
                made.append(Piece(tokens, tokens, tokens, _kind(piece)))
        return made

    def _piece(self, words: list[str]) -> Piece:
        """A piece of several words, of which the last one's period depends on what follows."""
        text = " ".join(map(self._final_period, words, map(_kind, words[1:])))
        head = text.replace(_PERIOD, ".").split(" ") if text else []
        last = words[-1]
        if len(last) == 1 or last[-1] != ".":
            tokens = [*head, last.replace(_PERIOD, ".")]
            return Piece(tokens, tokens, tokens, _kind(words[0]))
        ends = (self._final_period(last, kind).split(" ") for kind in (ELSE, LOWER, DIGIT))
        before_else, before_lower, before_digit = ([*head, *end] for end in ends)
        return Piece(before_else, before_lower, before_digit, _kind(words[0]))

    def _ruled(self, text: str) -> str:
        """Rules 1 to 6: words separated by blanks, periods still at the words."""
        text = _OTHER.sub(r" \1 ", text)
        text = _PERIODS.sub(lambda run: f" {_PERIOD * len(run[0])} ", text)
        for rule in _COMMAS:
            text = rule.sub(r"\1 , \2", text)
        text = _DOUBLE_QUOTES.sub(' " ', _SINGLE_QUOTES.sub("'", text))
        text = text.replace("–", "-").replace("--", "-")
        text = _DASH.sub(r"\1 \2", text)
        for rule, replacement in _APOSTROPHES.get(self.language, _BOTH_SIDES):
            text = rule.sub(replacement, text)
        return text

    def _final_period(self, word: str, following: int) -> str:
        """Rule 7 for a word and the kind of its successor; a split period has a blank before it."""
        if len(word) < 2 or word[-1] != ".":
            return word
        stem = word[:-1]
        if "." in stem and _HAS_LETTER.search(stem):
            return word.replace(".", "")
        prefixes = nonbreaking_prefixes(self.language)
        if following == LOWER or stem in prefixes.always:
            return word
        if following == DIGIT and stem in prefixes.before_number:
            return word
        return f"{stem} ."


def _is_simple(piece: str) -> bool:
    """A bare ASCII word, alone or with a final comma or period: most pieces are."""
    return piece.isascii() and (piece.isalnum() or (piece[-1] in ".," and piece[:-1].isalnum()))


def _kind(word: str) -> int:
    first = word[0]
    return LOWER if "a" <= first <= "z" else DIGIT if "0" <= first <= "9" else ELSE
