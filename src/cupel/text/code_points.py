"""Classes of code points: what is white space, and what each tokenizer puts apart as a word of its own.

A table has one byte for each code point, up to the last that is no letter; `cupel.kernels.words` reads
it. The ranges are those of the tokenizers' own definitions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import accumulate, pairwise
from typing import Literal

import numpy as np

from cupel.arrays import Bytes, Int32Array
from cupel.kernels.words import APART, WHITE

Ranges = Iterable[tuple[int, int]]

_PUNCTUATION = ((0x21, 0x26), (0x28, 0x2B), (0x2F, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E))
"""What rule 1 of 13a puts apart; the tokenizers `zh` and Tercom begin with the same rule."""
_ZH = (
    # The tables of sacreBLEU's `zh` write two ranges beyond 16 bits with four digits and a fifth
    # character, so that they stand for these two; its scores depend on that, so ours do.
    *((0x2001, 0x2A6D), (0x2F81, 0x2FA1)),
    *((0x2E80, 0x2EFF), (0x2F00, 0x2FDF), (0x2FF0, 0x303F), (0x3100, 0x312F), (0x31A0, 0x31BF)),
    *((0x31C0, 0x31EF), (0x3200, 0x33FF), (0x3400, 0x4DB5), (0x4E00, 0x9FBB), (0xF900, 0xFA2D)),
    *((0xFA30, 0xFA6A), (0xFA70, 0xFAD9), (0xFE10, 0xFE1F), (0xFE30, 0xFE4F), (0xFF00, 0xFFEF)),
)
_TERCOM_ASIAN = (
    *((0x2E80, 0x2EFF), (0x3001, 0x3002), (0x3008, 0x3011), (0x3014, 0x301F), (0x30FB, 0x30FB)),
    *((0x31C0, 0x31EF), (0x3200, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0xFE30, 0xFE4F)),
    *((0xFF01, 0xFF02), (0xFF08, 0xFF09), (0xFF0C, 0xFF0C), (0xFF0E, 0xFF0E), (0xFF1A, 0xFF1B)),
    *((0xFF1F, 0xFF1F), (0xFF61, 0xFF65)),
)
LAST_WHITE_SPACE = 0x3000
CODE_POINTS = 0x110000


def _table(apart: Ranges = ()) -> Bytes:
    ranges = list(apart)
    last = max([LAST_WHITE_SPACE, *(end for _, end in ranges)])
    table = np.zeros(last + 1, np.uint8)
    for start, end in ranges:
        table[start : end + 1] = APART
    white = [code for code in range(LAST_WHITE_SPACE + 1) if chr(code).isspace()]
    table[white] = WHITE
    return table


@cache
def white_space() -> Bytes:
    """White space, where `str.split` splits."""
    return _table()


@cache
def blank() -> Bytes:
    """The blank as the only white space."""
    table = np.zeros(ord(" ") + 1, np.uint8)
    table[ord(" ")] = WHITE
    return table


@cache
def mteval() -> Bytes:
    """White space, and the punctuation of the first rule of 13a."""
    return _table(_PUNCTUATION)


@cache
def chinese() -> Bytes:
    """Of sacreBLEU's tokenizer `zh`."""
    return _table([*_PUNCTUATION, *_ZH])


@cache
def tercom(asian: bool) -> Bytes:
    """Of Tercom with `normalized`, and with `asian_support`."""
    return _table([*_PUNCTUATION, *(_TERCOM_ASIAN if asian else ())])


@cache
def every_character() -> Bytes:
    """Every code point a word of its own, but for white space."""
    return _table([(0, CODE_POINTS - 1)])


Case = Literal["lower", "ascii"] | None
"""Lower case as `str.lower` makes it, or of the letters A to Z alone; None: as it is."""


def in_case(sentences: Sequence[str], case: Case) -> list[str]:
    """The sentences in that case."""
    if case != "ascii":
        return list(map(str.lower, sentences)) if case else list(sentences)
    # The letters A to Z are those that `bytes.lower` changes.
    whole = "".join(sentences).encode("utf-8", "surrogatepass").lower()
    text = whole.decode("utf-8", "surrogatepass")
    return [text[a:b] for a, b in pairwise(accumulate(map(len, sentences), initial=0))]


@cache
def case_table(case: Case) -> Int32Array:
    """What each of the first 65,536 code points is in that case.

    -1 for the two whose lower case is more than one code point, or depends on those around it.
    """
    codes = np.arange(0x10000, dtype=np.int32)
    if case == "ascii":
        codes[ord("A") : ord("Z") + 1] += 32
        return codes
    others = [ord("\u0130"), ord("\u03a3")]
    codes[others] = 0
    text = codes.tobytes().decode("utf-32-le", "surrogatepass").lower()
    table = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.int32).copy()
    table[others] = -1
    return table
