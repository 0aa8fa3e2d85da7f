"""The corruptions of Boag et al. (2016), by name: what each does and of which kind it is.

The names are those of the released trials. `cupel.mutt.templates` finds corruptions in a file
of sentence pairs, `cupel.mutt.generated` makes them from any sentence.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from cupel.errors import CupelError


class Kind(StrEnum):
    """What a corruption does to its sentence, and so what a good metric must do (section 2)."""

    altering = "meaning-altering"
    preserving = "meaning-preserving"
    disrupting = "fluency-disrupting"


@dataclass(frozen=True)
class Corruption:
    """One corruption. number: its row in Tables 1 and 2; `shuffled` has none."""

    name: str
    title: str
    kind: Kind
    original: str
    corrupted: str
    number: int | None = None


CORRUPTIONS: dict[str, Corruption] = {
    corruption.name: corruption
    for corruption in (
        Corruption(
            "neg_subj",
            "negated subject",
            Kind.altering,
            "A man is playing a harp",
            "There is no man playing a harp",
            1,
        ),
        Corruption(
            "neg_verb",
            "negated action",
            Kind.altering,
            "A jet is flying",
            "A jet is not flying",
            2,
        ),
        Corruption(
            "sem_opps",
            "antonym replacement",
            Kind.altering,
            "A dog with short hair",
            "A dog with long hair",
            3,
        ),
        Corruption(
            "passive",
            "active to passive",
            Kind.preserving,
            "A man is cutting a potato",
            "A potato is being cut by a man",
            4,
        ),
        Corruption(
            "near_syms",
            "synonymous phrases",
            Kind.preserving,
            "A dog is eating a doll",
            "A dog is biting a doll",
            5,
        ),
        Corruption(
            "det_sub",
            "determiner substitution",
            Kind.preserving,
            "A cat is eating food",
            "The cat is eating food",
            6,
        ),
        Corruption(
            "double_PP",
            "double prepositional phrase",
            Kind.disrupting,
            "A boy walks at night",
            "A boy walks at night at night",
            7,
        ),
        Corruption(
            "remove_prep",
            "remove head of prepositional phrase",
            Kind.disrupting,
            "A man danced in costume",
            "A man danced costume",
            8,
        ),
        Corruption(
            "swap_chunks",
            "re-order chunks",
            Kind.disrupting,
            "A woman is slicing garlic",
            "Is slicing garlic a woman",
            9,
        ),
        Corruption(
            "shuffled",
            "swapped roles",
            Kind.altering,
            "A monkey is kicking a person",
            "A person is kicking a monkey",
        ),
    )
}


def kind_named(text: str) -> Kind:
    """A kind by its name, `meaning-altering`, or the end of it, `altering`."""
    for kind in Kind:
        if text in (kind.value, kind.name):
            return kind
    raise CupelError(f"unknown kind {text!r}; known are {', '.join(Kind)}")
