"""Learn a correction of a release from a few hundred judgments, and only if it holds on others.

Two things can be wrong with a metric in a new domain, and each is corrected by itself, from the readings
of `cupel.learned.assay.model.correction`:

    words  which of two translations of a segment is better: s + v . words with v >= 0, so that more of
           the reference's own words, or its capitals, never cost. Learned from grades and readings less
           their means over the segment
    level  which segments are hard: s + u . level, of the reference alone. The order within a segment
           stays as it is

Both are ridge regressions held to the release: the slope of s at 0.3 (in deviations) as if by 100
judgments, the other weights at 0 by a strength. Strengths are chosen by cross-validation over documents
(over segments where there are none): what gains most on judgments that were left out, if the lower
bound of that gain is above 0; else the part is left out. Gains are of tau within segments for the words,
which must not lower r, and of Pearson's r for the level, as `cupel.learned.assay.training.graded` has
them. While there is no reason for another strength, words count a little more (the first strength):
if that alone gains tau, or together with a level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.learned.assay.model.correction import COLUMNS, LEVEL, WORDS, Correction

PRIOR, HELD = 0.3, 100.0
"""The slope of the release's score before judgments are seen, and what it weighs in judgments."""
LEAST_SLOPE = 0.1
WORD_STRENGTHS = (3000.0, 1000.0, 300.0)
"""In judgments; the first where judgments do not ask for another."""
LEVEL_STRENGTHS = (10.0, 30.0, 100.0)
"""In segments."""
FOLDS, REPEATS = 5, 3
WORD_CONFIDENCE, LEVEL_CONFIDENCE = 0.95, 0.9
"""Of the lower bounds of gains, by Student's t. Of 120 campaigns in which nothing was wrong, the words
were corrected in 1 and the level in 4."""
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
    """How strongly words and level are held to the release; None: not corrected at all."""

    words: float | None = None
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

    def bound(self, confidence: float) -> float:
        """The lower bound that decides; minus infinity where nothing could be measured."""
        if self.units < FEWEST_UNITS or not np.isfinite(self.gain):
            return -np.inf
        return self.gain - student(confidence, self.units) * self.error

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


def tune(material: Material, seed: int = 12345) -> Tuned:
    """Choose what to correct, and learn it from all judgments.

    Where nothing helps there is no correction, and the gains are those of what came closest.
    """
    folds = list(_folds(material.document, seed))
    careful = Choice(WORD_STRENGTHS[0])
    weaker = map(Choice, WORD_STRENGTHS[1:])
    words, _ = _best(material, folds, weaker, tau_gain, WORD_CONFIDENCE, careful, r_gain)
    some, _ = _best(material, folds, [words], tau_gain, WORD_CONFIDENCE, Choice(), r_gain)
    levels = [replace(words, level=strength) for strength in LEVEL_STRENGTHS]
    choice, closest = _best(material, folds, levels, r_gain, LEVEL_CONFIDENCE, words)
    refused = choice == Choice(words.words) and some == Choice()
    release = material.readings[None, :, 0]
    after = left_out_scores(material, closest if refused else choice, folds)
    gains = tau_gain(material, release, after), r_gain(material, release, after)
    if refused:
        return Tuned(None, Choice(), *gains)
    return Tuned(_rescaled(material, fitted(material, choice)), choice, *gains)


def _best(
    material: Material,
    folds: Sequence[IntArray],
    choices: Iterable[Choice],
    gain: Gaining,
    confidence: float,
    now: Choice,
    unharmed: Gaining | None = None,
) -> tuple[Choice, Choice]:
    """The choice that gains most over `now`, of those whose lower bound is above 0, else `now`.

    unharmed: another statistic, which must not fall. And the one that gains most, whatever its bound.
    """
    before = left_out_scores(material, now, folds)
    after = {choice: left_out_scores(material, choice, folds) for choice in choices}
    gains = {choice: gain(material, before, scores) for choice, scores in after.items()}
    safe = [
        choice
        for choice, scores in after.items()
        if gains[choice].bound(confidence) > 0
        and (unharmed is None or unharmed(material, before, scores).gain >= 0)
    ]
    order = {choice: np.nan_to_num(gained.gain, nan=-np.inf) for choice, gained in gains.items()}
    best = max(safe, key=lambda choice: order[choice], default=now)
    return best, max(order, key=lambda choice: order[choice])


