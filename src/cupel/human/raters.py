"""How far raters of the same translations agree: which of two is better, and Krippendorff's alpha.

Scores are matrices (raters, systems, segments) with NaN where a rater judged nothing.

Pairwise agreement: over all pairs of raters and all pairs of translations of one segment that both
judged, the share on which they give the same answer: the first is better, the second, or a tie; kappa
corrects it for chance as `cupel.human.agreement` does.

Krippendorff's alpha (Krippendorff 2011, "Computing Krippendorff's alpha-reliability"), over
translations with two or more ratings:

    alpha = 1 - D_o / D_e
    D_o = 1/n sum_u 1/(m_u - 1) sum_{i != j in u} d(x_i, x_j)^2
    D_e = 1/(n (n - 1)) sum_{i != j} d(x_i, x_j)^2

with m_u ratings of translation u, n of all such, and d the difference of values (interval), of their
mean ranks (ordinal: sum_{g=c..k} n_g - (n_c + n_k)/2 is a difference of mean ranks), or 1 for any two
different values (nominal). What is summed is kept for each segment, so that segments can be resampled.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cupel.arrays import FloatArray
from cupel.errors import CupelError
from cupel.human.agreement import Agreement

ALPHA_LEVELS = ("interval", "ordinal", "nominal")


def pairwise_counts(scores: FloatArray) -> FloatArray:
    """(segments, 4): pairs of raters and of translations that agree, all of them, and for kappa the
    ties among the answers given, and all answers.
    """
    raters, systems, segments = scores.shape
    first, second = np.triu_indices(systems, 1)
    answers = np.sign(scores[:, first] - scores[:, second])
    counts = np.zeros((segments, 4))
    for a in range(raters):
        for b in range(a + 1, raters):
            both = np.isfinite(answers[a]) & np.isfinite(answers[b])
            counts[:, 0] += (both & (answers[a] == answers[b])).sum(0)
            counts[:, 1] += both.sum(0)
            for own in (answers[a], answers[b]):
                counts[:, 2] += (both & (own == 0)).sum(0)
                counts[:, 3] += both.sum(0)
    return counts


def pairwise_agreement(counts: FloatArray) -> Agreement:
    """The agreement of summed counts (4,), with kappa."""
    agreeing, comparable, ties, answers = (int(number) for number in counts)
    return Agreement(agreeing, comparable, ties, answers)


@dataclass(frozen=True)
class AlphaSums:
    """What alpha is computed from, a row a segment: 1/(m-1) weighted disagreement, and values.

    within: (segments,) sum over its translations of sum_{i != j} d^2 / (m - 1); values: (segments, k)
    number, sum and sum of squares of the values, or for nominal values how often each occurs.
    """

    within: FloatArray
    values: FloatArray
    nominal: bool

    def alpha(self, weights: FloatArray | None = None) -> FloatArray:
        """Alpha, for each row of weights of the segments; NaN where all values are equal."""
        w = np.ones((1, len(self.within))) if weights is None else np.atleast_2d(weights)
        within, sums = w @ self.within, w @ self.values
        if self.nominal:
            n = sums.sum(-1)
            between = n * n - (sums * sums).sum(-1)
        else:
            n, total, squares = np.moveaxis(sums, -1, 0)
            between = 2 * (n * squares - total * total)
        with np.errstate(divide="ignore", invalid="ignore"):
            tiny = 1e-12 * np.maximum(n * n, 1.0)
            alpha = np.where(between > tiny, 1 - (n - 1) * within / between, np.nan)
        return np.asarray(alpha)


def alpha_sums(scores: FloatArray, level: str = "interval") -> AlphaSums:
    """The sums for alpha at a level of `ALPHA_LEVELS`; (raters, systems, segments)."""
    if level not in ALPHA_LEVELS:
        raise CupelError(f"Alpha is {', '.join(ALPHA_LEVELS)}, not {level!r}.")
    rated = np.isfinite(scores)
    several = rated & (rated.sum(0) > 1)
    if level == "nominal":
        return _nominal_sums(scores, several)
    values = np.where(several, scores, 0.0)
    if level == "ordinal" and several.any():
        from scipy.stats import rankdata

        values[several] = rankdata(scores[several])
    if several.any():
        values = np.where(
            several, values - values[several].mean(), 0.0
        )  # for the precision of sums
    m, total, squares = several.sum(0), values.sum(0), (values * values).sum(0)
    unit = np.divide(2 * (m * squares - total * total), m - 1, out=np.zeros(m.shape), where=m > 1)
    stacked = np.stack([m.sum(0), total.sum(0), squares.sum(0)], axis=-1).astype(float)
    return AlphaSums(unit.sum(0), stacked, nominal=False)


def _nominal_sums(scores: FloatArray, several: FloatArray) -> AlphaSums:
    categories, codes = np.unique(scores[several], return_inverse=True)
    m = several.sum(0)
    same = np.zeros(m.shape)
    values = np.zeros((scores.shape[2], len(categories)))
    place = np.full(scores.shape, -1)
    place[several] = codes
    for code in range(len(categories)):
        count = (place == code).sum(0)
        same += count * count
        values[:, code] = count.sum(0)
    unit = np.divide(m * m - same, m - 1, out=np.zeros(m.shape), where=m > 1)
    return AlphaSums(unit.sum(0), values, nominal=True)


def krippendorff_alpha(scores: FloatArray, level: str = "interval") -> float:
    """Alpha of ratings (raters, items), or (raters, systems, segments)."""
    cube = scores[:, None, :] if scores.ndim == 2 else scores
    return float(alpha_sums(cube, level).alpha()[0])
