"""Is the difference real? The only home of random draws, intervals and corrections for many tests.

Statistics add, so a resample of segments is a matrix product: `weights @ statistics` with
weights[b, i] = how often segment i was drawn in resample b. Nothing here knows any metric, or
whether it is metrics, systems or judges that are compared.

The draws of segments, their interval and the p-values of two systems are those of sacreBLEU's
significance module (same generator, same seed, same formulas), so that the numbers can be held
against its own: Koehn (2004) for the bootstrap, Riezler and Maxwell (2005) for approximate
randomization.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cupel.arrays import Float32Array, FloatArray, IntArray
from cupel.errors import CupelError
from cupel.metric import Metric

DEFAULT_SEED = 12345
BOOTSTRAP_RESAMPLES = 1000
RANDOMIZATION_TRIALS = 10_000

CORRECTIONS = ("holm", "bh")
FEW = 100
"""Below so many units, the interval of a value is widened."""

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
    Resamples without a value (NaN) are left out; where none has one, the interval is NaN.
    """
    scores = scores[np.isfinite(scores)]
    if not len(scores):
        return Interval(math.nan, math.nan, math.nan)
    ordered = np.sort(scores)
    dropped = math.floor(len(ordered) * (1 - level) / 2 + 1e-9)
    return Interval(
        float(ordered[dropped]), float(ordered[len(ordered) - dropped - 1]), float(scores.mean())
    )


def quantile_interval(drawn: FloatArray, tail: float = 0.025, axis: int = -1) -> FloatArray:
    """(2, ...): the interval between two quantiles, which fall between resamples as NumPy has it.

    tail: the share of resamples that is dropped at either end.
    """
    return np.asarray(np.quantile(drawn, (tail, 1 - tail), axis=axis), np.float64)


