"""Statistics between a metric and people on a campaign: (systems, segments) of scores each.

Every figure is that of google-research/mt-metrics-eval (`stats.py`, `tau_optimization.py`,
`pce.py`), and so are its conventions: scores are compared over all translations at once, or within
groups (all systems on one segment, or all segments of one system) whose values are averaged.

NaN is a missing score, of people or of the metric: such a translation is left out. A statistic that
has no value (constant scores, fewer than two translations) is None, never a number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cupel.arrays import FloatArray, IntArray
from cupel.errors import CupelError

STATISTICS = {
    "pearson": "Pearson's r",
    "spearman": "Spearman's rho, tied ranks averaged",
    "tau-b": "Kendall's tau-b",
    "tau-c": "Kendall's tau-c (Stuart)",
    "kendall-like": "the DARR tau of WMT17 to WMT20: pairs that people score far enough apart",
    "tau-23": "Kendall's tau that counts a tie of both as agreement (Deutsch et al. 2023)",
    "acc-23": "the same as an accuracy, with a tie threshold that is given",
    "tau-eq": "tau-23 with the tie threshold that serves the metric best",
    "acc-eq": "acc-23 with the tie threshold that serves the metric best",
    "accuracy": "share of pairs of systems ordered (or tied) as people do (Kocmi et al. 2021)",
    "spa": "soft pairwise accuracy: as sure of each pair of systems as people (Thompson et al. 2024)",
}
AVERAGES = ("none", "item", "sys")
CALIBRATED = ("tau-eq", "acc-eq")

Random = np.random.RandomState | int
"""A generator, which is moved on, or the seed of one. The legacy generator of NumPy, because
mt-metrics-eval draws from it: `np.random.seed(n)` there and the seed n here give the same draws."""


@dataclass(frozen=True)
class Statistic:
    """Which statistic, averaged how, with the options of some.

    name        one of `STATISTICS`
    average     `none`: over all translations at once; `item`: of each segment over its systems,
                averaged; `sys`: of each system over its segments, averaged. `accuracy` and `spa`
                have their own way.
    zeros       a group without a value (constant scores) counts as 0; else it is left out
    weighted    the average of groups by their number of judgments (of pairs for `kendall-like`)
    threshold   of `kendall-like`: the least difference of people's scores that makes a pair (0 makes
                one of a tie too, which no metric gets right: WMT's own rule). A group without a pair
                counts as 0, an accident; `weighted` leaves it out
    epsilon     of `tau-23`, `acc-23`, `tau-b`: metric scores so close are tied
    sample_rate of `tau-eq`, `acc-eq`: share of the pairs that the threshold is chosen on, drawn at
                random; 1 takes all (mt-metrics-eval: 0.1 in `stats.py`, 1 in the tasks of WMT)
    differences of `pearson`: over the differences between translations of one group instead
    blocks      of `accuracy`: numbers of systems of several language pairs that follow each other;
                systems of two language pairs are not compared
    permutations, seed   of `spa`: sign flips of the test that says how sure one is. As mt-metrics-eval,
                it adds in single precision and counts a tie as a whole, so that two equal systems
                get 0, 1 or anything between, as rounding has it.
    packed      of `spa`: judgments that are left are moved together and cut into rows of equal
                length, as mt-metrics-eval does: an accident that compares different segments where
                systems miss different ones. Else a pair is compared on the segments of both.
    """

    name: str
    average: str = "none"
    zeros: bool = False
    weighted: bool = False
    threshold: float = 25.0
    epsilon: float = 0.0
    sample_rate: float = 1.0
    differences: bool = False
    blocks: tuple[int, ...] = ()
    permutations: int = 1000
    seed: int = 4
    packed: bool = False

    def __post_init__(self) -> None:
        if self.name not in STATISTICS:
            raise CupelError(
                f"There is no statistic {self.name!r}: it should be one of {', '.join(STATISTICS)}."
            )
        if self.average not in AVERAGES:
            raise CupelError(
                f"Statistics cannot be averaged by {self.average!r}: it should be one of "
                f"{', '.join(AVERAGES)}."
            )
        if not 0 < self.sample_rate <= 1:
            raise CupelError(f"The share of pairs is {self.sample_rate}: it should be in (0, 1].")
        if not self.epsilon >= 0:
            raise CupelError(f"The tie threshold is {self.epsilon}: it should be 0 or more.")
        if self.epsilon and self.name not in ("tau-b", "tau-23", "acc-23"):
            raise CupelError(f"{self.name} takes no tie threshold.")

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest value that is possible."""
        return (0.0 if self.name in ("acc-23", "acc-eq", "accuracy", "spa") else -1.0), 1.0


@dataclass(frozen=True)
class Value:
    """A statistic; None where it has no value.

    n        groups that were averaged (weights, where weighted)
    p_value  of no correlation, averaged in the same way; None where not asked for or not defined
    epsilon  the tie threshold, where one was chosen
    """

    value: float | None
    n: float
    p_value: float | None = None
    epsilon: float | None = None


def generator(random: Random) -> np.random.RandomState:
    """The generator itself, or that of a seed."""
    return random if isinstance(random, np.random.RandomState) else np.random.RandomState(random)


def checked(human: npt.ArrayLike, *metrics: npt.ArrayLike) -> list[FloatArray]:
    """People's scores and those of metrics, as (systems, segments) of the same shape, no inf."""
    arrays = [np.asarray(scores, np.float64) for scores in (human, *metrics)]
    arrays = [a[:, None] if a.ndim == 1 else a for a in arrays]
    for array in arrays:
        if array.ndim != 2 or array.shape != arrays[0].shape:
            raise CupelError(
                f"The scores of a metric have the shape {array.shape}, those of people "
                f"{arrays[0].shape}: both should be (systems, segments)."
            )
        if np.isinf(array).any():
            system, segment = np.argwhere(np.isinf(array))[0]
            raise CupelError(
                f"The score of system {system + 1} on segment {segment + 1} is infinite."
            )
    return arrays


@dataclass(frozen=True)
class Groups:
    """Scores without the missing ones, group after group.

    human, metrics: (n,) and (metrics, n); sizes: (groups,), those of no judgment left out; labels:
    (groups,) their numbers with those counted.
    """

    labels: IntArray
    sizes: IntArray
    human: FloatArray
    metrics: FloatArray

    @property
    def starts(self) -> IntArray:
        """Where each group starts, and the end of the last."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)


def grouped(human: FloatArray, metrics: Sequence[FloatArray], average: str) -> Groups:
    """Scores (systems, segments) in groups; what anyone of them misses is left out for all."""
    rows = [a.reshape(1, -1) if average == "none" else a for a in (human, *metrics)]
    rows = [a.T if average == "item" else a for a in rows]
    kept = ~np.isnan(rows).any(axis=0)
    sizes = kept.sum(axis=1)
    labels = np.flatnonzero(sizes)
    return Groups(labels, sizes[labels], rows[0][kept], np.stack([a[kept] for a in rows[1:]]))
