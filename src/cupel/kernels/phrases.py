"""Phrases as nodes of a trie, found in sentences."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cupel.arrays import Int32Array, IntArray
from cupel.kernels import Handed, kernel

# Columns of a trie's nodes: what is needed of a node at one time lies in one place.
WORD, CHILDREN, ENTRIES, IS_PARAPHRASE = range(4)


class Trie(NamedTuple):
    """nodes  (nodes + 1, 4): WORD (of the root -1), CHILDREN and ENTRIES (where they start), and
           IS_PARAPHRASE; those of node n end where those of n + 1 start
    first  child of the root by word, -1 where there is none
    """

    nodes: Int32Array
    first: Int32Array


_find_phrases = kernel("find_phrases", "i32* i64* i64 i32* i32* i64* Handed*")


def find_phrases(words: Int32Array, offsets: IntArray, trie: Trie) -> tuple[IntArray, Int32Array]:
    """All phrases of the table in sentences: offsets per sentence, and a row for each phrase.

    words: the trie's number of each token, -1 for a word that it does not know. Rows: start,
    length, node, first entry, end of entries, whether it is a paraphrase; in the order of their
    start, and of their length.
    """
    ends, phrases = np.empty(len(offsets), np.int64), Handed()
    _find_phrases(words, offsets, len(offsets) - 1, *trie, ends, phrases)
    return ends, phrases.taken(6)
