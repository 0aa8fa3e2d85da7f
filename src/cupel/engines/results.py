"""The result of scoring block by block: what `cupel.Scores` says, without texts and segments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cupel.arrays import FloatArray
from cupel.corpus import Corpus
from cupel.engines.blocks import EMPTY, LENGTH, TOKENISED
from cupel.engines.totals import Totals
from cupel.errors import CupelError
from cupel.metric import DetailedByText, Signature
from cupel.scores import Scores


@dataclass(frozen=True)
class Outline(Corpus):
    """What is known of a corpus whose texts were not kept."""

    segments: int = 0
    reference_counts: tuple[int, ...] = ()
    remarks: tuple[tuple[tuple[str, str], int], ...] = ()

    def __post_init__(self) -> None:
        """Nothing to check: the texts are gone."""

    def __len__(self) -> int:
        return self.segments

    @property
    def has_references(self) -> bool:
        """Whether there was something to compare translations with."""
        return any(self.reference_counts)

    @property
    def number_of_references(self) -> int | None:
        """How many references each segment has, or None where that differs."""
        return self.reference_counts[0] if len(self.reference_counts) == 1 else None

    @property
    def empty_segments(self) -> dict[str, int]:
        """Blank translations per system, and blank texts of "references", where there are any."""
        parts = [*self.systems, *(() if "references" in self.systems else ("references",))]
        counts = {part: dict(self.remarks).get((EMPTY, part), 0) for part in parts}
        return {part: count for part, count in counts.items() if count}

    @property
    def reference_length(self) -> float:
        """Mean number of characters of the first references."""
        return dict(self.remarks).get((LENGTH, "references"), 0) / max(self.segments, 1)

    @property
    def tokenised(self) -> dict[str, int]:
        """Per system, how many translations end in ' .'."""
        return {part: count for (kind, part), count in self.remarks if kind == TOKENISED}


@dataclass(frozen=True)
class StreamedScores(Scores):
    """`Scores` of an input that was read block by block.

    sums  label -> (systems, k): of all segments
    unit  segments per unit of resampling; 1 where segments themselves are drawn. Then `statistics`
          are those of segments, else (systems, units, k) sums of neighbours
    """

    sums: Mapping[str, FloatArray]
    unit: int

    @classmethod
    def of(cls, systems: list[str], totals: Totals) -> StreamedScores:
        """What follows from the statistics of all blocks."""
        outline = Outline(
            dict.fromkeys(systems, ()),
            segments=totals.segments,
            reference_counts=tuple(sorted(totals.references)),
            remarks=tuple(totals.remarks.items()),
        )
        statistics = {label: totals.units(label) for label in totals.metrics}
        sums = {label: totals.sums(label) for label in totals.metrics}
        return cls(outline, totals.metrics, statistics, sums, totals.unit)

    def signature(self, metric: str, **extra: object) -> Signature:
        """As of `Scores`; where blocks of segments are resampled, with their size."""
        if self.unit > 1 and {"bs", "ar"} & extra.keys():
            extra["blocks"] = self.unit
        return super().signature(metric, **extra)

    def details(self, metric: str, level: str = "system") -> Any:
        """As of `Scores`, of systems alone."""
        if isinstance(self.metrics.get(metric), DetailedByText) or level != "system":
            raise CupelError(
                f"The details of {metric} need the texts, which are not kept where they are read "
                "block by block: leave out --details."
            )
        return super().details(metric)

    def _sums(self, metric: str) -> FloatArray:
        self._of(metric)
        return np.asarray(self.sums[metric])
