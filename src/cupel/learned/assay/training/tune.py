"""Learn a correction of a release from a few hundred judgments, and only if it holds on others.

Two things can be wrong with a metric in a new domain, and each is corrected by itself:

    order  which of two translations of a segment is better: s + v . x, with readings x of one block.
           Grades and readings less their means over the segment; ridge regression that is held to the
           release: the slope of s at 0.3 (in deviations) as if by 100 judgments, v at 0 by a strength
    level  which segments are hard: s + u . y, with readings y of the reference alone. The order within
           a segment stays as it is

Blocks and strengths are chosen by cross-validation over documents (over segments where there is one
document only): what has the highest lower bound of its gain on judgments that were left out. If no
lower bound is above 0, nothing is corrected. Gains are of tau within segments for the order, and of
Pearson's r for the level; see `cupel.learned.assay.training.graded`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.learned.assay.model.correction import Correction, Layout

PRIOR, HELD = 0.3, 100.0
"""The slope of the release's score before judgments are seen, and what it weighs in judgments."""
LEAST_SLOPE = 0.1
STRENGTHS = {"words": (300.0, 1000.0, 3000.0), "head": (1000.0, 3000.0, 10000.0),
             "units": (1000.0, 3000.0, 10000.0)}  # fmt: skip
LEVEL_STRENGTHS = (10.0, 30.0, 100.0)
"""In segments, where those of the order are in judgments."""
FOLDS, REPEATS = 5, 3
CONFIDENCE = 0.9
"""Of the lower bound of a gain, by Student's t."""
DRAWS = 200
FEWEST, FEWEST_UNITS = 30, 10
"""Judgments, and documents or segments, without which nothing can be learned or checked."""
Gaining = Callable[["Material", FloatArray, FloatArray], "Gain"]


@dataclass(frozen=True)
class Material:
    """Judged translations: readings (n, columns), grades (n,), numbers of segment and document."""

    readings: FloatArray
    grades: FloatArray
    segment: IntArray
    document: IntArray

    def __len__(self) -> int:
        return len(self.grades)

    def take(self, rows: IntArray) -> Material:
        return Material(
            self.readings[rows], self.grades[rows], self.segment[rows], self.document[rows]
        )


@dataclass(frozen=True)
class Choice:
    """What is corrected, and how strongly it is held to the release; None: not at all."""

    block: str | None = None
    strength: float = 0.0
    level: float | None = None


@dataclass(frozen=True)
class Gain:
    """Of a statistic on judgments that were left out: before, after, and the error of the gain.

    units: how many documents the error is over.
    """

    before: float
    after: float
    error: float
    units: int

    @property
    def gain(self) -> float:
        return self.after - self.before

    @property
    def bound(self) -> float:
        """The lower bound that decides; minus infinity where nothing could be measured."""
        if self.units < FEWEST_UNITS or not np.isfinite(self.gain):
            return -np.inf
        return self.gain - student(CONFIDENCE, self.units) * self.error

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of the gain's 95% interval."""
        half = student(0.975, self.units) * self.error if self.units > 1 else np.nan
        return self.gain - half, self.gain + half


def student(share: float, units: int) -> float:
    """The quantile of Student's t for that many units."""
    from scipy.special import stdtrit

    return float(stdtrit(units - 1, share))


@dataclass(frozen=True)
class Tuned:
    """A correction, what was chosen, and the gains; without correction where nothing helps."""

    correction: Correction | None
    choice: Choice
    tau: Gain
    r: Gain


def tune(material: Material, layout: Layout, seed: int = 12345) -> Tuned:
    """Choose what to correct, and learn it from all judgments."""
    folds = list(_folds(material.document, seed))
    orders = [
        Choice(block, strength) for block in layout.blocks for strength in STRENGTHS.get(block, ())
    ]
    choice = _best(material, layout, folds, orders, tau_gain, Choice())
    levels = [replace(choice, level=strength) for strength in LEVEL_STRENGTHS]
    choice = _best(material, layout, folds, levels, r_gain, choice)
    release = material.readings[None, :, 0]
    after = left_out_scores(material, layout, choice, folds)
    gains = tau_gain(material, release, after), r_gain(material, release, after)
    if choice == Choice():
        return Tuned(None, choice, *gains)
    return Tuned(_rescaled(material, fitted(material, layout, choice)), choice, *gains)


