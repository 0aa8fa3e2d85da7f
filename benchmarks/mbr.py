"""Choosing among candidates beside fastChrF and mbrs: all pairs of a list, and the aggregate.

The lists are made of the outputs of all systems for one segment of wmt14, joined and exchanged word by
word to 64, 256 and 1,024 candidates. mbrs runs as it comes, with its eight processes; where it would
take more than a minute, it gets the first candidates only, and its time is multiplied by the number of
pairs left out: all its work is pairs. Both threads of ours share one segment.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import cupel

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "oracles"))

from mbr_samples import variants

HEADER = ["choosing", "candidates", "peer", "ours", "peer's", "ratio", "goal", "difference"]
SIZES = (64, 256, 1024)
MOST_TER = 24
MOST_BLEU = 96
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
    found = []
    for size in SIZES:
        texts = variants(outputs, size)
        if find_spec("fastchrf"):
            found += _fastchrf_rows(texts, repetitions)
        if find_spec("mbrs"):
            found += [_mbrs_row(texts, "bleu", MOST_BLEU), _mbrs_row(texts, "ter", MOST_TER)]
    return found


def _row(
    what: str, size: int, peer: str, ours: float, theirs: float, goal: float, difference: float
) -> list[str]:
    return [
        what, f"{size:,}", peer, f"{1000 * ours:.1f} ms", f"{1000 * theirs:,.0f} ms",
        f"{theirs / ours:,.0f}x", f"{goal:g}x", f"{difference:.0e}",
    ]  # fmt: skip


def _fastchrf_rows(texts: Sequence[str], repetitions: int) -> list[list[str]]:
    import fastchrf

    lists = [list(texts)]
    once = 1 if len(texts) > 300 else min(repetitions, 3)
    pairwise = np.array(fastchrf.pairwise_chrf(lists, lists)[0]).mean(axis=1)
    aggregate = np.array(fastchrf.aggregate_chrf(lists, lists)[0])
    found = []
    for what, method, goal, expected, theirs in (
        ("chrf, all pairs", "exact", 3.0, pairwise, fastchrf.pairwise_chrf),
        ("chrf, aggregate", "aggregate", 1.0, aggregate, fastchrf.aggregate_chrf),
    ):
        work = _ours(texts, "chrf", method)
        difference = float(np.abs(work().utilities - expected).max())
        times = seconds(work, repetitions), seconds(_theirs(theirs, lists), once)
        found.append(_row(what, len(texts), "fastChrF", *times, goal, difference))
    return found


def _ours(texts: Sequence[str], metric: str, method: str) -> Callable[[], cupel.Choice]:
    return lambda: cupel.mbr(list(texts), metric, method=method, threads=THREADS)


def _theirs(function: Callable[..., object], lists: list[list[str]]) -> Callable[[], object]:
    return lambda: function(lists, lists)


def _mbrs_row(texts: Sequence[str], name: str, most: int) -> list[str]:
    from mbrs.decoders.mbr import DecoderMBR
    from mbrs.metrics import get_metric

    kind = get_metric(name)
    decoder = DecoderMBR(DecoderMBR.Config(), kind(kind.Config()))
    few = list(texts[:most])
    start = time.perf_counter()
    output = decoder.decode(few, few, nbest=len(few))
    took = (time.perf_counter() - start) * (len(texts) / len(few)) ** 2
    work = _ours(texts, name, "exact")
    ours = cupel.mbr(few, name).utilities
    difference = float(np.abs(ours[output.idx] - output.score).max())
    peer = "mbrs" if len(few) == len(texts) else f"mbrs, from {most}"
    return _row(f"{name}, all pairs", len(texts), peer, seconds(work, 1), took, 20, difference)
