"""Text as pieces between white space: splitting a whole batch, and putting tokens in their place."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cupel.arrays import Bytes, Int32Array, IntArray
from cupel.kernels import Handed, kernel

Codes = npt.NDArray[np.uint32]


_split_pieces = kernel("split_pieces", "u32* i64 i32* i64* i64* i64* u8* i64*")


def split_pieces(
    codes: Codes, sentences: int
) -> tuple[Int32Array, IntArray, IntArray, IntArray, Bytes]:
    """Split sentences (code points, a line feed behind each) at white space.

    Returns the number of each piece, equal pieces alike; the offsets of each sentence's pieces;
    where the first occurrence of each distinct piece starts and ends; and which sentences are odd:
    unusual white space, or two pieces that meet with a quote or comma on either side.
    """
    room = len(codes) // 2 + 2
    ids = np.empty(room, np.int32)
    starts, ends = np.empty(room, np.int64), np.empty(room, np.int64)
    offsets, is_odd = np.zeros(sentences + 1, np.int64), np.zeros(sentences, np.uint8)
    sizes = np.zeros(2, np.int64)
    _split_pieces(codes, len(codes), ids, offsets, starts, ends, is_odd, sizes)
    pieces, distinct = sizes.tolist()
    return ids[:pieces].copy(), offsets, starts[:distinct].copy(), ends[:distinct].copy(), is_odd


_place_tokens = kernel("place_tokens", "i32* i64* i64 u8* i32* i32* i32* i64* Handed*")


def place_tokens(
    pieces: Int32Array,
    offsets: IntArray,
    kinds: Bytes,
    variants: Int32Array,
    row_offsets: Int32Array,
    row_tokens: Int32Array,
) -> tuple[Int32Array, IntArray]:
    """The tokens of sentences given as pieces, and their offsets.

    kinds: what each piece is to the one before it; variants: (pieces, 3), the row of tokens that a
    piece has before a piece of each kind, the first one at the end of a sentence.
    """
    ends, tokens = np.empty(len(offsets), np.int64), Handed()
    _place_tokens(
        pieces, offsets, len(offsets) - 1, kinds, variants, row_offsets, row_tokens, ends, tokens
    )
    return tokens.taken().ravel(), ends
