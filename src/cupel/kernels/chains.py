"""What the dep-ngrams of references score in translations, for whole batches.

`exact_sums` looks for the words themselves (RED); `aligned_sums` goes by an alignment, one match
per word (REDp, DEPREF with resources), and keeps apart by what kind of match and of word each
dep-ngram's score came about, so that weights can be put on afterwards.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cupel.arrays import Bytes, FloatArray, Int32Array, IntArray
from cupel.kernels import inner_kernel, kernel
from cupel.kernels.chain_ways import best_way, score_of

MODULES = 3
"""Exact, stem, synonym."""
PARTS = 2 * MODULES
"""Of each length, sums by module and by function or content words."""


class Forest(NamedTuple):
    """Trees and their structures, as `Trees` and `DepNgrams` have them."""

    ids: Int32Array
    offsets: IntArray
    heads: Int32Array
    structures: Int32Array
    structure_offsets: IntArray


class Text(NamedTuple):
    """Translations, in ids of the same vocabulary."""

    ids: Int32Array
    offsets: IntArray


@inner_kernel
def _climb(heads: Int32Array, word: int, n: int, chain: Int32Array) -> bool:
    """Fill in the chain of n words that ends at `word`, head first; False where there is none."""
    for k in range(n - 1, -1, -1):
        if word < 0:
            return False
        chain[k] = word
        word = heads[word]
    return True


@inner_kernel
def _index(ours: Int32Array, first: Int32Array, following: Int32Array) -> None:
    """Where each word occurs: `first`, and after each occurrence the `following` one, or -1."""
    for at in range(len(ours) - 1, -1, -1):
        following[at] = first[ours[at]]
        first[ours[at]] = at


@inner_kernel
def _occurrences(
    theirs: Int32Array,
    chain: Int32Array,
    n: int,
    first: Int32Array,
    following: Int32Array,
    found: Int32Array,
    counts: IntArray,
) -> bool:
    for k in range(n):
        if first[theirs[chain[k]]] < 0:
            return False
    for k in range(n):
        at, count = first[theirs[chain[k]]], 0
        while at >= 0:
            found[k, count] = at
            count += 1
            at = following[at]
        counts[k] = count
    return True


@inner_kernel
def _occurs(
    ours: Int32Array,
    theirs: Int32Array,
    start: int,
    n: int,
    first: Int32Array,
    following: Int32Array,
) -> int:
    """Where words start ... + n of the reference stand together in the translation, or -1."""
    at = first[theirs[start]]
    while at >= 0 and at + n <= len(ours):
        k = 1
        while k < n and ours[at + k] == theirs[start + k]:
            k += 1
        if k == n:
            return int(at)
        at = following[at]
    return -1


@kernel
def exact_sums(
    text: Text,
    forest: Forest,
    hypotheses: IntArray,
    references: IntArray,
    vocabulary: int,
    longest: int,
    kind: int,
) -> FloatArray:
    """(pairs, longest): the sum of the scores of the dep-ngrams of each length."""
    widest = 1
    for s in range(len(text.offsets) - 1):
        widest = max(widest, text.offsets[s + 1] - text.offsets[s])
    first = np.full(vocabulary, -1, np.int32)
    following = np.empty(widest, np.int32)
    found = np.empty((longest, widest), np.int32)
    counts = np.zeros(longest, np.int64)
    room = np.empty((2 * longest + 2, widest), np.int32)
    chain, where = np.empty(longest, np.int32), np.empty(longest, np.int32)
    sums = np.zeros((len(hypotheses), longest))
    for p in range(len(hypotheses)):
        h, r = hypotheses[p], references[p]
        ours = text.ids[text.offsets[h] : text.offsets[h + 1]]
        theirs = forest.ids[forest.offsets[r] : forest.offsets[r + 1]]
        heads = forest.heads[forest.offsets[r] : forest.offsets[r + 1]]
        _index(ours, first, following)
        for word in range(len(theirs)):
            if first[theirs[word]] < 0:
                continue
            for n in range(1, longest + 1):
                if not _climb(heads, word, n, chain):
                    break
                if not _occurrences(theirs, chain, n, first, following, found, counts):
                    break  # nor has a longer chain that ends here
                sums[p, n - 1] += best_way(found, counts, chain, n, kind, room, where)
        for s in range(forest.structure_offsets[r], forest.structure_offsets[r + 1]):
            start, n = forest.structures[s, 1], forest.structures[s, 2]
            if _occurs(ours, theirs, start, n, first, following) >= 0:
                sums[p, n - 1] += 1.0
        for word in ours:
            first[word] = -1
    return sums


@kernel
def exact_matches(
    text: Text, forest: Forest, h: int, r: int, vocabulary: int, longest: int, kind: int
) -> tuple[Int32Array, FloatArray]:
    """All matches of one pair, for people: rows [kind, n, positions in reference and translation].

    kind: 0 for a chain, else 1 + that of the structure; the positions fill 2 * longest columns.
    Beside them the score of each.
    """
    ours = text.ids[text.offsets[h] : text.offsets[h + 1]]
    theirs = forest.ids[forest.offsets[r] : forest.offsets[r + 1]]
    heads = forest.heads[forest.offsets[r] : forest.offsets[r + 1]]
    widest = max(1, len(ours))
    first = np.full(vocabulary, -1, np.int32)
    following = np.empty(widest, np.int32)
    found = np.empty((longest, widest), np.int32)
    counts = np.zeros(longest, np.int64)
    room = np.empty((2 * longest + 2, widest), np.int32)
    begin, end = forest.structure_offsets[r], forest.structure_offsets[r + 1]
    most = longest * len(theirs) + end - begin
    rows, scores = np.zeros((most, 2 + 2 * longest), np.int32), np.zeros(most)
    count = 0
    _index(ours, first, following)
    for n in range(1, longest + 1):
        for word in range(len(theirs)):
            row = rows[count]
            chain, where = row[2 : 2 + n], row[2 + longest : 2 + longest + n]
            if _climb(heads, word, n, chain) and _occurrences(
                theirs, chain, n, first, following, found, counts
            ):
                score = best_way(found, counts, chain, n, kind, room, where)
                if score > 0:
                    row[1] = n
                    scores[count] = score
                    count += 1
        for s in range(begin, end):
            if forest.structures[s, 2] != n:
                continue
            start = forest.structures[s, 1]
            at = _occurs(ours, theirs, start, n, first, following)
            if at >= 0:
                row = rows[count]
                row[0], row[1] = 1 + forest.structures[s, 0], n
                for k in range(n):
                    row[2 + k], row[2 + longest + k] = start + k, at + k
                scores[count] = 1.0
                count += 1
    return rows[:count], scores[:count]


@inner_kernel
def _add(
    part: FloatArray,
    score: float,
    chain: Int32Array,
    n: int,
    module: Bytes,
    function: Bytes,
) -> None:
    """Spread a dep-ngram's score: p * (c_m / n) * (C_fun / n), and C_con likewise."""
    functions = 0
    for k in range(n):
        functions += function[chain[k]]
    for k in range(n):
        m = module[chain[k]]
        part[2 * m] += score * functions / (n * n)
        part[2 * m + 1] += score * (n - functions) / (n * n)


