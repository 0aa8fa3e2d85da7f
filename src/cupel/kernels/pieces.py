"""Text as pieces between white space: splitting a whole batch, and putting tokens in their place."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cupel.arrays import Bytes, Int32Array, IntArray
from cupel.kernels import kernel

Codes = npt.NDArray[np.uint32]


@kernel
def _is_unusual(code: int) -> bool:
    """White space that Java and Python see differently, and surrogates."""
    return (
        code == 0x0B
        or 0x1C <= code <= 0x1F
        or code == 0x85
        or code == 0xA0
        or code == 0x1680
        or 0x2000 <= code <= 0x200A
        or code == 0x2028
        or code == 0x2029
        or code == 0x202F
        or code == 0x205F
        or code == 0x3000
        or 0xD800 <= code <= 0xDFFF
    )


@kernel
def _is_quote_or_comma(code: int) -> bool:
    return code == 0x27 or code == 0x2C or code == 0x60 or code == 0x2018 or code == 0x2019


@kernel
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
    offsets = np.zeros(sentences + 1, np.int64)
    starts = np.empty(room, np.int64)
    ends = np.empty(room, np.int64)
    is_odd = np.zeros(sentences, np.uint8)
    size = 1024
    slots = np.full(size, -1, np.int32)
    slot_hash = np.empty(size, np.uint64)
    pieces, distinct, sentence = 0, 0, 0
    start = -1
    code_hash = np.uint64(0)
    quoted = False
    for at in range(len(codes)):
        code = codes[at]
        if code > 0x20 or not (code == 0x20 or 0x09 <= code <= 0x0D) or code == 0x0B:
            if (code < 0x20 or code >= 0x85) and _is_unusual(code):
                is_odd[sentence] = 1
            if start < 0:
                start = at
                code_hash = np.uint64(0)
                if quoted and _is_quote_or_comma(code):
                    is_odd[sentence] = 1
            code_hash = (code_hash ^ np.uint64(code)) * np.uint64(0x9E3779B97F4A7C15)
            code_hash ^= code_hash >> np.uint64(32)
            continue
        if start >= 0:
            length = at - start
            slot = np.int64(code_hash & np.uint64(size - 1))
            number = -1
            while slots[slot] >= 0:
                if slot_hash[slot] == code_hash:
                    found = slots[slot]
                    if ends[found] - starts[found] == length:
                        same = True
                        for k in range(length):
                            if codes[starts[found] + k] != codes[start + k]:
                                same = False
                                break
                        if same:
                            number = found
                            break
                slot = (slot + 1) & (size - 1)
            if number < 0:
                number = distinct
                starts[number], ends[number] = start, at
                slots[slot] = number
                slot_hash[slot] = code_hash
                distinct += 1
                if 2 * distinct > size:
                    old_slots, old_hash = slots, slot_hash
                    size *= 4
                    slots = np.full(size, -1, np.int32)
                    slot_hash = np.empty(size, np.uint64)
                    for k in range(len(old_slots)):
                        if old_slots[k] >= 0:
                            slot = np.int64(old_hash[k] & np.uint64(size - 1))
                            while slots[slot] >= 0:
                                slot = (slot + 1) & (size - 1)
                            slots[slot] = old_slots[k]
                            slot_hash[slot] = old_hash[k]
            ids[pieces] = number
            pieces += 1
            quoted = _is_quote_or_comma(codes[at - 1])
            start = -1
        if code == 0x0A:
            sentence += 1
            offsets[sentence] = pieces
            quoted = False
    return ids[:pieces].copy(), offsets, starts[:distinct].copy(), ends[:distinct].copy(), is_odd


@kernel
def place_tokens(
    pieces: Int32Array,
    offsets: IntArray,
    kinds: Bytes,
    variants: Int32Array,
    row_offsets: Int32Array,
    row_tokens: Int32Array,
) -> tuple[Int32Array, IntArray]:
    """The tokens of sentences given as pieces, and their offsets.

    kinds: what each piece is to the one before it; variants: (pieces, kinds), the row of tokens
    that a piece has before a piece of each kind, the first one at the end of a sentence.
    """
    sentences = len(offsets) - 1
    rows = np.empty(len(pieces), np.int32)
    total = 0
    for s in range(sentences):
        for at in range(offsets[s], offsets[s + 1]):
            kind = kinds[pieces[at + 1]] if at + 1 < offsets[s + 1] else 0
            rows[at] = variants[pieces[at], kind]
            total += row_offsets[rows[at] + 1] - row_offsets[rows[at]]
    tokens = np.empty(total, np.int32)
    token_offsets = np.zeros(sentences + 1, np.int64)
    count = 0
    for s in range(sentences):
        for at in range(offsets[s], offsets[s + 1]):
            for k in range(row_offsets[rows[at]], row_offsets[rows[at] + 1]):
                tokens[count] = row_tokens[k]
                count += 1
        token_offsets[s + 1] = count
    return tokens, token_offsets