def rank_ranges(ranks: IntArray, p: float = 0.05) -> tuple[IntArray, IntArray]:
    """The best and worst rank of each system, (systems,), from those in resamples, (resamples, systems).

    p/2 of the resamples is dropped at either end, rounded up, as in the findings of WMT.
    """
    ordered = np.sort(ranks, axis=0)
    dropped = min(int(np.ceil(len(ordered) * p / 2)), (len(ordered) - 1) // 2)
    return ordered[dropped], ordered[len(ordered) - 1 - dropped]


def normal_interval(value: float, error: float) -> tuple[float, float]:
    """The 95% interval of a value with a normal distribution. error: its standard deviation."""
    return value - 1.96 * error, value + 1.96 * error


def wilson_interval(successes: int, trials: int) -> tuple[float, float]:
    """Wilson's score interval at 95%: it stays within 0 and 1, also at 0 and at all successes."""
    z = 1.959963984540054
    share = successes / trials
    centre = share + z * z / (2 * trials)
    half = z * np.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    low, high = float((centre - half) / scale), float((centre + half) / scale)
    return (0.0 if successes == 0 else low), (1.0 if successes == trials else high)


def widened(value: float, low: float, high: float, units: int) -> tuple[float, float]:
    """A percentile interval as Student's t has it where few units (segments) were drawn from.

    The percentile interval of 10 segments covers 88.5% of the values of which it should cover 95%;
    widened by t / 1.96 and the root of k / (k - 1), it covers 93% (docs/research/own-judgments.md).
    """
    if not 1 < units < FEW or not math.isfinite(value):
        return low, high
    factor = student(0.975, units) / 1.959964 * math.sqrt(units / (units - 1))
    return value - (value - low) * factor, value + (high - value) * factor


def student(share: float, units: int) -> float:
    """The quantile of Student's t for that many units."""
    from scipy.special import stdtrit

    return float(stdtrit(units - 1, share))


def spread(replicates: FloatArray, units: int) -> float:
    """The standard error of a value, from its resamples over so many units.

    A bootstrap divides by n where an unbiased variance divides by n - 1: hence the factor.
    """
    finite = replicates[np.isfinite(replicates)]
    return float(finite.std() * np.sqrt(units / max(units - 1, 1)))


def standard_errors(drawn: FloatArray, segments: int) -> FloatArray:
    """(systems, systems): the `spread` of the difference of each two. drawn: (systems, resamples)."""
    covariance = np.atleast_2d(np.cov(drawn))
    variances = np.diag(covariance)
    variance = np.clip(variances[:, None] + variances - 2 * covariance, 0, None)
    noise = 1e-12 * (variances[:, None] + variances)  # what rounding leaves of equal systems
    variance[variance <= noise] = 0.0
    return np.asarray(np.sqrt(variance * segments / max(segments - 1, 1)))


def tail(gains: FloatArray, errors: FloatArray, units: int) -> FloatArray:
    """P(T > gain / error) with Student's T of n - 1 degrees of freedom; 1 where both are 0."""
    from scipy.special import stdtr

    gains, errors = np.broadcast_arrays(gains, errors)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = gains / errors
    p = np.asarray(stdtr(max(units - 1, 1), -ratio), np.float64)
    return np.where(gains == 0, np.where(errors == 0, 1.0, p), p)


def student_p_values(differences: FloatArray, errors: FloatArray, units: int) -> FloatArray:
    """Two-sided p of no difference, by Student's t."""
    return np.minimum(1, 2 * tail(np.abs(differences), errors, units))


def normal_p_values(quotients: FloatArray) -> FloatArray:
    """Two-sided p of no difference: how likely a standard normal number is so far from 0."""
    return np.array([math.erfc(abs(value) / math.sqrt(2)) for value in np.ravel(quotients)])


def corrected(p_values: FloatArray, method: str = "holm") -> FloatArray:
    """(m,) p-values of m tests, corrected for their number.

    holm: the chance of a single error among all is at most the level (Holm 1979). bh: the expected
    share of errors among what is called different is (Benjamini and Hochberg 1995). NaN is no test.
    """
    if method not in CORRECTIONS:
        raise CupelError(f"Unknown correction {method!r}: it is 'holm' or 'bh'.")
    tested = np.flatnonzero(np.isfinite(p_values))
    m = len(tested)
    order = tested[np.argsort(p_values[tested], kind="stable")]
    p = p_values[order]
    if method == "holm":
        p = np.maximum.accumulate(p * np.arange(m, 0, -1))
    else:
        p = np.minimum.accumulate((p * m / np.arange(1, m + 1))[::-1])[::-1]
    result = np.full(len(p_values), np.nan)
    result[order] = np.minimum(p, 1.0)
    return result


def share_not_better(first: FloatArray, second: FloatArray) -> float:
    """One-sided p by paired bootstrap: the share of resamples in which A is not better than B.

    first, second: (resamples,) the value of either under the same resamples. Ties count half.
    """
    difference = first - second
    finite = difference[np.isfinite(difference)]
    if not len(finite):
        return math.nan
    return float(((finite < 0) + 0.5 * (finite == 0)).mean())


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


def drawn_indices(
    n: int, resamples: int, seed: int, held: int = 0
) -> Iterator[tuple[slice, IntArray]]:
    """Blocks of resamples (block, n): which of n things were drawn, with replacement.

    held: numbers that the caller keeps for each resample, where they are more than n.
    """
    generator = np.random.default_rng(seed)
    height = max(1, _BLOCK // max(n, held, 1))
    for start in range(0, resamples, height):
        rows = slice(start, min(start + height, resamples))
        yield rows, generator.integers(0, n, (rows.stop - start, n))


def bootstrap_weights(
    n: int, resamples: int, seed: int, held: int = 0
) -> Iterator[tuple[slice, FloatArray]]:
    """The same draws as weights (block, n): how often each of n things was drawn."""
    for rows, drawn in drawn_indices(n, resamples, seed, held):
        height = len(drawn)
        drawn += np.arange(height)[:, None] * n
        counts = np.bincount(drawn.ravel(), minlength=height * n)
        yield rows, counts.reshape(height, n).astype(np.float64)


def bootstrap_sums(
    values: FloatArray, resamples: int = BOOTSTRAP_RESAMPLES, seed: int = DEFAULT_SEED
) -> FloatArray:
    """(rows, ...) -> (resamples, ...): sums over bootstrap draws of the rows."""
    flat = values.reshape(len(values), -1)
    sums = np.empty((resamples, flat.shape[1]))
    for block, weights in bootstrap_weights(len(values), resamples, seed):
        sums[block] = weights @ flat
    return sums.reshape(resamples, *values.shape[1:])


def multinomial_counts(shares: FloatArray, number: int, resamples: int, seed: int) -> FloatArray:
    """(resamples, cells): how many of `number` draws fall into each cell. shares: of the cells."""
    drawn = np.random.default_rng(seed).multinomial(number, shares, size=resamples)
    return drawn.astype(np.float64)


def sign_flips(trials: int, n: int, seed: int) -> Float32Array:
    """(trials, n) of 1 and -1, as mt-metrics-eval draws them: in single precision."""
    draws = np.random.default_rng(seed).random((trials, n), dtype=np.float32)
    return np.where(draws > np.float32(0.5), np.float32(1), np.float32(-1))


def coin_words(trials: int, n: int, seed: int) -> npt.NDArray[np.uint64]:
    """(ceil(trials / 64), n): a coin for each trial and thing, 64 trials in a word."""
    return np.random.default_rng(seed).integers(0, 2**64, (-(-trials // 64), n), dtype=np.uint64)


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
