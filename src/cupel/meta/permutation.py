"""Is metric A better than metric B? Permutation tests on campaigns (Deutsch et al. 2021, 2023).

Each trial exchanges some of the two metrics' scores, which are first brought to one scale, and
asks whether the difference between their statistics is at least the real one:

    both      PERM-BOTH: each translation is exchanged or not
    systems   PERM-SYS: all translations of a system together
    segments  PERM-INPUT: all translations of a segment together
    pairs     PERM-PAIR-DIFF: not scores but the verdicts on pairs of translations, which serves
              metrics with tie thresholds of their own (acc-eq) and is how WMT tests them

With the same seed, draws and p-values of `both` and `pairs` are those of mt-metrics-eval's
`PermutationSigDiff` and `PairwisePermutationSigDiff`; the other two are not there, and draw one coin
for each system or segment from the same generator.

The statistics of many trials are computed at once: Pearson's r from sums that tables of subsets give,
rank correlations along an order that is sorted once, all others from the scores.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from cupel.arrays import BoolArray, Bytes, FloatArray, IntArray
from cupel.errors import CupelError
from cupel.meta.agreement import (
    calibrated,
    centred_ranks,
    dense_ranks,
    group_values,
    of_counts,
    scipy_order,
    spearman_of_sums,
    system_blocks,
)
from cupel.meta.soft import soft_rows
from cupel.meta.statistic import (
    CALIBRATED,
    Groups,
    Random,
    Statistic,
    checked,
    generator,
    grouped,
)

SWAPS = ("both", "systems", "segments", "pairs")
TRIALS = 1000
_HELD = 2_000_000


@dataclass(frozen=True)
class Stopping:
    """A test ends after a block of trials whose p-value is already clear.

    block: trials (mt-metrics-eval: 1000 in `stats.py`, 100 in its tasks; as many as the test has,
    for no early end); low, high: it ends below or above. as_published: for `pairs`, only when the
    last trial of the block reached the real difference, an accident of indentation that all
    published WMT results have.
    """

    block: int = 100
    low: float = 0.02
    high: float = 0.5
    as_published: bool = True


@dataclass(frozen=True)
class Tested:
    """p_value: of "A is no better than B"; difference: A less B; draws: (trials made, 2), A and B."""

    p_value: float
    difference: float
    draws: FloatArray

    @property
    def trials(self) -> int:
        """How many were made before the test ended."""
        return len(self.draws)


def permutation_test(
    statistic: Statistic,
    human: npt.ArrayLike,
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    swap: str = "both",
    trials: int = TRIALS,
    stopping: Stopping | None = None,
    random: Random = 0,
) -> Tested:
    """Does `first` agree with people better than `second`? Scores (systems, segments)."""
    people, a, b = checked(human, first, second)
    if swap not in SWAPS:
        raise CupelError(f"Tests cannot exchange {swap!r}: it should be one of {', '.join(SWAPS)}.")
    if statistic.differences or statistic.weighted:
        raise CupelError("There is no permutation test for differences or for weighted averages.")
    rule = stopping or Stopping()
    draws = generator(random)
    if swap == "pairs":
        return _run(*_of_pairs(statistic, people, a, b, draws), trials, rule, pairs=True)
    if statistic.name in CALIBRATED:
        return _run(*_recalibrated(statistic, people, a, b, swap, draws), trials, rule)
    return _run(*_of_scores(statistic, people, a, b, swap, draws), trials, rule)


Blocks = Callable[[int], FloatArray]
"""How many trials to make -> (trials, 2): the statistics of A and of B in each."""


def _run(
    difference: float, blocks: Blocks, trials: int, rule: Stopping, pairs: bool = False
) -> Tested:
    """Trials block after block, until the p-value is clear."""
    done = [np.zeros((0, 2))]
    reached, made = 0, 0
    while made < trials:
        block = blocks(min(rule.block, trials - made))
        done.append(block)
        hits = block[:, 0] - block[:, 1] >= difference
        reached, made = reached + int(hits.sum()), made + len(block)
        looked = made % rule.block == 0 and (hits[-1] or not (pairs and rule.as_published))
        if looked and not rule.low <= reached / made <= rule.high:
            break
    return Tested(reached / made if made else 0.0, difference, np.concatenate(done))


def _of_scores(
    statistic: Statistic,
    human: FloatArray,
    first: FloatArray,
    second: FloatArray,
    swap: str,
    random: np.random.RandomState,
) -> tuple[float, Blocks]:
    from cupel.kernels.permutations import toss_coins

    if statistic.name == "accuracy":
        groups = system_blocks(statistic, human, first, second)
    else:
        average = "none" if statistic.name == "spa" else statistic.average
        groups = grouped(human, [first, second], average)
    if not len(groups.human):
        raise CupelError("There is no translation that people and both metrics have a score for.")
    groups = replace(groups, metrics=np.stack([standardised(scores) for scores in groups.metrics]))
    missing = np.isnan(human) | np.isnan(first) | np.isnan(second)
    swapped = swapped_statistic(statistic, np.where(missing, np.nan, human), groups)
    count, unit = _units(statistic, human, first, second, swap)
    whole = np.ones((1, len(groups.human)), np.uint8)
    real = swapped(whole)[0]

    def blocks(trials: int) -> FloatArray:
        height = max(1, _HELD // len(groups.human))
        parts = []
        for start in range(0, trials, height):
            coins = toss_coins(random, (min(height, trials - start), count))
            # B keeps its own score where the coin shows 1, and so does A.
            parts.append(swapped(coins if unit is None else coins[:, unit]))
        return np.concatenate(parts)

    return float(real[0] - real[1]), blocks


def _units(
    statistic: Statistic, human: FloatArray, first: FloatArray, second: FloatArray, swap: str
) -> tuple[int, IntArray | None]:
    """How many coins a trial tosses, and which of them is for which score; None: each its own."""
    place = np.arange(human.size, dtype=np.float64).reshape(human.shape)
    place[np.isnan(human) | np.isnan(first) | np.isnan(second)] = np.nan
    average = "none" if statistic.name in ("spa", "accuracy") else statistic.average
    at = grouped(place, [place], average).human.astype(np.int64)
    systems, segments = human.shape
    if swap == "both":
        return len(at), None
    return (systems, at // segments) if swap == "systems" else (segments, at % segments)


def _recalibrated(
    statistic: Statistic,
    human: FloatArray,
    first: FloatArray,
    second: FloatArray,
    swap: str,
    random: np.random.RandomState,
) -> tuple[float, Blocks]:
    """With a threshold chosen in each trial; coins are tossed for what people did not judge too."""
    from cupel.kernels.permutations import toss_coins

    a, b = standardised(first), standardised(second)
    lost = 0 * (a + b)
    systems, segments = human.shape
    shape = {"both": (systems, segments), "systems": (systems, 1), "segments": (1, segments)}[swap]

    def value(scores: FloatArray) -> float:
        # A constant metric ties all.
        present = np.zeros_like(scores) if np.isnan(scores).all() else scores
        return calibrated(statistic, human, present, random).value or 0.0

    real_a, real_b = value(a), value(b)

    def trial() -> tuple[float, float]:
        kept = toss_coins(random, shape).view(np.bool_)
        of_b = value(np.where(kept, b, a) + lost)
        return value(np.where(kept, a, b) + lost), of_b

    return real_a - real_b, lambda trials: np.array([trial() for _ in range(trials)])


_VERDICTS = {"tau-b": "tau-b", "tau-23": "tau-23", "acc-23": "acc-23"}
_VERDICTS |= {"tau-eq": "tau-23", "acc-eq": "acc-23"}


def _of_pairs(
    statistic: Statistic,
    human: FloatArray,
    first: FloatArray,
    second: FloatArray,
    random: np.random.RandomState,
) -> tuple[float, Blocks]:
    from cupel.kernels.groups import group_counts, pair_kinds
    from cupel.kernels.permutations import swapped_kinds

    if statistic.name not in _VERDICTS:
        raise CupelError(
            f"Verdicts on pairs cannot be exchanged for {statistic.name}: only for "
            f"{', '.join(_VERDICTS)}."
        )
    epsilons = [
        calibrated(statistic, human, scores, random).epsilon or 0.0
        if statistic.name in CALIBRATED
        else statistic.epsilon
        for scores in (second, first)
    ]
    groups = grouped(human, [first, second], statistic.average)
    starts = groups.starts
    whole = [
        group_counts(scores[None], groups.human, starts, epsilon)[0]
        for scores, epsilon in zip(groups.metrics, epsilons[::-1], strict=True)
    ]
    kinds = [
        pair_kinds(scores, groups.human, starts, epsilon)
        for scores, epsilon in zip(groups.metrics, epsilons[::-1], strict=True)
    ]

    def value(counts: IntArray) -> FloatArray:
        return mean_of_groups(of_counts(_VERDICTS[statistic.name], counts), statistic.zeros)

    def blocks(trials: int) -> FloatArray:
        parts = []
        height = max(1, _HELD // (5 * len(starts)))
        for start in range(0, trials, height):
            of_b = swapped_kinds(random, starts, kinds[1], kinds[0], min(height, trials - start))
            parts.append(np.stack([value(whole[0] + whole[1] - of_b), value(of_b)], axis=1))
        return np.concatenate(parts)

    real = value(np.stack(whole))
    return float(real[0] - real[1]), blocks


def standardised(scores: FloatArray) -> FloatArray:
    """Mean 0 and deviation 1, so that scores of two metrics can be exchanged.

    NaN if constant, by the rule of SciPy's `zscore`, which rounding escapes now and then.
    """
    present = scores[~np.isnan(scores)]
    if not len(present):
        return scores
    mean, deviation = present.mean(), present.std()
    if deviation <= abs(np.finfo(np.float64).eps * mean):
        return np.full(scores.shape, np.nan)
    return np.asarray((scores - mean) / deviation)


Swapped = Callable[[Bytes], FloatArray]
"""Coins (trials, n) -> (trials, 2): the statistics of A and B, exchanged where the coin is 0."""


def swapped_statistic(statistic: Statistic, human: FloatArray, groups: Groups) -> Swapped:
    """For the two metrics of the groups, on one scale; human: (systems, segments), for `spa`."""
    special = {"pearson": _swapped_pearson, "spearman": _swapped_spearman}
    special |= dict.fromkeys(("tau-b", "tau-23", "acc-23"), _swapped_counts)
    # A constant metric is NaN on the common scale.
    if statistic.name in special and not statistic.epsilon and not np.isnan(groups.metrics).any():
        return special[statistic.name](statistic, groups)
    compute = _rows(statistic, groups) if statistic.name != "spa" else soft_rows(statistic, human)
    a, b = groups.metrics
    # With a constant metric, which has no common scale, no exchanged score is one (as 0 NaN there).
    lost = 0 * (a + b)

    def of_rows(coins: Bytes) -> FloatArray:
        kept = coins.view(np.bool_)
        sides = np.where(kept, a, b) + lost, np.where(kept, b, a) + lost
        if len(coins) == 1 and kept.all():  # nothing is exchanged
            sides = a[None], b[None]
        return np.stack([compute(side) for side in sides], axis=1)

    return of_rows


def _rows(statistic: Statistic, groups: Groups) -> Callable[[FloatArray], FloatArray]:
    def compute(metrics: FloatArray) -> FloatArray:
        return mean_of_groups(group_values(statistic, groups, metrics), statistic.zeros)

    return compute


def mean_of_groups(values: FloatArray, zeros: bool) -> FloatArray:
    """(rows, groups) -> (rows,): the mean of those with a value; 0 where none has one."""
    undefined = np.isnan(values)
    if not undefined.any():
        return values.mean(axis=1) if values.shape[1] else np.zeros(len(values))
    if zeros:
        return np.asarray(np.where(undefined, 0.0, values).mean(axis=1))
    rows = zip(values, ~undefined, strict=True)
    return np.array([row[kept].mean() if kept.any() else 0.0 for row, kept in rows])


def _swapped_pearson(statistic: Statistic, groups: Groups) -> Swapped:
    """From three sums a group: x, x squared, and x times people's score, which is centred."""
    from cupel.kernels.permutations import swapped_sums

    number = np.repeat(np.arange(len(groups.sizes)), groups.sizes)
    sums = np.add.reduceat(np.vstack([groups.metrics, groups.human]), groups.starts[:-1], axis=1)
    means = sums / groups.sizes
    y = groups.human - means[2][number]
    # Around the middle of both metrics, so that squares lose no digits.
    a, b = groups.metrics - means[:2].mean(axis=0)[number]
    first, second = (np.stack([x, x * x, x * y], axis=1) for x in (a, b))
    scale = np.sqrt(np.add.reduceat(y * y, groups.starts[:-1]))
    constant = np.isnan(group_values(statistic, groups, np.arange(1.0, len(y) + 1)[None])[0])

    def swapped(coins: Bytes) -> FloatArray:
        sums = swapped_sums(first, second, groups.starts, coins)
        total, squares, products = np.moveaxis(sums, -1, 0)  # each (2, trials, groups)
        spread = squares - total * total / groups.sizes
        with np.errstate(divide="ignore", invalid="ignore"):
            values = np.clip(products / (np.sqrt(np.maximum(spread, 0)) * scale), -1.0, 1.0)
        values[..., constant] = np.nan
        _mend(statistic, groups, coins, values, (spread <= 1e-9 * squares) & ~constant)
        return np.stack([mean_of_groups(side, statistic.zeros) for side in values], axis=1)

    return swapped


