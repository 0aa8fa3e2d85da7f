"""Is the difference real? Bootstrap intervals and paired tests, for any metric.

Statistics add, so a resample of segments is a matrix product: `weights @ statistics` with
weights[b, i] = how often segment i was drawn in resample b. Nothing here knows any metric.

The random draws, the interval and the p-values are those of sacreBLEU's significance module
(same generator, same seed, same formulas), so that the numbers can be held against its own:
Koehn (2004) for the bootstrap, Riezler and Maxwell (2005) for approximate randomization.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from cupel.arrays import FloatArray
from cupel.metric import Metric

DEFAULT_SEED = 12345
BOOTSTRAP_RESAMPLES = 1000
RANDOMIZATION_TRIALS = 10_000

_BLOCK = 4_000_000
"""At most so many random draws are held at a time: memory stays flat however long the corpus."""


@dataclass(frozen=True)
class Interval:
    """The range of scores that resampled test sets have, 95% of them (or another level).

    It says how much a score depends on which segments happen to be in the test set; it does not
    say where the score on another test set will fall.

    low, high  the ends of the range
    mean       of the scores of all resamples
    """

    low: float
    high: float
    mean: float

    @property
    def half_width(self) -> float:
        """sacreBLEU's ±."""
        return 0.5 * (self.high - self.low)


def bootstrap_scores(
    metric: Metric,
    statistics: FloatArray,
    resamples: int = BOOTSTRAP_RESAMPLES,
    seed: int = DEFAULT_SEED,
) -> FloatArray:
    """(systems, n, k) statistics -> (systems, resamples): scores under the same resamples for all.

    resamples: how many test sets of n segments are drawn, with replacement. seed: of the draws.
    """
    return bootstrap_all({"": metric}, {"": statistics}, resamples, seed)[""]


def bootstrap_all(
    metrics: Mapping[str, Metric],
    statistics: Mapping[str, FloatArray],
    resamples: int = BOOTSTRAP_RESAMPLES,
    seed: int = DEFAULT_SEED,
) -> dict[str, FloatArray]:
    """The `bootstrap_scores` of several metrics, drawn once for all."""
    flat = {
        label: np.ascontiguousarray(np.swapaxes(rows, 0, 1)).reshape(rows.shape[1], -1)
        for label, rows in statistics.items()
    }
    scores = {label: np.empty((resamples, len(rows))) for label, rows in statistics.items()}
    n = next((rows.shape[1] for rows in statistics.values()), 0)
    for block, weights in bootstrap_weights(n, resamples, seed):
        for label, metric in metrics.items():
            systems, _, k = statistics[label].shape
            totals = (weights @ flat[label]).reshape(-1, systems, k)
            scores[label][block] = metric.score(totals)
    return {label: rows.T for label, rows in scores.items()}


def interval(scores: FloatArray, level: float = 0.95) -> Interval:
    """The percentile interval of resampled scores, (resamples,): what is left in the middle.

    level: the share of resamples that stay; as many are dropped from either end, as by sacreBLEU.
    """
    ordered = np.sort(scores)
    dropped = math.floor(len(ordered) * (1 - level) / 2 + 1e-9)
    return Interval(
        float(ordered[dropped]), float(ordered[len(ordered) - dropped - 1]), float(scores.mean())
    )


def paired_bootstrap(scores: FloatArray, actual: FloatArray, baseline: int = 0) -> FloatArray:
    """(systems,): the p-value of each system against the baseline, by bootstrap.

    scores: (systems, resamples), from `bootstrap_scores`. actual: (systems,), the scores on the
    whole test set. baseline: its row. Two-sided: how often is the difference in a resample, centred at its mean, above the actual
    one? NaN for the baseline itself. sacreBLEU takes the absolute difference before centring; so
    do we, to give its numbers.
    """
    observed = np.abs(actual - actual[baseline])
    differences = np.abs(scores - scores[baseline])
    centred = differences - differences.mean(axis=1, keepdims=True)
    return _without_baseline(_p_values(centred, observed), baseline)