def _folds(document: IntArray, seed: int) -> Iterator[IntArray]:
    """(n,) the fold of each judgment, several times; a document is in one fold."""
    generator = np.random.default_rng(seed)
    _, of = np.unique(document, return_inverse=True)
    count = int(of.max()) + 1
    for _ in range(REPEATS):
        yield (generator.permutation(count) % min(FOLDS, count))[of]


def left_out_scores(material: Material, choice: Choice, folds: Sequence[IntArray]) -> FloatArray:
    """(repeats, n): each judgment scored by a correction that was learned without its fold."""
    scores = np.empty((len(folds), len(material)))
    for row, fold in zip(scores, folds, strict=True):
        for number in range(int(fold.max()) + 1):
            out = np.flatnonzero(fold == number)
            correction = fitted(material.take(np.flatnonzero(fold != number)), choice)
            row[out] = correction(material.readings[out])
    return scores


def fitted(material: Material, choice: Choice) -> Correction:
    """The correction that a choice gives on these judgments; the slope of the score stays 1."""
    weights = np.zeros(COLUMNS - 1)
    if choice.words is not None:
        weights[WORDS - 1] = _words(material, choice.words)
    if choice.level is not None:
        corrected = Correction(1.0, weights, 0.0)(material.readings)
        weights[LEVEL - 1] = _level(material, corrected, choice.level)
    return Correction(1.0, weights, 0.0)


def _words(material: Material, strength: float) -> FloatArray:
    """Weights of the words beside the score, from differences within segments; none below 0."""
    from scipy.optimize import nnls

    chosen = np.concatenate([[0], WORDS])
    x, spread = _standard(_centred(material.readings[:, chosen], material.segment))
    y, scale = _standard(_centred(material.grades[:, None], material.segment))
    if not scale[0] or not spread[0]:
        return np.zeros(len(WORDS))
    penalty = np.sqrt(np.concatenate([[HELD], np.full(len(WORDS), strength)]))
    target = np.concatenate([y[:, 0], [penalty[0] * PRIOR], np.zeros(len(WORDS))])
    solved, _ = nnls(np.vstack([x, np.diag(penalty)]), target)
    return _beside_score(solved, spread)


def _level(material: Material, scores: FloatArray, strength: float) -> FloatArray:
    """Weights of the level beside the score, from all judgments."""
    table = np.column_stack([scores, material.readings[:, LEVEL]])
    x, spread = _standard(table - table.mean(0))
    y, scale = _standard(material.grades[:, None] - material.grades.mean())
    if not scale[0] or not spread[0]:
        return np.zeros(len(LEVEL))
    # All translations of a segment have the same reference: judgments count as their segments.
    each = len(material) / len(np.unique(material.segment))
    penalty = np.concatenate([[HELD], np.full(len(LEVEL), strength * each)])
    target = x.T @ y[:, 0]
    target[0] += HELD * PRIOR
    solved: FloatArray = np.linalg.solve(x.T @ x + np.diag(penalty), target).astype(np.float64)
    return _beside_score(solved, spread)


def _standard(table: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Columns (mean 0) with deviation 1, and what it was; a column that does not vary is 0."""
    spread = table.std(0)
    spread[spread < 1e-6] = 0.0  # of rounding
    return np.divide(table, spread, out=np.zeros_like(table), where=spread > 0), spread


def _beside_score(solved: FloatArray, spread: FloatArray) -> FloatArray:
    """Weights of all columns but the first, such that the first, the score, has weight 1."""
    slope = max(float(solved[0]), LEAST_SLOPE) / spread[0]
    weights = np.divide(solved, spread, out=np.zeros_like(solved), where=spread > 0)
    return np.asarray(weights[1:] / slope)


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
