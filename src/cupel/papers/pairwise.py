"""Tau of a metric's direct comparisons, as the pairwise rows of the NNRK paper have it.

For each human preference the metric sees both translations at once and says which is better; the
two stand in the order of the systems' names in the rankings, which knows nothing of the judgment.
A pair of translations that was judged often is compared once.
"""

from __future__ import annotations

import numpy as np

from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.errors import CupelError
from cupel.human.rankings import Rankings, ranked_corpus, wmt_rankings
from cupel.human.tau import TAUS
from cupel.metric import Metric, Preferring


def pairwise_tau(dataset: str, pair: str, metric: Metric, statistic: str) -> float:
    """(C, D, T) over all strict preferences of a language pair, put together as that year did."""
    rankings = wmt_rankings(dataset)[pair]
    corpus = ranked_corpus(dataset, rankings)
    prepared = metric.prepare(corpus)
    if not isinstance(prepared, Preferring):
        raise CupelError(f"The metric {metric.name!r} does not compare two translations directly.")
    # The raw probability where a metric has one: it is what the paper's pairwise rows show.
    compare = getattr(prepared, "probabilities", prepared.prefer)

    def probability(first: list[str], second: list[str], segments: list[int]) -> FloatArray:
        references = [corpus.references[segment] for segment in segments]
        return np.asarray(compare(Batch(first, references), Batch(second, references)))

    texts = list(corpus.systems.values())
    distinct, inverse, swapped = _distinct(rankings)
    p = probability(
        [texts[first][segment] for segment, first, _ in distinct],
        [texts[second][segment] for segment, _, second in distinct],
        [segment for segment, _, _ in distinct],
    )[inverse]
    for_better = np.where(swapped, 1 - p, p)
    counts = [(for_better > 0.5).sum(), (for_better < 0.5).sum(), (for_better == 0.5).sum()]
    return float(TAUS[statistic.removeprefix("tau-")](np.array(counts, np.float64)))


def _distinct(
    rankings: Rankings,
) -> tuple[list[tuple[int, int, int]], np.ndarray, np.ndarray]:
    """Distinct (segment, first, second) with first < second, which each preference is, and whether
    its better one stands second there.
    """
    pairs = rankings.pairs()
    swapped = pairs.better > pairs.worse
    keys = np.stack(
        [
            pairs.segment,
            np.minimum(pairs.better, pairs.worse),
            np.maximum(pairs.better, pairs.worse),
        ],
        axis=1,
    )
    unique, inverse = np.unique(keys, axis=0, return_inverse=True)
    distinct = [(int(s), int(a), int(b)) for s, a, b in unique]
    return distinct, inverse.reshape(-1), swapped