def paired_randomization(
    metric: Metric,
    statistics: FloatArray,
    baseline: int = 0,
    trials: int = RANDOMIZATION_TRIALS,
    seed: int = DEFAULT_SEED,
) -> FloatArray:
    """(systems,): the p-value of each system against the baseline, by approximate randomization.

    statistics: (systems, n, k). baseline: its row. seed: of the draws. Each trial exchanges the
    outputs of the two systems on a random half of the segments; every system sees the same trials.
    Where all 2^n exchanges are no more than `trials`, each is made once and p is exact. p counts
    differences that are at least as large: sacreBLEU counts larger ones only, which is the same
    unless few segments differ, or scores take few values. NaN for the baseline itself.
    """
    systems, n, k = statistics.shape
    exact = n <= trials.bit_length() and 2**n <= trials
    trials = 2**n if exact else trials
    flat = np.ascontiguousarray(np.swapaxes(statistics, 0, 1)).reshape(n, systems * k)
    totals = statistics.sum(axis=1)
    differences = np.empty((trials, systems))
    for rows, kept in _exchanges(n) if exact else _coin_flips(n, trials, seed):
        chosen = (kept @ flat).reshape(-1, systems, k)
        # The baseline where the coin says so and the system elsewhere, and the other way round.
        first = chosen[:, baseline, None] + totals - chosen
        second = totals[baseline] - chosen[:, baseline, None] + chosen
        differences[rows] = np.abs(metric.score(first) - metric.score(second))
    actual = metric.score(totals)
    observed = np.abs(actual - actual[baseline])
    rounding = 1e-10 * observed + 1e-12 * np.abs(actual).max()
    reached = (differences >= observed - rounding).sum(axis=0)
    p_values = reached / trials if exact else (reached + 1) / (trials + 1)
    return _without_baseline(np.where(observed > 0, p_values, 1.0), baseline)


def _p_values(samples: FloatArray, observed: FloatArray) -> FloatArray:
    """(#{sample > observed} + 1) / (samples + 1), and 1 where nothing was observed.

    The last is ours: sacreBLEU gives a system that equals the baseline the smallest p there is.
    """
    above = (samples > observed[:, None]).sum(axis=1)
    return np.where(observed > 0, (above + 1) / (samples.shape[1] + 1), 1.0)


def _without_baseline(p: FloatArray, baseline: int) -> FloatArray:
    p[baseline] = np.nan
    return p


def _blocks(n: int, rows: int) -> Iterator[slice]:
    height = max(1, _BLOCK // max(n, 1))
    for start in range(0, rows, height):
        yield slice(start, min(start + height, rows))


def bootstrap_weights(n: int, resamples: int, seed: int) -> Iterator[tuple[slice, FloatArray]]:
    """Blocks of resamples and their weights (block, n): how often each of n things was drawn."""
    generator = np.random.default_rng(seed)
    for rows in _blocks(n, resamples):
        height = rows.stop - rows.start
        drawn = generator.choice(n, size=(height, n), replace=True)
        drawn += np.arange(height)[:, None] * n
        counts = np.bincount(drawn.ravel(), minlength=height * n)
        yield rows, counts.reshape(height, n).astype(np.float64)


def _exchanges(n: int) -> Iterator[tuple[slice, FloatArray]]:
    """All ways to exchange some of n segments."""
    kept = np.arange(2**n)[:, None] >> np.arange(n) & 1
    yield slice(0, 2**n), kept.astype(np.float64)


def _coin_flips(n: int, trials: int, seed: int) -> Iterator[tuple[slice, FloatArray]]:
    # A call takes 32 draws out of each number of the generator and drops what is left of the last:
    # multiples of 32 trials are drawn as if all were drawn at once.
    generator = np.random.default_rng(seed)
    height = max(1, _BLOCK // max(n, 1) // 32) * 32
    for start in range(0, trials, height):
        rows = slice(start, min(start + height, trials))
        flips = generator.integers(2, size=(rows.stop - start, n), dtype=bool)
        yield rows, flips.astype(np.float64)
