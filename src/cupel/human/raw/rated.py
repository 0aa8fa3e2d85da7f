"""Scores from judgments: a matrix (systems, segments) for each rater, and their mean.

Errors become scores by a scheme of weights; scores that raters gave are taken as they are. z-scores
are (score - mean) / standard deviation of all scores of a rater, with n - 1 in the variance and 1 for
a rater without variance, as Appraise computes them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cupel.arrays import FloatArray
from cupel.errors import CupelError
from cupel.human.raw.annotations import Annotations, Notes, segment_order
from cupel.human.raw.schemes import Scheme, read_scheme


@dataclass(frozen=True)
class Rated:
    """One language pair: rater -> (systems, segments), NaN where the rater judged nothing.

    places: (document, segment) of each segment in order. method: the name of the scheme, or `given`
    where the raters' own scores are used; with `z` behind it for z-scores.
    """

    pair: str
    kind: str
    method: str
    systems: list[str]
    places: list[tuple[str, str]]
    scores: dict[str, FloatArray]

    def standardized(self) -> Rated:
        """The same with z-scores."""
        scores = {rater: _z_scores(matrix) for rater, matrix in self.scores.items()}
        method = f"{self.method}, z"
        return Rated(self.pair, self.kind, method, self.systems, self.places, scores)

    def combined(self, how: str = "mean") -> FloatArray:
        """(systems, segments): the mean or the sum over raters; NaN where nobody judged."""
        total = np.zeros((len(self.systems), len(self.places)))
        count = np.zeros_like(total)
        for matrix in self.scores.values():
            judged = np.isfinite(matrix)
            total += np.where(judged, matrix, 0.0)
            count += judged
        with np.errstate(invalid="ignore"):
            values = total / count if how == "mean" else total
        return np.where(count > 0, values, np.nan)

    def counts(self) -> FloatArray:
        """(systems, segments): how many raters judged each translation."""
        shape = (len(self.systems), len(self.places))
        return sum((np.isfinite(m).astype(float) for m in self.scores.values()), np.zeros(shape))


def rate(
    annotations: Annotations,
    notes: Notes,
    scheme: Scheme | None = None,
    places: list[tuple[str, str]] | None = None,
) -> Rated:
    """The scores of every rater.

    scheme: weights for marked errors, also where raters gave scores; without one, given scores are
    used where there are any, and Google's weights elsewhere. places: the segments, where there are
    more of them than were judged.
    """
    given = scheme is None and any(one.score is not None for one in annotations.judgments)
    weights = scheme or read_scheme("google")
    systems, places = annotations.systems, places or segment_order(annotations.judgments)
    row = {system: number for number, system in enumerate(systems)}
    column = {place: number for number, place in enumerate(places)}
    scores = {rater: np.full((len(systems), len(places)), np.nan) for rater in annotations.raters}
    for one in annotations.judgments:
        score = one.score if given else weights.score(one, notes)
        if score is None:
            notes.count("judgments without a score, left out")
        else:
            scores[one.rater][row[one.system], column[one.place]] = score
    if not any(np.isfinite(matrix).any() for matrix in scores.values()):
        raise CupelError(f"There is no judgment of {annotations.pair} with a score.")
    method = "given" if given else weights.name
    return Rated(annotations.pair, annotations.kind, method, systems, places, scores)


def _z_scores(matrix: FloatArray) -> FloatArray:
    values = matrix[np.isfinite(matrix)]
    if not len(values):
        return matrix
    spread = float(np.sqrt(((values - values.mean()) ** 2).sum() / max(len(values) - 1, 1)))
    return np.asarray((matrix - values.mean()) / (spread or 1.0))