def _best(
    material: Material,
    layout: Layout,
    folds: Sequence[IntArray],
    choices: Sequence[Choice],
    gain: Gaining,
    now: Choice,
) -> Choice:
    """The choice whose gain over `now` has the highest lower bound; `now`, if none is above 0."""
    before = left_out_scores(material, layout, now, folds)
    best, highest = now, 0.0
    for choice in choices:
        bound = gain(material, before, left_out_scores(material, layout, choice, folds)).bound
        if bound > highest:
            best, highest = choice, bound
    return best


def _folds(document: IntArray, seed: int) -> Iterator[IntArray]:
    """(n,) the fold of each judgment, several times; a document is in one fold."""
    generator = np.random.default_rng(seed)
    _, of = np.unique(document, return_inverse=True)
    count = int(of.max()) + 1
    for _ in range(REPEATS):
        yield (generator.permutation(count) % min(FOLDS, count))[of]


def left_out_scores(
    material: Material, layout: Layout, choice: Choice, folds: Sequence[IntArray]
) -> FloatArray:
    """(repeats, n): each judgment scored by a correction that was learned without its fold."""
    scores = np.empty((len(folds), len(material)))
    for row, fold in zip(scores, folds, strict=True):
        for number in range(int(fold.max()) + 1):
            out = np.flatnonzero(fold == number)
            correction = fitted(material.take(np.flatnonzero(fold != number)), layout, choice)
            row[out] = correction(material.readings[out])
    return scores


def fitted(material: Material, layout: Layout, choice: Choice) -> Correction:
    """The correction that a choice gives on these judgments; the slope of the score stays 1."""
    weights = np.zeros(layout.columns - 1)
    corrected = material.readings[:, 0]
    if choice.block is not None:
        columns = layout.blocks[choice.block]
        found = _order(material, columns, choice.strength)
        weights[columns - 1] = found
        corrected = corrected + material.readings[:, columns] @ found
    if choice.level is not None:
        columns = layout.blocks["level"]
        weights[columns - 1] = _level(material, corrected, columns, choice.level)
    return Correction(1.0, weights, 0.0)


def _order(material: Material, columns: IntArray, strength: float) -> FloatArray:
    """Weights of readings beside the score, from differences within segments."""
    chosen = np.concatenate([[0], columns])
    x = _centred(material.readings[:, chosen], material.segment)
    y = _centred(material.grades[:, None], material.segment)[:, 0]
    penalty = np.concatenate([[HELD], np.full(len(columns), strength)])
    return _ridge(x, y, penalty)


def _level(
    material: Material, scores: FloatArray, columns: IntArray, strength: float
) -> FloatArray:
    """Weights of readings of the reference beside the score, from all judgments."""
    x = np.column_stack([scores, material.readings[:, columns]])
    # All translations of a segment have the same reference: judgments count as their segments.
    each = len(material) / len(np.unique(material.segment))
    penalty = np.concatenate([[HELD], np.full(len(columns), strength * each)])
    return _ridge(x - x.mean(0), material.grades - material.grades.mean(), penalty)


def _ridge(x: FloatArray, y: FloatArray, penalty: FloatArray) -> FloatArray:
    """Weights of all columns but the first, in units of the first, whose slope is held at PRIOR."""
    spread, scale = x.std(0), float(y.std())
    varied = spread > 1e-9 * max(1.0, float(np.abs(x).max(initial=0.0)))
    if scale == 0.0 or not varied[0]:
        return np.zeros(x.shape[1] - 1)
    safe = np.where(varied, spread, 1.0)
    z = np.where(varied, x / safe, 0.0)
    target = z.T @ (y / scale)
    target[0] += penalty[0] * PRIOR
    solved = np.linalg.solve(z.T @ z + np.diag(penalty), target)
    weights: FloatArray = solved[1:] / max(float(solved[0]), LEAST_SLOPE)
    return np.where(varied[1:], weights * spread[0] / safe[1:], 0.0)


