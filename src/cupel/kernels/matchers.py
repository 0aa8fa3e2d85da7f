"""METEOR's matchers: every pair of words or phrases that could be aligned.

A match says that words `reference_start ... + reference_length` of the reference correspond to
words `hypothesis_start ... + hypothesis_length` of the hypothesis, and which matcher found it. All
matchers look at all words, so that the same two words may be matched by several. The matches are
ordered by their start in the reference and then as METEOR finds them, on which ties in its search
depend: matcher by matcher, the hypothesis from left to right; paraphrases of the reference's
phrases before those of the hypothesis' phrases.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cupel.arrays import Bytes, Int32Array, IntArray
from cupel.kernels import kernel

EXACT, STEM, SYNONYM, PARAPHRASE = range(4)

# A match is a row: start and length in the reference, start and length in the translation, module.


class Sentences(NamedTuple):
    """Token ids, as in `Tokens`, and the phrases of each sentence, as `find_phrases` gives them."""

    ids: Int32Array
    offsets: IntArray
    phrase_offsets: IntArray
    phrases: Int32Array


class Words(NamedTuple):
    """What the matchers know of each token id.

    key and stem are Java's 32-bit hash codes of the word and its stem: the jar compares those, and
    "le" matches "n'" in French because theirs are equal.

    synset_spans (ids, 2): the word's synonym sets are `synsets[start:end]`
    """

    key: Int32Array
    stem: Int32Array
    is_function: Bytes
    synset_spans: Int32Array
    synsets: Int32Array


@kernel
def hash_codes(units: npt.NDArray[np.uint16], offsets: IntArray) -> Int32Array:
    """Java's `String.hashCode` of words given as UTF-16."""
    codes = np.empty(len(offsets) - 1, np.int32)
    for word in range(len(codes)):
        code = np.uint32(0)
        for at in range(offsets[word], offsets[word + 1]):
            code = np.uint32(np.uint32(31) * code + np.uint32(units[at]))
        codes[word] = np.int32(code)
    return codes


@kernel
def larger(matches: Int32Array, needed: int) -> Int32Array:
    """The matches with room for so many, and as many again."""
    copy = np.empty((2 * needed, 5), np.int32)
    for k in range(len(matches)):
        for column in range(5):
            copy[k, column] = matches[k, column]
    return copy


@kernel
def _put(
    matches: Int32Array, count: int, j: int, length: int, i: int, matched: int, stage: int
) -> None:
    matches[count, 0] = j
    matches[count, 1] = length
    matches[count, 2] = i
    matches[count, 3] = matched
    matches[count, 4] = stage


class Chains(NamedTuple):
    """A hash table from keys to chains of entries, emptied by starting another epoch.

    tag: epoch and key of each slot; first: its first entry; following: the next entry of the same
    key, or -1
    """

    epoch: IntArray
    tag: IntArray
    first: Int32Array
    following: Int32Array


@kernel
def new_chains(entries: int) -> Chains:
    """Chains for up to so many entries."""
    size = 64
    while size < 2 * entries:
        size *= 2
    return Chains(
        np.zeros(1, np.int64),
        np.zeros(size, np.int64),
        np.empty(size, np.int32),
        np.empty(max(entries, 1), np.int32),
    )


@kernel
def _slot(tags: IntArray, tag: int) -> int:
    """The slot of a tag, or the free one where it belongs."""
    mask = len(tags) - 1
    slot = ((tag * 0x9E3779B1) >> 14) & mask
    while tags[slot] != tag and tags[slot] >> 32 == tag >> 32:
        slot = (slot + 1) & mask
    return slot


@kernel
def _match_words(
    ours: Int32Array,
    theirs: Int32Array,
    key: Int32Array,
    other: Int32Array,
    exact: bool,
    stage: int,
    chains: Chains,
    matches: Int32Array,
    count: int,
) -> tuple[Int32Array, int]:
    """Match words whose `key` is equal and, unless `exact`, whose `other` is not."""
    tags, first, following = chains.tag, chains.first, chains.following
    chains.epoch[0] += 1
    epoch = chains.epoch[0] << 32
    for i in range(len(ours) - 1, -1, -1):  # so that chains go from left to right
        tag = epoch | (np.int64(key[ours[i]]) & 0xFFFFFFFF)
        slot = _slot(tags, tag)
        following[i] = first[slot] if tags[slot] == tag else -1
        tags[slot] = tag
        first[slot] = i
    for j in range(len(theirs)):
        tag = epoch | (np.int64(key[theirs[j]]) & 0xFFFFFFFF)
        slot = _slot(tags, tag)
        if tags[slot] != tag:
            continue
        if count + len(ours) > len(matches):
            matches = larger(matches, count + len(ours))
        i = first[slot]
        while i >= 0:
            if exact or other[ours[i]] != other[theirs[j]]:
                _put(matches, count, j, 1, int(i), 1, stage)
                count += 1
            i = following[i]
    return matches, count


