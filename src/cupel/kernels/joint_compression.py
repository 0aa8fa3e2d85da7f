"""How much of a text its references already say: variants replaced, all compressed jointly.

The measure that `badger:measure=compression` takes, over a whole batch.

Items that follow each other and have the same references (the outputs of several systems for one
segment) share everything that is computed from the references alone.
"""

from __future__ import annotations

import numpy as np

from cupel.arrays import FloatArray, Int32Array, IntArray
from cupel.kernels import inner_kernel, kernel
from cupel.kernels.compression import SPACES, compressed_bits, space_needed
from cupel.kernels.variants import letter_masks, local_similarity, may_be_similar

SEPARATOR, BLANK = 0, 1
"""Symbols that are no letters; letters are numbered from 2."""

UNIT = 10.0
"""Bits that a difference of lengths is counted in: a coder writes whole bytes, or thereabouts."""


@inner_kernel
def _append(
    text: Int32Array, length: int, words: Int32Array, letters: Int32Array, offsets: IntArray
) -> int:
    """Write the words with blanks between them behind text[:length]; the new length."""
    for position in range(len(words)):
        if position > 0:
            text[length] = BLANK
            length += 1
        for i in range(offsets[words[position]], offsets[words[position] + 1]):
            text[length] = letters[i]
            length += 1
    return length


@inner_kernel
def _nearest(
    word: int,
    candidates: Int32Array,
    count: int,
    letters: Int32Array,
    groups: Int32Array,
    offsets: IntArray,
    masks: IntArray,
    threshold: float,
    shortest: int,
    space: FloatArray,
) -> int:
    """The most similar of the candidates, the first of equals; the word itself if none is close."""
    start, end = offsets[word], offsets[word + 1]
    best = threshold
    found = word
    for c in range(count):
        other = candidates[c]
        other_start, other_end = offsets[other], offsets[other + 1]
        if other_end - other_start < shortest:
            continue
        if end - start <= other_end - other_start:
            hopeful = may_be_similar(groups, masks, start, end, other, best)
        else:
            hopeful = may_be_similar(groups, masks, other_start, other_end, word, best)
        if not hopeful:
            continue
        similarity = local_similarity(letters, groups, start, end, other_start, other_end, space)
        if similarity > best or (similarity == best and found == word):
            best = similarity
            found = other
    return found


@inner_kernel
def _similarity(
    conditional: float, alone: float, mean_reference: float, shortest_reference: float
) -> float:
    """1 minus the compression distance, less for what is shorter than every reference."""
    larger = max(alone, mean_reference)
    rounded = UNIT * np.rint(conditional / UNIT)
    similarity = max(0.0, 1.0 - rounded / larger) if larger > 0 else 0.0
    if alone < shortest_reference:
        similarity *= np.sqrt(alone / shortest_reference)
    return float(similarity)


@inner_kernel
def _room(
    words: Int32Array,
    word_offsets: IntArray,
    letter_offsets: IntArray,
    hypotheses: IntArray,
    references: IntArray,
    reference_offsets: IntArray,
) -> tuple[int, int, int]:
    """The most symbols, reference words and references that any item has to do with."""
    symbols = 1
    most_words = 1
    most_references = 1
    for item in range(len(hypotheses)):
        total = 0
        largest = 0
        count = 0
        longest_word = 0
        for r in range(reference_offsets[item], reference_offsets[item + 1]):
            size = 1
            for i in range(word_offsets[references[r]], word_offsets[references[r] + 1]):
                letters = letter_offsets[words[i] + 1] - letter_offsets[words[i]]
                longest_word = max(longest_word, letters)
                size += letters + 1
                count += 1
            total += size
            largest = max(largest, size)
        size = 1
        for i in range(word_offsets[hypotheses[item]], word_offsets[hypotheses[item] + 1]):
            letters = letter_offsets[words[i] + 1] - letter_offsets[words[i]]
            size += max(letters, longest_word) + 1  # a variant may be longer
        symbols = max(symbols, total + max(largest, size))
        most_words = max(most_words, count)
        most_references = max(
            most_references, reference_offsets[item + 1] - reference_offsets[item]
        )
    return symbols, most_words, most_references


@inner_kernel
def _distinct(
    references: IntArray, word_offsets: IntArray, text_ranks: IntArray, found: IntArray
) -> int:
    """The references that have words, each text once and in the order of texts; their number."""
    count = 0
    for sentence in references:
        if word_offsets[sentence] == word_offsets[sentence + 1]:
            continue
        at = count
        while at > 0 and text_ranks[found[at - 1]] > text_ranks[sentence]:
            at -= 1
        if at > 0 and text_ranks[found[at - 1]] == text_ranks[sentence]:
            continue
        for k in range(count, at, -1):
            found[k] = found[k - 1]
        found[at] = sentence
        count += 1
    return count


