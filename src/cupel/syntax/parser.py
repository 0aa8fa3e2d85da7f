"""Sentences into trees: spaCy's parser behind a cache on disk.

A segment is one tree: sentence splitting is off, and should several roots be left, the later ones
join under the first. White space only separates words. Each distinct sentence is parsed once in
the life of the cache; when all are there, spaCy is not even imported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from cupel.arrays import IntArray
from cupel.batch import Batch
from cupel.console import Progress
from cupel.errors import CupelError
from cupel.metric import Signature
from cupel.syntax.heads import CONVENTIONS, check_convention, convention_name, convert, style_of
from cupel.syntax.models import Model, find_model
from cupel.syntax.spacy_trees import parse, split_words
from cupel.syntax.store import ParseStore
from cupel.syntax.trees import Trees
from cupel.text.tokenizers import Tokenizer, check_tokenizer
from cupel.text.tokens import Tokens, offsets_of, ragged_take

OWN = "spacy"
"""The `tokenize` of a parser that splits words by the model's own rules."""


class TreeSource(Protocol):
    """Where trees come from: the analyser that `Parser` and `GivenTrees` are."""

    def __call__(self, sentences: Sequence[str]) -> Trees: ...

    def __hash__(self) -> int: ...

    def signature(self) -> Signature: ...


@dataclass(frozen=True)
class Parser:
    """The analyser sentences -> `Trees` by a spaCy model.

    model     a package or folder; None is en_core_web_sm
    heads     `native`, or `penn2malt`: see `cupel.syntax.heads`
    tokenize  `spacy`, or a tokenizer of `cupel.text.tokenizers` whose words are parsed instead
    """

    model: str | None = None
    heads: str = CONVENTIONS[0]
    tokenize: str = OWN

    def __post_init__(self) -> None:
        check_convention(self.heads)
        if self.tokenize != OWN:
            check_tokenizer(self.tokenize)

    def signature(self) -> Signature:
        """The parser's part of a metric's signature."""
        model = find_model(self.model)
        return Signature.of(
            parser=model, spacy=model.spacy, heads=self._convention(model), words=self._words()
        )

    def __call__(self, sentences: Sequence[str], progress: Progress | None = None) -> Trees:
        """The tree of each sentence; `progress` is called with (done, total) of those to be parsed."""
        texts, rows = distinct(sentences)
        return self._distinct(texts, progress).take(rows)

    def _convention(self, model: Model) -> str:
        if self.heads == CONVENTIONS[0]:
            return self.heads
        style = style_of(model.relations, f"The spaCy model {model.name}")
        return convention_name(self.heads, style)

    def _words(self) -> str:
        return OWN if self.tokenize == OWN else Tokenizer(self.tokenize).signature()

    def _distinct(self, texts: Sequence[str], progress: Progress | None) -> Trees:
        store = ParseStore(str(self.signature()))
        return store.complete(texts, self._parsed, progress)

    def _parsed(self, texts: Sequence[str], progress: Progress | None) -> Trees:
        if self.heads != CONVENTIONS[0]:
            native = Parser(self.model, tokenize=self.tokenize)
            model = find_model(self.model)
            style = style_of(model.relations, f"The spaCy model {model.name}")
            return convert(native._distinct(texts, progress), self.heads, style)
        words = None if self.tokenize == OWN else Tokenizer(self.tokenize)(texts)
        split = None if words is None else [words.of(row) for row in range(len(texts))]
        return parse(find_model(self.model), texts, split, progress)


@dataclass(frozen=True)
class _Some:
    """An analyser of some of a batch's sentences: equal ones share the result like any other."""

    source: TreeSource
    rows: bytes

    def __call__(self, sentences: Sequence[str]) -> Trees:
        return self.source([sentences[row] for row in np.frombuffer(self.rows, np.int64)])


@dataclass(frozen=True)
class Words:
    """The analyser sentences -> `Tokens` that splits words as a parser does, without parsing.

    For translations, which RED compares with the trees of references. What spaCy's tokenizer
    finds is kept like parses, as trees without arcs, so that a second run needs no spaCy either.
    """

    parser: Parser

    def __call__(self, sentences: Sequence[str]) -> Tokens:
        texts, rows = distinct(sentences)
        if self.parser.tokenize != OWN:
            words = Tokenizer(self.parser.tokenize)(texts)
            lengths = words.lengths[rows]
            ids = ragged_take(words.ids, words.offsets, rows)
            return Tokens(ids, offsets_of(lengths, len(lengths)), words.types)
        model = find_model(self.parser.model)
        store = ParseStore(f"words:{model}|spacy:{model.spacy}")
        kept = store.complete(texts, lambda some, _: split_words(model, some))
        return kept.take(rows).words


def distinct(sentences: Sequence[str]) -> tuple[list[str], IntArray]:
    """Distinct sentences with single blanks for white space, and the row of each one among them."""
    numbers: dict[str, int] = {}
    number = numbers.setdefault
    rows = [number(" ".join(text.split()), len(numbers)) for text in sentences]
    return list(numbers), np.array(rows, np.int64)


def reference_trees(batch: Batch, source: TreeSource) -> tuple[Trees, IntArray]:
    """Trees of the batch's distinct references only, and (s,) the row of each distinct sentence.

    The tree of reference `r` of `batch.reference_index` is `trees[rows[r]]`; a sentence that is
    no reference, whose parse nobody needs, has the row -1. Shared through `batch.analyse`.
    """
    # In the references' order, by which the user's own trees say what is missing where.
    used = np.array(list(dict.fromkeys(batch.reference_index.tolist())), np.int64)
    rows = np.full(len(batch.sentences), -1, np.int64)
    rows[used] = np.arange(len(used))
    return batch.analyse(_Some(source, used.tobytes())), rows


def tree_source(
    trees: str | None = None,
    model: str | None = None,
    heads: str = CONVENTIONS[0],
    tokenize: str = OWN,
) -> TreeSource:
    """What a metric's or command's options ask for: the user's own trees, or a parser."""
    if trees is None:
        return Parser(model, heads, tokenize)
    if model is not None:
        raise CupelError("Trees and a parser's model are both given; one of them was expected.")
    from cupel.syntax.given import GivenTrees

    return GivenTrees((trees,), heads)
