"""Cutting texts into pieces of a vocabulary by joining neighbours: byte-pair encoding by scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cupel.arrays import BoolArray, Bytes, Float32Array, Int32Array, IntArray
from cupel.kernels import kernel

_piece_slots = kernel("piece_slots", "u8* i64* i64* u8* i64 i32* i64")
_joined_pieces = kernel("joined_pieces", "u8* i64* i64* f32* i32* i64 i32* u8* i64* i64 i32* i64*")


@dataclass(frozen=True)
class Vocabulary:
    """Pieces: piece i is `content[starts[i]:ends[i]]`, in UTF-8.

    slots     a table of those that texts are cut into
    of_bytes  (256,) the pieces of single bytes
    """

    content: Bytes
    starts: IntArray
    ends: IntArray
    scores: Float32Array
    slots: Int32Array
    of_bytes: Int32Array


def vocabulary(
    content: Bytes,
    starts: IntArray,
    ends: IntArray,
    scores: Float32Array,
    is_used: BoolArray,
    of_bytes: Int32Array,
) -> Vocabulary:
    """A vocabulary whose pieces are those that `is_used`."""
    size = 1 << (2 * len(starts) + 2).bit_length()
    slots = np.full(size, -1, np.int32)
    _piece_slots(content, starts, ends, is_used.view(np.uint8), len(starts), slots, size)
    return Vocabulary(content, starts, ends, scores, slots, of_bytes)


def joined_pieces(
    pieces: Vocabulary, text: Bytes, offsets: IntArray
) -> tuple[Int32Array, IntArray]:
    """The pieces of texts (UTF-8, one after the other), and where those of each text start."""
    ids, ends = np.empty(len(text), np.int32), np.empty(len(offsets), np.int64)
    _joined_pieces(
        pieces.content,
        pieces.starts,
        pieces.ends,
        pieces.scores,
        pieces.slots,
        len(pieces.slots),
        pieces.of_bytes,
        text,
        offsets,
        len(offsets) - 1,
        ids,
        ends,
    )
    return ids[: int(ends[-1])].copy(), ends
