"""The model of Hopkins and May, "Models of Translation Competitions" (ACL 2013)."""

from __future__ import annotations

import numpy as np

from cupel.arrays import FloatArray
from cupel.human.comparisons import comparisons, ever_compared
from cupel.human.rankings import Rankings

DECISION_RADIUS = 0.5
QUALITY_DEVIATION = 0.5
OBSERVATION_DEVIATION = 1.0
PRIOR_DEVIATION = 1.0

_STEPS = 100


def hopkins_may(rankings: Rankings, weights: FloatArray | None = None) -> FloatArray:
    """The means of the systems in the model of Hopkins and May (2013), at their most probable.

    System i has a mean m(i) ~ N(0, PRIOR_DEVIATION^2), its translations a quality around it
    (QUALITY_DEVIATION), and a judge sees a quality with noise (OBSERVATION_DEVIATION). The judge
    prefers i where it seems better than j by more than the decision radius d, and ties otherwise:

        P(i better than j) = F((m(i) - m(j) - d) / s),  s^2 = 2 (quality^2 + observation^2)
        P(tie) = F((d - m(i) + m(j)) / s) - F((-d - m(i) + m(j)) / s)

    with F the normal distribution. The paper samples (Gibbs) with the quality of each translation
    kept; here it is integrated out, comparison by comparison, so that counts suffice, and the
    posterior, which is log-concave, is maximised by Newton's method: no randomness at all. The
    constants are those of Sakaguchi et al.'s (2014) release.
    """
    return most_probable_means(*comparisons(rankings, weights))


def most_probable_means(wins: FloatArray, ties: FloatArray) -> FloatArray:
    """`hopkins_may` from counts, (..., systems, systems) -> (..., systems)."""
    scale = np.sqrt(2 * (QUALITY_DEVIATION**2 + OBSERVATION_DEVIATION**2))
    radius = DECISION_RADIUS / scale
    mean = np.zeros(wins.shape[:-1])
    eye = np.eye(wins.shape[-1])
    for _ in range(_STEPS):
        x = (mean[..., :, None] - mean[..., None, :]) / scale
        slope, curve = _win_derivatives(x - radius)
        tie_slope, tie_curve = _tie_derivatives(x, radius)
        # d/dm(i) gathers i's wins, its losses (the mirror image) and its ties.
        lost_slope, lost_curve = np.swapaxes(slope, -1, -2), np.swapaxes(curve, -1, -2)
        losses = np.swapaxes(wins, -1, -2)
        gradient = (wins * slope - losses * lost_slope + ties * tie_slope).sum(-1) / scale
        gradient -= mean / PRIOR_DEVIATION**2
        bend = (wins * curve + losses * lost_curve + ties * tie_curve) / scale**2
        hessian = eye * (bend.sum(-1) - 1 / PRIOR_DEVIATION**2)[..., :, None] - bend
        step = np.linalg.solve(hessian, gradient[..., None])[..., 0]
        mean = mean - np.clip(step, -1, 1)
        if np.abs(step).max(initial=0.0) < 1e-10:
            break
    return np.where(ever_compared(wins, ties), mean, np.nan)


def _win_derivatives(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The first and second derivative of log F(x)."""
    from scipy.special import log_ndtr

    slope = np.exp(-0.5 * x**2 - 0.5 * np.log(2 * np.pi) - log_ndtr(x))
    return slope, -slope * (slope + x)


def _tie_derivatives(x: FloatArray, radius: float) -> tuple[FloatArray, FloatArray]:
    """The first and second derivative by x of log(F(radius - x) - F(-radius - x))."""
    from scipy.special import ndtr

    low, high = -radius - np.abs(x), radius - np.abs(x)  # symmetric in x: stay in the left tail
    density_low, density_high = (np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi) for z in (low, high))
    mass = ndtr(high) - ndtr(low)
    slope = (density_low - density_high) / mass
    curve = (low * density_low - high * density_high) / mass - slope**2
    return np.sign(x) * slope, curve
