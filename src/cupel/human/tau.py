"""Kendall's tau as the WMT metrics tasks defined it, year by year.

People ranked translations of one segment; each strict preference is a pair. A metric is
concordant (C) with it if it scores the better one higher, discordant (D) if lower, and tied (T)
if it gives both the same score. Pairs that people tied are left out, in all three years.

    wmt12 = (C - D - T) / (C + D + T)    a tie counts as an error
    wmt13 = (C - D) / (C + D)            a tie is left out
    wmt14 = (C - D) / (C + D + T)        a tie counts, but neither for nor against

Counts add, so they are kept per ranking (row): a bootstrap over judgments is a matrix product.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from cupel.arrays import FloatArray, IntArray


class HumanPairs(Protocol):
    """Strict human preferences, one entry each; see `cupel.human.rankings.Pairs`."""

    @property
    def segment(self) -> IntArray: ...
    @property
    def better(self) -> IntArray: ...
    @property
    def worse(self) -> IntArray: ...
    @property
    def row(self) -> IntArray: ...


def tau_wmt12(counts: FloatArray) -> FloatArray:
    """(..., 3) [C, D, T] -> (C - D - T) / (C + D + T)."""
    c, d, t = np.moveaxis(counts, -1, 0)
    return _ratio(c - d - t, c + d + t)


def tau_wmt13(counts: FloatArray) -> FloatArray:
    """(..., 3) [C, D, T] -> (C - D) / (C + D)."""
    c, d, _ = np.moveaxis(counts, -1, 0)
    return _ratio(c - d, c + d)


def tau_wmt14(counts: FloatArray) -> FloatArray:
    """(..., 3) [C, D, T] -> (C - D) / (C + D + T)."""
    c, d, t = np.moveaxis(counts, -1, 0)
    return _ratio(c - d, c + d + t)


TAUS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "wmt12": tau_wmt12,
    "wmt13": tau_wmt13,
    "wmt14": tau_wmt14,
}


def agreement(pairs: HumanPairs, scores: FloatArray, rows: int) -> FloatArray:
    """(rows, 3): concordant, discordant and tied pairs of each ranking.

    scores: (systems, segments), higher is better.
    """
    better = scores[pairs.better, pairs.segment]
    worse = scores[pairs.worse, pairs.segment]
    outcome = np.where(better > worse, 0, np.where(better < worse, 1, 2))
    counts = np.bincount(pairs.row * 3 + outcome, minlength=3 * rows)
    return counts.reshape(rows, 3).astype(np.float64)


def _ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    out = np.full(np.shape(numerator), np.nan)
    return np.asarray(np.divide(numerator, denominator, out=out, where=denominator > 0))
