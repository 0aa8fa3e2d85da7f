"""How the tokenizer `ptb` prints a token: Penn Treebank quotes, brackets, dashes and currency."""

import re
from collections.abc import Callable

_LATEX = str.maketrans(
    {
        **dict.fromkeys("\x91\u2018\u201b\u2039", "`"),
        **dict.fromkeys("\x92\u2019\u203a", "'"),
        **dict.fromkeys("\x93\u201c\xab", "``"),
        **dict.fromkeys("\x94\u201d\xbb", "''"),
    }
)
_BRACKETS = {"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"}
_CURRENCY = {"\xa2": "cents", "\xa3": "#", **dict.fromkeys("\x80\xa4\u20a0\u20ac", "$")}
_FRACTIONS = {"\xbc": "1/4", "\xbd": "1/2", "\xbe": "3/4", "\u2153": "1/3", "\u2154": "2/3"}
_SINGLES = {**_BRACKETS, **_CURRENCY, **_FRACTIONS}
_ESCAPES = str.maketrans({"(": "-LRB-", ")": "-RRB-", " ": "\xa0"})


def same(token: str) -> str:
    """The token as it is."""
    return token


def nothing(_: str) -> str:
    """No token at all."""
    return ""


def always(text: str) -> Callable[[str], str]:
    """The same text whatever the token."""
    return lambda _: text


def single(token: str) -> str:
    """A bracket, currency sign or fraction by its name."""
    return _SINGLES[token]


def without_soft_hyphens(token: str) -> str:
    """The word in one piece; a hyphen where nothing else is left."""
    return token.replace("\xad", "") or "-"


def unbroken(token: str) -> str:
    """No-break spaces for blanks."""
    return token.replace(" ", "\xa0")


def escaped(token: str) -> str:
    """No-break spaces, and parentheses by name."""
    return token.translate(_ESCAPES)


def ampersand(token: str) -> str:
    """An ampersand for its entity."""
    return re.sub("(?i)&amp;", "&", token)


def closing(token: str) -> str:
    """Closing quotes, in the manner of LaTeX, where the token does not say which side it is."""
    return token.replace("&apos;", "'").replace("&quot;", "''").replace('"', "''").translate(_LATEX)


def opening(token: str) -> str:
    """Opening quotes, in the manner of LaTeX."""
    return token.replace("'", "`").replace('"', "``").replace("&quot;", "``")


def with_period(token: str) -> str:
    """With the period that will also be the next token."""
    return token + "."


def dashes(token: str) -> str:
    """Three or four hyphens are a dash."""
    return "--" if 3 <= len(token) <= 4 else token
