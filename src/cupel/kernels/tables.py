"""Reading a paraphrase table into a trie of phrases (see `cupel.kernels.phrases`)."""

from __future__ import annotations

import ctypes
from typing import NamedTuple

import numpy as np

from cupel.arrays import Bytes, Float32Array, Int32Array, IntArray
from cupel.kernels import kernel

# Why `read_records` stopped.
END, WORDS_FULL, NODES_FULL, ENTRIES_FULL, NOT_A_NUMBER, EMPTY_PHRASE = range(6)


class Growing(NamedTuple):
    """A table while it is read. `used` counts words, bytes of words, nodes and entries."""

    used: IntArray
    word_slots: Int32Array
    word_ends: IntArray
    word_nodes: Int32Array
    word_bytes: Bytes
    node_slots: IntArray
    node_parent: Int32Array
    node_word: Int32Array
    phrase: Int32Array
    paraphrase: Int32Array
    weight: Float32Array


def _parts(table: Growing) -> tuple[ctypes.Array[ctypes.c_void_p], IntArray]:
    """The addresses of the arrays, and the room for words, bytes, nodes and entries."""
    grown = table.word_slots, table.word_bytes, table.node_slots, table.phrase
    addresses = [array.ctypes.data for array in table]
    return (ctypes.c_void_p * len(table))(*addresses), np.array(
        [len(part) for part in grown], np.int64
    )


_read_records = kernel("read_records", "u8* i64 void** i64* i64*")


def read_records(text: Bytes, table: Growing) -> tuple[int, int]:
    """Read whole records (weight, phrase, paraphrase: a line each) from the start of `text`.

    Returns how many bytes were read, and why it stopped: at a full array (make it larger and go
    on), at a wrong line (`used[3]` records were right), or at the end.
    """
    stopped = np.zeros(2, np.int64)
    _read_records(text, len(text), *_parts(table), stopped)
    return int(stopped[0]), int(stopped[1])


_rehash = kernel("rehash", "void** i64* i64")


def rehash(table: Growing, state: int) -> None:
    """Fill the (larger, empty) slots of what was full again: of words, or of nodes."""
    _rehash(*_parts(table), state)


_flatten = kernel("flatten", "void** i64* i32* i32* f32*")


def flatten(table: Growing) -> tuple[Int32Array, Int32Array, Float32Array]:
    """The nodes of the finished trie, and the paraphrase and weight of each entry."""
    _, _, count, entries = table.used.tolist()
    nodes = np.empty((count + 1, 4), np.int32)
    paraphrases, weights = np.empty(entries, np.int32), np.empty(entries, np.float32)
    _flatten(*_parts(table), nodes, paraphrases, weights)
    return nodes, paraphrases, weights
