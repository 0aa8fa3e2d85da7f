"""Choosing among candidates beside fastChrF and mbrs: all pairs of a list, and the aggregate.

The lists are made of the outputs of all systems for one segment of wmt14, joined and exchanged word by
word to 64, 256 and 1,024 candidates. mbrs runs as it comes, with its eight processes; it gets the first
64 candidates for BLEU and the first 24 for TER, and its time is multiplied by the number of pairs left
out: all its work is pairs. Two threads of ours share one segment.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import cupel
from cupel.arrays import FloatArray

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "oracles"))

from mbr_samples import variants

HEADER = ["choosing", "candidates", "peer", "ours", "peer's", "ratio", "goal", "difference"]
SIZES = (64, 256, 1024)
MOST_TER = 24
MOST_BLEU = 64
LONG = 256
"""Longer lists are timed once."""
SHORT = 2.0
"""Seconds; work of a peer that takes longer is timed once."""
THREADS = min(2, os.cpu_count() or 1)


def seconds(function: Callable[[], object], repetitions: int) -> float:
    """The median of several runs."""
    times = []
    for _ in range(repetitions):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def rows(corpus: cupel.Corpus, repetitions: int, segment: int = 5) -> list[list[str]]:
    """One row for each kind of work and size; none of a peer that is not installed."""
    outputs = [lines[segment] for lines in corpus.systems.values()]
    table = []
    for size in SIZES:
        texts = variants(outputs, size)
        if find_spec("fastchrf"):
            table += _fastchrf_rows(texts, repetitions)
        if find_spec("mbrs"):
            table += [
                _mbrs_row(texts, name, most, repetitions)
                for name, most in (("bleu", MOST_BLEU), ("ter", MOST_TER))
            ]
    return table


def _row(
    what: str, size: int, peer: str, ours: float, theirs: float, goal: float, difference: float
) -> list[str]:
    return [
        what, f"{size:,}", peer, f"{1000 * ours:.1f} ms", f"{1000 * theirs:,.0f} ms",
        f"{theirs / ours:,.0f}x", f"{goal:g}x", f"{difference:.0e}",
    ]  # fmt: skip


def _fastchrf_rows(texts: Sequence[str], repetitions: int) -> list[list[str]]:
    import fastchrf

    table = []
    for what, method, goal, theirs in (
        ("chrf, all pairs", "exact", 3.0, fastchrf.pairwise_chrf),
        ("chrf, aggregate", "aggregate", 1.0, fastchrf.aggregate_chrf),
    ):
        work, peer = _ours(texts, "chrf", method), _theirs(theirs, [list(texts)])
        start = time.perf_counter()
        expected = np.array(peer())
        took = [time.perf_counter() - start]
        if took[0] < SHORT:  # else once is enough, and ours follows at once on the same machine
            took = [seconds(peer, repetitions)]
        utilities = expected.mean(axis=1) if expected.ndim == 2 else expected
        difference = float(np.abs(work().utilities - utilities).max())
        times = seconds(work, repetitions), took[0]
        table.append(_row(what, len(texts), "fastChrF", *times, goal, difference))
    return table


def _ours(texts: Sequence[str], metric: str, method: str) -> Callable[[], cupel.Choice]:
    return lambda: cupel.mbr(list(texts), metric, method=method, threads=THREADS)


def _theirs(function: Callable[..., Any], lists: list[list[str]]) -> Callable[[], Any]:
    return lambda: function(lists, lists)[0]


def _mbrs_row(texts: Sequence[str], name: str, most: int, repetitions: int) -> list[str]:
    few = tuple(texts[:most])
    once, scores = _mbrs(few, name)
    took = once * (len(texts) / len(few)) ** 2
    work = _ours(texts, name, "exact")
    difference = float(np.abs(cupel.mbr(few, name).utilities - scores).max())
    peer = "mbrs" if len(few) == len(texts) else f"mbrs, from {most}"
    ours = seconds(work, 1 if len(texts) > LONG else repetitions)
    return _row(f"{name}, all pairs", len(texts), peer, ours, took, 20, difference)


@cache
def _mbrs(texts: tuple[str, ...], name: str) -> tuple[float, FloatArray]:
    """Seconds and expected utilities; lists of all sizes begin alike, so each is asked for once."""
    from mbrs.decoders.mbr import DecoderMBR
    from mbrs.metrics import get_metric

    kind = get_metric(name)
    decoder = DecoderMBR(DecoderMBR.Config(), kind(kind.Config()))
    start = time.perf_counter()
    output = decoder.decode(list(texts), list(texts), nbest=len(texts))
    took = time.perf_counter() - start
    scores = np.zeros(len(texts))
    scores[output.idx] = output.score
    return took, scores