def _swapped_spearman(statistic: Statistic, groups: Groups) -> Swapped:
    from cupel.kernels.orders import CommonOrder, swapped_ranks

    order = CommonOrder.of(groups.metrics[0], groups.metrics[1], groups.starts)
    ranks = centred_ranks(groups.human[None], groups)[0]
    squares = np.add.reduceat(ranks * ranks, groups.starts[:-1])

    def swapped(coins: Bytes) -> FloatArray:
        products, own_squares = np.moveaxis(swapped_ranks(order, ranks, coins), -1, 0)
        values = spearman_of_sums(products, own_squares, squares, groups.sizes)
        return np.stack([mean_of_groups(side, statistic.zeros) for side in values], axis=1)

    return swapped


def _swapped_counts(statistic: Statistic, groups: Groups) -> Swapped:
    from cupel.kernels.orders import CommonOrder, swapped_orders

    order = CommonOrder.of(groups.metrics[0], groups.metrics[1], groups.starts)
    levels = dense_ranks(groups.human[None], groups)[0]

    def swapped(coins: Bytes) -> FloatArray:
        values = of_counts(
            statistic.name, scipy_order(statistic, swapped_orders(order, levels, coins))
        )
        return np.stack([mean_of_groups(side, statistic.zeros) for side in values], axis=1)

    return swapped


def _mend(
    statistic: Statistic, groups: Groups, coins: Bytes, values: FloatArray, doubtful: BoolArray
) -> None:
    """Compute again from the scores what is constant, or so nearly that sums cannot tell."""
    for side, trial, group in np.argwhere(doubtful):
        start, end = groups.starts[group : group + 2]
        kept = coins[trial, start:end] != side
        x = np.where(kept, groups.metrics[0, start:end], groups.metrics[1, start:end])
        single = Groups(
            groups.labels[[group]], groups.sizes[[group]], groups.human[start:end], x[None]
        )
        values[side, trial, group] = group_values(statistic, single, single.metrics)[0, 0]
