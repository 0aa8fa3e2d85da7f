"""Many dependency trees as flat integer arrays: the form in which kernels take them.

The words are `Tokens`, so that every lexical kernel can read them too; positions are those within
the sentence. What is derived (depths, spans, children) is computed for all trees at once, when
first needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
import numpy.typing as npt

from cupel.arrays import Int32Array, IntArray
from cupel.syntax.tree import ROOT, Tree
from cupel.text.tokens import Tokens, intern, number, offsets_of, ragged_take


@dataclass(frozen=True, eq=False)
class Trees:
    """n trees, one after the other: tree i is `[offsets[i]:offsets[i+1]]` of each flat array.

    words      the words, as ids, offsets and types
    heads      (total,)  the head's position in its sentence, -1 for the root
    relations  (total,)  an index into `relation_types`
    tags       (total,)  an index into `tag_types`
    """

    words: Tokens
    heads: Int32Array
    relations: Int32Array
    tags: Int32Array
    relation_types: Sequence[str]
    tag_types: Sequence[str]

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, row: int) -> Tree:
        """One tree as a value: for people and slow paths."""
        row = range(len(self))[row]
        span = slice(int(self.offsets[row]), int(self.offsets[row + 1]))
        return Tree(
            tuple(self.words.of(row)),
            tuple(self.heads[span].tolist()),
            tuple(self.relation_types[i] for i in self.relations[span]),
            tuple(self.tag_types[i] for i in self.tags[span]),
        )

    @property
    def offsets(self) -> IntArray:
        return self.words.offsets

    @property
    def lengths(self) -> IntArray:
        """How many words each tree has."""
        return self.words.lengths

    @cached_property
    def positions(self) -> Int32Array:
        """(total,) each word's place in its sentence, from 0."""
        starts = np.repeat(self.offsets[:-1], self.lengths)
        return (np.arange(len(self.heads)) - starts).astype(np.int32)

    @cached_property
    def flat_heads(self) -> IntArray:
        """(total,) the head's place in the flat arrays, -1 for a root."""
        starts = np.repeat(self.offsets[:-1], self.lengths)
        return np.where(self.heads == ROOT, ROOT, self.heads + starts)

    @cached_property
    def depths(self) -> Int32Array:
        """(total,) how many arcs lie between each word and its root."""
        depths = np.zeros(len(self.heads), np.int32)
        above = self.flat_heads
        while (moving := above != ROOT).any():
            depths[moving] += 1
            above = np.where(moving, self.flat_heads[above], ROOT)
        return depths

    @cached_property
    def spans(self) -> tuple[Int32Array, Int32Array, Int32Array]:
        """(total,) each: first and last position of what a word dominates, and its size.

        It is contiguous, and so a complete constituent in one piece, where
        `last - first + 1 == size`.
        """
        first, last = self.positions.copy(), self.positions.copy()
        size = np.ones(len(self.heads), np.int32)
        by_depth = np.argsort(self.depths, kind="stable")
        ends = offsets_of(np.bincount(self.depths), int(self.depths.max(initial=-1)) + 1)
        for depth in range(len(ends) - 2, 0, -1):  # from the leaves up
            words = by_depth[ends[depth] : ends[depth + 1]]
            heads = self.flat_heads[words]
            np.minimum.at(first, heads, first[words])
            np.maximum.at(last, heads, last[words])
            np.add.at(size, heads, size[words])
        return first, last, size

    @cached_property
    def children(self) -> tuple[Int32Array, IntArray]:
        """Children from left to right, and where each word's begin.

        The children of flat word w are the positions `children[starts[w]:starts[w+1]]`.
        """
        below = np.flatnonzero(self.flat_heads != ROOT)
        heads = self.flat_heads[below]
        counts = np.bincount(heads, minlength=len(self.heads))
        return self.positions[below[np.argsort(heads, kind="stable")]], offsets_of(
            counts, len(self.heads)
        )

    def take(self, rows: npt.NDArray[np.integer]) -> Trees:
        """The trees of these rows, in this order; types that do not occur are dropped."""
        offsets = self.offsets
        lengths = self.lengths[rows]
        ids, types = _compact(ragged_take(self.words.ids, offsets, rows), self.words.types)
        return Trees(
            Tokens(ids, offsets_of(lengths, len(lengths)), types),
            ragged_take(self.heads, offsets, rows),
            ragged_take(self.relations, offsets, rows),
            ragged_take(self.tags, offsets, rows),
            self.relation_types,
            self.tag_types,
        )

    @classmethod
    def of(cls, trees: Iterable[Tree]) -> Trees:
        """Trees from values."""
        listed = list(trees)
        words = intern([tree.words for tree in listed])
        total = len(words.ids)
        relations, relation_types = number(chain.from_iterable(t.relations for t in listed), total)
        tags, tag_types = number(chain.from_iterable(t.tags for t in listed), total)
        heads = np.fromiter(chain.from_iterable(t.heads for t in listed), np.int32, total)
        return cls(words, heads, relations, tags, relation_types, tag_types)

    @classmethod
    def joined(cls, parts: Sequence[Trees]) -> Trees:
        """All trees of all parts, one after the other."""
        if len(parts) == 1:
            return parts[0]
        ids, types = _joined_ids([(part.words.ids, part.words.types) for part in parts])
        relations, relation_types = _joined_ids([(p.relations, p.relation_types) for p in parts])
        tags, tag_types = _joined_ids([(part.tags, part.tag_types) for part in parts])
        lengths = np.concatenate([np.zeros(0, np.int64), *(part.lengths for part in parts)])
        heads = np.concatenate([np.zeros(0, np.int32), *(part.heads for part in parts)])
        words = Tokens(ids, offsets_of(lengths, len(lengths)), types)
        return cls(words, heads, relations, tags, relation_types, tag_types)


def _compact(ids: Int32Array, types: Sequence[str]) -> tuple[Int32Array, list[str]]:
    """The ids that occur, renumbered from 0 in their old order, and their types."""
    used = np.zeros(len(types), np.bool_)
    used[ids] = True
    fresh = (np.cumsum(used) - 1).astype(np.int32)
    return fresh[ids], [types[old] for old in np.flatnonzero(used).tolist()]


def _joined_ids(
    parts: Sequence[tuple[Int32Array, Sequence[str]]],
) -> tuple[Int32Array, list[str]]:
    every = list(chain.from_iterable(types for _, types in parts))
    fresh, types = number(every, len(every))
    starts = offsets_of((len(part_types) for _, part_types in parts), len(parts))
    pieces = [fresh[ids + start] for (ids, _), start in zip(parts, starts[:-1], strict=True)]
    return np.concatenate([np.zeros(0, np.int32), *pieces]), types
