"""All that is looked at: the corpus, its words and their labels, the alignments, the user's columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.corpus import Corpus
from cupel.diagnose.alignment import Aligned, align
from cupel.diagnose.columns import Column
from cupel.diagnose.counts import Frequencies
from cupel.diagnose.words import Words, split
from cupel.syntax.word_labels import WordLabels


@dataclass(frozen=True)
class Training:
    """What a training text has: its words and n-grams with counts, and whole segments.

    counts    lower-cased n-gram, words divided by blanks -> how often it is there
    segments  whole lines; empty where only counts were given
    """

    counts: Mapping[str, int]
    segments: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Material:
    """What diagnoses are made from.

    labels       of the words of the first references, where there is a parser
    columns      the user's, one value per segment each
    documents    the document of each segment, where they are known
    frequencies  how often words are in the test set, in a text, or in a language
    notes        sentences about what was left out, which grow while buckets are made
    """

    corpus: Corpus
    language: str = "en"
    labels: WordLabels | None = None
    columns: Sequence[Column] = ()
    documents: Sequence[str] | None = None
    frequencies: Frequencies | None = None
    training: Training | None = None
    notes: list[str] = field(default_factory=list)

    @cached_property
    def texts(self) -> list[str]:
        """(segments,): the first reference of each segment; the first translation if there is none."""
        first = next(iter(self.corpus.systems.values()))
        return [
            references[0] if references else text
            for references, text in zip(self.corpus.references, first, strict=True)
        ]

    @cached_property
    def words(self) -> Words:
        """The words of `texts`."""
        return split(self.texts)

    @cached_property
    def sources(self) -> Words | None:
        """The words of the sources."""
        return None if self.corpus.sources is None else split(self.corpus.sources)

    @cached_property
    def outputs(self) -> list[Words]:
        """The words of each system."""
        return [split(texts) for texts in self.corpus.systems.values()]

    @cached_property
    def aligned(self) -> list[Aligned]:
        """Each system against the reference."""
        return [align(self.words, own, self.language, self.sources) for own in self.outputs]

    @cached_property
    def label_rows(self) -> IntArray | None:
        """(reference words,): the row of each word's labels, or -1."""
        if self.labels is None:
            return None
        return self.labels.at(self.words.segments, self.words.starts.astype(np.int64))

    def label_of_words(self, name: str) -> tuple[IntArray, list[str]] | None:
        """(reference words,) places in a list of labels, and that list; None without a parser."""
        if self.labels is None or self.label_rows is None:
            return None
        types = [*self.labels.types[name], ""]
        of_label = np.append(self.labels.labels[name], len(types) - 1)
        return of_label[self.label_rows], types

    @cached_property
    def sizes(self) -> FloatArray:
        """(segments,): words of the reference."""
        return self.words.lengths.astype(np.float64)

    @cached_property
    def counts(self) -> Counter[str]:
        """How often each lower-cased word is in the references."""
        lowered = self.words.lowered()
        times = np.bincount(lowered.ids, minlength=len(lowered.types))
        return Counter(dict(zip(lowered.types, times.tolist(), strict=True)))
