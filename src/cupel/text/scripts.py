"""The script of a letter (Latin, Cyrillic, Han ...), and words of texts in any script."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np

from cupel.arrays import Bytes, Int32Array

HAN, KANA = "HAN", "KANA"
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
"""Scripts that are written without spaces: Thai, Lao, Burmese, Khmer, Kana, Han."""
_WORD = rf"[{_UNSPACED}]\p{{M}}*|(?:(?![{_UNSPACED}])[\w\p{{M}}])+|[^\w\s\p{{M}}]"
_CHARACTER, _LETTER, _MARK = f"[{_UNSPACED}]", r"[\w\p{M}]", r"\p{M}"
_NAMES = {"CJK": HAN, "IDEOGRAPHIC": HAN, "HIRAGANA": KANA, "KATAKANA": KANA}


def words(text: str) -> list[str]:
    """Words, characters of scripts without spaces, and punctuation marks, each by itself.

    >>> words("Hello, 世界!")
    ['Hello', ',', '世', '界', '!']
    """
    result: list[str] = _pattern(_WORD).findall(text)
    return result


def word_classes(codes: Int32Array) -> Bytes:
    """Classes of the code points that stand in `codes`, by which a kernel finds the same words."""
    from cupel.text.code_points import CODE_POINTS

    is_there = np.zeros(CODE_POINTS, np.bool_)
    is_there[codes] = True
    present = np.flatnonzero(is_there).tolist()
    table = np.zeros(present[-1] + 1 if present else 0, np.uint8)
    table[present] = [_word_class(code) for code in present]
    return table


@cache
def _word_class(code: int) -> int:
    from cupel.kernels.words import APART, MARK, TAKES_MARKS, WHITE

    character = chr(code)
    if character.isspace():
        return WHITE
    mark = MARK if _pattern(_MARK).match(character) else 0
    if _pattern(_CHARACTER).match(character):
        return APART | TAKES_MARKS | mark
    return mark if _pattern(_LETTER).match(character) else APART


@cache
def _pattern(expression: str) -> Any:
    import regex  # takes a tenth of the time that a small `cupel score` takes

    return regex.compile(expression)


@cache
def script_of(character: str) -> str | None:
    """The script of a letter, by its name in Unicode; None for what is no letter.

    >>> script_of("ж"), script_of("é"), script_of("5")
    ('CYRILLIC', 'LATIN', None)
    """
    if not character.isalpha():
        return None
    name = unicodedata.name(character, "").replace("FULLWIDTH ", "").replace("HALFWIDTH ", "")
    first = name.partition(" ")[0]
    return _NAMES.get(first, first) or None


def scripts(texts: Iterable[str]) -> Counter[str]:
    """How many letters of each script there are; a Chinese character counts as three letters."""
    letters = Counter(character for text in texts for character in text)
    counts: Counter[str] = Counter()
    for character, count in letters.items():
        script = script_of(character)
        if script:
            counts[script] += 3 * count if script == HAN else count
    return counts
