"""Fixed and floating structures of many dependency trees at once (see `cupel.syntax.ngrams`)."""

from __future__ import annotations

import numpy as np

from cupel.arrays import Int32Array, IntArray
from cupel.kernels import Handed, kernel

FIXED, FLOATING = range(2)


_find_structures = kernel("find_structures", "i64* i64 i32* i32* i32* i32* i64* i64 i64* Handed*")


def find_structures(
    offsets: IntArray,
    first: Int32Array,
    last: Int32Array,
    size: Int32Array,
    children: Int32Array,
    starts: IntArray,
    longest: int,
) -> tuple[Int32Array, IntArray]:
    """Rows (kind, first word, number of words) of all structures of at most `longest` words.

    first, last, size: of what each word dominates; children, starts: as in `Trees.children`.
    Returns the rows and, per tree, where its rows begin. A structure is kept if its words are
    contiguous, which all are but those of trees with crossing arcs.
    """
    ends, rows = np.empty(len(offsets), np.int64), Handed()
    _find_structures(
        offsets, len(offsets) - 1, first, last, size, children, starts, longest, ends, rows
    )
    return rows.taken(3), ends
