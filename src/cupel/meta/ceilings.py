"""Noise ceilings: how well does one rater predict the others?

A metric that comes out above this line agrees with these raters better than another rater of their
kind does, which is more than can be asked of it, and often a sign that it was tuned on them. The scores of one rater are judged as a metric's would be, against the mean of all other raters of the
same translations, with the statistics of `cupel meta`: Pearson and tau-b over translations, acc-eq
(calibrated as for metrics) over pairs of translations of one segment, and the accuracy over pairs of
systems, each scored by the mean of its translations that both sides judged. The value for all raters is
the mean of theirs, weighted by the number of translations. Two single raters are compared likewise.
Intervals resample segments; acc-eq keeps its epsilon.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.errors import CupelError
from cupel.human.raters import ALPHA_LEVELS, alpha_sums, pairwise_agreement, pairwise_counts
from cupel.human.raw.rated import Rated
from cupel.meta.agreement import agreement
from cupel.meta.correlations import pairwise_accuracy, pearson, pearson_of_sums, summands
from cupel.meta.statistic import Statistic as Agreement
from cupel.records import Row
from cupel.significance import DEFAULT_SEED, bootstrap_weights, interval

RESAMPLES = 200
_LARGEST_TABLE = 200_000
_ACC_EQ = Agreement("acc-eq", average="item")


@dataclass(frozen=True)
class Compared:
    """Grades by one rater and by others, (systems, segments), NaN where either is missing."""

    rater: str
    grades: FloatArray
    others: FloatArray

    @property
    def judged(self) -> FloatArray:
        return np.isfinite(self.grades)


@dataclass(frozen=True)
class Estimate:
    """A value with its replicates: (1 + resamples,), the value first."""

    values: FloatArray
    n: int

    def row(self, measure: str, statistic: str, rater: str | None = None) -> Row:
        value, replicates = float(self.values[0]), self.values[1:]
        bounds = interval(replicates) if np.isfinite(value) else None
        if bounds and np.isnan(bounds.low):
            bounds = None
        return {
            "measure": measure,
            "statistic": statistic,
            "rater": rater,
            "value": value if np.isfinite(value) else None,
            "low": bounds.low if bounds else None,
            "high": bounds.high if bounds else None,
            "n": self.n,
        }


def agreement_rows(
    rated: Rated, *, resamples: int = RESAMPLES, seed: int = DEFAULT_SEED
) -> list[Row]:
    """Agreement between raters, noise ceilings, and what each rater gave.

    Records: pair, kind, scheme, measure (agreement, ceiling, scores), statistic, rater (None for all),
    value (None where it is not defined), low, high, n. n: pairs of answers for pairwise and kappa, ratings for alpha, translations for
    the others.
    """
    if rated.counts().max() < 2:
        raise CupelError(
            f"No translation of {rated.pair} was judged by two raters, so there is nothing to compare."
        )
    segments = len(rated.places)
    weights = np.concatenate(
        [np.ones((1, segments))]
        + [block for _, block in bootstrap_weights(segments, resamples, seed)]
    )
    cube = np.stack(list(rated.scores.values()))
    rows = [
        *_pairwise_rows(cube, weights),
        *_alpha_rows(cube, weights),
        *_compared_rows("agreement", two_raters(rated), BETWEEN_RATERS, weights),
        *_compared_rows("ceiling", against_others(rated), CEILINGS, weights),
        *_rater_rows(rated),
    ]
    named = {"pair": rated.pair, "kind": rated.kind, "scheme": rated.method}
    return [{**named, **row} for row in rows]


def against_others(rated: Rated) -> list[Compared]:
    """Every rater against the mean of all others of the same translations."""
    total = np.sum([np.where(np.isfinite(m), m, 0.0) for m in rated.scores.values()], axis=0)
    counts = rated.counts()
    result = []
    for rater, grades in rated.scores.items():
        shared = np.isfinite(grades) & (counts > 1)
        if shared.any():
            rest = np.full(grades.shape, np.nan)
            rest[shared] = (total[shared] - grades[shared]) / (counts[shared] - 1)
            result.append(Compared(rater, np.where(shared, grades, np.nan), rest))
    return result


def two_raters(rated: Rated) -> list[Compared]:
    """Every two raters on the translations that both judged."""
    result = []
    for (first, grades), (_, other) in combinations(rated.scores.items(), 2):
        shared = np.isfinite(grades) & np.isfinite(other)
        if shared.any():
            x, y = np.where(shared, grades, np.nan), np.where(shared, other, np.nan)
            result.append(Compared(first, x, y))
    return result


def _pearson(pair: Compared, weights: FloatArray) -> FloatArray:
    values = pearson_of_sums(weights @ summands(pair.grades, pair.others))
    judged = pair.judged
    values[0] = float(pearson(pair.grades[judged], pair.others[judged]))
    return values


def _tau_b(pair: Compared, weights: FloatArray) -> FloatArray:
    """From a table of how often each two values meet, where it is small, which is quicker."""
    judged = pair.judged
    segment = np.nonzero(judged)[1]
    first, x = np.unique(pair.grades[judged], return_inverse=True)
    second, y = np.unique(pair.others[judged], return_inverse=True)
    shape = len(first), len(second)
    if shape[0] * shape[1] > _LARGEST_TABLE:
        return np.array([_tau_of_values(x, y, row[segment].astype(int)) for row in weights])
    cells = x * shape[1] + y
    values = np.empty(len(weights))
    for number, row in enumerate(weights):
        counts = np.bincount(cells, row[segment], shape[0] * shape[1])
        values[number] = _tau_of_table(counts.astype(np.float64).reshape(shape))
    return values


def _tau_of_table(table: FloatArray) -> float:
    """tau-b from a contingency table of ordered values."""
    below = table.cumsum(0).cumsum(1)[:-1]
    concordant = (table[1:, 1:] * below[:, :-1]).sum()
    discordant = (table[1:] * (below[:, -1:] - below)).sum()
    n = table.sum()
    sides = [n * (n - 1) - (sums * (sums - 1)).sum() for sums in (table.sum(0), table.sum(1))]
    scale = np.sqrt(sides[0] * sides[1]) / 2
    return float((concordant - discordant) / scale) if scale > 0 else float("nan")


def _tau_of_values(x: IntArray, y: IntArray, times: IntArray) -> float:
    from scipy.stats import kendalltau  # O(n log n)

    drawn_x, drawn_y = np.repeat(x, times), np.repeat(y, times)
    if len(drawn_x) < 2 or np.ptp(drawn_x) == 0 or np.ptp(drawn_y) == 0:
        return float("nan")
    return float(kendalltau(drawn_x, drawn_y).statistic)


def _acc_eq(pair: Compared, weights: FloatArray) -> FloatArray:
    """The mean over segments, with the tie threshold of all of them, as `cupel meta` has it."""
    best = agreement(_ACC_EQ, pair.others, pair.grades)
    i, j = np.triu_indices(len(pair.grades), 1)
    difference, judged = (
        pair.grades[i] - pair.grades[j],
        pair.others[i] - pair.others[j],
    )
    rated = np.isfinite(judged)
    answer = np.where(np.abs(difference) <= (best.epsilon or 0.0), 0.0, np.sign(difference))
    right = rated & (answer == np.sign(np.where(rated, judged, 0.0)))
    pairs = rated.sum(0)
    return _ratio(weights @ np.nan_to_num(_ratio(right.sum(0), pairs)), weights @ (pairs > 0))


def _system_accuracy(pair: Compared, weights: FloatArray) -> FloatArray:
    judged = pair.judged
    seen = judged.any(axis=1)
    count = weights @ judged[seen].T
    means = [
        _ratio(weights @ np.where(judged, scores, 0.0)[seen].T, count)
        for scores in (pair.grades, pair.others)
    ]
    return pairwise_accuracy(*means)


Statistic = Callable[[Compared, FloatArray], FloatArray]
CEILINGS: dict[str, Statistic] = {
    "pearson": _pearson,
    "tau-b": _tau_b,
    "acc-eq": _acc_eq,
    "accuracy": _system_accuracy,
}
"""By name as in `cupel meta`; accuracy is of systems, the others of segments."""
BETWEEN_RATERS: dict[str, Statistic] = {"pearson": _pearson, "tau-b": _tau_b}


def _compared_rows(
    measure: str,
    compared: Sequence[Compared],
    statistics: dict[str, Statistic],
    weights: FloatArray,
) -> list[Row]:
    """The weighted mean over raters, then for ceilings each rater by itself."""
    rows: list[Row] = []
    for name, compute in statistics.items():
        values = np.array([compute(pair, weights) for pair in compared])
        sizes = np.array([int(pair.judged.sum()) for pair in compared])
        defined = np.isfinite(values)
        share = sizes[:, None] * defined
        pooled = _ratio((np.where(defined, values, 0.0) * share).sum(0), share.sum(0))
        rows.append(Estimate(pooled, int(share[:, 0].sum())).row(measure, name))
        if measure == "ceiling":
            rows += [
                Estimate(row[:1], size).row(measure, name, pair.rater)
                for pair, row, size in zip(compared, values, sizes.tolist(), strict=True)
            ]
    return rows


def _pairwise_rows(cube: FloatArray, weights: FloatArray) -> list[Row]:
    counts = weights @ pairwise_counts(cube)
    agreements = [pairwise_agreement(row) for row in counts]
    n = agreements[0].comparable
    observed = np.array([answers.observed for answers in agreements])
    kappa = np.array([answers.kappa for answers in agreements])
    return [
        Estimate(observed, n).row("agreement", "pairwise"),
        Estimate(kappa, n).row("agreement", "kappa"),
    ]


def _alpha_rows(cube: FloatArray, weights: FloatArray) -> list[Row]:
    rated = np.isfinite(cube)
    n = int((rated & (rated.sum(0) > 1)).sum())
    return [
        Estimate(alpha_sums(cube, level).alpha(weights), n).row("agreement", f"alpha-{level}")
        for level in ALPHA_LEVELS
    ]


def _rater_rows(rated: Rated) -> list[Row]:
    rows: list[Row] = []
    for rater, matrix in rated.scores.items():
        values = matrix[np.isfinite(matrix)]
        if len(values):
            spread = float(values.std(ddof=1)) if len(values) > 1 else float("nan")
            for name, value in (("mean", float(values.mean())), ("deviation", spread)):
                rows.append(Estimate(np.array([value]), len(values)).row("scores", name, rater))
    return rows


def _ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(whole > 0, part / whole, np.nan)
