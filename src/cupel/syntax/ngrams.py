"""Dep-ngrams: what RED takes from the tree of a reference (Yu et al. 2014, section 2.1).

Two kinds, each of n words:

headword chain   a path from a word down to one of its descendants; the words of "saw -> with ->
                 magnifier" need not be neighbours in the sentence
fixed structure  a head with one or more of its children, each with all that it dominates: on
                 either side those nearest the head, without a gap ("I saw an ant")
floating structure  two or more consecutive children of one head, without the head, each with all
                 that it dominates ("an ant with a magnifier")

Fixed and floating structures are contiguous, so that a first word and a length say all. A head
lies between its left and its right children: no floating structure reaches across it. In a tree
with crossing arcs, structures whose words are not contiguous are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cupel.arrays import Int32Array, IntArray
from cupel.syntax.tree import Tree
from cupel.syntax.trees import Trees

KINDS = ("fixed", "floating")


@dataclass(frozen=True, eq=False)
class DepNgrams:
    """The dep-ngrams of n trees, of 1 to `longest` words.

    structures  (m, 3)  [index into `KINDS`, first word's position, number of words]
    offsets     (n+1,)  the structures of tree i are `structures[offsets[i]:offsets[i+1]]`
    counts      (n, longest)  how many dep-ngrams of each length a tree has, chains included

    Chains are not listed: one of n words ends at each word of depth n - 1 and more.
    """

    trees: Trees
    longest: int
    structures: Int32Array
    offsets: IntArray
    counts: IntArray


def dep_ngrams(trees: Trees, longest: int) -> DepNgrams:
    """All dep-ngrams of up to `longest` words. D_n is a multiset: equal words count each time."""
    from cupel.kernels.structures import find_structures

    structures, offsets = find_structures(trees.offsets, *trees.spans, *trees.children, longest)
    counts = np.zeros((len(trees), longest), np.int64)
    tree_of_word = np.repeat(np.arange(len(trees)), trees.lengths)
    for n in range(1, longest + 1):
        np.add.at(counts[:, n - 1], tree_of_word[trees.depths >= n - 1], 1)
    tree_of_structure = np.repeat(np.arange(len(trees)), np.diff(offsets))
    np.add.at(counts, (tree_of_structure, structures[:, 2] - 1), 1)
    return DepNgrams(trees, longest, structures, offsets, counts)


def chains(tree: Tree, n: int) -> list[tuple[int, ...]]:
    """The headword chains of n words as positions, head first: for people and slow paths."""
    paths = (tree.path(word)[:n] for word in range(len(tree)))
    return [path[::-1] for path in paths if len(path) == n]
