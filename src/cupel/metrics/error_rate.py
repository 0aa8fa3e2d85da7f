"""What the error rates (TER, WER, PER, CDER) have in common: edits over reference length.

    100 * sum of edits / sum of reference lengths

Where the references are empty the rate is 100 if there are edits and 0 if there are none, as in
sacreBLEU's TER. Rates above 100 are possible: a hypothesis may have more wrong words than its
reference has words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.metric import Metric, Signature, ratio
from cupel.metrics import shared_options as option
from cupel.text.tokenizers import Tokenizer


def error_rate(statistics: FloatArray) -> FloatArray:
    """(..., 2) summed [edits, reference length] -> (...) percent."""
    edits, length = statistics[..., 0], statistics[..., 1]
    percent: FloatArray = 100 * np.where(length > 0, ratio(edits, length), edits > 0)
    return percent


@dataclass(frozen=True)
class WordErrorRate(Metric):
    """What WER, PER and CDER share: all but their name and their distance.

    Statistics: [edits, reference length] of the reference with the lowest rate; of equal ones the
    first.
    """

    tokenize: option.Tokenize = "none"
    lowercase: option.Lowercase = False

    higher_is_better = False
    threaded = True
    distance: ClassVar[int]
    """One of the distances of `cupel.kernels.edits`."""

    def __post_init__(self) -> None:
        _ = self.tokenizer

    @property
    def tokenizer(self) -> Tokenizer:
        return Tokenizer(self.tokenize, self.lowercase)

    def signature(self) -> Signature:
        return self.tokenizer.entries()

    def statistics(self, batch: Batch) -> FloatArray:
        from cupel.kernels.edits import best_edits

        tokens = batch.analyse(self.tokenizer)
        statistics: FloatArray = best_edits(
            tokens.ids,
            tokens.offsets,
            batch.hypothesis_index,
            batch.reference_index,
            batch.reference_offsets,
            len(tokens.types),
            self.distance,
        )
        return statistics

    def score(self, statistics: FloatArray) -> FloatArray:
        return error_rate(statistics)

    def details(self, statistics: FloatArray) -> dict[str, FloatArray]:
        """What the rate is the ratio of."""
        return {"edits": statistics[..., 0], "reference-length": statistics[..., 1]}
