"""Is metric A better than metric B? Williams' test, paired bootstrap, PERM-BOTH.

All p-values are one-sided: small where A agrees with people better than B does by more than
chance explains.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cupel.arrays import FloatArray
from cupel.human.tau import HumanPairs
from cupel.meta.agreement import agreement
from cupel.meta.statistic import Statistic, checked
from cupel.significance import DEFAULT_SEED, coin_words

PERMUTATIONS = 1000


def williams(
    r_a: npt.ArrayLike, r_b: npt.ArrayLike, r_ab: npt.ArrayLike, n: int
) -> npt.NDArray[np.float64]:
    """Williams' (1959) test for two dependent correlations, as Graham and Baldwin (2014) use it.

    r_a, r_b: correlation of A and of B with people; r_ab: of A with B; n: how many systems.

        t(n-3) = (r_a - r_b) sqrt((n-1)(1 + r_ab))
                 / sqrt(2 K (n-1)/(n-3) + (r_a + r_b)^2 / 4 * (1 - r_ab)^3)
        K = 1 - r_a^2 - r_b^2 - r_ab^2 + 2 r_a r_b r_ab

    NaN for fewer than four systems; 0.5 for two metrics that are one.
    """
    from scipy.stats import t as student

    a, b, ab = (np.asarray(r, np.float64) for r in (r_a, r_b, r_ab))
    if n < 4:
        return np.full(np.broadcast(a, b, ab).shape, np.nan)
    k = 1 - a**2 - b**2 - ab**2 + 2 * a * b * ab
    scale = 2 * np.maximum(k, 0) * (n - 1) / (n - 3) + (a + b) ** 2 / 4 * (1 - ab) ** 3
    top = (a - b) * np.sqrt((n - 1) * (1 + ab))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(top == 0, 0.0, top / np.sqrt(scale))
    return np.asarray(student.sf(t, n - 3), np.float64)


def williams_p_values(r: FloatArray, between: FloatArray, n: int) -> FloatArray:
    """(metrics, metrics): p of "row correlates better than column".

    r: (metrics,) of each with people; between: (metrics, metrics), of each two.
    """
    return williams(r[:, None], r[None, :], between, n)


def correlations_of(
    statistic: Statistic,
    human: npt.ArrayLike,
    metrics: Sequence[npt.ArrayLike],
    *,
    as_published: bool = True,
) -> tuple[FloatArray, FloatArray, int]:
    """What Williams' test takes: scores (systems, segments) with people and with each other, and n.

    Meant for Pearson's r that is not averaged. as_published: as mt-metrics-eval, which counts
    translations that nobody judged among the n, and correlates the metrics over them too; else both
    are over what people judged. A correlation without a value is NaN.
    """
    people, *scores = checked(human, *metrics)
    judged = ~np.isnan(people)
    seen = scores if as_published else [np.where(judged, a, np.nan) for a in scores]
    r = [agreement(statistic, people, a).value for a in scores]
    between = [[agreement(statistic, a, b).value for b in scores] for a in seen]
    n = judged.size if as_published else int(judged.sum())
    return np.array(r, np.float64), np.array(between, np.float64), n


def standardised(scores: FloatArray) -> FloatArray:
    """Scores on one scale, so that those of two metrics can be exchanged: mean 0, deviation 1."""
    deviation = np.nanstd(scores)
    result: FloatArray = (scores - np.nanmean(scores)) / (deviation if deviation > 0 else 1.0)
    return result


@dataclass(frozen=True)
class Permuted:
    """The difference between two metrics, as it is and under permutations.

    Of several language pairs, the mean of either is tested: see `together`.
    """

    observed: float
    permuted: FloatArray

    @property
    def p_value(self) -> float:
        """How often chance does at least as well; rounding must not decide between equals."""
        reached = int((self.permuted >= self.observed - 1e-12).sum())
        return (reached + 1) / (len(self.permuted) + 1)

    @classmethod
    def together(cls, parts: Sequence[Permuted]) -> Permuted:
        """The test of the average over language pairs."""
        return cls(
            float(np.mean([part.observed for part in parts])),
            np.mean([part.permuted for part in parts], axis=0),
        )


def perm_both_pairs(
    first: FloatArray,
    second: FloatArray,
    pairs: HumanPairs,
    tau: Callable[[FloatArray], FloatArray],
    trials: int = PERMUTATIONS,
    seed: int = DEFAULT_SEED,
) -> Permuted:
    """PERM-BOTH (Deutsch et al. 2021) for a WMT tau: scores (systems, segments) of A and B.

    Each trial exchanges the scores of A and B for a random half of all translations; p is how
    often the difference in tau is then at least the real one.
    """
    from cupel.kernels.concordance import swapped_counts

    width = first.shape[1]
    units, index = np.unique(
        np.concatenate([pairs.better, pairs.worse]) * width + np.tile(pairs.segment, 2),
        return_inverse=True,
    )
    half = len(pairs.segment)
    keys, weight = np.unique(index[:half] * len(units) + index[half:], return_counts=True)
    better, worse = np.divmod(keys, max(len(units), 1))
    a, b = standardised(first).ravel()[units], standardised(second).ravel()[units]

    def difference(swapped: npt.NDArray[np.uint64]) -> FloatArray:
        of_a, of_b = swapped_counts(a, b, better, worse, weight, swapped)
        return tau(of_a.astype(np.float64)) - tau(of_b.astype(np.float64))

    observed = difference(np.zeros((1, len(units)), np.uint64))[0]
    coins = coin_words(trials, len(units), seed)
    return Permuted(float(observed), difference(coins)[:trials])


def permuted_p_values(
    metrics: Sequence[str], permuted: Callable[[str, str], Sequence[Permuted]]
) -> FloatArray:
    """(metrics, metrics): p of "row is better than column", on average over the language pairs.

    permuted: two metrics -> the test of each language pair.
    """
    p = np.full((len(metrics), len(metrics)), 0.5)
    for i, first in enumerate(metrics):
        for j, second in enumerate(metrics):
            if i != j:
                p[i, j] = Permuted.together(permuted(first, second)).p_value
    return p
