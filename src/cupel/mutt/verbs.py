"""English verb forms that are needed to make passives."""

from __future__ import annotations

import re

_IRREGULAR = """
bear born, beat beaten, bend bent, bind bound, bite bitten, blow blown, break broken, bring brought,
build built, burst burst, buy bought, cast cast, catch caught, choose chosen, cut cut, deal dealt,
dig dug, do done, draw drawn, drink drunk, drive driven, eat eaten, feed fed, feel felt,
fight fought, find found, fling flung, fly flown, forget forgotten, forgive forgiven, freeze frozen,
get got, give given, grind ground, grow grown, hang hung, hear heard, hide hidden, hit hit,
hold held, hurt hurt, keep kept, know known, lay laid, lead led, leave left, lend lent, let let,
light lit, lose lost, make made, mean meant, meet met, overtake overtaken, pay paid, put put,
quit quit, read read, rebuild rebuilt, ride ridden, ring rung, run run, say said, see seen,
seek sought, sell sold, send sent, set set, sew sewn, shake shaken, shed shed, shoot shot,
show shown, shut shut, sing sung, slit slit, spend spent, spin spun, spit spat, split split,
spread spread, steal stolen, stick stuck, sting stung, strike struck, string strung, sweep swept,
swim swum, swing swung, take taken, teach taught, tear torn, tell told, think thought,
throw thrown, understand understood, undo undone, wake woken, wear worn, weave woven, win won,
wind wound, withdraw withdrawn, wring wrung, write written
"""
_PAIRS = (pair.split() for pair in _IRREGULAR.split(","))
PARTICIPLES = {pair[0]: pair[1] for pair in _PAIRS}

_SHORT = re.compile(r"[^aeiou]*[aeiou][^aeiouwxy]")
"""A syllable whose last consonant is doubled before -ed and -ing: plan, stop, cut."""


def base_of_gerund(gerund: str) -> str | None:
    """The verb of an -ing form, if WordNet knows it: making -> make, cutting -> cut."""
    from cupel.text.synonyms import load_synonyms

    stem = gerund.lower().removesuffix("ing")
    if stem == gerund.lower() or len(stem) < 2:
        return None
    candidates = [stem, f"{stem}e"]
    if _SHORT.fullmatch(stem):
        candidates.reverse()  # riding is of ride: rid would make ridding
    if stem[-1] == stem[-2]:
        candidates.append(stem[:-1])
    vocabulary = set(load_synonyms().words)
    return next((word for word in candidates if word in vocabulary), None)


def participle(base: str) -> str:
    """The past participle: cut -> cut, chase -> chased, carry -> carried."""
    if base in PARTICIPLES:
        return PARTICIPLES[base]
    if base.endswith("e"):
        return f"{base}d"
    if re.search("[^aeiou]y$", base):
        return f"{base[:-1]}ied"
    return f"{base}{base[-1]}ed" if _SHORT.fullmatch(base) else f"{base}ed"
