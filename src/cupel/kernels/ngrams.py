"""Counting n-grams that a hypothesis shares with its references.

One table per item and order holds the *hypothesis* n-grams only, keyed by the class of their
first n-1 tokens and their last token, so keys are exact and fit 64 bits whatever the order. A
position whose (n-1)-gram found no partner is dropped for all higher orders: an n-gram can only
match where both of its (n-1)-grams did. Cost: about (tokens + matches of each order) probes.
"""

from __future__ import annotations

import numpy as np

from cupel.arrays import FloatArray, Int32Array, IntArray
from cupel.kernels import inner_kernel, kernel

NO_WEIGHTS = np.empty((0, 0), np.float64)

# What `clipped_matches` sums up for an n-gram of weight w that the hypothesis has h times and a
# reference at most r times.
CLIPPED = 0  # w min(h, r): NIST
CLIPPED_PRODUCT = 1  # min(wh, wr) wr: CIDEr-D
PRODUCT = 2  # wh wr: CIDEr


@inner_kernel
def _table(longest: int) -> tuple[IntArray, Int32Array, IntArray, np.uint64, int]:
    """An open-addressing table for sentences of up to `longest` tokens; epochs spare clearing it."""
    bits = 1
    while (1 << bits) < 2 * longest:
        bits += 1
    size = 1 << bits
    return (
        np.zeros(size, np.int64),
        np.zeros(size, np.int32),
        np.zeros(size, np.int64),
        np.uint64(64 - bits),
        size - 1,
    )


@inner_kernel
def _probe(
    slot_key: IntArray, slot_epoch: IntArray, epoch: int, key: np.int64, shift: np.uint64, mask: int
) -> int:
    """The slot of `key` in this epoch, or the empty slot where it belongs."""
    slot = np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> shift)
    while slot_epoch[slot] == epoch and slot_key[slot] != key:
        slot = (slot + 1) & mask
    return int(slot)


