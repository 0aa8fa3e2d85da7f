"""Word stems by Snowball (PyStemmer), exactly those of METEOR 1.5.

METEOR carries the Snowball stemmers of about 2010. PyStemmer 2 gives the same English and Spanish
stems (checked on half a million and 50,000 words of the data packs); in German, French and
Russian it has a few rules that came later, which are undone here. Snowball 3 changed English
itself ("added", "biologist", "university"), so PyStemmer 3 is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module

from cupel.errors import CupelError, MissingPart

_NAMES = {
    "en": "english", "de": "german", "es": "spanish", "fr": "french", "ru": "russian",
    "ar": "arabic", "ca": "catalan", "da": "danish", "el": "greek", "eu": "basque",
    "fi": "finnish", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian",
    "id": "indonesian", "it": "italian", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali",
    "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian", "sr": "serbian",
    "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
"""Languages with a stemmer: those of METEOR 1.5 (Czech has none), then Snowball's others."""
STEMMED = frozenset(_NAMES)


def stem(words: Sequence[str], language: str = "en") -> list[str]:
    """The stem of each word; words are taken to be in lower case."""
    stems = _snowball(language)(words)
    if language in _UNDO:
        undo = _UNDO[language]
        stems = [undo(word, stemmed) for word, stemmed in zip(words, stems, strict=True)]
    return stems


@cache
def _snowball(language: str) -> Callable[[Sequence[str]], list[str]]:
    if language not in _NAMES:
        raise CupelError(
            f"There is no stemmer for {language!r}; there is one for {', '.join(_NAMES)}."
        )
    try:
        make = import_module("Stemmer").Stemmer  # it has no types to import by
    except ImportError as error:
        raise MissingPart("Stems need PyStemmer: pip install 'PyStemmer>=2.2,<3'.") from error
    # A word that Snowball 3 stems otherwise; PyStemmer's version number is not reliable.
    if make("english").stemWord("added") != "ad":
        raise MissingPart(
            "METEOR's stems are those of Snowball 2, but a later PyStemmer is installed: "
            "pip install 'PyStemmer>=2.2,<3'."
        )
    # PyStemmer's own cache of 10,000 words costs more than the stemming of distinct words.
    stems: Callable[[Sequence[str]], list[str]] = make(_NAMES[language], 0).stemWords
    return stems


def _german(word: str, stemmed: str) -> str:
    """Later Snowball takes the second s of "Ergebnisse" off too."""
    if stemmed.endswith("nis") and word.endswith(("nisse", "nissen", "nisses")):
        return f"{stemmed}s"
    return stemmed


def _french(word: str, stemmed: str) -> str:
    """Later Snowball reads ï as a consonant's neighbour; to METEOR it is a vowel like ô."""
    if "ï" not in word:
        return stemmed
    stemmed = _snowball("fr")([word.replace("ï", "ô")])[0]
    restored = ("ï" if w == "ï" and s == "ô" else s for w, s in zip(word, stemmed, strict=False))
    return "".join(restored) + stemmed[len(word) :]


def _russian(word: str, stemmed: str) -> str:
    """Later Snowball reads ё as е; to METEOR it is a letter of no ending, and no vowel."""
    if "ё" not in word:
        return stemmed
    return _snowball("ru")([word.replace("ё", "q")])[0].replace("q", "ё")


_UNDO: dict[str, Callable[[str, str], str]] = {
    "de": _german,
    "fr": _french,
    "ru": _russian,
}
