"""What a service offers and where its limits are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from cupel.alignments import Aligning
from cupel.descriptions import described_parts
from cupel.metric import Metric, Preferring, decimals_of, needs_of

LONGEST_TEXT = 10_000
"""Characters of one text: some metrics need memory that grows with the square of its words."""


@dataclass(frozen=True)
class Settings:
    """Limits of a service.

    workers        processes that compute
    max_queue      requests that may be inside at once, from their first byte to their answer
    max_body       bytes of a request
    timeout        seconds that a request may take, all in all
    window         seconds that a request waits for others to be computed together with
    largest_batch  characters that are computed together, unless one request has more
    language_pair  that of all texts: its target language chooses the words of metrics
    """

    workers: int = 2
    max_queue: int = 256
    max_body: int = 1 << 20
    timeout: float = 30.0
    window: float = 0.002
    largest_batch: int = 100_000
    language_pair: str | None = None


@dataclass(frozen=True)
class Ability:
    """What requests and the page need to know about a metric.

    english: whether it is for English, as `cupel metrics NAME` says; not with options, which may make
    it one for another language.
    """

    higher_is_better: bool
    decimals: int
    needs: tuple[str, ...]
    aligns: bool
    prefers: bool
    english: bool = False


def abilities_of(metrics: Mapping[str, Metric]) -> dict[str, Ability]:
    """By the label under which each metric is offered."""
    return {
        label: Ability(
            metric.higher_is_better,
            decimals_of(metric),
            needs_of(metric),
            isinstance(metric, Aligning),
            isinstance(metric, Preferring),
            ":" not in label and _is_for_english(metric),
        )
        for label, metric in metrics.items()
    }


def _is_for_english(metric: Metric) -> bool:
    return (
        re.search(r"[.)]\s+English\b", described_parts(type(metric)).get("Needs", "")) is not None
    )