@kernel
def clipped_matches(
    ids: Int32Array,
    offsets: IntArray,
    hypotheses: IntArray,
    references: IntArray,
    reference_offsets: IntArray,
    orders: int,
    weights: FloatArray,
    summed: int,
) -> tuple[IntArray, FloatArray]:
    """Hypothesis n-grams found in the references, each at most as often as in any one of them.

    ids, offsets: token ids of all sentences; hypotheses, references, reference_offsets: the
    items, as in `Batch`. weights: (tokens, orders), the weight of the n-gram that starts at a
    token, or NO_WEIGHTS. Returns counts (items, orders) and, with weights, the sums over n-grams
    in order of first appearance of what `summed` says.
    """
    items = len(hypotheses)
    counts = np.zeros((items, orders), np.int64)
    sums = np.zeros((items, orders), np.float64)
    weighted = weights.shape[0] > 0

    longest = 1
    widest = 1
    for item in range(items):
        h = hypotheses[item]
        longest = max(longest, offsets[h + 1] - offsets[h])
        total = 0
        for r in range(reference_offsets[item], reference_offsets[item + 1]):
            total += offsets[references[r] + 1] - offsets[references[r]]
        widest = max(widest, total)
    slot_key, slot_class, slot_epoch, shift, mask = _table(longest)
    epoch = 0
    hypothesis_class = np.zeros(longest + 1, np.int32)
    reference_class = np.zeros(widest + 1, np.int32)
    in_hypothesis = np.zeros(longest, np.int32)
    in_reference = np.zeros(longest, np.int32)
    most = np.zeros(longest, np.int32)
    first = np.zeros(longest, np.int64)

    for item in range(items):
        start = offsets[hypotheses[item]]
        length = offsets[hypotheses[item] + 1] - start
        for n in range(1, min(orders, length) + 1):
            epoch += 1
            classes = 0
            for i in range(length - n + 1):
                key = np.int64(ids[start + i + n - 1])
                if n > 1:
                    # The class at i + 1 is still that of order n - 1: we go from left to right.
                    if hypothesis_class[i] < 0 or hypothesis_class[i + 1] < 0:
                        hypothesis_class[i] = -1
                        continue
                    key |= np.int64(hypothesis_class[i]) << 32
                slot = _probe(slot_key, slot_epoch, epoch, key, shift, mask)
                if slot_epoch[slot] != epoch:
                    slot_epoch[slot] = epoch
                    slot_key[slot] = key
                    slot_class[slot] = classes
                    in_hypothesis[classes] = 0
                    most[classes] = 0
                    in_reference[classes] = 0
                    first[classes] = start + i
                    classes += 1
                found = slot_class[slot]
                hypothesis_class[i] = found
                in_hypothesis[found] += 1
            if classes == 0:
                break

            base = 0
            for r in range(reference_offsets[item], reference_offsets[item + 1]):
                reference_start = offsets[references[r]]
                reference_length = offsets[references[r] + 1] - reference_start
                for i in range(reference_length - n + 1):
                    key = np.int64(ids[reference_start + i + n - 1])
                    if n > 1:
                        if reference_class[base + i] < 0 or reference_class[base + i + 1] < 0:
                            reference_class[base + i] = -1
                            continue
                        key |= np.int64(reference_class[base + i]) << 32
                    slot = _probe(slot_key, slot_epoch, epoch, key, shift, mask)
                    if slot_epoch[slot] == epoch:
                        found = slot_class[slot]
                        reference_class[base + i] = found
                        in_reference[found] += 1
                    else:
                        reference_class[base + i] = -1
                for c in range(classes):
                    most[c] = max(most[c], in_reference[c])
                    in_reference[c] = 0
                base += reference_length

            matched = 0
            for c in range(classes):
                clipped = min(in_hypothesis[c], most[c])
                matched += clipped
                if weighted and clipped > 0:
                    weight = weights[first[c], n - 1]
                    if summed == CLIPPED:
                        sums[item, n - 1] += clipped * weight
                    else:
                        theirs = most[c] * weight
                        ours = in_hypothesis[c] * weight
                        if summed == CLIPPED_PRODUCT:
                            ours = min(ours, theirs)
                        sums[item, n - 1] += ours * theirs
            counts[item, n - 1] = matched
            if matched == 0:
                break
            for i in range(length - n + 1):
                if hypothesis_class[i] >= 0 and most[hypothesis_class[i]] == 0:
                    hypothesis_class[i] = -1
    return counts, sums


@kernel
def squared_lengths(
    ids: Int32Array, offsets: IntArray, orders: int, weights: FloatArray
) -> FloatArray:
    """Squared length of each sentence's vector of weighted n-gram counts, (sentences, orders).

    weights: (tokens, orders), the weight of the n-gram that starts at a token. Terms are added in
    order of first appearance.
    """
    sentences = len(offsets) - 1
    squares = np.zeros((sentences, orders), np.float64)
    longest = 1
    for s in range(sentences):
        longest = max(longest, offsets[s + 1] - offsets[s])
    slot_key, slot_class, slot_epoch, shift, mask = _table(longest)
    epoch = 0
    classes_of = np.zeros(longest, np.int32)
    count = np.zeros(longest, np.int32)
    first = np.zeros(longest, np.int64)
    for s in range(sentences):
        start = offsets[s]
        length = offsets[s + 1] - start
        for n in range(1, min(orders, length) + 1):
            epoch += 1
            classes = 0
            for i in range(length - n + 1):
                key = np.int64(ids[start + i + n - 1])
                if n > 1:
                    key |= np.int64(classes_of[i]) << 32
                slot = _probe(slot_key, slot_epoch, epoch, key, shift, mask)
                if slot_epoch[slot] != epoch:
                    slot_epoch[slot] = epoch
                    slot_key[slot] = key
                    slot_class[slot] = classes
                    count[classes] = 0
                    first[classes] = start + i
                    classes += 1
                classes_of[i] = slot_class[slot]
                count[slot_class[slot]] += 1
            for c in range(classes):
                value = count[c] * weights[first[c], n - 1]
                squares[s, n - 1] += value * value
    return squares
