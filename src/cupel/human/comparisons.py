"""Rankings as counts: how often each system was judged better than each other, and how often equal.

This is all that the system scores know of the rankings. With weights of the rows, (rows,) or (b,
rows) for b resamples, the counts are a matrix product, so that a bootstrap costs no loop over
judgments.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cupel.arrays import FloatArray
from cupel.errors import CupelError
from cupel.human.rankings import Pairs, Rankings


def comparisons(
    rankings: Rankings, weights: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """(wins, ties), each (..., systems, systems): wins[i, j] is how often i was better than j.

    ties is symmetric. weights: (rows,) or (b, rows); without any, every row counts once.
    """
    weights = np.ones(len(rankings)) if weights is None else np.asarray(weights, np.float64)
    if weights.shape[-1] != len(rankings):
        raise CupelError(
            f"There are {len(rankings)} rankings, but weights for {weights.shape[-1]} are given."
        )
    wins = _summed(rankings, rankings.pairs(), weights)
    ties = _summed(rankings, rankings.ties(), weights)
    return wins, ties + np.swapaxes(ties, -1, -2)


def _summed(rankings: Rankings, pairs: Pairs, weights: FloatArray) -> FloatArray:
    """Weights of the rows, summed by (better, worse)."""
    n = len(rankings.systems)
    code = pairs.better * n + pairs.worse
    if weights.ndim == 1:
        summed = np.bincount(code, weights[pairs.row], n * n)
        return summed.astype(np.float64).reshape(n, n)
    from scipy.sparse import csr_array

    ones = np.ones(len(pairs))
    counts = csr_array((ones, (code, pairs.row)), shape=(n * n, len(rankings)))
    products = counts @ weights.reshape(int(np.prod(weights.shape[:-1])), len(rankings)).T
    return np.asarray(products.T, np.float64).reshape(*weights.shape[:-1], n, n)


def ever_compared(wins: FloatArray, ties: FloatArray) -> npt.NDArray[np.bool_]:
    """The systems that any judge compared to any other."""
    return np.asarray((wins.sum(-1) + wins.sum(-2) + ties.sum(-1)) > 0)
