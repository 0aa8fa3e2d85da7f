"""SICK (Marelli et al. 2014): sentence pairs with graded relatedness and entailment, as values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.data.find import find
from cupel.errors import CupelError
from cupel.reading.rows import read_table

SPLITS = ("train", "trial", "test")
_FILE = "SICK.txt"
_COLUMNS = (
    "pair_ID", "sentence_A", "sentence_B", "relatedness_score", "entailment_label", "SemEval_set",
)  # fmt: skip


@dataclass(frozen=True)
class SickPairs:
    """Entry i of each column belongs to pair i.

    relatedness  from 1 (unrelated) to 5 (the same meaning)
    entailment   ENTAILMENT, NEUTRAL or CONTRADICTION
    split        train, trial or test, as in SemEval-2014 task 1
    """

    pair_id: IntArray
    first: list[str]
    second: list[str]
    relatedness: FloatArray
    entailment: list[str]
    split: list[str]

    def __len__(self) -> int:
        return len(self.first)


def sick_pairs(split: str | None = None) -> SickPairs:
    """The pairs of `train`, `trial` or `test`; all of them without a split."""
    if split is not None and split not in SPLITS:
        raise CupelError(f"SICK has no split {split!r}; it has {', '.join(SPLITS)}.")
    rows = read_sick(find("sick") / _FILE)
    return _columns([row for row in rows if split is None or row[-1].lower() == split])


def read_sick(path: Path | str) -> list[list[str]]:
    """The rows of SICK.txt: id, two sentences, relatedness, entailment, split."""
    table = read_table(path, "\t")
    columns = [table.column(name) for name in _COLUMNS]
    table.parsed(columns[0], int, "pair_ID", "a whole number")
    table.parsed(columns[3], float, "relatedness_score", "a number")
    return [list(row) for row in zip(*columns, strict=True)]


def _columns(rows: Sequence[Sequence[str]]) -> SickPairs:
    return SickPairs(
        pair_id=np.array([int(row[0]) for row in rows], np.int64),
        first=[row[1] for row in rows],
        second=[row[2] for row in rows],
        relatedness=np.array([float(row[3]) for row in rows], np.float64),
        entailment=[row[4] for row in rows],
        split=[row[5].lower() for row in rows],
    )