def _centred(values: FloatArray, group: IntArray) -> FloatArray:
    """(n, k) less the mean of the group."""
    _, of = np.unique(group, return_inverse=True)
    sums = np.zeros((int(of.max()) + 1, values.shape[1]))
    np.add.at(sums, of, values)
    return values - (sums / np.bincount(of)[:, None])[of]


def _rescaled(material: Material, correction: Correction) -> Correction:
    """The same order of scores, with mean and deviation that the release gives these judgments."""
    before, after = material.readings[:, 0], correction(material.readings)
    factor = float(before.std() / after.std())
    offset = float(before.mean() - factor * after.mean())
    return Correction(factor, correction.weights * factor, offset)


def tau_gain(material: Material, before: FloatArray, after: FloatArray) -> Gain:
    """Of tau within segments; before, after: (repeats, n) scores.

    The error is that of a ratio of sums over documents.
    """
    pairs = _pairs(material)
    if not len(pairs):
        return Gain(np.nan, np.nan, np.nan, 0)
    left, right = pairs.T
    human = np.sign(material.grades[left] - material.grades[right])
    agreed = [
        (human * np.sign(scores[:, left] - scores[:, right])).mean(0) for scores in (before, after)
    ]
    _, of = np.unique(material.document[left], return_inverse=True)
    count = int(of.max()) + 1
    sizes = np.bincount(of, minlength=count)
    gains = np.bincount(of, agreed[1] - agreed[0], count)
    error = np.nan
    if count > 1:
        spread = gains - gains.sum() / sizes.sum() * sizes
        error = float(np.sqrt(count / (count - 1) * (spread**2).sum()) / sizes.sum())
    return Gain(float(agreed[0].mean()), float(agreed[1].mean()), error, count)


def _pairs(material: Material) -> IntArray:
    """(p, 2): translations of one segment that people told apart."""
    order = np.argsort(material.segment, kind="stable")
    starts = np.flatnonzero(np.diff(material.segment[order], prepend=-1))
    pairs = [np.zeros((0, 2), np.int64)]
    for part in np.split(order, starts[1:]):
        left, right = np.triu_indices(len(part), 1)
        apart = material.grades[part[left]] != material.grades[part[right]]
        pairs.append(np.stack([part[left][apart], part[right][apart]], 1))
    return np.concatenate(pairs)


def r_gain(material: Material, before: FloatArray, after: FloatArray) -> Gain:
    """Of Pearson's r over all judgments, the mean over repeats; documents are drawn for its error."""
    _, of = np.unique(material.document, return_inverse=True)
    count = int(of.max()) + 1
    generator = np.random.default_rng(0)
    weights = np.concatenate(
        [np.ones((1, count)), generator.multinomial(count, np.full(count, 1 / count), DRAWS)]
    )[:, of]
    values = [
        np.mean([_correlations(row, material.grades, weights) for row in scores], axis=0)
        for scores in (before, after)
    ]
    drawn = (values[1] - values[0])[1:]
    drawn = drawn[np.isfinite(drawn)]
    error = float(drawn.std()) if len(drawn) > 1 and count > 1 else np.nan
    return Gain(float(values[0][0]), float(values[1][0]), error, count)


def _correlations(scores: FloatArray, grades: FloatArray, weights: FloatArray) -> FloatArray:
    """(draws,) Pearson's r with weights (draws, n)."""
    x, y = scores - scores.mean(), grades - grades.mean()
    n, sx, sy, sxx, syy, sxy = (
        weights @ column for column in (np.ones_like(x), x, y, x * x, y * y, x * y)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        r: FloatArray = (sxy - sx * sy / n) / np.sqrt((sxx - sx * sx / n) * (syy - sy * sy / n))
    return r
