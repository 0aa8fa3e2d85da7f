"""SICK (Marelli et al. 2014): sentence pairs with graded relatedness and entailment, as values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.data.find import find
from cupel.errors import CupelError
from cupel.reading import read_lines

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
    lines = read_lines(path)
    header = lines[0].split("\t") if lines else []
    for name in _COLUMNS:
        if name not in header:
            raise CupelError(f"{path}, line 1: the column {name} was expected.")
    places = [header.index(name) for name in _COLUMNS]
    rows = []
    for number, line in enumerate(lines[1:], start=2):
        fields = line.split("\t")
        if len(fields) != len(header):
            raise CupelError(
                f"{path}, line {number}: {len(header)} columns expected, {len(fields)} found."
            )
        row = [fields[place] for place in places]
        try:
            int(row[0]), float(row[3])
        except ValueError as error:
            raise CupelError(
                f"{path}, line {number}: a whole pair_ID and a relatedness_score in numbers were "
                f"expected, {row[0]!r} and {row[3]!r} found."
            ) from error
        rows.append(row)
    return rows


def _columns(rows: Sequence[Sequence[str]]) -> SickPairs:
    return SickPairs(
        pair_id=np.array([int(row[0]) for row in rows], np.int64),
        first=[row[1] for row in rows],
        second=[row[2] for row in rows],
        relatedness=np.array([float(row[3]) for row in rows], np.float64),
        entailment=[row[4] for row in rows],
        split=[row[5].lower() for row in rows],
    )
