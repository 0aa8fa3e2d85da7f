"""TrueSkill for translation systems (Sakaguchi, Post and Van Durme, WMT 2014, section 3.3)."""

from __future__ import annotations

import numpy as np

from cupel.arrays import FloatArray
from cupel.human.comparisons import comparisons, ever_compared
from cupel.human.rankings import Rankings
from cupel.significance import DEFAULT_SEED

START_DEVIATION = 0.5
DRAW_RATE = 0.25
RUNS = 100


def trueskill(
    rankings: Rankings,
    weights: FloatArray | None = None,
    *,
    seed: int = DEFAULT_SEED,
    runs: int | None = None,
) -> FloatArray:
    """The means of the systems after a tournament of TrueSkill (Sakaguchi et al. 2014; WMT14).

    Each pairwise judgment is a match, each run plays as many matches as there are judgments, and
    the score is the mean over runs. As released: every system starts at mean 0 with sigma 0.5, tau
    is 0, a quarter of the matches is drawn, and beta = sigma * matches / 40, so large that a match
    moves a mean by a hair. runs: RUNS for one weighting, 1 for each of many, which is how
    WMT14 made its scores (1,000 runs, each on a resample).
    """
    wins, ties = comparisons(rankings, weights)
    return tournament_means(wins, ties, seed=seed, runs=runs or (RUNS if wins.ndim == 2 else 1))


def tournament_means(
    wins: FloatArray, ties: FloatArray, *, seed: int = DEFAULT_SEED, runs: int = 1
) -> FloatArray:
    """`trueskill` from counts, (..., systems, systems) -> (..., systems)."""
    from scipy.special import ndtri

    from cupel.kernels.trueskill import tournament

    n = wins.shape[-1]
    means = np.zeros((int(np.prod(wins.shape[:-2])), n))
    generator = np.random.default_rng(seed)
    tables = zip(wins.reshape(-1, n, n), ties.reshape(-1, n, n), strict=True)
    for number, (won, tied) in enumerate(tables):
        matches = round(won.sum() + tied.sum() / 2) + 1
        beta = START_DEVIATION * matches / 40
        margin = float(ndtri((DRAW_RATE + 1) / 2) * np.sqrt(2) * beta)
        for _ in range(runs):
            uniforms = generator.random((matches, 2))
            means[number] += tournament(won, tied, uniforms, START_DEVIATION, beta, margin)
    return np.where(ever_compared(wins, ties), means.reshape(wins.shape[:-1]) / runs, np.nan)
