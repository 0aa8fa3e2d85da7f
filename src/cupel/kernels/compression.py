"""Compressed lengths of short texts, by the Burrows-Wheeler transform and move-to-front.

The transform (Burrows and Wheeler 1994) puts next to each other the symbols that stand before
equal contexts, contexts of any length; move-to-front then writes, for each symbol, how many others
have been seen since it was seen last. Where the text repeats itself that rank is 0. A rank of 0
is taken to be free (runs of them cost a real coder next to nothing), a rank k > 0 to cost
1 + log2(k + 1) bits, and a symbol seen for the first time NEW_SYMBOL bits. Cost of one text of n
symbols: n log n for sorting its suffixes, n times the mean rank for the rest.
"""

from __future__ import annotations

import numpy as np

from cupel.arrays import Int32Array, IntArray
from cupel.kernels import inner_kernel, kernel

NEW_SYMBOL = 6.0
"""Bits of a symbol that the text has not had yet."""

SPACES = 5
"""Rows of working memory that `compressed_bits` needs, each as long as `space_needed` says."""


@inner_kernel
def space_needed(longest: int, alphabet: int) -> int:
    """The length of a row of working memory for texts of up to `longest` symbols."""
    return max(longest, alphabet) + 2


@inner_kernel
def sort_suffixes(text: Int32Array, length: int, alphabet: int, space: IntArray) -> None:
    """The starts of the suffixes of text[:length] in order of the suffixes, in space[0].

    Doubling (Manber and Myers 1993): suffixes in order of their first 1, 2, 4, ... symbols, by
    counting sorts; the end of the text comes before every symbol. Symbols are 0..alphabet-1.
    """
    order, rank, other, count = space[0], space[1], space[2], space[3]
    for symbol in range(alphabet + 1):
        count[symbol] = 0
    for i in range(length):
        count[text[i] + 1] += 1
    for symbol in range(1, alphabet + 1):
        count[symbol] += count[symbol - 1]
    for i in range(length):
        order[count[text[i]]] = i
        count[text[i]] += 1
    classes = 0
    for i in range(length):
        if i == 0 or text[order[i]] != text[order[i - 1]]:
            classes += 1
        rank[order[i]] = classes
    step = 1
    while classes < length:
        # Those that end within the step first; the rest as the suffixes a step further on.
        filled = 0
        for i in range(length - step, length):
            other[filled] = i
            filled += 1
        for i in range(length):
            if order[i] >= step:
                other[filled] = order[i] - step
                filled += 1
        for c in range(classes + 1):
            count[c] = 0
        for i in range(length):
            count[rank[i]] += 1
        for c in range(1, classes + 1):
            count[c] += count[c - 1]
        for i in range(length - 1, -1, -1):
            count[rank[other[i]]] -= 1
            order[count[rank[other[i]]]] = other[i]
        fresh = 0
        for i in range(length):
            here = order[i]
            if i == 0:
                fresh = 1
            else:
                before = order[i - 1]
                next_here = rank[here + step] if here + step < length else 0
                next_before = rank[before + step] if before + step < length else 0
                if rank[here] != rank[before] or next_here != next_before:
                    fresh += 1
            other[here] = fresh
        for i in range(length):
            rank[i] = other[i]
        classes = fresh
        step *= 2


@kernel
def compressed_bits(text: Int32Array, length: int, alphabet: int, space: IntArray) -> float:
    """Bits that text[:length] is taken to need; 0 for an empty text."""
    if length == 0:
        return 0.0
    sort_suffixes(text, length, alphabet, space)
    order, recent = space[0], space[4]
    seen = 0
    bits = 0.0
    for i in range(-1, length):
        # Row -1 is the empty suffix, before which stands the last symbol.
        start = length if i < 0 else order[i]
        if start == 0:
            continue
        symbol = text[start - 1]
        rank = 0
        while rank < seen and recent[rank] != symbol:
            rank += 1
        if rank == seen:
            seen += 1
            bits += NEW_SYMBOL
        elif rank > 0:
            bits += 1.0 + np.log2(rank + 1.0)
        for k in range(rank, 0, -1):
            recent[k] = recent[k - 1]
        recent[0] = symbol
    return bits
