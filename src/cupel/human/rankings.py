"""WMT rankings: who preferred which translation of a segment, in the official CSV form.

A row is one judgment: up to five systems, each with a rank from 1 (best) to 5; ties are allowed
and -1 means not ranked. Since 2015 judges saw each distinct output once, and a row names all the
systems that wrote it, joined by `+` (or `,`): each of them gets the rank, and no pair is made
among them, for nobody compared them. Those years' files are also of two systems a row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cupel.arrays import IntArray
from cupel.corpus import Corpus
from cupel.data.find import find
from cupel.data.load import wmt_corpus, wmt_files, wmt_pairs
from cupel.errors import CupelError
from cupel.human.rankings_csv import NONE, read_columns
from cupel.reading.lines import iterate_lines


@dataclass(frozen=True)
class Pairs:
    """Pairs of systems that a judge compared, one entry each; `row` is the ranking it comes from."""

    segment: IntArray
    better: IntArray
    worse: IntArray
    row: IntArray
    judge: IntArray

    def __len__(self) -> int:
        return len(self.row)


@dataclass(frozen=True)
class Rankings:
    """All rankings of one language pair; what is not there is -1 throughout.

    systems    every system, also one that was never ranked
    segments   (rows,) the line of the segment, from 0
    judges     (rows,) index into judge_ids
    ranked     (rows, w) index into systems
    ranks      (rows, w) from 1, the best
    items      (rows, w) the output shown: the system's index, or a number from len(systems) on that
               stands for a set of systems with the same output. Equal numbers in one row are one
               output; by default every system showed its own.
    """

    pair: str
    systems: tuple[str, ...]
    segments: IntArray
    judges: IntArray
    judge_ids: tuple[str, ...]
    ranked: IntArray
    ranks: IntArray
    items: IntArray = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if self.items is None:
            object.__setattr__(self, "items", self.ranked)

    def __len__(self) -> int:
        return len(self.segments)

    def pairs(self) -> Pairs:
        """Every strict preference, as often as it was given, in the order of the rows."""
        first, second, row = self._compared
        ranks = self.ranks[row, first], self.ranks[row, second]
        strict = ranks[0] != ranks[1]
        swapped = (ranks[0] > ranks[1])[strict]
        row, first, second = row[strict], first[strict], second[strict]
        return self._as_pairs(
            row, np.where(swapped, second, first), np.where(swapped, first, second)
        )

    def ties(self) -> Pairs:
        """Every pair that a judge gave the same rank; better and worse mean nothing here."""
        first, second, row = self._compared
        tied = self.ranks[row, first] == self.ranks[row, second]
        return self._as_pairs(row[tied], first[tied], second[tied])

    def rows(self, chosen: npt.NDArray[np.bool_] | IntArray | Sequence[int]) -> Rankings:
        """Some of the rows, by mask or by number (which may repeat)."""
        picked = np.asarray(chosen)
        return replace(
            self,
            segments=self.segments[picked],
            judges=self.judges[picked],
            ranked=self.ranked[picked],
            ranks=self.ranks[picked],
            items=self.items[picked],
        )

    @cached_property
    def _compared(self) -> tuple[IntArray, IntArray, IntArray]:
        """(first column, second column, row) of each two outputs that a judge ranked."""
        first, second = np.triu_indices(self.ranked.shape[1], 1)
        present = self.ranks != NONE
        both = present[:, first] & present[:, second]
        both &= self.items[:, first] != self.items[:, second]
        row, column = np.nonzero(both)
        return first[column], second[column], row

    def _as_pairs(self, row: IntArray, better: IntArray, worse: IntArray) -> Pairs:
        return Pairs(
            segment=self.segments[row],
            better=self.ranked[row, better],
            worse=self.ranked[row, worse],
            row=row,
            judge=self.judges[row],
        )


def chosen_pairs(pairs: Sequence[str] | None, there: Sequence[str], where: str) -> list[str]:
    """The language pairs that are asked for, each once; if none is, those into English, else all.

    there: those that have judgments. where: what errors call the dataset.
    """
    for pair in pairs or ():
        if pair not in there:
            raise CupelError(f"{where} has no judgments of {pair!r}; it has {', '.join(there)}.")
    into_english = [pair for pair in there if pair.endswith("-en")]
    return list(dict.fromkeys(pairs or into_english or there))


def ranked_corpus(dataset: str, rankings: Rankings) -> Corpus:
    """The language pair with its systems in the order of the rankings, as their pairs name them."""
    corpus = wmt_corpus(dataset, rankings.pair)
    return replace(corpus, systems={name: corpus.systems[name] for name in rankings.systems})


def read_rankings(
    path: Path | str,
    systems: Mapping[str, Sequence[str]] | None = None,
    segments: Mapping[str, int] | None = None,
) -> dict[str, Rankings]:
    """The rankings of a file, by language pair (`cs-en`) in order of appearance.

    systems: the systems of each pair, in the order wanted; a ranking of any other is an error.
    Without them the systems are those of the file, sorted. They also tell a `+` that joins systems
    from one that belongs to a name. segments: how many segments each pair has.
    """
    parts = (Rankings(*columns) for columns in read_columns(path, systems, segments))
    return {rankings.pair: rankings for rankings in parts}


def wmt_rankings(dataset: str) -> dict[str, Rankings]:
    """The rankings of wmt12, wmt13 or wmt14, held against its system outputs and references.

    Systems are named and ordered as in `cupel.data.wmt_corpus`. A pair without rankings (ru-en of
    wmt13) is left out.
    """
    pairs = wmt_pairs(dataset)
    folder = find(dataset)
    parts = {pair: wmt_files(folder, dataset, pair) for pair in pairs}
    return read_rankings(
        folder / "judgments.csv",
        {pair: list(files.systems) for pair, files in parts.items()},
        {pair: sum(1 for _ in iterate_lines(files.reference)) for pair, files in parts.items()},
    )
