"""Head conventions: which word of a phrase stands for it in the tree.

The papers' trees are Penn Treebank constituents with the heads of Penn2Malt (the rules of Yamada
and Matsumoto 2003): "saw -> with -> magnifier". A parser's own trees are `native`; `penn2malt`
re-heads them, whether they are ClearNLP's (spaCy's English models) or Universal Dependencies'.

What is done, with an example each (h -> d: d hangs on h); rules marked UD are for UD trees, where
function words never head, and change nothing in ClearNLP's, where they already hold:

| rule | before | after | Penn2Malt's reason |
|---|---|---|---|
| auxiliary | eaten -> has, been | has -> been -> eaten | VP: the leftmost verb |
| its subject, what stands left of it, the final stop | eaten -> I | has -> I | they are S's |
| adverb between | eaten -> often | has -> often | it is the upper VP's |
| infinitival *to* | go -> to | to -> go | VP: TO comes first |
| subordinator | came -> because | because -> came | SBAR: IN before S |
| coordination of nouns | cats -> and, dogs | dogs -> cats, and | NP: the rightmost noun |
| of anything else | ate -> , drank -> and, slept | ate -> , and drank slept | VP, S, PP: the first |
| possessive | John -> 's | 's -> John | NP: POS |
| preposition (UD) | magnifier -> with | with -> magnifier | PP: IN |
| auxiliary behind the verb (UD) | gesehen -> worden, ist | ist -> worden -> gesehen | the finite verb |
| object between (UD) | hat -> Haus, gesehen | hat -> gesehen -> Haus | it is the lower VP's |
| copula (UD) | happy -> he, is | is -> he, happy | VP: the verb |
| name (UD) | John -> Smith | Smith -> John | NP: the rightmost noun |

What is not done, since the trees do not say it or the sources differ: question words and relative
pronouns never head their clause, and adjectives are coordinated under the first. Of a copula and
auxiliaries behind the predicate the first heads, as in English ("how happy they have been"); German
has it the other way round, in 3 of 806 clauses (docs/research/languages.md).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from cupel.errors import CupelError
from cupel.syntax.rehead import Style, penn2malt
from cupel.syntax.trees import Trees

Convention = Literal["native", "penn2malt"]
CONVENTIONS: tuple[Convention, ...] = ("native", "penn2malt")
RULES: dict[Style, int] = {"clear": 1, "ud": 2}
"""Raised whenever a rule changes: cached trees and signatures carry it."""

_UD = frozenset("obj iobj obl cop flat fixed nsubj:pass aux:pass acl:relcl nmod:poss".split())
_CLEAR = frozenset("dobj pobj prep attr acomp auxpass nsubjpass relcl npadvmod pcomp".split())

__all__ = [
    "CONVENTIONS",
    "RULES",
    "Style",
    "check_convention",
    "convention_name",
    "convert",
    "penn2malt",
    "style_of",
]


def check_convention(heads: str) -> None:
    """Raise an error for a convention that does not exist."""
    if heads not in CONVENTIONS:
        raise CupelError(f"Unknown heads {heads!r}; there are {' and '.join(CONVENTIONS)}.")


def style_of(relations: Iterable[str], where: str) -> Style:
    """Whether relations are ClearNLP's or UD's; `where` they are from, for the error."""
    names = set(relations)
    if names & _CLEAR:
        return "clear"
    if names & _UD:
        return "ud"
    raise CupelError(
        f"{where}: the relations are neither ClearNLP's nor UD's, so the heads cannot be made "
        "Penn2Malt's; use heads=native."
    )


def convention_name(heads: str, style: Style) -> str:
    """The convention as signatures name it, with the version of its rules."""
    return heads if heads == CONVENTIONS[0] else f"{heads}.{RULES[style]}"


def convert(trees: Trees, heads: str, style: Style) -> Trees:
    """The trees under a convention."""
    check_convention(heads)
    if heads == CONVENTIONS[0]:
        return trees
    return Trees.of(penn2malt(trees[row], style) for row in range(len(trees)))
