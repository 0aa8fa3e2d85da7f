"""What the checks share that need no reference: a number from 0 to 100 for each segment.

0 means that nothing was noticed; a system's score is the mean over segments, so that a check that
is 0 or 100 prints the share of segments that it flags, in percent. Lower is better.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.metric import SOURCES, SegmentMean, Signature, mean_statistics
from cupel.records import Row

if TYPE_CHECKING:
    from cupel.scores import Scores


@dataclass(frozen=True)
class Check(SegmentMean):
    """A subclass says how bad one translation is, from 0 to 1."""

    higher_is_better = False
    needs: ClassVar[tuple[str, ...]] = (SOURCES,)

    def fault(self, source: str, translation: str) -> float:
        """How much is wrong: 0 nothing, 1 everything."""
        raise NotImplementedError

    def signature(self) -> Signature:
        return Signature()

    def statistics(self, batch: Batch) -> FloatArray:
        sources: Sequence[str] = batch.sources if batch.sources is not None else [""] * len(batch)
        faults = (
            self.fault(source, translation)
            for source, translation in zip(sources, batch.hypotheses, strict=True)
        )
        return mean_statistics(100 * np.fromiter(faults, np.float64, len(batch)))


def flagged_rows(scores: Scores) -> list[Row]:
    """Flat records of what the checks noticed, segment by segment.

    system, segment (from 1), check, value, source (None where there are none), translation.
    """
    corpus = scores.corpus
    values = {
        (label, system): scores.segment_scores(label, system)
        for label, metric in scores.metrics.items()
        if isinstance(metric, Check)
        for system in scores.systems
    }
    return [
        {
            "system": system,
            "segment": segment + 1,
            "check": label,
            "value": float(values[label, system][segment]),
            "source": corpus.sources[segment] if corpus.sources is not None else None,
            "translation": corpus.systems[system][segment],
        }
        for system in scores.systems
        for segment in range(len(corpus))
        for label in dict.fromkeys(label for label, _ in values)
        if values[label, system][segment] > 0
    ]
