"""Phrases as nodes of a trie: reading a paraphrase table into one, and finding them in sentences.

While a table is read, the trie is a hash table (node, word) -> node. The finished trie is flat:
nodes are numbered level by level, the children of a node are neighbours in order of their word,
so that two arrays hold it: the word of each node, and where its children start.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cupel.arrays import Bytes, Float32Array, Int32Array, IntArray
from cupel.kernels import kernel

# Why `read_records` stopped.
END, WORDS_FULL, NODES_FULL, ENTRIES_FULL, NOT_A_NUMBER, EMPTY_PHRASE = range(6)

# Columns of a trie's nodes: what is needed of a node at one time lies in one place.
WORD, CHILDREN, ENTRIES, IS_PARAPHRASE = range(4)

_MIX = np.uint64(0x9E3779B97F4A7C15)


class Trie(NamedTuple):
    """nodes  (nodes + 1, 4): WORD (of the root -1), CHILDREN and ENTRIES (where they start), and
           IS_PARAPHRASE; those of node n end where those of n + 1 start
    first  child of the root by word, -1 where there is none
    """

    nodes: Int32Array
    first: Int32Array


class Growing(NamedTuple):
    """A table while it is read. `used` counts words, bytes of words, nodes and entries."""

    used: IntArray
    word_slots: Int32Array
    word_ends: IntArray
    word_bytes: Bytes
    node_keys: IntArray
    node_slots: Int32Array
    node_parent: Int32Array
    node_word: Int32Array
    phrase: Int32Array
    paraphrase: Int32Array
    weight: Float32Array


@kernel
def _is_blank(byte: int) -> bool:
    return byte == 32 or byte == 9 or byte == 12 or byte == 13


@kernel
def _line_end(text: Bytes, start: int, end: int) -> int:
    """Where the line that starts here ends, or -1 where it is not all there."""
    for at in range(start, end):
        if text[at] == 10:
            return at
    return -1


@kernel
def _number(text: Bytes, start: int, end: int) -> float:
    """A decimal number, perhaps with an exponent; NaN where there is none."""
    value, scale, exponent, digits = 0.0, 1.0, 0, 0
    at = start
    while at < end and 48 <= text[at] <= 57:
        value = value * 10 + (text[at] - 48)
        digits += 1
        at += 1
    if at < end and text[at] == 46:
        at += 1
        while at < end and 48 <= text[at] <= 57:
            value = value * 10 + (text[at] - 48)
            scale *= 10
            digits += 1
            at += 1
    if digits > 0 and at < end and (text[at] == 69 or text[at] == 101):
        at += 1
        negative = at < end and text[at] == 45
        if at < end and (text[at] == 45 or text[at] == 43):
            at += 1
        while at < end and 48 <= text[at] <= 57:
            exponent = min(exponent * 10 + (text[at] - 48), 400)
            at += 1
        if negative:
            exponent = -exponent
    while at < end and _is_blank(text[at]):
        at += 1
    if digits == 0 or at < end:
        return np.nan
    return value / scale * 10.0**exponent


@kernel
def _word(table: Growing, text: Bytes, start: int, end: int) -> int:
    """The number of a word, a new one where it was not seen before."""
    code = np.uint64(end - start)
    for at in range(start, end):
        code = (code ^ np.uint64(text[at])) * _MIX
        code ^= code >> np.uint64(29)
    mask = len(table.word_slots) - 1
    slot = np.int64(code & np.uint64(mask))
    while table.word_slots[slot] >= 0:
        found = table.word_slots[slot]
        first = table.word_ends[found]
        if table.word_ends[found + 1] - first == end - start:
            same = True
            for k in range(end - start):
                if table.word_bytes[first + k] != text[start + k]:
                    same = False
                    break
            if same:
                return int(found)
        slot = (slot + 1) & mask
    new = table.used[0]
    table.word_slots[slot] = new
    for at in range(start, end):
        table.word_bytes[table.used[1]] = text[at]
        table.used[1] += 1
    table.word_ends[new + 1] = table.used[1]
    table.used[0] += 1
    return int(new)


@kernel
def _child(table: Growing, node: int, word: int) -> int:
    """The child of a node by a word, a new one where there is none."""
    key = (np.int64(node) << 32) | np.int64(word)
    mask = len(table.node_slots) - 1
    slot = np.int64((np.uint64(key) * _MIX) >> np.uint64(20)) & mask
    while table.node_slots[slot] >= 0:
        if table.node_keys[slot] == key:
            return int(table.node_slots[slot])
        slot = (slot + 1) & mask
    new = table.used[2]
    table.node_slots[slot] = new
    table.node_keys[slot] = key
    table.node_parent[new] = node
    table.node_word[new] = word
    table.used[2] += 1
    return int(new)


@kernel
def _phrase(table: Growing, text: Bytes, start: int, end: int) -> int:
    """The node of a line's words; the root, 0, of an empty line."""
    node = 0
    at = start
    while at < end:
        while at < end and _is_blank(text[at]):
            at += 1
        first = at
        while at < end and not _is_blank(text[at]):
            at += 1
        if at > first:
            node = _child(table, node, _word(table, text, first, at))
    return node


