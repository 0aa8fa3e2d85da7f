"""Confidence by resampling: human judgments, systems, segments, or both.

The unit of human judgment is a ranking (one person's ordering of up to five translations): its
pairs belong together and are drawn together. As everywhere, a resample is a vector of weights.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.human.tau import HumanPairs
from cupel.significance import BOOTSTRAP_RESAMPLES, DEFAULT_SEED, bootstrap_weights


def weighted_sums(
    values: FloatArray, resamples: int = BOOTSTRAP_RESAMPLES, seed: int = DEFAULT_SEED
) -> FloatArray:
    """(rows, ...) -> (resamples, ...): sums over bootstrap draws of the rows."""
    rows = len(values)
    flat = values.reshape(rows, -1)
    out = np.empty((resamples, flat.shape[1]))
    for block, weights in bootstrap_weights(rows, resamples, seed):
        out[block] = weights @ flat
    return out.reshape(resamples, *values.shape[1:])


def drawn_pairs(
    pairs: HumanPairs,
    counts: FloatArray,
    shape: tuple[int, ...],
    over: str,
    resamples: int,
    seed: int,
) -> FloatArray:
    """Sums of counts (pairs, ...) when segments, systems or both are drawn with replacement.

    shape: (systems, segments). A pair counts as often as its segment was drawn, and as its two
    systems were, multiplied.
    """
    systems, segments = shape
    flat = counts.reshape(len(counts), -1)
    out = np.empty((resamples, flat.shape[1]))
    generators = [np.random.default_rng(seed), np.random.default_rng(seed + 1)]
    height = max(1, 4_000_000 // max(len(counts), segments, 1))
    for start in range(0, resamples, height):
        block = slice(start, min(start + height, resamples))
        rows = block.stop - start
        weights = np.ones((rows, len(counts)))
        if over in ("segments", "both"):
            weights *= _multiplicities(generators[0], segments, rows)[:, pairs.segment]
        if over in ("systems", "both"):
            drawn = _multiplicities(generators[1], systems, rows)
            weights *= drawn[:, pairs.better] * drawn[:, pairs.worse]
        out[block] = weights @ flat
    return out.reshape(resamples, *counts.shape[1:])


def _multiplicities(generator: np.random.Generator, n: int, rows: int) -> FloatArray:
    drawn = generator.integers(0, n, (rows, n)) + np.arange(rows)[:, None] * n
    return np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n).astype(np.float64)


def draws(n: int, resamples: int, seed: int) -> Iterator[tuple[slice, IntArray]]:
    """Blocks of index draws (resamples, n) with replacement, for what is not a sum."""
    generator = np.random.default_rng(seed)
    height = max(1, 4_000_000 // max(n, 1))
    for start in range(0, resamples, height):
        block = slice(start, min(start + height, resamples))
        yield block, generator.integers(0, n, (block.stop - start, n))
