"""A correction of a release by judgments of a user's own: a linear function beside its score.

The network stays as it was released. What it read of a translation and its reference, and a few
counts of their word pieces, are the *readings* of an item (`cupel.learned.assay.model.scoring`):

    level   of the reference alone, so the same for all translations of a segment: log(1 + n) and n / 50
            for its n pieces
    words   pieces and n-grams of pieces that both have: precision and recall of pieces, F of 2 to 4
            pieces in a row, log(1 + pieces of the reference that are missing), and those too many
    head    what the head of the network sees and makes of it: standardised matches, tanh units
    units   in a model that reads both sentences together, its further tanh units

The corrected score is a s + w . readings + c. `cupel.learned.assay.training.tune` learns it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.errors import CupelError
from cupel.kernels.ngrams import CLIPPED, NO_WEIGHTS, clipped_matches
from cupel.neural.wordpiece import Pieces

LEVEL, WORDS = 2, 7
ORDERS = 4


@dataclass(frozen=True)
class Layout:
    """Which columns of the readings are what; column 0 is the score of the network."""

    head: int
    units: int

    @property
    def columns(self) -> int:
        return 1 + LEVEL + WORDS + self.head + self.units

    @property
    def blocks(self) -> dict[str, IntArray]:
        """block -> its columns; those that the model lacks are left out."""
        sizes = {"level": LEVEL, "words": WORDS, "head": self.head, "units": self.units}
        edges = np.cumsum([1, *sizes.values()])
        return {
            name: np.arange(start, start + size)
            for (name, size), start in zip(sizes.items(), edges.tolist(), strict=False)
            if size
        }


@dataclass(frozen=True)
class Correction:
    """slope (of the score), weights (of all other readings) and offset."""

    slope: float
    weights: FloatArray
    offset: float

    def __call__(self, readings: FloatArray) -> FloatArray:
        """(n, columns) -> (n,) corrected scores."""
        if readings.shape[1] != 1 + len(self.weights):
            raise CupelError(
                f"A correction of {len(self.weights)} readings does not fit a model that has "
                f"{readings.shape[1] - 1}."
            )
        # Row by row, so that a score does not depend on what else is in a batch.
        corrected: FloatArray = np.einsum("ij,j->i", readings[:, 1:], self.weights)
        return self.slope * readings[:, 0] + corrected + self.offset


def piece_readings(pieces: Pieces, hypothesis: IntArray, reference: IntArray) -> FloatArray:
    """(items, LEVEL + WORDS): what can be counted without a network."""
    ours = pieces.lengths[hypothesis].astype(np.float64)
    theirs = pieces.lengths[reference].astype(np.float64)
    matches, _ = clipped_matches(
        pieces.ids,
        pieces.offsets,
        np.ascontiguousarray(hypothesis, np.int64),
        np.ascontiguousarray(reference, np.int64),
        np.arange(len(hypothesis) + 1, dtype=np.int64),
        ORDERS,
        NO_WEIGHTS,
        CLIPPED,
    )
    columns = [np.log1p(theirs), theirs / 50.0]
    for order in range(1, ORDERS + 1):
        # Half a match more, so that a short segment without any is not the worst of all.
        found = matches[:, order - 1] + 0.5
        precision = found / (np.maximum(ours - order + 1, 0) + 1)
        recall = found / (np.maximum(theirs - order + 1, 0) + 1)
        both = 2 * precision * recall / (precision + recall)
        columns += [precision, recall] if order == 1 else [both]
    columns.append(np.log1p(np.maximum(theirs - matches[:, 0], 0)))
    columns.append(np.log1p(np.maximum(ours - matches[:, 0], 0)))
    return np.stack(columns, 1)
