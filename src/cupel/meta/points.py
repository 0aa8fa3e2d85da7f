"""What a scatter plot of a metric against people shows: one point a judged item.

Of rankings the items are systems, with the campaign's own human scores; of graded judgments they
are translations, at most `MOST` of each language pair, spread evenly. Scores of metrics are turned
so that higher is better, as everywhere in `cupel.meta`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cupel.arrays import FloatArray
from cupel.errors import CupelError
from cupel.human.system_scores import SYSTEM_SCORES
from cupel.meta.evaluation import Judged
from cupel.meta.graded import Graded

MOST = 600

Point = dict[str, Any]


def ranked_points(judged: Sequence[Judged], human: str) -> list[Point]:
    """Records: pair, item (a system), human, and one entry per metric."""
    points: list[Point] = []
    for one in judged:
        try:
            people = one.official if human == "official" else SYSTEM_SCORES[human](one.rankings)
        except CupelError:
            continue  # this way to score systems needs what this language pair lacks
        if people is None:
            continue
        for row, system in enumerate(one.rankings.systems):
            if np.isfinite(people[row]):
                scores = {label: _number(s.systems[row]) for label, s in one.scores.items()}
                points.append(_point(one.pair, system, people[row], scores))
    return points


def graded_points(graded: Sequence[Graded]) -> list[Point]:
    """The same with translations as items, named `SYSTEM-SEGMENT` by their numbers from 1.

    At system level the items are systems, named as they are.
    """
    points: list[Point] = []
    metrics = list(dict.fromkeys(name for one in graded for name in one.scores))
    for one in graded:
        systems, items = np.nonzero(np.isfinite(one.human))
        kept = np.unique(np.linspace(0, len(systems) - 1, MOST).round().astype(int))
        for at in kept if len(systems) else ():
            place = int(systems[at]), int(items[at])
            scores = {
                m: _number(one.scores[m][place]) if m in one.scores else None for m in metrics
            }
            points.append(_point(one.pair, _name(one, *place), one.human[place], scores))
    return points


def _name(one: Graded, system: int, item: int) -> str:
    if one.human.shape[1] == 1 and one.systems:
        return one.systems[system]
    return f"{system + 1}-{item + 1}" if len(one.human) > 1 else str(item + 1)


def _point(pair: str, item: str, human: float, scores: dict[str, float | None]) -> Point:
    return {"pair": pair, "item": item, "human": float(human), **scores}


def _number(value: np.float64 | FloatArray | float) -> float | None:
    return float(value) if np.isfinite(value) else None
