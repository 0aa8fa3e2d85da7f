"""A sentence with its tree, split into chunks and phrases and put together again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from cupel.syntax import Tree

_INSIDE = frozenset(
    "det predet amod compound nn nummod quantmod poss case nmod aux auxpass neg prt advmod".split()
)
"""Relations of words that belong to the chunk of their head, if they are next to it."""

_NAMES = ("NNP", "NNPS")
_STOPS = (".", "?", "!")


@dataclass(frozen=True)
class Parsed:
    """A sentence's tree, and what precedes each of its words: a space or nothing."""

    text: str
    tree: Tree
    blanks: tuple[str, ...]

    @classmethod
    def of(cls, text: str, tree: Tree) -> Parsed | None:
        """None where the tree's words are not those of the text."""
        text = " ".join(text.split())
        blanks, place = [], 0
        for word in tree.words:
            blank = " " if text.startswith(" ", place) else ""
            place += len(blank)
            if not text.startswith(word, place):
                return None
            place += len(word)
            blanks.append(blank)
        return cls(text, tree, tuple(blanks)) if tree.words and place == len(text) else None

    def children(self, word: int, *relations: str) -> list[int]:
        """The children of a word with one of these relations."""
        return [c for c in self.tree.children[word] if self.tree.relations[c] in relations]

    def phrase(self, word: int) -> range | None:
        """All that a word dominates, if that is one stretch of text."""
        span = self.tree.spans[word]
        return range(span.first, span.last + 1) if span.contiguous else None

    @property
    def end(self) -> int:
        """How many words there are before the final stop."""
        return len(self.tree) - (self.tree.words[-1] in _STOPS)

    @cached_property
    def prepositional_phrases(self) -> list[range]:
        """Base phrases: a preposition, its object and what stands between them."""
        phrases: list[range] = []
        for word, relation in enumerate(self.tree.relations):
            objects = self.children(word, "pobj")
            if relation not in ("prep", "agent") or not objects or objects[0] < word:
                continue
            phrase = range(word, objects[0] + 1)
            inside = all(word in self.tree.path(other) for other in phrase)
            if inside and not (phrases and phrases[-1].stop > word):
                phrases.append(phrase)
        return phrases

    @cached_property
    def chunks(self) -> list[range]:
        """Base noun phrases, verb groups and single words, up to the final stop."""
        heads = [self._chunk_head(word) for word in range(self.end)]
        starts = [w for w in range(self.end) if w == 0 or heads[w] != heads[w - 1]]
        ends = [*starts[1:], self.end]
        return [range(*pair) for pair in zip(starts, ends, strict=True)]

    def _chunk_head(self, word: int) -> int:
        while True:
            head = self.tree.heads[word]
            if head < 0 or self.tree.relations[word] not in _INSIDE:
                return word
            between = range(min(word, head) + 1, max(word, head))
            if any(head not in self.tree.path(other) for other in between):
                return word
            word = head

    def spelled(self, parts: Iterable[int | str]) -> str:
        """Words by place, and new ones, as a sentence that begins as the old one does."""
        pieces: list[str] = []
        previous = -1
        for part in parts:
            if isinstance(part, str):
                pieces.append(f" {part}")
            else:
                glued = part == previous + 1 or self.tree.words[part] in _STOPS
                pieces.append((self.blanks[part] if glued else " ") + self._word(part))
            previous = part if isinstance(part, int) else -2
        text = "".join(pieces).strip()
        return text[:1].upper() + text[1:] if self.text[:1].isupper() else text

    def _word(self, place: int) -> str:
        """In lower case where only its place at the beginning had made it upper."""
        word, tag = self.tree.words[place], self.tree.tags[place]
        if place or tag in _NAMES or word == "I" or (word.isupper() and len(word) > 1):
            return word
        return word[:1].lower() + word[1:]


def words_of(text: str) -> list[str]:
    """Lower-case words for comparisons, without the final stop."""
    return text.lower().rstrip(".?! ").split()


def is_part(short: Sequence[str], long: Sequence[str]) -> bool:
    """Whether `short` is left when words are deleted from `long`."""
    rest = iter(long)
    return all(word in rest for word in short)
