"""Weights of scores that make people's preferences likeliest (Bradley and Terry, 1952)."""

from __future__ import annotations

import numpy as np

from cupel.arrays import FloatArray

RIDGE = 1e-3
"""What a weight costs, beside a column's own curvature: columns that say the same share theirs."""


def fitted(differences: FloatArray) -> FloatArray:
    """(n, k) differences, of the preferred less the other -> (k,) weights a >= 0.

    The maximum of sum(log(sigmoid(differences . a))), by Newton's method; a weight that would
    be negative is 0, and the others are fitted without it.
    """
    weights = np.zeros(differences.shape[1])
    used = np.flatnonzero(differences.any(0))
    if not len(used):
        return weights + 1.0 / len(weights)  # there is nothing to fit
    while len(used):
        fit = _newton(differences[:, used])
        if (fit > 0.0).all():
            weights[used] = fit
            break
        used = np.delete(used, fit.argmin())
    return weights


def _newton(differences: FloatArray) -> FloatArray:
    fit = np.full(differences.shape[1], 1.0 / differences.shape[1])
    cost = RIDGE * (differences**2).sum(0) / 4.0  # a sigmoid's curvature is at most 1/4
    for _ in range(50):
        missed = 1.0 / (1.0 + np.exp(np.clip(differences @ fit, -500, 500)))
        curvature = (differences * (missed * (1.0 - missed))[:, None]).T @ differences
        if np.trace(curvature) < 1e-9:
            break
        step = np.linalg.solve(curvature + np.diag(cost), differences.T @ missed - cost * fit)
        fit = np.clip(fit + step, -100.0, 100.0)
        if np.abs(step).max() < 1e-9:
            break
    return fit
