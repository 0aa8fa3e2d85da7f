"""METEOR's alignments of whole batches: matches, the best of them, and what they add up to.

Matches that touch no other are certain, and taken beforehand; the rest is a matter of search, see
`cupel.kernels.beam`.
"""

from __future__ import annotations

import numpy as np

from cupel.arrays import Bytes, FloatArray, Int32Array, IntArray
from cupel.kernels import kernel
from cupel.kernels.beam import find_gains, search
from cupel.kernels.matchers import Sentences, Words, find_matches, larger, new_chains

STATISTICS = 23
"""[hypothesis length, reference length, function words of both, for each of 4 matchers
(content words of the hypothesis, of the reference, function words of either), chunks,
matched words of the hypothesis, of the reference]: METEOR's own order."""

_NO_MATCH = -1


@kernel
def _sorted_by_start(
    matches: Int32Array, count: int, length: int, starts: Int32Array, ordered: Int32Array
) -> Int32Array:
    """The matches by their start in the reference, else as found; `starts` says where each begins."""
    if count > len(ordered):
        ordered = np.empty((2 * count, 5), np.int32)
    starts[: length + 1] = 0
    for k in range(count):
        starts[matches[k, 0] + 1] += 1
    for j in range(length):
        starts[j + 1] += starts[j]
    for k in range(count):
        j = matches[k, 0]
        for column in range(5):
            ordered[starts[j], column] = matches[k, column]
        starts[j] += 1
    for j in range(length, 0, -1):
        starts[j] = starts[j - 1]
    starts[0] = 0
    return ordered


@kernel
def _take_certain(
    matches: Int32Array,
    starts: Int32Array,
    length: int,
    covers: Int32Array,
    covered: Int32Array,
    chosen: Int32Array,
) -> None:
    """Set `chosen` to the only match of a word where nothing else covers what it covers."""
    covers[:] = 0
    covered[:] = 0
    for k in range(starts[length]):
        for at in range(matches[k, 0], matches[k, 0] + matches[k, 1]):
            covered[at] += 1
        for at in range(matches[k, 2], matches[k, 2] + matches[k, 3]):
            covers[at] += 1
    for j in range(length):
        chosen[j] = _NO_MATCH
        if starts[j + 1] - starts[j] != 1:
            continue
        k = starts[j]
        certain = True
        for at in range(j, j + matches[k, 1]):
            certain = certain and covered[at] == 1
        for at in range(matches[k, 2], matches[k, 2] + matches[k, 3]):
            certain = certain and covers[at] == 1
        if certain:
            chosen[j] = k


@kernel
def _count(
    matches: Int32Array,
    chosen: Int32Array,
    ours: Int32Array,
    theirs: Int32Array,
    is_function: Bytes,
    row: FloatArray,
) -> None:
    """Fill a row of `STATISTICS`."""
    row[0], row[1] = len(ours), len(theirs)
    for word in ours:
        row[2] += is_function[word]
    for word in theirs:
        row[3] += is_function[word]
    j, last = 0, -1
    while j < len(theirs):
        m = chosen[j]
        if m < 0:
            if last != -1:
                row[20] += 1
                last = -1
            j += 1
            continue
        i, here, there, stage = matches[m, 2], matches[m, 1], matches[m, 3], matches[m, 4]
        for at in range(i, i + there):
            row[4 + 4 * stage + 2 * is_function[ours[at]]] += 1
        for at in range(j, j + here):
            row[5 + 4 * stage + 2 * is_function[theirs[at]]] += 1
        row[21] += there
        row[22] += here
        if last != -1 and last != i:
            row[20] += 1
        j += here
        last = i + there
    if last != -1:
        row[20] += 1


@kernel
def align(
    sentences: Sentences,
    words: Words,
    paraphrases: Int32Array,
    modules: Int32Array,
    beam: int,
    hypotheses: IntArray,
    references: IntArray,
    keep: bool,
) -> tuple[FloatArray, Int32Array, IntArray]:
    """Align pairs of sentences (as rows of `sentences`).

    modules: the matchers by number, in their order. Returns the `STATISTICS` of each pair and,
    with `keep`, the chosen matches of all pairs and the offsets of each pair's.
    """
    pairs = len(hypotheses)
    statistics = np.zeros((pairs, STATISTICS), np.float64)
    kept = np.empty((16, 5), np.int32)
    kept_offsets = np.zeros(pairs + 1, np.int64)
    longest, entries = 1, 1
    for s in range(len(sentences.offsets) - 1):
        longest = max(longest, sentences.offsets[s + 1] - sentences.offsets[s])
        entries = max(entries, sentences.phrase_offsets[s + 1] - sentences.phrase_offsets[s])
        synsets = 0
        for at in range(sentences.offsets[s], sentences.offsets[s + 1]):
            word = sentences.ids[at]
            synsets += words.synset_spans[word, 1] - words.synset_spans[word, 0]
        entries = max(entries, synsets)
    entries = max(entries, longest)
    chains = new_chains(entries)
    owner = np.empty(entries, np.int32)
    is_found = np.zeros(longest, np.uint8)
    found = np.empty((1024, 5), np.int32)
    matches = np.empty((1024, 5), np.int32)
    gains = np.empty(1024, np.int64)
    masks = np.empty(1024, np.uint64)
    starts = np.empty(longest + 2, np.int32)
    chosen = np.empty(longest, np.int32)
    covers = np.empty(longest, np.int32)
    covered = np.empty(longest, np.int32)
    paths = np.empty((5, 2 * beam), np.int64)
    used = np.empty(2 * beam * (1 + longest // 64), np.uint64)
    beams = np.empty((6, beam + 1), np.int64)
    links = np.empty((beam * longest, 2), np.int32)
    total = 0
    for p in range(pairs):
        h, r = hypotheses[p], references[p]
        ours = sentences.ids[sentences.offsets[h] : sentences.offsets[h + 1]]
        theirs = sentences.ids[sentences.offsets[r] : sentences.offsets[r + 1]]
        found, count = find_matches(
            sentences, words, paraphrases, modules, h, r, chains, owner, is_found, found
        )
        matches = _sorted_by_start(found, count, len(theirs), starts, matches)
        gains, masks = find_gains(matches, count, modules, gains, masks)
        _take_certain(
            matches, starts, len(theirs), covers[: len(ours)], covered[: len(theirs)], chosen
        )
        search(
            matches,
            starts,
            len(theirs),
            gains,
            masks,
            beam,
            1 + len(ours) // 64,
            paths,
            used,
            beams,
            links,
            chosen,
        )
        _count(matches, chosen[: len(theirs)], ours, theirs, words.is_function, statistics[p])
        if keep:
            for j in range(len(theirs)):
                if chosen[j] >= 0:
                    if total == len(kept):
                        kept = larger(kept, total)
                    for column in range(5):
                        kept[total, column] = matches[chosen[j], column]
                    total += 1
            kept_offsets[p + 1] = total
    return statistics, kept[:total].copy(), kept_offsets
