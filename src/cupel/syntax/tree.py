"""One dependency tree, for people and for reference implementations.

What RED (Yu et al. 2014, section 2.1) and HWCM ask of a tree is here in its plainest form:
the path from a word to the root gives the headword chains, `children` and `spans` the fixed and
floating structures. Kernels take many trees at once: see `cupel.syntax.trees`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from cupel.errors import CupelError

ROOT = -1
"""The head of the root."""
JOINED = "parataxis"
"""The relation of a second root that was joined under the first."""


class Span(NamedTuple):
    """The words that a word dominates, itself included: from `first` to `last`, both inclusive."""

    first: int
    last: int
    size: int

    @property
    def contiguous(self) -> bool:
        """Whether no word in between belongs elsewhere."""
        return self.last - self.first + 1 == self.size


@dataclass(frozen=True)
class Tree:
    """A sentence's words and, for each, its head (from 0, -1 for the root), relation and tag.

    There is exactly one root and no cycle; a tree of no words stands for an empty segment.

    >>> tree = Tree.of("I saw an ant", [1, -1, 3, 1])
    >>> tree.children[1], tree.spans[3], tree.path(2)
    ((0, 3), Span(first=2, last=3, size=2), (2, 3, 1))
    """

    words: tuple[str, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]
    tags: tuple[str, ...]

    def __post_init__(self) -> None:
        lengths = {len(self.heads), len(self.relations), len(self.tags)}
        if lengths != {len(self.words)}:
            raise CupelError(
                f"A tree of {len(self.words)} words needs as many heads, relations and tags; it "
                f"has {len(self.heads)}, {len(self.relations)} and {len(self.tags)}."
            )
        check_heads(self.heads, "The tree")

    @classmethod
    def of(
        cls,
        words: str | Sequence[str],
        heads: Sequence[int],
        relations: str | Sequence[str] = (),
        tags: str | Sequence[str] = (),
    ) -> Tree:
        """A tree from lists, or from strings with blanks; several roots join under the first."""
        words, relations, tags = (
            tuple(given.split() if isinstance(given, str) else given)
            for given in (words, relations, tags)
        )
        blank = ("_",) * len(words)
        joined, renamed = join_roots(heads, relations or blank)
        return cls(words, joined, renamed if relations else blank, tags or blank)

    def __len__(self) -> int:
        return len(self.words)

    @property
    def root(self) -> int:
        """The root's position; -1 in a tree of no words."""
        return self.heads.index(ROOT) if self.heads else ROOT

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The children of each word, from left to right."""
        children: list[list[int]] = [[] for _ in self.words]
        for child, head in enumerate(self.heads):
            if head != ROOT:
                children[head].append(child)
        return tuple(map(tuple, children))

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """What each word dominates: a complete constituent."""
        first, last = list(range(len(self))), list(range(len(self)))
        size = [1] * len(self)
        for child in sorted(range(len(self)), key=self.depths.__getitem__, reverse=True):
            head = self.heads[child]
            if head != ROOT:
                first[head] = min(first[head], first[child])
                last[head] = max(last[head], last[child])
                size[head] += size[child]
        return tuple(map(Span, first, last, size))

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """How many arcs lie between each word and the root."""
        depths = [-1] * len(self)
        for word in range(len(self)):
            path = []
            while word != ROOT and depths[word] < 0:
                path.append(word)
                word = self.heads[word]
            above = -1 if word == ROOT else depths[word]
            for distance, below in enumerate(reversed(path), start=1):
                depths[below] = above + distance
        return tuple(depths)

    def path(self, word: int) -> tuple[int, ...]:
        """The positions from a word up to the root, both inclusive."""
        path = []
        while word != ROOT:
            path.append(word)
            word = self.heads[word]
        return tuple(path)

    def with_heads(self, heads: Sequence[int], relations: Sequence[str] | None = None) -> Tree:
        """The same words under other heads."""
        kept = self.relations if relations is None else tuple(relations)
        return replace(self, heads=tuple(heads), relations=kept)


def join_roots(
    heads: Sequence[int], relations: Sequence[str]
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Heads and relations with every root but the first made a child of the first."""
    if list(heads).count(ROOT) < 2:
        return tuple(heads), tuple(relations)
    first = list(heads).index(ROOT)
    later = [head == ROOT and word != first for word, head in enumerate(heads)]
    return (
        tuple(first if join else head for head, join in zip(heads, later, strict=True)),
        tuple(JOINED if join else name for name, join in zip(relations, later, strict=True)),
    )


def check_heads(heads: Sequence[int], where: str) -> None:
    """Raise an error for a head out of range, no or several roots, or a cycle; it names the word."""
    for word, head in enumerate(heads):
        if not ROOT <= head < len(heads):
            raise CupelError(
                f"{where}: the head of word {word + 1} is {head + 1}, but there are "
                f"{len(heads)} words."
            )
    cycle = find_cycle(heads)
    if cycle:
        around = " -> ".join(str(word + 1) for word in (*cycle, cycle[0]))
        raise CupelError(f"{where}: the heads run in a circle: {around}.")
    if list(heads).count(ROOT) > 1:
        raise CupelError(f"{where}: there are {list(heads).count(ROOT)} roots; one was expected.")


def find_cycle(heads: Sequence[int]) -> list[int]:
    """The words of one cycle, each followed by its head; empty where there is none."""
    seen = [0] * len(heads)  # the walk in which a word was first met
    for start in range(len(heads)):
        word = start
        while word != ROOT and not seen[word]:
            seen[word] = start + 1
            word = heads[word]
        if word != ROOT and seen[word] == start + 1:
            cycle = [word]
            while heads[cycle[-1]] != word:
                cycle.append(heads[cycle[-1]])
            return cycle
    return []