@kernel
def joint_similarities(
    words: Int32Array,
    word_offsets: IntArray,
    text_ranks: IntArray,
    letters: Int32Array,
    groups: Int32Array,
    letter_offsets: IntArray,
    hypotheses: IntArray,
    references: IntArray,
    reference_offsets: IntArray,
    alphabet: int,
    threshold: float,
    shortest: int,
) -> FloatArray:
    """The score of each item.

    words, word_offsets: word ids of all sentences; text_ranks: of each sentence, its place in the
    order of the texts, equal texts alike; letters, groups, letter_offsets: those of each word;
    hypotheses, references, reference_offsets: the items, as in `Batch`; threshold, shortest: a
    word of that many letters or more is replaced by one at least that similar.
    """
    items = len(hypotheses)
    scores = np.zeros(items, np.float64)
    symbols, most_words, most_references = _room(
        words, word_offsets, letter_offsets, hypotheses, references, reference_offsets
    )
    longest_word = 1
    for word in range(len(letter_offsets) - 1):
        longest_word = max(longest_word, letter_offsets[word + 1] - letter_offsets[word])
    text = np.zeros(symbols, np.int32)
    space = np.zeros((SPACES, space_needed(symbols, alphabet)), np.int64)
    alignment = np.zeros((2, longest_word + 1), np.float64)
    masks = letter_masks(groups, letter_offsets)
    replaced = np.zeros(len(words) + 1, np.int32)
    group_of_word = np.full(len(letter_offsets), -1, np.int64)
    variant_of = np.zeros(len(letter_offsets), np.int32)
    variant_group = np.full(len(letter_offsets), -1, np.int64)
    candidates = np.zeros(most_words, np.int32)
    distinct = np.zeros(most_references, np.int64)
    count = 0
    candidate_count = 0
    group = -1
    base = 0
    together = 0.0
    mean = 0.0
    least = 0.0
    own = 0.0

    for item in range(items):
        start, end = reference_offsets[item], reference_offsets[item + 1]
        same = item > 0 and end - start == reference_offsets[item] - reference_offsets[item - 1]
        if same:
            for r in range(start, end):
                if references[r] != references[r - (end - start)]:
                    same = False
                    break
        if not same:
            group += 1
            count = _distinct(references[start:end], word_offsets, text_ranks, distinct)
            candidate_count = 0
            base = 0
            mean = 0.0
            least = np.inf
            for k in range(count):
                span = words[word_offsets[distinct[k]] : word_offsets[distinct[k] + 1]]
                for word in span:
                    if group_of_word[word] != group:
                        group_of_word[word] = group
                        candidates[candidate_count] = word
                        candidate_count += 1
                alone = compressed_bits(
                    text[base:],
                    _append(text[base:], 0, span, letters, letter_offsets),
                    alphabet,
                    space,
                )
                mean += alone / count
                least = min(least, alone)
                base = _append(text, base, span, letters, letter_offsets)
                text[base] = SEPARATOR
                base += 1
            together = compressed_bits(text, base, alphabet, space)
            own = 0.0
            for k in range(count):
                span = words[word_offsets[distinct[k]] : word_offsets[distinct[k] + 1]]
                length = _append(text, base, span, letters, letter_offsets)
                alone = compressed_bits(text[base:], length - base, alphabet, space)
                joint = compressed_bits(text, length, alphabet, space)
                own = max(own, _similarity(joint - together, alone, mean, least))

        sentence = hypotheses[item]
        size = word_offsets[sentence + 1] - word_offsets[sentence]
        copy = False
        for r in range(start, end):
            copy = copy or text_ranks[references[r]] == text_ranks[sentence]
        if copy or size == 0 or count == 0:
            scores[item] = 1.0 if copy else 0.0
            continue
        for i in range(size):
            word = words[word_offsets[sentence] + i]
            replaced[i] = word
            length = letter_offsets[word + 1] - letter_offsets[word]
            if group_of_word[word] == group or length < shortest:
                continue
            if variant_group[word] != group:
                variant_group[word] = group
                variant_of[word] = _nearest(
                    word, candidates, candidate_count, letters, groups, letter_offsets, masks,
                    threshold, shortest, alignment,
                )  # fmt: skip
            replaced[i] = variant_of[word]
        length = _append(text, base, replaced[:size], letters, letter_offsets)
        alone = compressed_bits(text[base:], length - base, alphabet, space)
        joint = compressed_bits(text, length, alphabet, space)
        similarity = _similarity(joint - together, alone, mean, least)
        if own > 0:
            similarity /= own
        scores[item] = min(1.0, similarity)
    return scores
