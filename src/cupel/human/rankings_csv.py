"""The official WMT CSV into arrays, every cell checked: what `rankings` is made from.

Columns: srclang, trglang, srcIndex (the line, from 1), judgeId (judgeID since 2015), and for each
system shown systemNId and systemNrank. All others are ignored. The work is done column by column:
45,000 rows take a fraction of a second.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from cupel.arrays import IntArray
from cupel.errors import CupelError
from cupel.human.languages import language_code
from cupel.reading.rows import Table, read_table, small_number
from cupel.reading.segments import nearest

NONE = -1
LOWEST_RANK = 5
_UNKNOWN_JUDGES = {"", "-1", "unknown"}
_JOINED = re.compile("[+,]")


class Columns(NamedTuple):
    """The rankings of one language pair, as `Rankings` has them."""

    pair: str
    systems: tuple[str, ...]
    segments: IntArray
    judges: IntArray
    judge_ids: tuple[str, ...]
    ranked: IntArray
    ranks: IntArray
    items: IntArray


def read_columns(
    path: Path | str,
    systems: Mapping[str, Sequence[str]] | None = None,
    segments: Mapping[str, int] | None = None,
) -> Iterator[Columns]:
    """The rankings of each language pair of a file; see `rankings.read_rankings`."""
    table = read_table(path)
    pairs = _language_pairs(table)
    lines = _segments(table)
    ids, ranks = _systems(table), _ranks(table)
    judges = table.column("judgeId") if table.place("judgeId") is not None else [""] * len(lines)
    for pair, rows in _rows_of(pairs).items():
        if segments is not None:
            _check_lines(table, rows, lines, pair, segments)
        if systems is not None and pair not in systems:
            raise CupelError(f"{table.where(rows[0])}: there are no system outputs for {pair}.")
        given = None if systems is None else systems[pair]
        names, members = _members(table, rows, ids, pair, given)
        numbers, judge_ids = _judges([judges[row] for row in rows])
        spread = _spread(ids.codes[rows], ranks[rows], members, len(names))
        _check_once(table, rows, spread[0], names)
        yield Columns(pair, names, lines[rows], numbers, judge_ids, *spread)


@dataclass(frozen=True)
class _Ids:
    """The system ids of a file: codes (rows, k) into names, -1 where the cell is empty."""

    names: list[str]
    codes: IntArray


def _language_pairs(table: Table) -> list[str]:
    codes: list[list[str]] = []
    for column in ("srclang", "trglang"):
        cells = table.column(column)
        code_of = {name: language_code(name) for name in set(cells)}
        for row, name in enumerate(cells):
            if code_of[name] is None:
                raise CupelError(
                    f"{table.where(row)}: {name!r} in the column {column} is no language known "
                    "here; give its English name or its two-letter code."
                )
        codes.append([str(code_of[name]) for name in cells])
    return [f"{source}-{target}" for source, target in zip(*codes, strict=True)]


def _rows_of(pairs: Sequence[str]) -> dict[str, IntArray]:
    """The rows of each language pair, in order of appearance."""
    rows: dict[str, list[int]] = {}
    for row, pair in enumerate(pairs):
        rows.setdefault(pair, []).append(row)
    return {pair: np.array(numbers, np.int64) for pair, numbers in rows.items()}


def _segments(table: Table) -> IntArray:
    cells = table.column("srcIndex")
    lines = np.array(table.parsed(cells, small_number, "srcIndex", "a line number"), np.int64)
    if (lines < 1).any():
        row = int(np.argmax(lines < 1))
        raise CupelError(f"{table.where(row)}: srcIndex is {lines[row]}, but lines count from 1.")
    return lines - 1


def _system_columns(table: Table, what: str) -> list[str]:
    numbers = sorted(
        int(match[1])
        for name in table.header
        if (match := re.fullmatch(rf"system(\d{{1,9}}){what}", name, re.IGNORECASE))
    )
    return [f"system{number}{what}" for number in numbers]


def _systems(table: Table) -> _Ids:
    columns = _system_columns(table, "Id")
    if len(columns) < 2:
        raise CupelError(
            f"{table.file} has no columns 'system1Id' and 'system2Id': "
            "this is not the official CSV of WMT rankings."
        )
    names: dict[str, int] = {}
    codes = [
        [names.setdefault(cell.strip(), len(names)) for cell in table.column(column)]
        for column in columns
    ]
    array = np.array(codes, np.int64).T.reshape(-1, len(columns))
    if "" in names:
        array[array == names[""]] = NONE
    return _Ids(list(names), array)


def _ranks(table: Table) -> IntArray:
    ranks = []
    for column in (name.removesuffix("Id") + "rank" for name in _system_columns(table, "Id")):
        cells = [cell or "-1" for cell in table.column(column)]
        values = np.array(table.parsed(cells, small_number, column, "a rank"), np.int64)
        wrong = (values != NONE) & ((values < 1) | (values > LOWEST_RANK))
        if wrong.any():
            row = int(np.argmax(wrong))
            raise CupelError(
                f"{table.where(row)}: {column} is {values[row]}, but ranks go from 1 (best) to "
                f"{LOWEST_RANK}, and -1 is not ranked."
            )
        ranks.append(values)
    return np.array(ranks, np.int64).T.reshape(-1, len(ranks))


def _check_lines(
    table: Table, rows: IntArray, lines: IntArray, pair: str, segments: Mapping[str, int]
) -> None:
    if pair not in segments:
        raise CupelError(f"{table.where(rows[0])}: there are no segments for {pair}.")
    beyond = rows[lines[rows] >= segments[pair]]
    if len(beyond):
        row = int(beyond[0])
        raise CupelError(
            f"{table.where(row)}: srcIndex is {lines[row] + 1}, "
            f"but {pair} has {segments[pair]} segments."
        )


def _members(
    table: Table, rows: IntArray, ids: _Ids, pair: str, given: Sequence[str] | None
) -> tuple[tuple[str, ...], dict[int, tuple[int, ...]]]:
    """The systems of a pair, and of each id's code the systems that it stands for."""
    codes = ids.codes[rows]
    used = [int(code) for code in np.unique(codes[codes != NONE])]
    own = set(given or ())
    split = {
        code: [name] if name in own else [part.strip() for part in _JOINED.split(name)]
        for code in used
        for name in [ids.names[code]]
    }
    names = (
        tuple(given) if given is not None else tuple(sorted({n for p in split.values() for n in p}))
    )
    numbers = {name: number for number, name in enumerate(names)}
    for code, parts in split.items():
        for part in parts:
            if part not in numbers:
                row = int(rows[np.argmax((codes == code).any(axis=1))])
                raise CupelError(
                    f"{table.where(row)}: the system {part!r} is ranked, but it has no output for "
                    f"{pair}{nearest(part, names)}"
                )
    return names, {
        code: tuple(sorted(numbers[part] for part in parts)) for code, parts in split.items()
    }