@kernel
def read_records(text: Bytes, end: int, table: Growing) -> tuple[int, int]:
    """Read whole records (weight, phrase, paraphrase: a line each) from the start of `text`.

    Returns how many bytes were read, and why it stopped: at a full array (make it larger and go
    on), at a wrong line (`used[3]` records were right), or at the end.
    """
    at = 0
    while True:
        first = _line_end(text, at, end)
        second = _line_end(text, first + 1, end) if first >= 0 else -1
        third = _line_end(text, second + 1, end) if second >= 0 else -1
        if third < 0:
            return at, END
        most = third - first  # a record has no more words, or bytes in words, than characters
        if 2 * (table.used[0] + most) > len(table.word_slots) or (
            table.used[1] + most > len(table.word_bytes)
        ):
            return at, WORDS_FULL
        if 2 * (table.used[2] + most) > len(table.node_slots):
            return at, NODES_FULL
        if table.used[3] == len(table.phrase):
            return at, ENTRIES_FULL
        weight = _number(text, at, first)
        if np.isnan(weight):
            return at, NOT_A_NUMBER
        phrase = _phrase(table, text, first + 1, second)
        paraphrase = _phrase(table, text, second + 1, third)
        if phrase == 0 or paraphrase == 0:
            return at, EMPTY_PHRASE
        entry = table.used[3]
        table.phrase[entry] = phrase
        table.paraphrase[entry] = paraphrase
        table.weight[entry] = weight
        table.used[3] += 1
        at = third + 1


@kernel
def rehash_words(table: Growing) -> None:
    """Fill the (larger, empty) slots of the words anew."""
    mask = len(table.word_slots) - 1
    for word in range(table.used[0]):
        first, last = table.word_ends[word], table.word_ends[word + 1]
        code = np.uint64(last - first)
        for at in range(first, last):
            code = (code ^ np.uint64(table.word_bytes[at])) * _MIX
            code ^= code >> np.uint64(29)
        slot = np.int64(code & np.uint64(mask))
        while table.word_slots[slot] >= 0:
            slot = (slot + 1) & mask
        table.word_slots[slot] = word


@kernel
def rehash_nodes(table: Growing) -> None:
    """Fill the (larger, empty) slots of the nodes anew."""
    mask = len(table.node_slots) - 1
    for node in range(1, table.used[2]):
        key = (np.int64(table.node_parent[node]) << 32) | np.int64(table.node_word[node])
        slot = np.int64((np.uint64(key) * _MIX) >> np.uint64(20)) & mask
        while table.node_slots[slot] >= 0:
            slot = (slot + 1) & mask
        table.node_slots[slot] = node
        table.node_keys[slot] = key


@kernel
def _larger(rows: Int32Array) -> Int32Array:
    larger = np.empty((2 * len(rows), 6), np.int32)
    for k in range(len(rows)):
        for column in range(6):
            larger[k, column] = rows[k, column]
    return larger


@kernel
def find_phrases(words: Int32Array, offsets: IntArray, trie: Trie) -> tuple[IntArray, Int32Array]:
    """All phrases of the table in sentences: offsets per sentence, and a row for each phrase.

    words: the trie's number of each token, -1 for a word that it does not know. Rows: start,
    length, node, first entry, end of entries, whether it is a paraphrase; in the order of their
    start, and of their length.
    """
    nodes, children = trie.nodes, trie.first
    sentences = len(offsets) - 1
    found = np.zeros(sentences + 1, np.int64)
    rows = np.empty((2 * len(words) + 16, 6), np.int32)
    count = 0
    for s in range(sentences):
        first, end = offsets[s], offsets[s + 1]
        for i in range(first, end):
            if words[i] < 0:
                continue
            node = children[words[i]]
            k = i + 1
            while node >= 0:
                entry, entries_end = nodes[node, 2], nodes[node + 1, 2]
                if entry < entries_end or nodes[node, 3]:
                    if count == len(rows):
                        rows = _larger(rows)
                    rows[count, 0], rows[count, 1], rows[count, 2] = i - first, k - i, node
                    rows[count, 3], rows[count, 4] = entry, entries_end
                    rows[count, 5] = nodes[node, 3]
                    count += 1
                if k == end or words[k] < 0:
                    break
                low, high = nodes[node, 1], nodes[node + 1, 1]
                last = high
                while low < high:
                    middle = (low + high) >> 1
                    if nodes[middle, 0] < words[k]:
                        low = middle + 1
                    else:
                        high = middle
                node = low if low < last and nodes[low, 0] == words[k] else -1
                k += 1
        found[s + 1] = count
    return found, rows[:count].copy()
