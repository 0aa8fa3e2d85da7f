"""What the reader of `assay:size=large` is trained on: judgments of datasets, as texts that it reads.

An item is read as

    Source: ...
    Reference: ...
    Translation: ...
    Quality score:

or without its first line. Sentences are cut into pieces one by one, and after `LONGEST` pieces; sources are those
of segments, so each language pair has its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cupel.arrays import IntArray
from cupel.learned.assay.data.examples import Judgments
from cupel.learned.assay.data.prepare import CORRUPTIONS, collect
from cupel.learned.assay.model.large import PROMPT
from cupel.learned.manifest import Gate
from cupel.neural.byte_pairs import BytePairs
from cupel.neural.wordpiece import Pieces

LONGEST = 160
SOURCE = "Source:"
AT_ONCE = 20_000
"""Sentences that are cut into pieces together."""


@dataclass(frozen=True)
class Prompt:
    """The pieces of what stands around sentences; reference: as the first line, or as the second."""

    source: IntArray
    reference: tuple[IntArray, IntArray]
    translation: IntArray
    end: IntArray

    @classmethod
    def of(cls, tokenizer: BytePairs) -> Prompt:
        """The prompt that the metric has, with a source before it."""
        reference, translation, end = PROMPT

        def cut(text: str) -> IntArray:
            return tokenizer([text]).ids.astype(np.int64)

        first, second = cut(reference), cut(f"\n{reference}")
        return cls(cut(SOURCE), (first, second), cut(translation), cut(end))

    @property
    def pieces(self) -> IntArray:
        """All of them."""
        return np.concatenate([self.source, *self.reference, self.translation, self.end])


@dataclass(frozen=True)
class Texts:
    """Items and their judgments, and the source of each: a sentence of `data.pieces`, or -1."""

    data: Judgments
    source: IntArray
    prompt: Prompt

    def lengths(self, items: IntArray, source: IntArray) -> IntArray:
        """(items,) pieces of what is read."""
        data, around = self.data, self.prompt
        of = data.pieces.lengths
        longest = len(around.reference[1]) + len(around.translation) + len(around.end)
        before = np.where(source >= 0, len(around.source) + of[source], 0)
        return of[data.hypothesis[items]] + of[data.reference[items]] + before + longest

    def rows(self, items: IntArray, source: IntArray) -> list[IntArray]:
        """The pieces of each item, with these sources."""
        data, around = self.data, self.prompt
        ids, at = data.pieces.ids, data.pieces.offsets
        sentences = zip(
            source.tolist(), data.reference[items].tolist(), data.hypothesis[items].tolist(),
            strict=True,
        )  # fmt: skip
        rows = []
        for original, reference, translation in sentences:
            first = [around.source, ids[at[original] : at[original + 1]]] if original >= 0 else []
            rows.append(
                np.concatenate([
                    *first,
                    around.reference[original >= 0], ids[at[reference] : at[reference + 1]],
                    around.translation, ids[at[translation] : at[translation + 1]],
                    around.end,
                ])
            )  # fmt: skip
        return rows

    def some_sources(self, items: IntArray, share: float, rng: np.random.Generator) -> IntArray:
        """The sources of items, but of that share of segments only: of all items of one, or of none."""
        segments, of = np.unique(self.data.segment[items], return_inverse=True)
        with_source = rng.random(len(segments)) < share
        return np.where(with_source[of], self.source[items], -1)


def read_texts(
    datasets: Sequence[str],
    tokenizer: BytePairs,
    corruptions: int = CORRUPTIONS,
    gate: Gate | None = None,
) -> Texts:
    """All judgments of some datasets, into English; gate: what a training may read of them."""
    builder = collect(datasets, corruptions=corruptions, gate=gate)
    number = builder.sentences.setdefault
    sources = {
        segment: number(text, len(builder.sentences)) for segment, text in builder.sources.items()
    }
    data = builder.build(lambda sentences: cut(sentences, tokenizer))
    of = np.array([sources.get(segment, -1) for segment in data.segment.tolist()], np.int64)
    return Texts(data, of, Prompt.of(tokenizer))


def cut(sentences: Sequence[str], tokenizer: BytePairs) -> Pieces:
    """Sentences as pieces, each behind a space, and at most LONGEST of them."""
    parts: list[npt.NDArray[np.int32]] = []
    for first in range(0, len(sentences), AT_ONCE):
        some = sentences[first : first + AT_ONCE]
        pieces = tokenizer([" " + " ".join(text.split()) for text in some])
        spans = zip(pieces.offsets[:-1].tolist(), pieces.offsets[1:].tolist(), strict=True)
        parts += [pieces.ids[low : min(high, low + LONGEST)] for low, high in spans]
    offsets = np.cumsum([0, *map(len, parts)]).astype(np.int64)
    return Pieces(np.concatenate([np.zeros(0, np.int32), *parts]), offsets)


def by_length(lengths: IntArray, limit: int) -> Iterator[IntArray]:
    """Places in batches of at most `limit` pieces with padding, or of one; the longest first."""
    order, first = np.argsort(-lengths, kind="stable"), 0
    while first < len(order):
        size = max(1, limit // int(lengths[order[first]]))
        yield order[first : first + size]
        first += size
