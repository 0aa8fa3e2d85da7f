"""Sentences of two texts in one language, aligned in their order.

One sentence goes with one, two or three, two with two, or one with none. What goes together should
share much and be of about one length. What sentences share are word pieces; a piece counts the less,
the more often it is in the texts, so that names count and articles hardly do. The best alignment comes
from dynamic programming, as in Gale and Church (1993, A program for aligning sentences in bilingual
corpora), who have lengths alone to go by.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from cupel.arrays import FloatArray, Int32Array, IntArray

MOVES = ((1, 1, 0), (1, 2, 1), (2, 1, 1), (1, 3, 2), (3, 1, 2), (2, 2, 4), (1, 0, 0.5), (0, 1, 0.5))
"""How many sentences of the first and of the second text may go together, and how unlikely that is."""
UNLIKELY = 0.1
"""What each step of that costs, as a part of the weight of a sentence."""
LENGTH = 0.2
"""What each piece costs that one side has more than the other, as a part of the weight of a piece."""
BAND = 40
"""How many sentences an alignment may be off the diagonal."""


def align_sentences(
    first: Int32Array, first_at: IntArray, second: Int32Array, second_at: IntArray, most: int
) -> IntArray:
    """(steps, 4): what goes together, from which sentence of each text, and to which.

    first, second: the pieces of the texts; first_at, second_at: where sentences begin and the last
    ends; most: how many pieces may go together on either side
    """
    n, m = len(first_at) - 1, len(second_at) - 1
    shared, *weights = shared_weights(first, first_at, second, second_at)
    sums = np.zeros((n + 1, m + 1))
    np.cumsum(np.cumsum(shared, 0), 1, out=sums[1:, 1:])
    ours_to, theirs_to = (np.concatenate([[0.0], np.cumsum(each)]) for each in weights)
    weight, pieces = ours_to[-1] + theirs_to[-1], max(1, len(first) + len(second))
    gains = []
    for i, j, steps in MOVES:
        if i > n or j > m:
            continue
        ours, theirs = first_at[i:] - first_at[: n + 1 - i], second_at[j:] - second_at[: m + 1 - j]
        rows = sums[i:] - sums[: n + 1 - i]
        together = rows[:, j:] - rows[:, : m + 1 - j]
        # What is there twice on one side is shared once.
        together = np.minimum(together, (ours_to[i:] - ours_to[: n + 1 - i])[:, None])
        together = np.minimum(together, theirs_to[j:] - theirs_to[: m + 1 - j])
        gain = together - LENGTH * weight / pieces * np.abs(ours[:, None] - theirs)
        gain -= UNLIKELY * steps * weight / (n + m)
        if i > 1 or j > 1:
            gain[(ours > most)[:, None] | (theirs > most)] = -np.inf
        gains.append((i, j, gain.tolist()))
    return _path(_moves(n, m, gains), n, m)


def shared_weights(
    first: Int32Array, first_at: IntArray, second: Int32Array, second_at: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(n, m) the weight that each two sentences share; (n,) and (m,) the weight of each."""
    pieces, of = np.unique(np.concatenate([first, second]), return_inverse=True)
    sides = of[: len(first)], of[len(first) :]
    counts = [np.bincount(side, minlength=len(pieces)) for side in sides]
    weight = 1.0 / np.maximum(counts[0], counts[1])
    tables = []
    for side, edges in zip(sides, (first_at, second_at), strict=True):
        rows = np.repeat(np.arange(len(edges) - 1), np.diff(edges))
        places = np.unique(rows * max(1, len(pieces)) + side)
        rows, columns = np.divmod(places, max(1, len(pieces)))
        shape = len(edges) - 1, len(pieces)
        tables.append(sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape))
    shared: FloatArray = ((tables[0] * weight[None]) @ tables[1].T).toarray()
    return shared, tables[0] @ weight, tables[1] @ weight


def _moves(
    n: int, m: int, gains: list[tuple[int, int, list[list[float]]]]
) -> list[list[tuple[int, int]]]:
    """The last move of the best alignment of the first i and j sentences, for all i and j."""
    best = [[-np.inf] * (m + 1) for _ in range(n + 1)]
    how = [[(0, 0)] * (m + 1) for _ in range(n + 1)]
    best[0][0] = 0.0
    band = max(BAND, abs(n - m) + 1)
    for i in range(n + 1):
        middle = i * m // max(n, 1)
        for j in range(max(0, middle - band), min(m, middle + band) + 1):
            for k, r, gain in gains:
                if k <= i and r <= j:
                    reached = best[i - k][j - r] + gain[i - k][j - r]
                    if reached > best[i][j]:
                        best[i][j], how[i][j] = reached, (k, r)
    return how


def _path(how: list[list[tuple[int, int]]], n: int, m: int) -> IntArray:
    """The moves that led to the end."""
    steps, i, j = [], n, m
    while i or j:
        k, r = how[i][j]
        steps.append((i - k, j - r, i, j))
        i, j = i - k, j - r
    return np.array(steps[::-1], np.int64).reshape(-1, 4)
