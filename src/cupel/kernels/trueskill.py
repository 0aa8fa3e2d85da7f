"""TrueSkill for two players with draws, played match by match (Herbrich et al. 2006)."""

from __future__ import annotations

import numpy as np

from cupel.arrays import FloatArray
from cupel.kernels import kernel

_tournament = kernel("tournament", "f64* f64* i64 f64* i64 f64 f64 f64* f64*")


def tournament(
    wins: FloatArray,
    ties: FloatArray,
    uniforms: FloatArray,
    deviation: float,
    noise: float,
    margin: float,
) -> FloatArray:
    """The means of all systems after as many matches as `uniforms` has rows.

    wins, ties: (n, n) how often i beat j, and how often they tied (symmetric). uniforms: (matches,
    2) from [0, 1). deviation: sigma of every system at the start, where its mean is 0; noise: beta;
    margin: the difference below which a match is drawn.

    A match: the system of the greatest sigma, against one it was ever compared to, chosen with
    probability proportional to exp(-|difference of the means|); then one of the judgments of those
    two at random, so its outcome is drawn by how often each occurs.
    """
    judged = wins + wins.T + ties
    mean = np.zeros(len(wins))
    # Below 0 it is never the greatest: there is nothing to learn about a system without judgments.
    variance = np.where(judged.sum(axis=1) == 0, -1.0, deviation * deviation)
    _tournament(
        np.ascontiguousarray(wins), np.ascontiguousarray(judged), len(wins),
        uniforms, len(uniforms), noise, margin, mean, variance,
    )  # fmt: skip
    return mean
