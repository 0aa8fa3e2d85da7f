"""Why a segment scores as it does: what of the hypothesis was matched with what of the reference.

A metric that can tell offers `alignments(batch)`; `cupel align` prints them, whatever the metric.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from cupel.batch import Batch
from cupel.metric import Metric


@dataclass(frozen=True)
class Link:
    """Tokens of the hypothesis that correspond to tokens of the reference.

    hypothesis, reference  positions of the tokens, from 0; they need not be neighbours
    kind                   what made the link: a matcher, a kind of n-gram
    weight                 what it counts
    group                  links of one group belong together (a chunk), numbered from 1
    """

    hypothesis: tuple[int, ...]
    reference: tuple[int, ...]
    kind: str
    weight: float
    group: int | None = None


@dataclass(frozen=True)
class Alignment:
    """A hypothesis aligned with the reference that it scored best on.

    hypothesis, reference  their tokens
    reference_number       which of the references it is, from 0
    links                  what was matched with what
    score                  of this segment
    details                the quantities that the score is made of, by name
    """

    hypothesis: Sequence[str]
    reference: Sequence[str]
    reference_number: int
    links: Sequence[Link]
    score: float
    details: Mapping[str, float] = field(default_factory=dict)

    def hypothesis_words(self, link: Link) -> str:
        """The words of a link on the side of the hypothesis."""
        return " ".join(self.hypothesis[at] for at in link.hypothesis)

    def reference_words(self, link: Link) -> str:
        """The words of a link on the side of the reference."""
        return " ".join(self.reference[at] for at in link.reference)

    @property
    def unmatched(self) -> tuple[list[str], list[str]]:
        """The tokens of the hypothesis, and of the reference, that are in no link."""
        ours = {at for link in self.links for at in link.hypothesis}
        theirs = {at for link in self.links for at in link.reference}
        return (
            [token for at, token in enumerate(self.hypothesis) if at not in ours],
            [token for at, token in enumerate(self.reference) if at not in theirs],
        )


@runtime_checkable
class Aligning(Protocol):
    """A metric that can tell how it aligned the items of a batch."""

    def alignments(self, batch: Batch) -> Sequence[Alignment]:
        """(n,): one alignment per item."""
        ...


class AligningMetric(Metric, Aligning, Protocol):
    """A metric that scores and aligns."""
