"""TER-Plus's phrase substitutions (Snover et al. 2009): which ones a pair could need, at what cost.

A phrase of the reference may be put for one of the hypothesis that the table has as its
paraphrase. Words move, so all paraphrases made of words that the hypothesis has are kept, in
whatever order they stand now.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cupel.arrays import Int32Array
from cupel.kernels import inner_kernel, kernel
from cupel.kernels.terp_matrix import PARAPHRASE, UNIT, Costs, Limits, Pair, Rules, Scratch
from cupel.kernels.terp_shifts import edit_cost

LONGEST_PHRASE = 32
"""Longer ones of the table are left out; METEOR's have 7 words at most."""


class PhraseTable(NamedTuple):
    """Exchanges of phrase p: `phrases[offsets[p]:offsets[p + 1]]`, with their probabilities.

    A phrase is a node of a trie whose root is 0: its last word is `word`, the phrase before that
    `parent`, longer ones are `children[p]` to `children[p + 1]` in order of their word; `first`
    are the root's children by word. `token` has the token id of each word and `number` the word of
    each token id, -1 where there is none.
    """

    offsets: Int32Array
    phrases: Int32Array
    probabilities: npt.NDArray[np.float32]
    word: Int32Array
    parent: Int32Array
    children: Int32Array
    first: Int32Array
    token: Int32Array
    number: Int32Array


@inner_kernel
def find_rules(
    s: Scratch,
    table: PhraseTable,
    costs: Costs,
    limits: Limits,
    pair: Pair,
    local: Int32Array,
    reference: Int32Array,
    n: int,
) -> Rules:
    """The exchanges of phrases that this pair could need, in whatever order its words are put.

    An exchange of one word for one goes into the costs of the pair, and the others are rules.
    """
    found, count, total = _find_exchanges(table, local, reference, n)
    none = _no_rules(len(pair.content))
    starts = np.zeros(count + 1, np.int32)
    words = np.empty(total, np.int32)
    prices = np.empty(count, np.float64)
    for k in range(count):
        phrase, j, length, entry = found[k]
        start = starts[k]
        starts[k + 1] = start + _put_words(table, local, phrase, words, start)
        edits = _edits(s, none, costs, limits, pair, words[start : starts[k + 1]], j, length)
        prices[k] = _phrase_cost(costs, edits, table.probabilities[entry])
    offsets = np.zeros(len(none.offsets), np.int32)
    longest = 1
    widest = 1
    for r in range(count):
        start, end = starts[r], starts[r + 1]
        last, j, length = words[end - 1], found[r, 1], found[r, 2]
        if end - start == 1 and length == 1:
            pair.costs[last, j] = min(pair.costs[last, j], prices[r])
            pair.kinds[last, j] = max(pair.kinds[last, j], PARAPHRASE)
        else:
            offsets[last + 1] += 1
            longest = max(longest, end - start)
            widest = max(widest, length)
    for w in range(len(offsets) - 1):
        offsets[w + 1] += offsets[w]
    listed = np.empty(offsets[-1], np.int32)
    filled = offsets.copy()
    for r in range(count):  # by their place in the reference, as they were found
        last = words[starts[r + 1] - 1]
        if starts[r + 1] - starts[r] > 1 or found[r, 2] > 1:
            listed[filled[last]] = r
            filled[last] += 1
    return Rules(
        offsets, listed, starts, words, found[:count, 1].copy(), found[:count, 2].copy(), prices,
        longest, widest,
    )  # fmt: skip


@inner_kernel
def _no_rules(words: int) -> Rules:
    """Rules for a pair of that many words, or for the words of two phrases."""
    none = np.empty(0, np.int32)
    offsets = np.zeros(max(words, LONGEST_PHRASE) + 1, np.int32)
    return Rules(offsets, none, none, none, none, none, np.empty(0, np.float64), 1, 1)


@inner_kernel
def _find_exchanges(
    table: PhraseTable, local: Int32Array, reference: Int32Array, n: int
) -> tuple[Int32Array, int, int]:
    """Entries of the table for the reference's phrases, made of words that the hypothesis has.

    Returns rows (phrase, start and length in the reference, entry), how many there are, and how
    many words their phrases have.
    """
    found = np.empty((64, 4), np.int32)
    count = 0
    words = 0
    for j in range(len(reference) if len(table.phrases) else 0):
        node = 0
        for end in range(j, min(len(reference), j + LONGEST_PHRASE)):
            node = _child(table, node, table.number[reference[end]])
            if node < 0:
                break
            for entry in range(table.offsets[node], table.offsets[node + 1]):
                phrase = table.phrases[entry]
                length = _known_words(table, local, phrase)
                if length == 0 or length > n or table.probabilities[entry] <= 0:
                    continue
                if count == len(found):
                    larger = np.empty((2 * count, 4), np.int32)
                    larger[:count] = found
                    found = larger
                found[count, 0] = phrase
                found[count, 1] = j
                found[count, 2] = end + 1 - j
                found[count, 3] = entry
                count += 1
                words += length
    return found, count, words


