"""A metric that takes its time, so that a test can kill what computes it. Imported by name on a cluster."""

from __future__ import annotations

import time


def slow_length(hypothesis: str, references: list[str]) -> float:
    """The ratio of lengths, after half a millisecond."""
    time.sleep(0.0005)
    return len(hypothesis) / (1 + len(references[0]))
