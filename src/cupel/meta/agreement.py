"""A statistic between a metric and people: `agreement`, and what it is made of.

Values of groups are arrays (rows, groups): rows are several metrics, or one metric with some of its
scores exchanged, as permutation tests do by the thousand. NaN marks a group without a value.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from cupel.arrays import FloatArray, Int32Array, IntArray
from cupel.errors import CupelError
from cupel.meta.soft import soft_rows
from cupel.meta.statistic import (
    CALIBRATED,
    Groups,
    Random,
    Statistic,
    Value,
    checked,
    generator,
    grouped,
)

_HELD = 4_000_000


def agreement(
    statistic: Statistic,
    human: npt.ArrayLike,
    metric: npt.ArrayLike,
    *,
    random: Random = 0,
    p_value: bool = False,
) -> Value:
    """The statistic of one metric: human and metric (systems, segments), NaN where missing.

    random: what `sample_rate` draws from. p_value: ask for it too (pearson, spearman, tau).
    """
    people, scores = checked(human, metric)
    if statistic.name in CALIBRATED:
        return calibrated(statistic, people, scores, random)
    if statistic.name == "spa":
        return _soft(statistic, people, [scores])[0]
    if statistic.name == "accuracy":
        return _accuracy(statistic, people, scores)
    groups = grouped(people, [scores], statistic.average)
    if statistic.differences:
        return _of_differences(statistic, groups)
    groups = _of_two_or_more(groups)
    values = group_values(statistic, groups, groups.metrics)[0]
    weights = _weights(statistic, groups) if statistic.weighted else np.ones(len(values))
    if statistic.zeros:
        values = np.nan_to_num(values)
    defined = ~np.isnan(values)
    n = float(weights[defined].sum())
    if not n:
        return Value(None, 0)
    # One after the other, as mt-metrics-eval adds: equal metrics must come out equal.
    total = float(np.cumsum(weights[defined] * values[defined])[-1])
    p = None
    if p_value:  # a group that counts as 0 has none, and adds nothing
        p = float(np.nan_to_num(_p_values(statistic, groups))[defined] @ weights[defined] / n)
    return Value(total / n, n, p)


def agreements(
    statistic: Statistic,
    human: npt.ArrayLike,
    metrics: Mapping[str, npt.ArrayLike],
    *,
    random: Random = 0,
) -> dict[str, Value]:
    """The statistic of several metrics, one after the other in what they draw."""
    draws = generator(random)
    people, *scores = checked(human, *metrics.values())
    gaps = [np.isnan(array) for array in scores]
    if statistic.name == "spa" and all(np.array_equal(gap, gaps[0]) for gap in gaps):
        return dict(zip(metrics, _soft(statistic, people, scores), strict=True))
    return {
        name: agreement(statistic, people, array, random=draws)
        for name, array in zip(metrics, scores, strict=True)
    }


def calibrated(
    statistic: Statistic, human: FloatArray, metric: FloatArray, random: Random
) -> Value:
    """acc-eq or tau-eq, with the threshold (Deutsch et al. 2023): pairs of the same group.

    Of equally good thresholds it is the least, but for rounding, which is that of mt-metrics-eval.
    """
    from cupel.kernels.groups import best_threshold, pairs_of

    groups = grouped(human, [metric], statistic.average)
    drawn = None
    if statistic.sample_rate < 1:
        draws, drawn = generator(random), np.empty(pairs_of(groups.starts), np.bool_)
        for start in range(0, len(drawn), _HELD):
            part = drawn[start : start + _HELD]
            part[:] = draws.random_sample(len(part)) <= statistic.sample_rate
    best = best_threshold(
        groups.metrics[0], groups.human, groups.starts, groups.labels,
        statistic.name == "tau-eq", drawn,
    )  # fmt: skip
    if best is None:
        return Value(None, 0)
    return Value(best[0], int((groups.sizes > 1).sum()), epsilon=best[1])


def _soft(statistic: Statistic, human: FloatArray, metrics: Sequence[FloatArray]) -> list[Value]:
    """Of metrics that miss the same scores; their p-values are computed together."""
    judged = np.where(np.isnan(metrics[0]), np.nan, human)
    present = ~np.isnan(judged)
    if len(human) < 2 or not present.any(axis=1).all():
        return [Value(None, 0)] * len(metrics)
    whole = present.all()
    rows = [metric.ravel() if whole else metric[present] for metric in metrics]
    values = soft_rows(statistic, judged)(rows)
    pairs = len(human) * (len(human) - 1) // 2
    return [Value(float(value), pairs) for value in values]


def _accuracy(statistic: Statistic, human: FloatArray, metric: FloatArray) -> Value:
    groups = system_blocks(statistic, human, metric)
    values = group_values(statistic, groups, groups.metrics)
    pairs = int(_pairs(groups.sizes).sum())
    return Value(float(values[0, 0]) if pairs else None, pairs)


def system_blocks(statistic: Statistic, human: FloatArray, *metrics: FloatArray) -> Groups:
    """One score per system, in groups that are the language pairs."""
    if human.shape[1] != 1:
        raise CupelError(
            f"Pairwise accuracy takes one score per system, not {human.shape[1]}: average them first."
        )
    blocks = statistic.blocks or (len(human),)
    if sum(blocks) != len(human):
        raise CupelError(f"Blocks of {sum(blocks)} systems were named, but there are {len(human)}.")
    number = np.repeat(np.arange(len(blocks)), blocks)
    kept = ~np.isnan([human, *metrics]).any(axis=(0, 2))
    sizes = np.bincount(number[kept], minlength=len(blocks))
    labels = np.flatnonzero(sizes)
    scores = np.stack([scores[kept, 0] for scores in metrics])
    return Groups(labels, sizes[labels], human[kept, 0], scores)


def _of_two_or_more(groups: Groups) -> Groups:
    """Without groups of one, which no statistic has a value for."""
    large = groups.sizes > 1
    kept = np.repeat(large, groups.sizes)
    return Groups(
        groups.labels[large], groups.sizes[large], groups.human[kept], groups.metrics[:, kept]
    )


def _of_differences(statistic: Statistic, groups: Groups) -> Value:
    """Pearson's r of the differences between any two translations of one group, both ways round.

    Their mean is 0, and the sum of their products (x_i - x_j)(y_i - y_j) is 2 n times that of the
    centred scores.
    """
    if statistic.name != "pearson":
        raise CupelError("Only Pearson's r is defined over differences.")
    if not len(groups.sizes):
        return Value(None, 0)
    x, y = (_centred(a, groups) for a in (groups.metrics, groups.human[None]))
    sums = [(_sums(a * b, groups)[0] * groups.sizes).sum() for a, b in ((x, y), (x, x), (y, y))]
    if not (sums[1] > 0 and sums[2] > 0):
        return Value(None, 0)
    return Value(float(np.clip(sums[0] / np.sqrt(sums[1]) / np.sqrt(sums[2]), -1, 1)), 1)


def group_values(statistic: Statistic, groups: Groups, metrics: FloatArray) -> FloatArray:
    """metrics (rows, n) -> (rows, groups): the statistic of each group, NaN where undefined.

    Of `accuracy`, one value for all groups.
    """
    from cupel.kernels.groups import distant_counts, group_counts

    if not len(groups.sizes):
        return np.zeros((len(metrics), 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        if statistic.name == "pearson":
            return _pearson(groups, metrics)
        if statistic.name == "spearman":
            return _spearman(groups, metrics)
        if statistic.name == "kendall-like":
            counts = distant_counts(metrics, groups.human, groups.starts, statistic.threshold)
            alike, unlike = np.moveaxis(counts, -1, 0)
            return np.where(alike + unlike > 0, (alike - unlike) / (alike + unlike), 0.0)
        counts = group_counts(metrics, groups.human, groups.starts, statistic.epsilon)
        if statistic.name == "accuracy":
            total = counts.sum(axis=(1, 2))
            share = counts[:, :, [0, 4]].sum(axis=(1, 2)) / total
            return np.where(np.isnan(metrics).any(axis=1), 0.0, share)[:, None]
        values = (
            _tau_c(groups, metrics, counts)
            if statistic.name == "tau-c"
            else of_counts(statistic.name, scipy_order(statistic, counts))
        )
        # Of a constant metric on the scale of another there is NaN.
        return np.where(np.isnan(_sums(metrics, groups)), np.nan, values)


def of_counts(name: str, counts: IntArray) -> FloatArray:
    """tau-b, tau-23 or acc-23 from counts (..., 5), in mt-metrics-eval's order of operations."""
    concordant, discordant, metric, human, both = np.moveaxis(counts, -1, 0)
    total = counts.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        if name == "tau-b":
            value = (
                (concordant - discordant)
                / np.sqrt(total - (metric + both))
                / np.sqrt(total - (human + both))
            )
            return np.asarray(np.clip(value, -1.0, 1.0))
        if name == "tau-23":
            return np.asarray((concordant + both - discordant - metric - human) / total)
        return np.asarray((concordant + both) / total)


