"""Fixed and floating structures of many dependency trees at once (see `cupel.syntax.ngrams`)."""

from __future__ import annotations

import numpy as np

from cupel.arrays import Int32Array, IntArray
from cupel.kernels import kernel

FIXED, FLOATING = range(2)


@kernel
def _put(rows: Int32Array, count: int, kind: int, first: int, length: int) -> Int32Array:
    if count == len(rows):
        larger = np.empty((2 * count, 3), np.int32)
        larger[:count] = rows
        rows = larger
    rows[count, 0] = kind
    rows[count, 1] = first
    rows[count, 2] = length
    return rows


@kernel
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
    trees = len(offsets) - 1
    ends = np.zeros(trees + 1, np.int64)
    rows = np.empty((1024, 3), np.int32)
    count = 0
    for t in range(trees):
        base = offsets[t]
        for head in range(base, offsets[t + 1]):
            begin, end = starts[head], starts[head + 1]
            middle = begin  # the first child on the right
            while middle < end and children[middle] < head - base:
                middle += 1
            # Fixed: the head, the nearest children to its left and the nearest to its right.
            low, high, words = head - base, head - base, 1
            for left in range(middle, begin - 1, -1):
                if left < middle:
                    child = base + children[left]
                    low, high = min(low, first[child]), max(high, last[child])
                    words += size[child]
                    if words > longest:
                        break
                inner_low, inner_high, inner_words = low, high, words
                for right in range(middle - 1, end):
                    if right >= middle:
                        child = base + children[right]
                        inner_low = min(inner_low, first[child])
                        inner_high = max(inner_high, last[child])
                        inner_words += size[child]
                        if inner_words > longest:
                            break
                    if inner_words > 1 and inner_high - inner_low + 1 == inner_words:
                        rows = _put(rows, count, FIXED, inner_low, inner_words)
                        count += 1
            # Floating: two or more consecutive children.
            for one in range(begin, end):
                child = base + children[one]
                low, high, words = first[child], last[child], size[child]
                for other in range(one + 1, end):
                    if words >= longest:
                        break
                    child = base + children[other]
                    low, high = min(low, first[child]), max(high, last[child])
                    words += size[child]
                    if words <= longest and high - low + 1 == words:
                        rows = _put(rows, count, FLOATING, low, words)
                        count += 1
        ends[t + 1] = count
    return rows[:count].copy(), ends
