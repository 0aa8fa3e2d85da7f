"""A made-up test set whose every feature is known, and outputs with planted faults."""

from __future__ import annotations

from random import Random

PEOPLE = "Anna Boris Clara David Elena Frank Greta Henry Irene Jakob".split()
PLACES = "Paris London Prague Moscow Delhi Tokyo Lima Oslo".split()
NOUNS = "report house garden letter engine river bridge market window teacher".split()
VERBS = "opened painted described repaired watched measured visited sold".split()


def references(count: int = 240) -> list[str]:
    """Sentences of 8 to 60 words; every third has a name, every fourth a number, and so on."""
    chance = Random(7)
    lines = []
    for row in range(count):
        who = (
            f"{chance.choice(PEOPLE)} from {chance.choice(PLACES)}" if row % 3 == 0 else "somebody"
        )
        parts = [f"yesterday {who} {chance.choice(VERBS)} the old {chance.choice(NOUNS)}"]
        parts += [
            f"and then the {chance.choice(NOUNS)} of the {chance.choice(NOUNS)}"
            for _ in range(row % 9)
        ]
        if row % 4 == 0:
            parts.append(f"for {chance.randint(100, 999)} coins")
        if row % 5 == 0:
            parts.append("but not the garden")
        lines.append("Yesterday " + " ".join(parts).removeprefix("yesterday "))
        lines[-1] += " ?" if row % 7 == 0 else " ."
    return lines


def output(lines: list[str], seed: int = 1, share: float = 0.15) -> list[str]:
    """A translation that replaces some words by chance."""
    chance = Random(seed)
    return [
        " ".join("thing" if chance.random() < share else word for word in line.split(" "))
        for line in lines
    ]
