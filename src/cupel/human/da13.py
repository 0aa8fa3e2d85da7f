"""Direct assessment of WMT13 segments (Graham, Baldwin and Mathur, NAACL 2015): the pack da13.

Scores are standardized per judge (z-scores); higher is better.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cupel.arrays import FloatArray
from cupel.data.catalog import DATASETS
from cupel.data.find import find
from cupel.errors import CupelError
from cupel.human.score_files import finite_score, segment_number
from cupel.reading.lines import read_lines
from cupel.reading.rows import read_table


@dataclass(frozen=True)
class Assessments:
    """Judged translations: entry i of every part belongs together.

    segments: the line of newstest2013, from 0, as the pack's SIDs are; scores: (n,).
    """

    pair: str
    hypotheses: list[str]
    references: list[str]
    sources: list[str]
    scores: FloatArray
    systems: list[str]
    segments: list[int]

    def __len__(self) -> int:
        return len(self.hypotheses)


def da13_pairs() -> list[str]:
    """The language pairs of pack da13."""
    return list(DATASETS["da13"].parts)


def da13(pair: str, *, tokenized: bool = False) -> Assessments:
    """Direct assessment of WMT13 segments (Graham et al. 2015), one system's output each.

    tokenized: the texts as the pack has them tokenized; otherwise as they were before.
    """
    if pair not in da13_pairs():
        raise CupelError(f"da13 has no language pair {pair!r}; it has {', '.join(da13_pairs())}.")
    folder = find("da13")
    form = "" if tokenized else "pre-tok."
    table = read_table(folder / f"human-scores.{pair}.csv", None)
    texts: dict[str, list[str]] = {}
    for part in ("sys", "ref", "src"):
        path = folder / f"{part}.{form}{pair}"
        texts[part] = read_lines(path)
        if len(texts[part]) != len(table.rows):
            raise CupelError(
                f"{table.file} has {len(table.rows)} scores, but {path} has {len(texts[part])} lines."
            )
    scores = [finite_score(c, table.where(r)) for r, c in enumerate(table.column("HUMAN"))]
    segments = [segment_number(c, table.where(r), 0) for r, c in enumerate(table.column("SID"))]
    return Assessments(
        pair,
        texts["sys"],
        texts["ref"],
        texts["src"],
        np.array(scores),
        table.column("SYSTEM"),
        segments,
    )
