"""Direct assessment and MQM by table: one score a row, the columns found by name; and pack da13.

Such tables are CSV, TSV or divided by spaces. The columns have had many names: SYSTEM, SYS; SID,
SEGID, seg_id; HUMAN, Z.SCR, mqm_avg_score, score ...; any other can be given by its own. DA scores
are standardized per judge (z-scores; Graham et al. 2013), higher is better; MQM counts weighted
errors (Freitag et al. 2021), lower is better unless the file already has them negative.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cupel.arrays import FloatArray
from cupel.data.catalog import DATASETS
from cupel.data.find import find
from cupel.errors import CupelError
from cupel.human.score_files import finite_score, segment_number
from cupel.human.scores import ScoreSet
from cupel.reading.lines import iterate_lines, read_lines
from cupel.reading.rows import Table, read_table
from cupel.reading.segments import listed, nearest

PAIR_COLUMNS = ("LP", "pair", "language_pair")
SYSTEM_COLUMNS = ("SYSTEM", "SYS", "system_id")
SEGMENT_COLUMNS = ("SID", "SEGID", "seg_id", "segment", "segment_id", "global_seg_id")
SCORE_COLUMNS = (
    "HUMAN",
    "Z.SCR",
    "z",
    "z_score",
    "zscore",
    "z_mean",
    "mqm_avg_score",
    "mqm",
    "score",
)


def read_score_table(
    path: Path | str,
    pair: str,
    *,
    systems: Sequence[str] | None = None,
    segments: int | None = None,
    columns: Mapping[str, str] | None = None,
    first: int = 1,
    name: str = "human",
    higher_is_better: bool = True,
) -> ScoreSet:
    """The scores of one language pair: one row a system and segment, NaN where there is none.

    columns: `{"score": "RAW.SCR"}` and the like, for "pair", "system", "segment" and "score", where
    the names above do not do. A table with a column of language pairs may hold others too.
    systems, segments: what there is to score; anything else in the table is an error. first: the
    number of the first segment; the SIDs of pack da13 count from 0.
    """
    table = _read(path)
    given = columns or {}
    pairs = _place(table, "pair", PAIR_COLUMNS, given)
    system_place = _needed(table, "system", SYSTEM_COLUMNS, given)
    segment_place = _needed(table, "segment", SEGMENT_COLUMNS, given)
    score_place = _needed(table, "score", SCORE_COLUMNS, given)
    cells: dict[tuple[str, int], tuple[float, int]] = {}
    for row, fields in enumerate(table.rows):
        if pairs is not None and fields[pairs] != pair:
            continue
        where = table.where(row)
        system = fields[system_place]
        if systems is not None and system not in systems:
            raise CupelError(f"{where}: there is no system {system!r}{nearest(system, systems)}")
        segment = segment_number(fields[segment_place], where, first)
        if segments is not None and segment >= segments:
            raise CupelError(
                f"{where}: the segment is {segment + first}, but {pair} has {segments} segments."
            )
        if (system, segment) in cells:
            before = table.lines[cells[system, segment][1]]
            raise CupelError(
                f"{where}: there is a second score of system {system!r}, segment {segment + first}; "
                f"the first is in line {before}."
            )
        cells[system, segment] = finite_score(fields[score_place], where), row
    if not cells:
        raise CupelError(f"{table.file} has no scores for {pair}.")
    length = segments if segments is not None else 1 + max(segment for _, segment in cells)
    names = systems if systems is not None else dict.fromkeys(system for system, _ in cells)
    scores = {system: np.full(length, np.nan) for system in names}
    for (system, segment), (score, _) in cells.items():
        scores[system][segment] = score
    return ScoreSet(name, pair, segment_scores=scores, higher_is_better=higher_is_better)


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
    prefix, suffix = "human-scores.", ".csv"
    names = [expected.pattern for expected in DATASETS["da13"].files]
    return [n.removeprefix(prefix).removesuffix(suffix) for n in names if n.startswith(prefix)]


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


def _read(path: Path | str) -> Table:
    """The table, by what divides its header: a tab, a comma or spaces."""
    header = next(iter(iterate_lines(path)), "")
    return read_table(path, "\t" if "\t" in header else "," if "," in header else None)


def _place(table: Table, what: str, names: Sequence[str], given: Mapping[str, str]) -> int | None:
    """The number of the column that holds `what`, if there is one."""
    return table.place(*((given[what],) if what in given else names))


def _needed(table: Table, what: str, names: Sequence[str], given: Mapping[str, str]) -> int:
    place = _place(table, what, names, given)
    if place is None:
        called = listed([given[what]] if what in given else names)
        raise CupelError(
            f"{table.file} has no column for the {what}, which may be called {called}; "
            f"it has {listed(table.header)}."
        )
    return place
