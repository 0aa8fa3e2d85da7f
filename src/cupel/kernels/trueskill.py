"""TrueSkill for two players with draws, played match by match (Herbrich et al. 2006).

The matches are chosen as Sakaguchi et al. (2014) choose them; random numbers come from outside, so
that a seed decides them.
"""

from __future__ import annotations

import math

import numpy as np

from cupel.arrays import FloatArray
from cupel.kernels import kernel


@kernel
def _density(x: float) -> float:
    return math.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)


@kernel
def _mass(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


@kernel
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
    n = wins.shape[0]
    mean = np.zeros(n)
    variance = np.full(n, deviation * deviation)
    judged = wins + wins.T + ties
    for i in range(n):
        if judged[i].sum() == 0:
            variance[i] = -1.0  # never the most uncertain: there is nothing to learn about it
    chance = np.zeros(n)
    for match in range(uniforms.shape[0]):
        first = int(np.argmax(variance))
        if variance[first] < 0:
            break
        total = 0.0
        second = -1
        for j in range(n):
            chance[j] = 0.0
            if j != first and judged[first, j] > 0:
                chance[j] = math.exp(-abs(mean[first] - mean[j]))
                total += chance[j]
                second = j
        left = uniforms[match, 0] * total
        for j in range(n):
            if chance[j] > 0 and left < chance[j]:
                second = j
                break
            left -= chance[j]

        spread = math.sqrt(2 * noise * noise + variance[first] + variance[second])
        drawn = margin / spread
        outcome = uniforms[match, 1] * judged[first, second]
        if outcome < wins[first, second] + wins[second, first]:
            better, worse = first, second
            if outcome >= wins[first, second]:
                better, worse = second, first
            x = (mean[better] - mean[worse]) / spread - drawn
            v = _density(x) / _mass(x)
            w = v * (v + x)
        else:
            better, worse = first, second
            t = (mean[first] - mean[second]) / spread
            mass = _mass(drawn - t) - _mass(-drawn - t)
            v = (_density(-drawn - t) - _density(drawn - t)) / mass
            w = (
                v * v
                + ((drawn - t) * _density(drawn - t) + (drawn + t) * _density(drawn + t)) / mass
            )
        mean[better] += variance[better] / spread * v
        mean[worse] -= variance[worse] / spread * v
        variance[better] *= 1.0 - variance[better] / (spread * spread) * w
        variance[worse] *= 1.0 - variance[worse] / (spread * spread) * w
    return mean
