"""Reading GGUF files of models: where texts lie, and blocks of small numbers made floats."""

from __future__ import annotations

import numpy as np

from cupel.arrays import Bytes, Float32Array, IntArray
from cupel.kernels import kernel

BLOCKS = {6: (32, 22), 8: (32, 34), 12: (256, 144), 14: (256, 210)}
"""By the number of a format (Q5_0, Q8_0, Q4_K, Q6_K): numbers in a block, and its bytes."""

_decode_blocks = kernel("decode_blocks", "u8* i64 i64 f32*")


def decode_blocks(blocks: Bytes, form: int) -> Float32Array:
    """The numbers of contiguous blocks, whatever the shape of `blocks`, one after the other."""
    numbers, size = BLOCKS[form]
    count = blocks.size // size
    floats = np.empty(count * numbers, np.float32)
    _decode_blocks(blocks, count, form, floats)
    return floats


_text_places = kernel("text_places", "u8* i64 i64 i64 i64* i64* i64*")


def text_places(content: Bytes, start: int, count: int) -> tuple[IntArray, IntArray, int]:
    """Where each of `count` texts starts and ends, and where the last one does.

    start: the place of the first, before its length. The last place is -1 where the texts do not
    end inside `content`.
    """
    starts, ends = np.zeros(count, np.int64), np.zeros(count, np.int64)
    last = np.zeros(1, np.int64)
    _text_places(content, len(content), start, count, starts, ends, last)
    return starts, ends, int(last[0])
