"""TER-Plus (Snover et al. 2009) over whole batches: what words and phrases cost, and the search.

For each pair of sentences: what each word of the hypothesis costs against each of the reference
(match, stem, synonym, substitution), which phrases of the table could be exchanged and at what
cost, then the search for edits and shifts (`terp_matrix`, `terp_shifts`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cupel.arrays import Bytes, FloatArray, Int32Array, IntArray
from cupel.kernels import inner_kernel, kernel
from cupel.kernels.diagonal import room
from cupel.kernels.terp_matrix import (
    ALIKE,
    DIFFERENT,
    EQUAL,
    INFINITE,
    Costs,
    Limits,
    Pair,
    Scratch,
)
from cupel.kernels.terp_phrases import LONGEST_PHRASE, PhraseTable, find_rules
from cupel.kernels.terp_shifts import edit_cost


class Vocabulary(NamedTuple):
    """What is known of each token id: stem, synonym sets, and whether it is a content word.

    The sets of token t are `synsets[synset_offsets[t]:synset_offsets[t + 1]]`, sorted, and set s
    has bit s % 64 in `synset_masks[t]`.
    """

    stem: Int32Array
    synset_masks: npt.NDArray[np.uint64]
    synset_offsets: IntArray
    synsets: Int32Array
    content: Bytes


@kernel
def terp_edits(
    ids: Int32Array,
    offsets: IntArray,
    vocabulary: Vocabulary,
    table: PhraseTable,
    costs: Costs,
    limits: Limits,
    hypothesis_index: IntArray,
    reference_index: IntArray,
    reference_offsets: IntArray,
) -> FloatArray:
    """(n, 2): the least cost over an item's references, and the mean of their lengths."""
    items = len(hypothesis_index)
    result = np.zeros((items, 2), np.float64)
    scratch = _scratch(offsets, limits, hypothesis_index, reference_index, reference_offsets)
    local = np.full(len(vocabulary.stem), -1, np.int32)
    for item in range(items):
        sentence = hypothesis_index[item]
        hypothesis = ids[offsets[sentence] : offsets[sentence + 1]]
        types = _distinct(hypothesis, local)
        best = INFINITE
        length = 0
        for k in range(reference_offsets[item], reference_offsets[item + 1]):
            sentence = reference_index[k]
            reference = ids[offsets[sentence] : offsets[sentence + 1]]
            n, m = len(hypothesis), len(reference)
            length += m
            pair = _pair(vocabulary, costs, types, reference)
            rules = find_rules(scratch, table, costs, limits, pair, local, reference, n)
            for i in range(n):
                scratch.hypothesis[i] = local[hypothesis[i]]
                scratch.shifted[i] = scratch.hypothesis[i]
            best = min(best, edit_cost(scratch, pair, rules, costs, limits, n, m))
        for token in types:
            local[token] = -1
        result[item, 0] = best
        result[item, 1] = length / (reference_offsets[item + 1] - reference_offsets[item])
    return result


@inner_kernel
def _scratch(
    offsets: IntArray,
    limits: Limits,
    hypothesis_index: IntArray,
    reference_index: IntArray,
    reference_offsets: IntArray,
) -> Scratch:
    n, m, cells = room(limits.beam, offsets, hypothesis_index, reference_index, reference_offsets)
    cells = max(cells, (LONGEST_PHRASE + 1) ** 2)
    size = limits.shift_size
    return Scratch(
        hypothesis=np.empty(n, np.int32),
        shifted=np.empty(n, np.int32),
        alignment=np.empty(m, np.int32),
        hypothesis_errors=np.empty(n + 1, np.int32),
        reference_errors=np.empty(m + 1, np.int32),
        hypothesis_content=np.empty(n + 1, np.int32),
        reference_content=np.empty(m + 1, np.int32),
        candidates=np.empty((limits.candidates + size + 1, 3), np.int32),
        reach=np.empty((size + 1, 2 * size + 1), np.uint8),
        movable=np.empty(size + 1, np.uint8),
        row=np.empty(m + 1, np.float64),
        arrivals=np.full(m + 1, INFINITE),
        arrived=np.empty(m + 1, np.int32),
        band=np.empty(cells, np.float64),
        shifted_band=np.empty(cells, np.float64),
    )


@inner_kernel
def _distinct(tokens: Int32Array, local: Int32Array) -> Int32Array:
    """The distinct tokens; `local` is their number from then on."""
    types = np.empty(len(tokens), np.int32)
    count = 0
    for token in tokens:
        if local[token] < 0:
            local[token] = count
            types[count] = token
            count += 1
    return types[:count]


@inner_kernel
def _pair(vocabulary: Vocabulary, costs: Costs, types: Int32Array, tokens: Int32Array) -> Pair:
    """What words cost, before any paraphrases."""
    matrix = np.empty((len(types), len(tokens)), np.float64)
    kinds = np.empty((len(types), len(tokens)), np.uint8)
    content = np.empty(len(types), np.uint8)
    reference_content = np.empty(len(tokens), np.uint8)
    for w in range(len(types)):
        ours = types[w]
        content[w] = vocabulary.content[ours]
        for j in range(len(tokens)):
            theirs = tokens[j]
            kind, cost = DIFFERENT, costs.substitution
            if ours == theirs:
                kind, cost = EQUAL, costs.match
            else:
                if vocabulary.stem[ours] == vocabulary.stem[theirs]:
                    kind, cost = ALIKE, min(cost, costs.stem)
                if _share_a_set(vocabulary, ours, theirs):
                    kind, cost = ALIKE, min(cost, costs.synonym)
            kinds[w, j] = kind
            matrix[w, j] = cost
    for j in range(len(tokens)):
        reference_content[j] = vocabulary.content[tokens[j]]
    return Pair(matrix, kinds, content, reference_content)


@inner_kernel
def _share_a_set(vocabulary: Vocabulary, first: int, second: int) -> bool:
    """Whether two words have a synonym set in common; masks spare most pairs the search."""
    if vocabulary.synset_masks[first] & vocabulary.synset_masks[second] == 0:
        return False
    a, end_a = vocabulary.synset_offsets[first], vocabulary.synset_offsets[first + 1]
    b, end_b = vocabulary.synset_offsets[second], vocabulary.synset_offsets[second + 1]
    while a < end_a and b < end_b:
        if vocabulary.synsets[a] == vocabulary.synsets[b]:
            return True
        if vocabulary.synsets[a] < vocabulary.synsets[b]:
            a += 1
        else:
            b += 1
    return False