def scipy_order(statistic: Statistic, counts: IntArray) -> IntArray:
    """tau-b without a threshold is SciPy's there, which divides by people's ties first."""
    swap = statistic.name == "tau-b" and not statistic.epsilon
    return counts[..., [0, 1, 3, 2, 4]] if swap else counts


def _tau_c(groups: Groups, metrics: FloatArray, counts: IntArray) -> FloatArray:
    classes = np.minimum(_distinct(metrics, groups), _distinct(groups.human[None], groups))
    difference = 2 * (counts[..., 0] - counts[..., 1])
    value = difference / (groups.sizes**2 * (classes - 1) / classes)
    return np.where(classes > 1, np.clip(value, -1.0, 1.0), np.nan)


def _distinct(values: FloatArray, groups: Groups) -> IntArray:
    """(rows, groups): how many different values."""
    first = _sorted(values, groups)[2]
    return np.asarray(np.add.reduceat(first, groups.starts[:-1], axis=1))


def _sorted(values: FloatArray, groups: Groups) -> tuple[IntArray, FloatArray, IntArray]:
    """Order within the groups, values in it, and 1 where one differs from the one before."""
    number = np.broadcast_to(np.repeat(np.arange(len(groups.sizes)), groups.sizes), values.shape)
    order = np.lexsort((values, number), axis=-1)
    ordered = np.take_along_axis(values, order, axis=-1)
    new = np.ones(values.shape, np.int64)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    new[:, groups.starts[:-1]] = 1
    return order, ordered, new


