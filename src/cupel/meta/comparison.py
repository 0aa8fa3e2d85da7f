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
from cupel.meta.correlations import pearson
from cupel.significance import DEFAULT_SEED

PERMUTATIONS = 1000
_BLOCK = 8_000_000


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


def paired_bootstrap(first: FloatArray, second: FloatArray) -> float:
    """Share of resamples in which A is not better than B; ties count half.

    first, second: (resamples,) the statistic of either metric under the same resamples.
    """
    difference = first - second
    finite = difference[np.isfinite(difference)]
    if not len(finite):
        return float("nan")
    return float(((finite < 0) + 0.5 * (finite == 0)).mean())


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
        ours, theirs = swapped_counts(a, b, better, worse, weight, swapped)
        return tau(ours.astype(np.float64)) - tau(theirs.astype(np.float64))

    observed = difference(np.zeros((1, len(units)), np.uint64))[0]
    words = np.random.default_rng(seed).integers(
        0, 2**64, (-(-trials // 64), len(units)), dtype=np.uint64
    )
    return Permuted(float(observed), difference(words)[:trials])


def perm_both_pearson(
    first: FloatArray,
    second: FloatArray,
    human: FloatArray,
    trials: int = PERMUTATIONS,
    seed: int = DEFAULT_SEED,
) -> Permuted:
    """PERM-BOTH for Pearson's r over translations: (n,) scores of A, of B, and of people."""
    a, b = standardised(first), standardised(second)
    z = standardised(human)
    change = np.stack([b - a, b**2 - a**2, (b - a) * z], axis=1)
    base_a = np.array([a.sum(), (a**2).sum(), (a * z).sum()])
    base_b = np.array([b.sum(), (b**2).sum(), (b * z).sum()])
    n = len(z)

    def r(sums: FloatArray) -> FloatArray:
        mean, square, product = np.moveaxis(sums, -1, 0)
        variance = np.maximum(square - mean**2 / n, 1e-300)
        result: FloatArray = (product - mean * z.sum() / n) / np.sqrt(
            variance * ((z**2).sum() - z.sum() ** 2 / n)
        )
        return result

    def difference(swapped: npt.NDArray[np.bool_]) -> FloatArray:
        moved = swapped.astype(np.float64) @ change
        return r(base_a + moved) - r(base_b - moved)

    generator = np.random.default_rng(seed)
    height = max(1, _BLOCK // max(n, 1))
    permuted = [
        difference(generator.integers(0, 2, (min(height, trials - start), n), dtype=np.bool_))
        for start in range(0, trials, height)
    ]
    return Permuted(float(pearson(a, z) - pearson(b, z)), np.concatenate(permuted))


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


def holm(p_values: Sequence[float]) -> FloatArray:
    """p-values corrected for many comparisons (Holm 1979); NaN stays NaN."""
    p = np.asarray(p_values, np.float64)
    corrected = np.full(p.shape, np.nan)
    finite = np.flatnonzero(np.isfinite(p))
    order = finite[np.argsort(p[finite], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(p[order] * factors), 1.0)
    return corrected
