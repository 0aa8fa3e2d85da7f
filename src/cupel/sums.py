"""Sums that do not depend on the order of adding: any split over blocks and processes gives the same bits."""

from __future__ import annotations

import numpy as np

from cupel.arrays import FloatArray

_GRIDS = (2.0**-20, 2.0**-47, 2.0**-74)
"""A sum of multiples of one grid is exact below 2^53 times the grid. Rests are below half of the
grid before, so that 2^26 segments or more stay exact; what is below the last grid is dropped."""


def exact_sums(statistics: FloatArray) -> FloatArray:
    """(n, k) -> (3, k): sums of the parts of each number on three grids, coarse to fine.

    Sums of such sums are exact, so their order does not matter. Whole numbers are all in the first.
    """
    parts, rest = [], statistics
    for grid in _GRIDS:
        part = np.rint(rest / grid) * grid
        parts.append(part.sum(axis=0))
        rest = rest - part
    return np.stack(parts)


def total(sums: FloatArray) -> FloatArray:
    """(3, k) -> (k,), the sums of the statistics."""
    coarse, middle, fine = sums
    return np.asarray(coarse + (middle + fine))
