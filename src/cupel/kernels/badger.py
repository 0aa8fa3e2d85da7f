"""BADGER's measure over a whole batch: local alignment of sentences whose words are symbols.

Smith and Waterman's (1981) local alignment with Gotoh's (1982) affine gaps. A sentence is its words
with a blank between any two; a blank is a symbol like another, so that the words "a b" are three
symbols. Equal symbols score EQUAL, others DIFFERENT; a gap costs GAP, and LONGER_GAP more for each
symbol after its first. Over EQUAL times the length of the shorter, that is a number from 0 to 1.
Cost of a pair: 4 times the product of their lengths in words.
"""

from __future__ import annotations

import numpy as np

from cupel.arrays import FloatArray, Int32Array, IntArray
from cupel.kernels import inner_kernel, kernel

EQUAL, DIFFERENT = 5, -3
GAP, LONGER_GAP = 5, 1

BLANK = -1
"""The symbol between two words; words are numbered from 0."""


@inner_kernel
def _spell(words: Int32Array, symbols: Int32Array) -> int:
    """Write the words with blanks between them; how many symbols that are."""
    length = 0
    for word in words:
        if length > 0:
            symbols[length] = BLANK
            length += 1
        symbols[length] = word
        length += 1
    return length


@inner_kernel
def _best_alignment(
    first: Int32Array, second: Int32Array, scores: Int32Array, gaps: Int32Array
) -> int:
    """The score of the best local alignment. scores, gaps: rows as long as `second` plus 1."""
    for j in range(len(second) + 1):
        scores[j] = 0
        gaps[j] = 0
    best = 0
    for symbol in first:
        diagonal = 0
        gap = 0
        left = 0
        for j in range(1, len(second) + 1):
            score = diagonal + (EQUAL if symbol == second[j - 1] else DIFFERENT)
            diagonal = scores[j]
            # Gaps that would take a score below 0 are never worth it: 0 stands for any of them.
            gap = max(gap - LONGER_GAP, left - GAP)
            gaps[j] = max(gaps[j] - LONGER_GAP, diagonal - GAP)
            left = max(0, score, gap, gaps[j])
            scores[j] = left
            best = max(best, left)
    return best


@kernel
def alignment_similarities(
    words: Int32Array,
    offsets: IntArray,
    hypotheses: IntArray,
    references: IntArray,
    reference_offsets: IntArray,
) -> FloatArray:
    """The mean over its references of each item's similarity to them.

    words, offsets: word ids of all sentences; hypotheses, references, reference_offsets: the items,
    as in `Batch`. Two sentences without words are alike, one without and one with words are not.
    """
    longest = 1
    for sentence in range(len(offsets) - 1):
        longest = max(longest, 2 * (offsets[sentence + 1] - offsets[sentence]))
    first = np.zeros(longest, np.int32)
    second = np.zeros(longest, np.int32)
    scores = np.zeros(longest + 1, np.int32)
    gaps = np.zeros(longest + 1, np.int32)
    similarities = np.zeros(len(hypotheses), np.float64)
    for item in range(len(hypotheses)):
        start, end = reference_offsets[item], reference_offsets[item + 1]
        hypothesis = hypotheses[item]
        length = _spell(words[offsets[hypothesis] : offsets[hypothesis + 1]], first)
        total = 0.0
        for r in range(start, end):
            reference = references[r]
            other = _spell(words[offsets[reference] : offsets[reference + 1]], second)
            if length == 0 or other == 0:
                total += 1.0 if length == other else 0.0
                continue
            best = _best_alignment(first[:length], second[:other], scores, gaps)
            total += best / (EQUAL * min(length, other))
        similarities[item] = total / (end - start)
    return similarities
