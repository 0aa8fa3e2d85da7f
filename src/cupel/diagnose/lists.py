"""Words of closed classes, and what counts as a name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from cupel.diagnose.words import Words

Flags = npt.NDArray[np.bool_]

NAME_KINDS = frozenset("PERSON PER ORG GPE LOC FAC NORP PRODUCT EVENT WORK_OF_ART LAW MISC".split())
"""Kinds of entities that are names: not dates, amounts or numbers."""

NEGATION = {
    "en": "not n't n’t no never none nothing nobody nowhere neither nor without cannot",
    "de": "nicht kein keine keinen keinem keiner keines nie niemals nichts niemand weder ohne",
    "fr": "ne n pas jamais rien personne aucun aucune ni sans non",
    "es": "no nunca jamás nada nadie ninguno ninguna ningún ni sin tampoco",
    "it": "non no mai nulla niente nessuno nessuna né senza",
    "pt": "não nunca jamais nada ninguém nenhum nenhuma nem sem",
    "cs": "ne není nejsou nikdy nic nikdo žádný žádná žádné ani bez nebyl nebyla nebude",
    "pl": "nie nigdy nic nikt żaden żadna żadne ani bez",
    "ru": "не ни нет никогда ничего никто никакой без нельзя",
    "nl": "niet geen nooit niets niemand noch zonder",
    "sv": "inte ingen inget inga aldrig utan ej",
    "zh": "不 没 沒 无 無 未 非 别 勿",
    "ja": "ん 無 不 非",
}
POS_NAMES = {
    "ADJ": "adjectives", "ADP": "prepositions", "ADV": "adverbs", "AUX": "auxiliary verbs",
    "CCONJ": "conjunctions", "DET": "determiners", "INTJ": "interjections", "NOUN": "nouns",
    "NUM": "numerals", "PART": "particles", "PRON": "pronouns", "PROPN": "proper nouns, names",
    "PUNCT": "punctuation", "SCONJ": "subordinating conjunctions", "SYM": "symbols",
    "VERB": "verbs", "X": "other",
}  # fmt: skip


def is_negation(types: Sequence[str], language: str) -> Flags:
    """(types,): whether a word denies something."""
    listed = frozenset(NEGATION.get(language, "").split())
    return np.fromiter((form.lower() in listed for form in types), bool, len(types))


def capital_inside(words: Words, language: str) -> Flags:
    """(words,): a capital first letter that no sentence begins with: a name, but in German."""
    if language == "de":
        return np.zeros(len(words.ids), bool)
    capital = np.fromiter(
        (form[:1].isupper() and not form.isupper() for form in words.types), bool, len(words.types)
    )
    ends = np.fromiter((form in ".!?:\"“”«»'" for form in words.types), bool, len(words.types))
    inside = capital[words.ids] if len(words.ids) else np.zeros(0, bool)
    begins = np.zeros(len(words.ids), bool)
    begins[words.offsets[:-1][words.lengths > 0]] = True
    begins[1:] |= ends[words.ids][:-1]
    flags: Flags = inside & ~begins
    return flags
