"""A correction of a release by judgments of a user's own: a linear function beside its score.

The network stays as it was released. Beside its score s the *readings* of a translation and its
reference are counts of their word pieces and letters (`cupel.learned.assay.model.scoring.readings`):

    level  of the reference alone, so the same for all translations of a segment: log(1 + n) and n / 50
           for its n pieces
    words  how much of the text is the same, more is better: chrF (F2 over 1 to 6 characters, without
           spaces); the mean of precision and recall of pieces and of F1 over 2, 3 and 4 of them in a
           row; -log(1 + pieces of the reference that are missing); -log(1 + pieces too many);
           -log(1 + |capital letters of the translation - those of the reference|), of which networks
           whose pieces are in small letters (assay-wmt13) see nothing

The corrected score is a s + w . readings + c. `cupel.learned.assay.training.tune` learns it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.errors import CupelError
from cupel.kernels.ngrams import CLIPPED, NO_WEIGHTS, clipped_matches
from cupel.neural.wordpiece import Pieces, Spelling

LEVEL, WORDS = np.arange(1, 3), np.arange(3, 8)
"""The columns of the readings; the first column is the score of the network."""
COLUMNS = 8
PIECES, CHARACTERS = 4, 6
"""The longest n-grams."""


@dataclass(frozen=True)
class Correction:
    """slope (of the score), weights (of all other readings) and offset."""

    slope: float
    weights: FloatArray
    offset: float

    def __post_init__(self) -> None:
        if len(self.weights) != COLUMNS - 1:
            raise CupelError(
                f"A correction has {COLUMNS - 1} weights, not {len(self.weights)}: it was written by "
                "another version of Cupel."
            )

    def __call__(self, readings: FloatArray) -> FloatArray:
        """(n, columns) -> (n,) corrected scores."""
        # Row by row, so that a score does not depend on what else is in a batch.
        corrected: FloatArray = np.einsum("ij,j->i", readings[:, 1:], self.weights)
        return self.slope * readings[:, 0] + corrected + self.offset


def piece_readings(
    pieces: Pieces, spelling: Spelling, hypothesis: IntArray, reference: IntArray
) -> FloatArray:
    """(items, COLUMNS - 1): what can be counted without a network."""
    ours = pieces.lengths[hypothesis].astype(np.float64)
    theirs = pieces.lengths[reference].astype(np.float64)
    shared, precision, recall = _matches(pieces, hypothesis, reference, PIECES)
    longer = 2 * precision[:, 1:] * recall[:, 1:] / (precision[:, 1:] + recall[:, 1:])
    words = np.column_stack([precision[:, 0], recall[:, 0], longer]).mean(1)
    _, precision, recall = _matches(spelling(pieces), hypothesis, reference, CHARACTERS)
    p, r = precision.mean(1), recall.mean(1)
    capitals = np.zeros(len(pieces)) if pieces.capitals is None else pieces.capitals
    return np.column_stack(
        [
            np.log1p(theirs),
            theirs / 50.0,
            5.0 * p * r / (4.0 * p + r),
            words,
            -np.log1p(np.maximum(theirs - shared, 0)),
            -np.log1p(np.maximum(ours - shared, 0)),
            -np.log1p(np.abs(capitals[hypothesis] - capitals[reference])),
        ]
    )


def missing_pieces(pieces: Pieces, hypothesis: IntArray, reference: IntArray) -> FloatArray:
    """(items,) pieces of the reference that the translation lacks; where there is no reference, those of
    the translation, which all have no partner.
    """
    shared, _, _ = _matches(pieces, hypothesis, reference, 1)
    ours, theirs = pieces.lengths[hypothesis], pieces.lengths[reference]
    return np.where(theirs > 0, np.maximum(theirs - shared, 0), ours).astype(np.float64)


def _matches(
    pieces: Pieces, hypothesis: IntArray, reference: IntArray, orders: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(items,) pieces that both have; (items, orders) precision and recall of n-grams.

    Half a match is added, so that a short segment without any is not the worst of all.
    """
    counts, _ = clipped_matches(
        pieces.ids,
        pieces.offsets,
        np.ascontiguousarray(hypothesis, np.int64),
        np.ascontiguousarray(reference, np.int64),
        np.arange(len(hypothesis) + 1, dtype=np.int64),
        orders,
        NO_WEIGHTS,
        CLIPPED,
    )
    less = np.arange(orders)
    there = [
        np.maximum(pieces.lengths[of][:, None] - less, 0) + 1 for of in (hypothesis, reference)
    ]
    return counts[:, 0].astype(np.float64), (counts + 0.5) / there[0], (counts + 0.5) / there[1]
