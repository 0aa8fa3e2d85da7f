"""Metrics for the tests of the service: slow ones, deadly ones, and one that counts its calls."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

import cupel


def nap(hypothesis: str) -> float:
    """Takes as many seconds as the text says."""
    time.sleep(float(hypothesis.split()[0]))
    return 1.0


def deadly(hypothesis: str) -> float:
    """Ends its process: always at `die`, at `once PATH` only if there is no such file yet."""
    word, _, path = hypothesis.partition(" ")
    if word == "die":
        os._exit(1)
    if word == "once" and not Path(path).exists():
        Path(path).touch()
        os._exit(1)
    return float(len(hypothesis))


@cupel.batched
def together(hypotheses: Sequence[str]) -> list[float]:
    """How many distinct texts were scored in the same call."""
    return [float(len(hypotheses))] * len(hypotheses)


def refusing(hypothesis: str) -> float:
    """Fails on some texts."""
    if hypothesis == "bad":
        raise ValueError("this text is bad")
    return 2.0
