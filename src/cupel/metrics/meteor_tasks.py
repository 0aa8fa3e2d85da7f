"""METEOR 1.5's matchers per language, and its parameters per task and language.

Other languages than its own six have words and stems (Snowball) and the parameters of Meteor Universal.

Tuned by its authors: `rank` to human rankings of WMT (the default), `adq` to adequacy scores and
`hter` to HTER, both for English only; `li` is one set for all languages, `tune` a balanced one for
tuning translation systems.
"""

from __future__ import annotations

from dataclasses import dataclass

from cupel.errors import CupelError
from cupel.text.languages import target_language
from cupel.text.stemmer import STEMMED

MODULES = ("exact", "stem", "synonym", "paraphrase")

MODULES_OF_ANY = ("exact", "stem")
"""Matchers that need no resource; the second where Snowball has a stemmer."""
DEFAULT_MODULES = {
    "en": MODULES,
    "cs": ("exact", "paraphrase"),
    "de": ("exact", "stem", "paraphrase"),
    "es": ("exact", "stem", "paraphrase"),
    "fr": ("exact", "stem", "paraphrase"),
    "ru": ("exact", "stem", "paraphrase"),
}


@dataclass(frozen=True)
class Parameters:
    """alpha    weight of recall against precision
    beta     exponent of the fragmentation penalty
    gamma    weight of that penalty
    delta    weight of content words against function words
    weights  of the matchers, in the order in which they are used
    """

    alpha: float
    beta: float
    gamma: float
    delta: float
    weights: tuple[float, ...]


_RANK = {
    "en": Parameters(0.85, 0.20, 0.60, 0.75, (1.0, 0.6, 0.8, 0.6)),
    "cs": Parameters(0.95, 0.20, 0.60, 0.80, (1.0, 0.4)),
    "fr": Parameters(0.90, 1.40, 0.60, 0.65, (1.0, 0.2, 0.4)),
    "es": Parameters(0.65, 1.30, 0.50, 0.80, (1.0, 0.8, 0.6)),
    "de": Parameters(0.95, 1.00, 0.55, 0.55, (1.0, 0.8, 0.2)),
    "ru": Parameters(0.75, 1.40, 0.70, 0.50, (1.0, 0.5, 0.5)),
}
_ENGLISH_ONLY = {
    "adq": Parameters(0.75, 1.40, 0.45, 0.70, (1.0, 1.0, 0.6, 0.8)),
    "hter": Parameters(0.40, 1.50, 0.35, 0.55, (1.0, 0.2, 0.6, 0.8)),
}
_ANY_LANGUAGE = {
    "li": Parameters(0.75, 1.40, 0.70, 0.50, (1.0, 0.5, 0.5, 0.5)),
    "tune": Parameters(0.50, 1.00, 0.50, 0.50, (1.0, 0.5, 0.5, 0.5)),
}
_UNIVERSAL = Parameters(0.70, 1.40, 0.30, 0.70, (1.0, 0.6))
"""Meteor Universal (Denkowski and Lavie 2014): words and paraphrases; here the second is stems."""
TASKS = ("rank", *_ENGLISH_ONLY, *_ANY_LANGUAGE)


def parameters(task: str, language: str) -> Parameters:
    """The parameters of a task in a language, with weights for that language's matchers."""
    if task not in TASKS:
        raise CupelError(f"METEOR has no task {task!r}; it has: {', '.join(TASKS)}.")
    if task == "rank":
        return _RANK.get(language, _UNIVERSAL)
    if task in _ENGLISH_ONLY and language != "en":
        raise CupelError(
            f"METEOR has parameters for the task {task!r} in English only, not for "
            f"{language!r}; it has rank, li and tune."
        )
    return _ENGLISH_ONLY[task] if task in _ENGLISH_ONLY else _ANY_LANGUAGE[task]


def matchers_of(modules: str | None, language: str) -> tuple[str, ...]:
    """The matchers in use, in their order: those named, or all that the language has."""
    if modules is None:
        return available_modules(language)
    return tuple(name.strip() for name in modules.split(","))


def available_modules(language: str) -> tuple[str, ...]:
    """All matchers that a language has."""
    return DEFAULT_MODULES.get(language) or MODULES_OF_ANY[: 1 + (language in STEMMED)]


def check_modules(modules: str | None, language: str, paraphrases: str | None) -> None:
    """Raise an error for a language or matcher that METEOR lacks, or a table that is not used."""
    if language != target_language(language):
        raise CupelError(f"METEOR takes the code of one language, such as de, not {language!r}.")
    matchers = matchers_of(modules, language)
    available = available_modules(language)
    for name in matchers:
        if name not in MODULES:
            raise CupelError(f"METEOR has no module {name!r}; it has: {', '.join(MODULES)}.")
        if name not in available:
            raise CupelError(
                f"METEOR has no {name} module for {language!r}; it has: {', '.join(available)}."
            )
    if len(set(matchers)) < len(matchers):
        raise CupelError(f"A module is named twice in {','.join(matchers)!r}.")
    if paraphrases is not None and "paraphrase" not in matchers:
        raise CupelError("A paraphrase table is given, but the modules leave paraphrases out.")