@inner_kernel
def _child(table: PhraseTable, node: int, word: int) -> int:
    """The phrase with one word more, -1 where the table has none."""
    if word < 0:
        return -1
    if node == 0:
        return int(table.first[word])
    low, high = table.children[node], table.children[node + 1]
    while low < high:
        middle = (low + high) >> 1
        if table.word[middle] < word:
            low = middle + 1
        else:
            high = middle
    found = low < table.children[node + 1] and table.word[low] == word
    return int(low) if found else -1


@inner_kernel
def _known_words(table: PhraseTable, local: Int32Array, phrase: int) -> int:
    """How many words a phrase has; 0 where the hypothesis lacks one of them."""
    length = 0
    while phrase > 0:
        token = table.token[table.word[phrase]]
        if token < 0 or local[token] < 0 or length == LONGEST_PHRASE:
            return 0
        length += 1
        phrase = table.parent[phrase]
    return length


@inner_kernel
def _put_words(
    table: PhraseTable, local: Int32Array, phrase: int, words: Int32Array, start: int
) -> int:
    """Put a phrase's words there; returns how many they are."""
    end = start
    while phrase > 0:
        words[end] = local[table.token[table.word[phrase]]]
        end += 1
        phrase = table.parent[phrase]
    words[start:end] = words[start:end][::-1].copy()
    return end - start


@inner_kernel
def _edits(
    s: Scratch,
    none: Rules,
    costs: Costs,
    limits: Limits,
    pair: Pair,
    words: Int32Array,
    j: int,
    length: int,
) -> float:
    """Cost of the edits between a phrase and the reference's words from j, without paraphrases."""
    n = len(words)
    if n == 1 and length == 1:
        return min(float(pair.costs[words[0], j]), costs.insertion + costs.deletion)
    part = Pair(
        np.empty((n, length), np.float64),
        np.empty((n, length), np.uint8),
        np.empty(n, np.uint8),
        pair.reference_content[j : j + length].copy(),
    )
    for i in range(n):
        part.content[i] = pair.content[words[i]]
        for k in range(length):
            part.costs[i, k] = pair.costs[words[i], j + k]
            part.kinds[i, k] = pair.kinds[words[i], j + k]
        s.hypothesis[i] = i
        s.shifted[i] = i
    return float(edit_cost(s, part, none, costs, limits, n, length))


@inner_kernel
def _phrase_cost(costs: Costs, edits: float, probability: float) -> float:
    """cost = w1 + edits * (w2 * log10(p) + w3 * p + w4), within its bounds.

    The table has a few numbers above 1, which count as 1.
    """
    p = min(probability, 1.0)
    cost = costs.phrase_constant + edits * (
        costs.phrase_log * np.log10(p) + costs.phrase_probability * p + costs.phrase_edits
    )
    cost = max(costs.phrase_least, min(costs.phrase_most, cost))
    return float(np.rint(cost / UNIT) * UNIT)


@kernel
def both_ways(
    offsets: Int32Array, paraphrases: Int32Array, weights: npt.NDArray[np.float32]
) -> tuple[Int32Array, Int32Array, npt.NDArray[np.float32]]:
    """A table in which each entry stands under its phrase, and under its paraphrase, too."""
    nodes = len(offsets) - 1
    ends = np.zeros(nodes + 1, np.int32)
    for node in range(nodes):
        ends[node] += offsets[node + 1] - offsets[node]
    for paraphrase in paraphrases:
        ends[paraphrase] += 1
    total = 0
    for node in range(nodes + 1):
        total += ends[node]
        ends[node] = total
    phrases = np.empty(total, np.int32)
    probabilities = np.empty(total, np.float32)
    for node in range(nodes - 1, -1, -1):
        for entry in range(offsets[node + 1] - 1, offsets[node] - 1, -1):
            other = np.int64(paraphrases[entry])
            for a, b in ((node, other), (other, node)):
                ends[a] -= 1
                phrases[ends[a]] = b
                probabilities[ends[a]] = weights[entry]
    return ends, phrases, probabilities
