r"""The score files of the WMT metrics task: `.seg.score` and `.sys.score`, read and written.

Fields are divided by tabs, without a header:

    METRIC  PAIR  TESTSET  SYSTEM  SCORE              .sys.score
    METRIC  PAIR  TESTSET  SYSTEM  SEGMENT  SCORE     .seg.score, segments counted from 1

Files of 2016-2019 have more fields behind the score (ensemble, available), those of 2020 and later
more of them before the system (domain, document, reference): the first line shows which it is.
There a metric is called METRIC-REFERENCE, for it has scores against each of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from cupel.errors import CupelError
from cupel.folders import write_text
from cupel.human.scores import ScoreSet
from cupel.reading.rows import Table, read_table
from cupel.reading.segments import counted, nearest

Systems = Mapping[str, Sequence[str]]
Key = tuple[str, str, str]
"""Metric, language pair, test set."""


def read_sys_scores(path: Path | str, systems: Systems | None = None) -> list[ScoreSet]:
    """The scores of a `.sys.score` file, one set for each metric and language pair.

    systems: the systems of each language pair; pairs that are not among them are left out, and an
    unknown system is an error. A system may be named in full or as the metrics task does it,
    `cu-moses.3383` for `newstest2014.cu-moses.3383.cs-en`.
    """
    _, collected = _collected(path, 5, systems)
    return [
        ScoreSet(
            metric,
            pair,
            system_scores={system: scores[0][0] for system, scores in by_system.items()},
            testset=testset,
        )
        for (metric, pair, testset), by_system in collected.items()
    ]


def read_seg_scores(
    path: Path | str, systems: Systems | None = None, segments: Mapping[str, int] | None = None
) -> list[ScoreSet]:
    """The scores of a `.seg.score` file, one set for each metric and language pair.

    Every system must have a score for every segment: as many as `segments` says, or else as the
    system with the most of them has. systems: as for `read_sys_scores`.
    """
    table, collected = _collected(path, 6, systems)
    return [
        _complete(table, key, scores, None if segments is None else segments.get(key[1]))
        for key, scores in collected.items()
    ]


def _collected(
    path: Path | str, width: int, systems: Systems | None
) -> tuple[Table, dict[Key, dict[str, dict[int, tuple[float, int]]]]]:
    """(metric, pair, test set) -> system -> segment -> score and row; of systems, the segment is 0."""
    table = read_table(path, "\t", header=False)
    columns = _layout(table, width)
    collected: dict[Key, dict[str, dict[int, tuple[float, int]]]] = {}
    for row, fields in enumerate(table.rows):
        metric, pair, testset = _named(fields, columns[0])
        if systems is not None and pair not in systems:
            continue
        where = table.where(row)
        system = _system(table, row, fields[columns[0]], pair, testset, systems)
        segment = segment_number(fields[columns[1]], where) if width == 6 else 0
        score = finite_score(fields[columns[-1]], where)
        scores = collected.setdefault((metric, pair, testset), {}).setdefault(system, {})
        if segment in scores:
            place = f", segment {segment + 1}," if width == 6 else ""
            raise CupelError(
                f"{where}: there is a second score of system {system!r}{place} for {pair}; the first "
                f"is in line {table.lines[scores[segment][1]]}."
            )
        scores[segment] = score, row
    return table, collected


def write_sys_scores(path: Path | str, sets: Iterable[ScoreSet]) -> None:
    """Write a `.sys.score` file, at once or not at all; reading it gives the same scores."""
    lines = [
        f"{_place(scores)}\t{system}\t{score!r}\n"
        for scores in sets
        for system, score in scores.system_scores.items()
    ]
    write_text(path, "".join(lines))


def write_seg_scores(path: Path | str, sets: Iterable[ScoreSet]) -> None:
    """Write a `.seg.score` file, at once or not at all; a missing score gets no line."""
    lines = [
        f"{_place(scores)}\t{system}\t{segment}\t{score!r}\n"
        for scores in sets
        for system, row in scores.segment_scores.items()
        for segment, score in enumerate(row.tolist(), start=1)
        if not math.isnan(score)
    ]
    write_text(path, "".join(lines))


def finite_score(cell: str, where: str) -> float:
    """A cell as a number; NaN and infinity are none."""
    try:
        score = float(cell)
    except ValueError:
        raise CupelError(f"{where}: the score is {cell!r} where a number was expected.") from None
    if not math.isfinite(score):
        raise CupelError(f"{where}: the score is {cell}; every score must be a finite number.")
    return score


def segment_number(cell: str, where: str, first: int = 1) -> int:
    """A segment's number as written, from `first`, to an index, from 0."""
    if not cell.strip().isdecimal() or len(cell) > 18 or int(cell) < first:
        raise CupelError(
            f"{where}: the segment is {cell!r} where a number from {first} on was expected."
        )
    return int(cell) - first


def _place(scores: ScoreSet) -> str:
    return f"{scores.name}\t{scores.pair}\t{scores.testset or 'testset'}"


def _layout(table: Table, fields: int) -> list[int]:
    """The places of system, (segment) and score; `fields` is how many the plain form has."""
    first = table.rows[0]
    if len(first) < fields:
        names = "METRIC, PAIR, TESTSET, SYSTEM, SEGMENT, SCORE".split(", ")
        expected = ", ".join(name for name in names if fields == 6 or name != "SEGMENT")
        raise CupelError(
            f"{table.where(0)}: {fields} fields divided by tabs were expected ({expected}), but "
            f"{counted(len(first), 'was', 'were')} found."
        )
    plain = list(range(3, fields))
    late = [place - fields + len(first) for place in plain]
    return plain if _is_number(first[plain[-1]]) and not _is_number(first[late[-1]]) else late


def _named(fields: Sequence[str], system: int) -> Key:
    """Metric, pair and test set; a metric with a reference of its own is METRIC-REFERENCE."""
    metric, pair, testset = fields[:3]
    return (metric if system == 3 else f"{metric}-{fields[system - 1]}"), pair, testset


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _system(
    table: Table, row: int, name: str, pair: str, testset: str, systems: Systems | None
) -> str:
    if systems is None:
        return name
    names = systems[pair]
    for form in (name, f"{testset}.{name}.{pair}", f"{testset}.{pair}.{name}"):
        if form in names:
            return form
    raise CupelError(
        f"{table.where(row)}: there is no system {name!r} for {pair}{nearest(name, names)}"
    )


def _complete(
    table: Table,
    key: Key,
    collected: Mapping[str, Mapping[int, tuple[float, int]]],
    segments: int | None,
) -> ScoreSet:
    metric, pair, testset = key
    length = segments if segments is not None else 1 + max(max(s) for s in collected.values())
    rows: dict[str, np.ndarray] = {}
    for system, scores in collected.items():
        for segment, (_, row) in scores.items():
            if segment >= length:
                raise CupelError(
                    f"{table.where(row)}: the segment is {segment + 1}, "
                    f"but {pair} has {length} segments."
                )
        if len(scores) < length:
            missing = next(segment for segment in range(length) if segment not in scores)
            raise CupelError(
                f"{table.file} has no score of system {system!r}, segment {missing + 1}, "
                f"for {pair}; {len(scores)} of {length} segments have one."
            )
        rows[system] = np.array([scores[segment][0] for segment in range(length)])
    return ScoreSet(metric, pair, segment_scores=rows, testset=testset)
