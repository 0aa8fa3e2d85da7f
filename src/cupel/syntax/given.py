"""The user's own trees: CoNLL-U files in place of a parser (`--trees FILE.conllu`).

A tree belongs to the sentence with the same letters, white space aside, so that any tokenisation
will do. Files are expected in the order of the sentences; the order is only used to say, when a
sentence has no tree, which line should have held it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

import numpy as np

from cupel.checksums import state_of
from cupel.errors import CupelError
from cupel.metric import Signature
from cupel.reading.lines import open_bytes
from cupel.syntax.conllu import Sentence, join_multiwords, read_conllu
from cupel.syntax.heads import CONVENTIONS, check_convention, convention_name, convert, style_of
from cupel.syntax.tree import Tree
from cupel.syntax.trees import Trees


@dataclass(frozen=True)
class GivenTrees:
    """The analyser sentences -> `Trees` that looks trees up in files.

    A sentence that occurs twice gets the first of its trees; an empty segment needs none.
    """

    paths: tuple[str, ...]
    heads: str = CONVENTIONS[0]

    def __post_init__(self) -> None:
        check_convention(self.heads)

    def signature(self) -> Signature:
        """The trees' part of a metric's signature: the hash of the files' content."""
        digest = blake2b(digest_size=4)
        for path in self.paths:
            with open_bytes(path) as stream:
                digest.update(stream.read())
        # Whatever the style: the digest has it.
        return Signature.of(trees=digest.hexdigest(), heads=convention_name(self.heads, "ud"))

    def __call__(self, sentences: Sequence[str]) -> Trees:
        """The tree of each sentence; one that has none is an error that names the line."""
        files = _read(self.paths, self.heads, tuple(map(state_of, self.paths)))
        rows = []
        expected = 0  # the tree behind that of the sentence before
        for sentence in sentences:
            row = files.rows.get(_letters(sentence))
            if row is None:
                raise CupelError(files.explanation(sentence, expected, set(sentences)))
            rows.append(row)
            expected = row + 1
        return files.trees.take(np.array(rows, np.int64))


@dataclass(frozen=True, eq=False)
class _Files:
    paths: tuple[str, ...]
    sentences: list[Sentence]
    places: list[str]
    trees: Trees
    rows: dict[str, int]

    def explanation(self, sentence: str, expected: int, sentences: set[str]) -> str:
        """Why there is no tree for a sentence: other words at its place, or nothing there."""
        shown = sentence if len(sentence) <= 60 else f"{sentence[:57]}..."
        letters = {_letters(text) for text in sentences}
        if not self.sentences:
            names = ", ".join(self.paths)
            return f"{names}: there are no trees in it; one for {shown!r} was expected."
        if expected >= len(self.sentences):
            return f"{self.places[-1]}: no tree follows for the sentence {shown!r}."
        other = self.sentences[expected]
        if _letters_of(other) in letters:  # the next sentence's tree
            return f"{self.places[expected]}: a tree is missing before it, for {shown!r}."
        word, given = _first_difference(other, sentence)
        return (
            f"{self.places[expected]}: the words differ from those of the sentence {shown!r}: "
            f"{word!r} where it has {given!r}."
        )


def _first_difference(other: Sentence, sentence: str) -> tuple[str, str]:
    """The first token that does not continue the sentence, and the word that it has there."""
    letters = _letters(sentence)
    place = 0
    for token in other.tokens:
        if not letters.startswith(_letters(token), place):
            return token, _word_at(sentence, place)
        place += len(_letters(token))
    return "its end", _word_at(sentence, place)


def _word_at(sentence: str, place: int) -> str:
    """The word in which the letter number `place` lies, white space not counted."""
    for word in sentence.split():
        place -= len(word)
        if place < 0:
            return word
    return "its end"


@lru_cache(maxsize=8)
def _read(paths: tuple[str, ...], heads: str, states: tuple[object, ...]) -> _Files:
    sentences: list[Sentence] = []
    places: list[str] = []
    for path in paths:
        some = read_conllu(path)
        sentences += some
        places += [f"{path}, line {sentence.line}" for sentence in some]
    trees = Trees.of(map(join_multiwords, sentences))
    if heads != CONVENTIONS[0]:
        trees = convert(trees, heads, style_of(trees.relation_types, ", ".join(paths)))
    rows: dict[str, int] = {}
    for row, sentence in enumerate(sentences):
        rows.setdefault(_letters_of(sentence), row)
    if "" not in rows:
        rows[""] = len(trees)
        trees = Trees.joined([trees, Trees.of([Tree((), (), (), ())])])
    return _Files(paths, sentences, places, trees, rows)


def _letters_of(sentence: Sentence) -> str:
    return _letters("".join(sentence.tokens))


def _letters(text: str) -> str:
    return "".join(text.split())
