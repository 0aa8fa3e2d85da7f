"""Finding n-grams in the trie of `cupel.text.ngrams`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cupel.arrays import IntArray
from cupel.kernels import kernel


@kernel
def find_continuations(
    starts: IntArray,
    lasts: npt.NDArray[np.int32],
    offsets: IntArray,
    words: IntArray,
    n: int,
    numbers: IntArray,
) -> None:
    """Fill column n-1 of `numbers` from column n-2: continue each (n-1)-gram by its next word.

    The continuations of an (n-1)-gram are few and sorted: a binary search among them.
    """
    for sentence in range(len(offsets) - 1):
        for i in range(offsets[sentence], offsets[sentence + 1] - n + 1):
            parent = numbers[i, n - 2]
            word = words[i + n - 1]
            if parent < 0 or word < 0:
                continue
            low = starts[parent]
            end = starts[parent + 1]
            high = end
            while low < high:
                middle = (low + high) >> 1
                if lasts[middle] < word:
                    low = middle + 1
                else:
                    high = middle
            if low < end and lasts[low] == word:
                numbers[i, n - 1] = low
