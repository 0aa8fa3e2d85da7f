"""Where a metric disagrees most with people, and where two metrics disagree most: the segments.

Scores of people and of metrics have different scales, so that ranks are compared: of all judged
translations of a language pair, the share that a translation is better than (ties count half).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from cupel.arrays import BoolArray, FloatArray
from cupel.meta.correlations import mean_ranks
from cupel.meta.graded import Graded
from cupel.records import Row

PEOPLE = "people"
MOST = 8
"""Translations that are shown for a metric and its opponent."""
OPPONENTS = 4
"""Metrics that are compared with each other: the first ones."""


def disagreements(graded: Iterable[Graded], order: Sequence[str], most: int = MOST) -> list[Row]:
    """The translations about which two judges differ most, by language pair and opponents.

    order: the metrics, best first. Each is compared with people, and the first OPPONENTS with each
    other. A segment is shown once for two opponents, with the translation about which they differ
    most. Only what was judged segment by segment has them.
    """
    by_pair = {
        judged.pair: judged
        for judged in graded
        if judged.level == "segment" and judged.corpus is not None
    }
    return [row for judged in by_pair.values() for row in _of_pair(judged, order, most)]


def _of_pair(judged: Graded, order: Sequence[str], most: int) -> Iterator[Row]:
    assert judged.corpus is not None
    judges = {PEOPLE: judged.human, **judged.scores}
    for first, second in _opponents([metric for metric in order if metric in judged.scores]):
        both = np.isfinite(judges[first]) & np.isfinite(judges[second]) & np.isfinite(judged.human)
        ranks = {name: _shares(judges[name], both) for name in (first, second)}
        for place in _farthest(ranks[first] - ranks[second], most):
            system, segment = judged.systems[place[0]], int(judged.items[place[1]])
            yield {
                "pair": judged.pair,
                "metric": first,
                "other": second,
                "system": system,
                "segment": segment,
                "metric_rank": float(ranks[first][place]),
                "other_rank": float(ranks[second][place]),
                "metric_score": float(judges[first][place]),
                "other_score": float(judges[second][place]),
                "human": float(judged.human[place]),
                "source": judged.corpus.sources[segment - 1] if judged.corpus.sources else "",
                "reference": judged.corpus.references[segment - 1][0],
                "translation": judged.corpus.systems[system][segment - 1],
            }


def _opponents(metrics: Sequence[str]) -> Iterator[tuple[str, str]]:
    for metric in metrics:
        yield metric, PEOPLE
    for place, metric in enumerate(metrics[:OPPONENTS]):
        for other in metrics[place + 1 : OPPONENTS]:
            yield metric, other


def _shares(scores: FloatArray, judged: BoolArray) -> FloatArray:
    """(systems, segments): the share of the judged translations that each is better than."""
    shares = np.full(scores.shape, np.nan)
    shares[judged] = (mean_ranks(scores[judged]) - 1) / max(int(judged.sum()) - 1, 1)
    return shares


def _farthest(difference: FloatArray, most: int) -> Iterator[tuple[int, int]]:
    """Places of the largest differences, one of each segment."""
    size = np.nan_to_num(np.abs(difference), nan=0.0)
    best = size.argmax(axis=0)
    largest = size[best, np.arange(size.shape[1])]
    for segment in np.argsort(-largest, kind="stable")[:most]:
        if largest[segment] > 0:
            yield int(best[segment]), int(segment)