def _pearson(groups: Groups, metrics: FloatArray) -> FloatArray:
    x, y = _centred(metrics, groups), _centred(groups.human[None], groups)
    scale = np.sqrt(_sums(x * x, groups)) * np.sqrt(_sums(y * y, groups))
    value = np.clip(_sums(x * y, groups) / scale, -1.0, 1.0)
    constant = _constant(metrics, groups) | _constant(groups.human[None], groups)
    return np.where(constant, np.nan, value)


def _spearman(groups: Groups, metrics: FloatArray) -> FloatArray:
    """From the ranks, whose sums of products are exact."""
    x, y = centred_ranks(metrics, groups), centred_ranks(groups.human[None], groups)
    xy, xx, yy = (_sums(a * b, groups) for a, b in ((x, y), (x, x), (y, y)))
    values = spearman_of_sums(xy, xx, yy, groups.sizes)
    return np.where(np.isnan(_sums(metrics, groups)), np.nan, values)


def spearman_of_sums(xy: FloatArray, xx: FloatArray, yy: FloatArray, sizes: IntArray) -> FloatArray:
    """From sums of products of centred ranks, by the operations of `np.corrcoef`."""
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.true_divide(1, sizes - 1)
        value = np.clip(xy * each / np.sqrt(xx * each) / np.sqrt(yy * each), -1.0, 1.0)
    return np.where((xx > 0) & (yy > 0), value, np.nan)


def centred_ranks(values: FloatArray, groups: Groups) -> FloatArray:
    """Ranks within the groups, ties sharing their mean, less the mean of the group."""
    order, _, new = _sorted(values, groups)
    out = np.empty(values.shape)
    offset = np.repeat(groups.starts[:-1] + (groups.sizes - 1) / 2, groups.sizes)
    for row, flags in enumerate(new):
        at = np.flatnonzero(flags)
        lengths = np.diff(np.append(at, values.shape[1]))
        out[row, order[row]] = np.repeat(at + (lengths - 1) / 2, lengths) - offset
    return out


def dense_ranks(values: FloatArray, groups: Groups) -> Int32Array:
    """Numbers from 1 within the groups, equal ones for equal values."""
    order, _, new = _sorted(values, groups)
    number = np.cumsum(new, axis=1)
    number -= np.repeat(number[:, groups.starts[:-1]] - 1, groups.sizes, axis=1)
    out = np.empty(values.shape, np.int32)
    np.put_along_axis(out, order, number.astype(np.int32), axis=1)
    return out


def _sums(values: FloatArray, groups: Groups) -> FloatArray:
    if len(groups.sizes) == 1:
        return np.asarray(values.sum(axis=1, keepdims=True))
    return np.asarray(np.add.reduceat(values, groups.starts[:-1], axis=1))


def _centred(values: FloatArray, groups: Groups) -> FloatArray:
    mean = _sums(values, groups) / groups.sizes
    return np.asarray(values - np.repeat(mean, groups.sizes, axis=1))


def _constant(values: FloatArray, groups: Groups) -> npt.NDArray[np.bool_]:
    starts = groups.starts[:-1]
    first = np.repeat(values[:, starts], groups.sizes, axis=1)
    return np.asarray(np.logical_and.reduceat(values == first, starts, axis=1))


def _weights(statistic: Statistic, groups: Groups) -> FloatArray:
    from cupel.kernels.groups import distant_counts

    if statistic.name != "kendall-like":
        return groups.sizes.astype(np.float64)
    counts = distant_counts(groups.metrics, groups.human, groups.starts, statistic.threshold)
    return np.asarray(counts[0].sum(axis=-1), np.float64)


def _pairs(sizes: IntArray) -> IntArray:
    return np.asarray(sizes * (sizes - 1) // 2)


def _p_values(statistic: Statistic, groups: Groups) -> FloatArray:
    """Of no correlation, group by group, from SciPy."""
    from scipy import stats

    tests = {
        "pearson": stats.pearsonr,
        "spearman": stats.spearmanr,
        "tau-b": stats.kendalltau,
        "tau-c": lambda x, y: stats.kendalltau(x, y, variant="c"),
    }
    if statistic.name not in tests:
        raise CupelError(f"There is no p-value for {statistic.name}: only for {', '.join(tests)}.")
    bounds = zip(groups.starts[:-1], groups.starts[1:], strict=True)
    with warnings.catch_warnings(action="ignore"):
        p = [tests[statistic.name](groups.human[a:b], groups.metrics[0, a:b])[1] for a, b in bounds]
    return np.array(p)