@kernel
def _match_synonyms(
    ours: Int32Array,
    theirs: Int32Array,
    words: Words,
    stage: int,
    chains: Chains,
    owner: Int32Array,
    is_found: Bytes,
    matches: Int32Array,
    count: int,
) -> tuple[Int32Array, int]:
    """Match different words that share a synonym set."""
    tags, first, following = chains.tag, chains.first, chains.following
    spans, synsets, key = words.synset_spans, words.synsets, words.key
    chains.epoch[0] += 1
    epoch = chains.epoch[0] << 32
    entries = 0
    for i in range(len(ours)):
        for k in range(spans[ours[i], 0], spans[ours[i], 1]):
            tag = epoch | np.int64(synsets[k])
            slot = _slot(tags, tag)
            following[entries] = first[slot] if tags[slot] == tag else -1
            tags[slot] = tag
            first[slot] = entries
            owner[entries] = i
            entries += 1
    for j in range(len(theirs)):
        lowest, highest = len(ours), -1
        for k in range(spans[theirs[j], 0], spans[theirs[j], 1]):
            tag = epoch | np.int64(synsets[k])
            slot = _slot(tags, tag)
            if tags[slot] != tag:
                continue
            entry = first[slot]
            while entry >= 0:
                i = int(owner[entry])
                if key[ours[i]] != key[theirs[j]]:
                    is_found[i] = 1
                    lowest, highest = min(lowest, i), max(highest, i)
                entry = following[entry]
        if highest >= 0 and count + len(ours) > len(matches):
            matches = larger(matches, count + len(ours))
        for i in range(lowest, highest + 1):
            if is_found[i]:
                is_found[i] = 0
                _put(matches, count, j, 1, i, 1, stage)
                count += 1
    return matches, count


@kernel
def _match_phrases(
    sentences: Sentences,
    paraphrases: Int32Array,
    source: int,
    target: int,
    from_reference: bool,
    stage: int,
    chains: Chains,
    matches: Int32Array,
    count: int,
) -> tuple[Int32Array, int]:
    """Match phrases of sentence `source` with their paraphrases in sentence `target`."""
    tags, first, following = chains.tag, chains.first, chains.following
    phrases = sentences.phrases
    chains.epoch[0] += 1
    epoch = chains.epoch[0] << 32
    base = sentences.phrase_offsets[target]
    for k in range(sentences.phrase_offsets[target + 1] - base - 1, -1, -1):
        if phrases[base + k, 5]:
            tag = epoch | np.int64(phrases[base + k, 2])
            slot = _slot(tags, tag)
            following[k] = first[slot] if tags[slot] == tag else -1
            tags[slot] = tag
            first[slot] = k
    for k in range(sentences.phrase_offsets[source], sentences.phrase_offsets[source + 1]):
        for entry in range(phrases[k, 3], phrases[k, 4]):
            tag = epoch | np.int64(paraphrases[entry])
            slot = _slot(tags, tag)
            if tags[slot] != tag:
                continue
            found = first[slot]
            while found >= 0:
                if count == len(matches):
                    matches = larger(matches, count + 1)
                at, length = int(phrases[k, 0]), int(phrases[k, 1])
                other, other_length = int(phrases[base + found, 0]), int(phrases[base + found, 1])
                if from_reference:
                    _put(matches, count, at, length, other, other_length, stage)
                else:
                    _put(matches, count, other, other_length, at, length, stage)
                count += 1
                found = following[found]
    return matches, count


@kernel
def _are_equal(ours: Int32Array, theirs: Int32Array, key: Int32Array) -> bool:
    if len(ours) != len(theirs):
        return False
    equal = True
    for i in range(len(ours)):
        equal = equal and key[ours[i]] == key[theirs[i]]
    return equal


@kernel
def find_matches(
    sentences: Sentences,
    words: Words,
    paraphrases: Int32Array,
    modules: Int32Array,
    hypothesis: int,
    reference: int,
    chains: Chains,
    owner: Int32Array,
    is_found: Bytes,
    matches: Int32Array,
) -> tuple[Int32Array, int]:
    """All matches of two sentences in METEOR's order of finding; and how many.

    paraphrases: the phrase of each entry of the table; chains, owner (synonym sets of a sentence), is_found (its words, all 0), matches: room to work
    in.
    """
    ours = sentences.ids[sentences.offsets[hypothesis] : sentences.offsets[hypothesis + 1]]
    theirs = sentences.ids[sentences.offsets[reference] : sentences.offsets[reference + 1]]
    count = int(np.int64(0))  # for a literal 0, Numba would compile the matchers once more
    # Of equal sentences only exact matches are taken, which spares METEOR errors of its beam.
    used = 1 if _are_equal(ours, theirs, words.key) else len(modules)
    for stage in range(used):
        module = modules[stage]
        if module in (EXACT, STEM):
            exact = module == EXACT
            key = words.key if exact else words.stem
            matches, count = _match_words(
                ours, theirs, key, words.key, exact, stage, chains, matches, count
            )
        elif module == SYNONYM:
            matches, count = _match_synonyms(
                ours, theirs, words, stage, chains, owner, is_found, matches, count
            )
        else:
            for from_reference in (True, False):
                source = reference if from_reference else hypothesis
                target = hypothesis if from_reference else reference
                matches, count = _match_phrases(
                    sentences,
                    paraphrases,
                    source,
                    target,
                    from_reference,
                    stage,
                    chains,
                    matches,
                    count,
                )
    return matches, count