@kernel
def aligned_sums(
    forest: Forest,
    references: IntArray,
    matches: Int32Array,
    match_offsets: IntArray,
    is_function: Bytes,
    longest: int,
    kind: int,
) -> FloatArray:
    """(pairs, longest, PARTS): the sums of the dep-ngrams' scores by module and kind of word.

    matches: of words, as `cupel.kernels.alignment` keeps them; is_function: of each word id.
    """
    widest = 1
    for t in range(len(forest.offsets) - 1):
        widest = max(widest, forest.offsets[t + 1] - forest.offsets[t])
    places, module = np.empty(widest, np.int32), np.empty(widest, np.uint8)
    function = np.empty(widest, np.uint8)
    chain, where = np.empty(longest, np.int32), np.empty(longest, np.int32)
    parts = np.zeros((len(references), longest, PARTS))
    for p in range(len(references)):
        r = references[p]
        size = forest.offsets[r + 1] - forest.offsets[r]
        heads = forest.heads[forest.offsets[r] : forest.offsets[r + 1]]
        for word in range(size):
            places[word] = -1
            function[word] = is_function[forest.ids[forest.offsets[r] + word]]
        for k in range(match_offsets[p], match_offsets[p + 1]):
            places[matches[k, 0]] = matches[k, 2]
            module[matches[k, 0]] = matches[k, 4]
        for word in range(size):
            for n in range(1, longest + 1):
                if not _climb(heads, word, n, chain) or places[chain[0]] < 0:
                    break
                for k in range(n):
                    where[k] = places[chain[k]]
                score = score_of(chain, where, n, kind)
                if score > 0:
                    _add(parts[p, n - 1], score, chain, n, module, function)
        for s in range(forest.structure_offsets[r], forest.structure_offsets[r + 1]):
            start, n = forest.structures[s, 1], forest.structures[s, 2]
            together = places[start] >= 0
            for k in range(n):
                chain[k] = start + k
                together = together and places[start + k] == places[start] + k
            if together:
                _add(parts[p, n - 1], 1.0, chain, n, module, function)
    return parts
