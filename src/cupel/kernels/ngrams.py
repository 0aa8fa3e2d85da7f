"""Counting n-grams that a hypothesis shares with its references."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cupel.arrays import FloatArray, Int32Array, IntArray
from cupel.kernels import kernel
from cupel.kernels.tries import Continuations, addresses_of

NO_WEIGHTS = np.empty((0, 0), np.float64)

# What `clipped_matches` sums up for an n-gram of weight w that the hypothesis has h times and a
# reference at most r times.
CLIPPED = 0  # w min(h, r): NIST
CLIPPED_PRODUCT = 1  # min(wh, wr) wr: CIDEr-D
PRODUCT = 2  # wh wr: CIDEr


_clipped_matches = kernel(
    "clipped_matches", "i32* i64* i64 i64* i64* i64* i64 i64 f64* i64 i64 i64* f64*"
)


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
    counts, sums = np.zeros((items, orders), np.int64), np.zeros((items, orders))
    _clipped_matches(
        ids, offsets, len(offsets) - 1, hypotheses, references, reference_offsets, items, orders,
        weights, len(weights), summed, counts, sums,
    )  # fmt: skip
    return counts, sums


_information_matches = kernel(
    "information_matches", "i32* i64* i64 i64* i64* i64* i64 i64 i32* u64* f64*"
)


def information_matches(
    ids: Int32Array,
    offsets: IntArray,
    hypotheses: IntArray,
    references: IntArray,
    reference_offsets: IntArray,
    numbers: Int32Array,
    levels: Sequence[Continuations],
    information: Sequence[FloatArray],
) -> FloatArray:
    """(items, orders): the information of the matches of `clipped_matches`, in the same order.

    numbers, levels: of a table of n-grams, as for `tries.ngram_weights`; information: of its n-grams of
    each order. Only what matches is looked for.
    """
    orders = len(information)
    sums = np.zeros((len(hypotheses), orders))
    _information_matches(
        ids, offsets, len(offsets) - 1, hypotheses, references, reference_offsets, len(sums),
        orders, numbers, addresses_of(levels, information), sums,
    )  # fmt: skip
    return sums
