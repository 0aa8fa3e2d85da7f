"""The best way to match a headword chain of four and more words.

In a projective tree all words below w_i lie in one gap between words above them: w_i is one end
of that gap, and the other end, its *bound*, is the nearest word above w_i on that side, or the end
of the sentence. What the rest of the chain costs is therefore a table over the occurrences of w_i
and of its bound, filled from the last word upwards. In a tree with crossing arcs there may be
several gaps. Such chains are rare, and searched: each word from its ideal place outwards, no further
than the best way so far allows. The search ends after `MOST_STEPS` with the best that it has found;
only texts that repeat the same words hundreds of times get so far. A short search also comes before
a table, since in such texts it often finds a match at all distances, and there is none better.
"""

from __future__ import annotations

import numpy as np

from cupel.arrays import Int32Array, IntArray
from cupel.kernels import inner_kernel

NONE = 1 << 30
"""The cost of what cannot be matched."""
MOST_STEPS, _FEW_STEPS = 300_000, 2_000
_OPEN = -1


@inner_kernel
def _bounds(chain: Int32Array, n: int, bound: IntArray) -> bool:
    """The bound of each word, -1 for the end of the sentence; False where arcs cross."""
    bound[0] = _OPEN
    low, high = -1, NONE  # the gap below words 0 to i - 1, as positions in the reference
    low_word, high_word = _OPEN, _OPEN
    for i in range(n):
        if not low < chain[i] < high:
            return False
        if i + 1 < n:
            if chain[i + 1] > chain[i]:
                low, low_word, bound[i] = int(chain[i]), i, high_word
            else:
                high, high_word, bound[i] = int(chain[i]), i, low_word
    return True


@inner_kernel
def _rest(
    found: Int32Array,
    counts: IntArray,
    chain: Int32Array,
    n: int,
    bound: IntArray,
    i: int,
    a: int,
    b: int,
    tables: Int32Array,
) -> tuple[int, int]:
    """What words i + 1 ... cost after occurrence a of word i under its bound b, and by which."""
    side = 1 if chain[i + 1] > chain[i] else -1
    here, distance = int(found[i, a]), abs(int(chain[i + 1]) - int(chain[i]))
    best, which = NONE, -1
    for c in range(counts[i + 1]):
        at = int(found[i + 1, c])
        if side * (at - here) <= 0:
            continue
        if bound[i] != _OPEN and side * (int(found[bound[i], b]) - at) <= 0:
            continue
        cost = abs(distance - side * (at - here))
        if i + 2 < n:
            ahead = 0 if bound[i + 1] == _OPEN else a if bound[i + 1] == i else b
            cost += tables[i + 1, c, ahead]
        if cost < best:
            best, which = cost, c
    return best, which


@inner_kernel
def _projective(
    found: Int32Array,
    counts: IntArray,
    chain: Int32Array,
    n: int,
    bound: IntArray,
    where: Int32Array,
) -> int:
    most = 1
    for i in range(n):
        most = max(most, counts[i])
    tables = np.empty((n - 1, most, most), np.int32)
    for i in range(n - 2, -1, -1):
        bounds = 1 if bound[i] == _OPEN else counts[bound[i]]
        for a in range(counts[i]):
            for b in range(bounds):
                tables[i, a, b] = _rest(found, counts, chain, n, bound, i, a, b, tables)[0]
    best, which = NONE, 0
    for a in range(counts[0]):
        if tables[0, a, 0] < best:
            best, which = int(tables[0, a, 0]), a
    if best >= NONE:
        return NONE
    taken = np.zeros(n, np.int64)
    taken[0] = which
    where[0] = found[0, which]
    for i in range(n - 1):
        b = 0 if bound[i] == _OPEN else taken[bound[i]]
        taken[i + 1] = _rest(found, counts, chain, n, bound, i, taken[i], b, tables)[1]
        where[i + 1] = found[i + 1, taken[i + 1]]
    return best


@inner_kernel
def _fits(chain: Int32Array, at: IntArray, i: int) -> bool:
    """Whether word i stands to those before it in the chain as it does in the reference."""
    fits = True
    for j in range(i):
        fits = fits and at[j] != at[i] and (chain[j] < chain[i]) == (at[j] < at[i])
    return fits


@inner_kernel
def _search(
    found: Int32Array, counts: IntArray, chain: Int32Array, n: int, most: int, where: Int32Array
) -> int:
    """The best way of those that `most` steps find."""
    best, steps = NONE, 0
    cost, at = np.zeros(n + 1, np.int64), np.zeros(n, np.int64)
    # Occurrences up to `left` and from `right` on are still to be tried, nearest to `ideal` first.
    ideal, left, right = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64)
    # The first word may stand anywhere; near its place in the reference is a good start.
    ideal[0] = chain[0]
    right[0] = np.searchsorted(found[0, : counts[0]], ideal[0])
    left[0] = right[0] - 1
    i = 0
    while i >= 0 and steps < most and best > 0:
        steps += 1
        before, after = NONE, NONE
        if left[i] >= 0:
            before = abs(ideal[i] - found[i, left[i]])
        if right[i] < counts[i]:
            after = abs(ideal[i] - found[i, right[i]])
        if min(before, after) >= NONE or (i > 0 and cost[i] + min(before, after) >= best):
            i -= 1
            continue
        if before < after:
            at[i] = found[i, left[i]]
            left[i] -= 1
        else:
            at[i] = found[i, right[i]]
            right[i] += 1
        if not _fits(chain, at, i):
            continue
        cost[i + 1] = cost[i] + (min(before, after) if i > 0 else 0)
        if i + 1 < n:
            i += 1
            ideal[i] = at[i - 1] + chain[i] - chain[i - 1]
            right[i] = np.searchsorted(found[i, : counts[i]], ideal[i])
            left[i] = right[i] - 1
            continue
        best = int(cost[n])
        for j in range(n):
            where[j] = at[j]
    return best


@inner_kernel
def best_long(
    found: Int32Array, counts: IntArray, chain: Int32Array, n: int, where: Int32Array
) -> int:
    """The least sum of differences of distances, `NONE` without a match; `where` it is reached."""
    best = _search(found, counts, chain, n, _FEW_STEPS, where)
    if best == 0:
        return 0
    bound = np.empty(n, np.int64)
    if _bounds(chain, n, bound):
        return _projective(found, counts, chain, n, bound, where)
    return _search(found, counts, chain, n, MOST_STEPS, where)
