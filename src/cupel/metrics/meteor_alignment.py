"""METEOR's alignments in the form that `cupel align` prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from cupel.alignments import Alignment, Link
from cupel.arrays import FloatArray

if TYPE_CHECKING:
    from cupel.metrics.meteor import Meteor


def alignment_of(
    metric: Meteor,
    hypothesis: Sequence[str],
    reference: Sequence[str],
    matches: Sequence[Sequence[int]],
    statistics: FloatArray,
    number: int,
) -> Alignment:
    """The matches of a pair (rows as in `cupel.kernels.alignment`) with its score and its parts."""
    links = list(_links(metric, matches))
    precision, recall = metric.precision_and_recall(statistics)
    parts = {
        "precision": float(precision),
        "recall": float(recall),
        "chunks": float(max((link.group or 0 for link in links), default=0)),
        "penalty": float(metric.penalty(statistics)),
    }
    details = {name: value for name, value in parts.items() if value == value}  # NaN: no words
    score = float(metric.score(statistics))
    return Alignment(hypothesis, reference, number, links, score, details)


def _links(metric: Meteor, matches: Sequence[Sequence[int]]) -> Iterator[Link]:
    weights = metric.parameters.weights
    chunk = 0
    next_ours = next_theirs = -1
    for theirs, their_length, ours, our_length, stage in matches:
        if (ours, theirs) != (next_ours, next_theirs):
            chunk += 1
        next_ours, next_theirs = ours + our_length, theirs + their_length
        yield Link(
            tuple(range(ours, next_ours)),
            tuple(range(theirs, next_theirs)),
            metric.matchers[stage],
            weights[stage],
            chunk,
        )
