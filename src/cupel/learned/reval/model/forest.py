"""Trees as flat arrays, and a batch of them as levels: what lets a Tree-LSTM run without recursion.

All nodes of all trees of a batch are sorted by their distance from the root. A node's children are
exactly one level below it, so that the states of one level are all that the next one needs:
children hand theirs on to the parent's place, level by level, for all trees at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from cupel.arrays import BoolArray, IntArray

ROOT = -1


@dataclass(frozen=True, eq=False)
class Forest:
    """n trees, one after the other; tree i has the nodes `offsets[i]:offsets[i+1]`.

    words    (total,) a row of the vectors for each node
    heads    (total,) the parent's position within its tree, -1 for the root
    offsets  (n+1,)
    """

    words: npt.NDArray[np.integer]
    heads: npt.NDArray[np.integer]
    offsets: IntArray

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> IntArray:
        """(n,) nodes of each tree."""
        return np.diff(self.offsets)

    @cached_property
    def depths(self) -> IntArray:
        """(total,) arcs between each node and its root."""
        above = np.where(self.heads == ROOT, ROOT, self.heads + self._starts)
        depths = np.zeros(len(above), np.int64)
        place = above.copy()
        rising = np.flatnonzero(place != ROOT)
        while len(rising):
            depths[rising] += 1
            place[rising] = above[place[rising]]
            rising = rising[place[rising] != ROOT]
        return depths

    @cached_property
    def _starts(self) -> IntArray:
        return np.repeat(self.offsets[:-1], self.lengths)

    def chains(self, backward: bool = False) -> Forest:
        """The same words as sequences: each word's one child is the word before it (or behind)."""
        positions = np.arange(len(self.words)) - self._starts
        last = np.repeat(self.lengths, self.lengths) - 1
        heads = positions - 1 if backward else np.where(positions == last, ROOT, positions + 1)
        chains = Forest(self.words, heads, self.offsets)
        # Known without a walk to the root, which is as long as the sentence here.
        vars(chains)["depths"] = positions if backward else last - positions
        return chains

    def take(self, rows: npt.NDArray[np.integer]) -> Forest:
        """The trees of those rows, in that order."""
        lengths = self.lengths[rows]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        nodes = np.arange(offsets[-1]) + np.repeat(self.offsets[rows] - offsets[:-1], lengths)
        return Forest(self.words[nodes], self.heads[nodes], offsets)

    @cached_property
    def leaves(self) -> BoolArray:
        """(total,) whether a node has no children."""
        leaves = np.ones(len(self.heads), np.bool_)
        inner = self.heads != ROOT
        leaves[(self.heads + self._starts)[inner]] = False
        return leaves

    def levels(self, rows: npt.NDArray[np.integer]) -> Levels:
        """The trees of those rows as levels, the deepest first."""
        lengths = self.lengths[rows]
        starts = np.cumsum(lengths) - lengths
        total = int(lengths.sum())
        nodes = np.arange(total) + np.repeat(self.offsets[rows] - starts, lengths)
        depths, leaves = self.depths[nodes], self.leaves[nodes]
        deepest = int(depths.max(initial=0))
        level = deepest - depths
        order = np.lexsort((level, leaves))
        inner = np.bincount(level[~leaves], minlength=deepest + 1)
        place = np.empty(total, np.int64)
        place[order] = np.arange(total)
        heads = np.asarray(self.heads[nodes], np.int64)
        above = np.where(heads == ROOT, 0, heads + np.repeat(starts, lengths))
        parents = place[above] - (np.cumsum(inner) - inner)[np.minimum(level + 1, deepest)]
        by_level = np.lexsort((leaves, level))
        roots = by_level[total - int((heads == ROOT).sum()) :]
        return Levels(
            words=np.asarray(self.words[nodes[order]], np.int64),
            parents=parents[by_level],
            inner=inner,
            leaves=np.bincount(level[leaves], minlength=deepest + 1),
            full=np.repeat(np.arange(len(rows)), lengths)[roots],
            count=len(rows),
        )


@dataclass(frozen=True)
class Levels:
    """A batch of trees, level by level from the deepest to the roots.

    words    (nodes,) rows of the vectors: first all inner nodes, then all leaves, each by level
    parents  (nodes,) the parent's place among the inner nodes of the next level; level by level, in
             each first the inner nodes, then the leaves. Of roots it means nothing.
    inner    (levels,) how many inner nodes each level has, and
    leaves   (levels,) how many leaves; the last level's are the roots
    full     (roots,) which of the trees the roots are of: all but the empty ones
    count    how many trees there are
    """

    words: IntArray
    parents: IntArray
    inner: IntArray
    leaves: IntArray
    full: IntArray
    count: int
