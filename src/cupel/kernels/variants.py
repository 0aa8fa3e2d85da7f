"""How alike two words are spelled: local alignment of their letters.

Smith and Waterman's (1981) local alignment with Gotoh's (1982) affine gaps: an equal letter scores
5, one of the same group (d t, g j, l r, m n, b p v, the vowels) 3, any other -3; a gap costs 5 and
1 more for each letter after its first. Over 5 times the length of the shorter word, that is a
number from 0 to 1. Groups, scores and norm are those of SmithWatermanGotohWindowedAffine of the
SimMetrics library, which BADGER used, though on words (`cupel.kernels.badger`).
"""

from __future__ import annotations

import numpy as np

from cupel.arrays import FloatArray, Int32Array, IntArray
from cupel.kernels import inner_kernel, kernel

GROUPS = ("dt", "gj", "lr", "mn", "bpv", "aeiou")
EQUAL, ALIKE, DIFFERENT = 5.0, 3.0, -3.0
GAP, LONGER_GAP = 5.0, 1.0


@kernel
def local_similarity(
    letters: Int32Array,
    groups: Int32Array,
    first: int,
    first_end: int,
    second: int,
    second_end: int,
    space: FloatArray,
) -> float:
    """Similarity of the words letters[first:first_end] and letters[second:second_end].

    groups: of each letter, equal numbers for letters that are alike. space: two rows of at least
    the length of the second word plus 1.
    """
    width = second_end - second
    scores, gaps = space[0], space[1]
    for j in range(width + 1):
        scores[j] = 0.0
        gaps[j] = -GAP
    best = 0.0
    for i in range(first, first_end):
        diagonal = 0.0
        gap = -GAP
        for j in range(1, width + 1):
            other = second + j - 1
            if letters[i] == letters[other]:
                score = diagonal + EQUAL
            elif groups[i] == groups[other]:
                score = diagonal + ALIKE
            else:
                score = diagonal + DIFFERENT
            gap = max(gap - LONGER_GAP, scores[j - 1] - GAP)
            gaps[j] = max(gaps[j] - LONGER_GAP, scores[j] - GAP)
            diagonal = scores[j]
            scores[j] = max(0.0, score, gap, gaps[j])
            best = max(best, scores[j])
    return best / (EQUAL * min(first_end - first, width))


@inner_kernel
def may_be_similar(
    groups: Int32Array, masks: IntArray, start: int, end: int, other: int, threshold: float
) -> bool:
    """False only where too few letters of a word have one alike in the longer word `other`.

    masks: of each word, the groups of its letters as bits.
    """
    shared = 0
    for i in range(start, end):
        if (masks[other] >> (groups[i] % 63)) & 1:
            shared += 1
    return shared >= threshold * (end - start)


@inner_kernel
def letter_masks(groups: Int32Array, offsets: IntArray) -> IntArray:
    """The groups of each word's letters as bits of one number."""
    masks = np.zeros(len(offsets) - 1, np.int64)
    for word in range(len(masks)):
        for i in range(offsets[word], offsets[word + 1]):
            masks[word] |= np.int64(1) << (groups[i] % 63)
    return masks
