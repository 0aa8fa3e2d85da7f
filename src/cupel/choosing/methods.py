"""How expected utilities are computed: over all pairs, or over fewer.

exact      every candidate with every pseudo-reference
aggregate  every candidate with one reference made of all (see `ngram_utility`, `vector_utility`)
coarse     aggregate first, then the best `keep` of them exactly (Eikema and Aziz 2022)
prune      a growing sample of pseudo-references; candidates that a bootstrap would hardly ever prefer
           to the best one are dropped (Cheng and Vlachos 2023). Those that stay see all references.
           A candidate as good as the best is dropped in a step with a probability of about
           1 - confidence at most: the stated error
low-rank   a random part of all pairs; the rest is filled in by a matrix of low rank (Trabelsi et al.
           2024)
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.choosing.low_rank import completed
from cupel.choosing.segment import Distinct
from cupel.choosing.utilities import Utility
from cupel.errors import CupelError
from cupel.questions.mbr import Shortcuts
from cupel.registry import entries

RESAMPLES = 500
FIRST_SAMPLE = 8
TIE = 1e-9
"""Utilities that differ by less, relative to the best (or to 1), are equal but for rounding."""


def exact(
    utility: Utility, segment: Distinct, rows: IntArray, place: str, threads: int
) -> FloatArray:
    """(rows,): over all pairs."""
    check_pairs(utility, len(rows) * len(segment.columns), place)
    return utility.expected(rows, threads)


def check_pairs(utility: Utility, pairs: int, place: str) -> None:
    """An error where so many pairs would take hours."""
    if pairs > utility.most_pairs:
        raise CupelError(
            f"{place} has {pairs:,} pairs of distinct candidates and pseudo-references, more than "
            f"{utility.most_pairs:,}: choose --method aggregate or coarse, or give fewer."
        )


def aggregate(utility: Utility, label: str) -> FloatArray:
    """(all rows,): with one reference made of all."""
    scores = utility.aggregate()
    if scores is None:
        raise CupelError(
            f"The metric {label!r} cannot make one reference of many; those that can are "
            f"{', '.join(aggregating_metrics())}."
        )
    return scores


def aggregating_metrics() -> list[str]:
    """The metrics whose utilities have an aggregate."""
    return [
        entry.name
        for entry in entries().values()
        if any(hasattr(entry.make, way) for way in ("bag_scores", "sentence_vectors"))
    ]


def drawn(segment: Distinct, shortcuts: Shortcuts) -> Distinct:
    """The segment with its pseudo-references in random order, the more probable ones sooner."""
    generator = np.random.default_rng(shortcuts.seed)
    keys = np.log(generator.random(len(segment.weights))) / np.maximum(segment.weights, 1e-300)
    order = np.argsort(-keys, kind="stable")
    return replace(segment, columns=segment.columns[order], weights=segment.weights[order])


def pruned(utility: Utility, segment: Distinct, sign: float, shortcuts: Shortcuts) -> FloatArray:
    """(all rows,): the mean over all references for those that stay, NaN for those dropped.

    segment: one that was `drawn`; samples are its first pseudo-references.
    """
    generator = np.random.default_rng(shortcuts.seed)
    count = len(segment.columns)
    alive = segment.rows
    scored = np.zeros((len(alive), 0))
    size = FIRST_SAMPLE
    while scored.shape[1] < count:
        low, high = scored.shape[1], count if len(alive) == 1 else min(size, count)
        scored = np.concatenate([scored, utility.matrix(alive, low, high)], axis=1)
        stay = _survivors(sign * scored, shortcuts.confidence, generator)
        alive, scored = alive[stay], scored[stay]
        size *= 2
    result = np.full(len(segment.rows), np.nan)
    result[alive] = scored @ segment.weights
    return result


def _survivors(scored: FloatArray, confidence: float, generator: np.random.Generator) -> IntArray:
    """Those that win against the present best in enough resamples of the references; it stays."""
    count = scored.shape[1]
    best = int(np.argmax(scored.mean(axis=1)))
    draws = generator.multinomial(count, np.full(count, 1.0 / count), RESAMPLES)
    means = scored @ draws.T
    rates = (means >= means[best] - TIE).mean(axis=1)
    return np.flatnonzero(rates > 1.0 - confidence)


def low_rank(utility: Utility, segment: Distinct, shortcuts: Shortcuts, place: str) -> FloatArray:
    """(all rows,): means of a matrix of which only a random part was scored."""
    rows, columns = len(segment.rows), len(segment.columns)
    count = int(np.ceil(rows * columns / shortcuts.reduction))
    check_pairs(utility, count, place)
    if rows * columns > 100_000_000:
        raise CupelError(
            f"{place} has {rows * columns:,} pairs, too many for one matrix: choose --method "
            "aggregate or coarse."
        )
    generator = np.random.default_rng(shortcuts.seed)
    chosen = np.sort(generator.choice(rows * columns, count, replace=False))
    row, column = np.divmod(chosen, columns)
    scores = utility.pairs(segment.rows[row], column)
    matrix = completed(row, column, scores, (rows, columns), shortcuts.rank, generator)
    result: FloatArray = matrix @ segment.weights
    return result


def best_first(utilities: FloatArray, sign: float, fallback: FloatArray | None = None) -> IntArray:
    """Numbers of the candidates, best first, of equals the earlier one.

    utilities: NaN where there is none; those come last, in the order of the fallback.
    """
    scored = np.flatnonzero(~np.isnan(utilities))
    order = scored[_descending(sign * utilities[scored])]
    if len(scored) == len(utilities):
        return order
    rest = np.flatnonzero(np.isnan(utilities))
    if fallback is not None:
        rest = rest[_descending(fallback[rest])]
    return np.concatenate([order, rest])


def _descending(values: FloatArray) -> IntArray:
    order = np.argsort(-values, kind="stable")
    if not len(order):
        return order
    ordered = values[order]
    tolerance = TIE * max(1.0, float(np.abs(ordered).max()))
    group = np.concatenate([[0], np.cumsum(-np.diff(ordered) > tolerance)])
    return order[np.lexsort((order, group))]