def _judges(cells: Sequence[str]) -> tuple[IntArray, tuple[str, ...]]:
    ids = tuple(sorted({cell.strip() for cell in cells} - _UNKNOWN_JUDGES))
    numbers = {name: number for number, name in enumerate(ids)}
    return np.array([numbers.get(cell.strip(), NONE) for cell in cells], np.int64), ids


def _spread(
    codes: IntArray, ranks: IntArray, members: Mapping[int, tuple[int, ...]], systems: int
) -> tuple[IntArray, IntArray, IntArray]:
    """Ids to systems (ranked, ranks, items), each joined id to as many columns as it names systems."""
    sets = {
        parts: systems + n for n, parts in enumerate(sorted(set(members.values()))) if parts[1:]
    }
    # By code: how many systems it stands for, where they begin in `flat`, and which item it is.
    counts, starts, item_of = np.zeros((3, max(members, default=0) + 1), np.int64)
    flat: list[int] = []
    for code, parts in members.items():
        counts[code], starts[code], item_of[code] = len(parts), len(flat), sets.get(parts, parts[0])
        flat += parts
    row, column = np.nonzero(codes != NONE)
    shown = codes[row, column]
    times = counts[shown]
    row = np.repeat(row, times)
    lengths = np.bincount(row, minlength=len(codes))
    place = np.arange(len(row)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    within = np.arange(len(row)) - np.repeat(np.cumsum(times) - times, times)
    shape = 3, len(codes), int(max(codes.shape[1], lengths.max(initial=0)))
    ranked, spread_ranks, items = np.full(shape, NONE, np.int64)
    ranked[row, place] = np.array(flat, np.int64)[np.repeat(starts[shown], times) + within]
    spread_ranks[row, place] = np.repeat(ranks[np.nonzero(codes != NONE)], times)
    items[row, place] = np.repeat(item_of[shown], times)
    return ranked, spread_ranks, items


def _check_once(table: Table, rows: IntArray, ranked: IntArray, names: Sequence[str]) -> None:
    ordered = np.sort(ranked, axis=1)
    twice = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] != NONE)
    if twice.any():
        row = int(np.argmax(twice.any(axis=1)))
        name = names[ordered[row, 1:][twice[row]][0]]
        raise CupelError(f"{table.where(int(rows[row]))}: the system {name!r} is ranked twice.")
