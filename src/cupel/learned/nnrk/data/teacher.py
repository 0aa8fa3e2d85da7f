"""More pairs to learn from: how a teacher, a better metric, compares translations of a segment.

The teacher's scores enter as one more skip arc, the last one, which `without_teacher` takes off again.
How probable it is that the one of two translations is better is a logistic function of the difference of
their scores, as steep as the judges' preferences make it likeliest. A pair's preference is drawn
with that probability: pairs that the teacher hardly tells apart teach hardly anything.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cupel.arrays import FloatArray
from cupel.errors import CupelError
from cupel.learned.nnrk.data.examples import Examples
from cupel.learned.nnrk.model.features import FeatureSet, feature_set

STEPS = 50


def with_teacher(features: FeatureSet, teacher: str) -> FeatureSet:
    """The features, and behind the skip arcs the teacher's scores."""
    scores = feature_set([teacher])
    if len(scores.skips) != 1 or "." in teacher:
        raise CupelError(f"A teacher is a metric; {teacher!r} is none.")
    return replace(features, skips=(*features.skips, *scores.skips))


def without_teacher(examples: Examples) -> tuple[Examples, FloatArray]:
    """The examples without the last skip arc, and that one."""
    return replace(examples, psi=examples.psi[:, :-1]), examples.psi[:, -1]


def steepness(differences: FloatArray) -> float:
    """k of the logistic function of k times the difference, preferred less other, by likelihood."""
    spread = float(differences.std())
    if not spread > 0:
        raise CupelError("The teacher gives all translations that were compared the same score.")
    scaled, k = differences / spread, 0.0
    for _ in range(STEPS):  # Newton's method; the likelihood has one maximum
        p = 1 / (1 + np.exp(-k * scaled))
        slope, curve = float(((1 - p) * scaled).mean()), float((p * (1 - p) * scaled**2).mean())
        k = min(k + slope / max(curve, 1e-9), 50.0)
    if not k > 0:
        raise CupelError(
            "The teacher prefers what judges do not: nothing is to be learned from it."
        )
    return k / spread


def taught(judged: Examples, scores: FloatArray, count: int, seed: int) -> Examples:
    """The judged pairs, and `count` more of the same translations as the teacher prefers.

    scores: (items,) the teacher's.
    """
    better = np.where(judged.label == 1, judged.first, judged.second)
    worse = np.where(judged.label == 1, judged.second, judged.first)
    steep = steepness(scores[better] - scores[worse])
    random = np.random.default_rng(seed)
    items = np.unique(np.concatenate([judged.first, judged.second]))
    items = items[np.argsort(judged.reference[items], kind="stable")]
    of_pair = np.zeros(len(judged.psi), np.int64)
    of_pair[np.concatenate([judged.first, judged.second])] = np.tile(np.arange(len(judged)), 2)
    reference = judged.reference[items]
    low = np.searchsorted(reference, reference)
    size = np.searchsorted(reference, reference, "right") - low
    able = np.flatnonzero(size > 1)
    drawn = able[random.integers(0, len(able), count)]
    step = 1 + (random.random(count) * (size[drawn] - 1)).astype(np.int64)
    other = low[drawn] + (drawn - low[drawn] + step) % size[drawn]
    first, second = items[drawn], items[other]
    likely = 1 / (1 + np.exp(-steep * (scores[first] - scores[second])))
    pair = of_pair[first]
    return replace(
        judged,
        first=np.concatenate([judged.first, first]),
        second=np.concatenate([judged.second, second]),
        label=np.concatenate([judged.label, (random.random(count) < likely).astype(np.int64)]),
        line=np.concatenate([judged.line, judged.line[pair]]),
        language=np.concatenate([judged.language, judged.language[pair]]),
    )
