"""How well a metric separates damage from rewording, without a threshold.

The paper's difference formula rewards a metric whose scores hardly move at all: 15% of a cosine
near 1 is more than any change of a word. Separation compares what corruptions cost instead:

    P(cost of a damaging corruption > cost of a preserving one) + 1/2 P(equal)

over all pairs of trials (the area under the ROC curve), averaged over pairs of corruptions, so
that each counts the same. cost: how much worse the corruption scores than its original. It does
not change when a metric is stretched or shifted; 1/2 is what a blind metric gets.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cupel.arrays import FloatArray
from cupel.errors import CupelError
from cupel.mutt.corruptions import Kind
from cupel.mutt.trials import Result, Results


def separation(
    results: Results, metric: str, references: int | str | None = None
) -> dict[str, float]:
    """preserving corruption -> how well its costs lie below those of the damaging ones."""
    chosen = [
        result
        for result in results.results
        if result.metric == metric and references in (None, result.references)
    ]
    preserving = [result for result in chosen if result.trials.kind is Kind.preserving]
    damaging = [result for result in chosen if result.trials.kind is not Kind.preserving]
    if not preserving or not damaging:
        raise CupelError(
            f"Separation of {metric!r} needs corruptions that preserve the meaning and others that do "
            f"not; there are {len(preserving)} and {len(damaging)}."
        )
    names = dict.fromkeys(result.corruption for result in preserving)
    return {
        name: _mean([r for r in preserving if r.corruption == name], damaging) for name in names
    }


def above(first: FloatArray, second: FloatArray) -> float:
    """The share of pairs in which the value of `first` is larger, ties counting half."""
    ordered = np.sort(second)
    below = np.searchsorted(ordered, first, side="left")
    up_to = np.searchsorted(ordered, first, side="right")
    return float((below + up_to).sum() / (2 * len(first) * len(second)))


def _mean(preserving: Sequence[Result], damaging: Sequence[Result]) -> float:
    return float(
        np.mean(
            [
                above(damage.costs, kept.costs)
                for kept in preserving
                for damage in damaging
                if kept.references == damage.references
            ]
        )
    )
