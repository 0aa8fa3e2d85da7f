"""Challenge sets that hold a good and a bad translation, as suites: DEMETR and ACES.

DEMETR (Karpinska et al. 2022) is a folder of JSON files, one per perturbation: lists of objects
with src_sent, eng_sent (the reference), mt_sent (the good translation), pert_sent (the bad one),
pert_check, pert_id and pert_name. ACES (Amrhein et al. 2022) is one file of JSON lines, or tables
with a header line, with source, good-translation, incorrect-translation, reference, phenomena and
langpair. Neither is part of this package.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cupel.errors import CupelError
from cupel.mutt.corruptions import Kind
from cupel.mutt.suites import Suite, Trial, grouped

# DEMETR's repetitions, slips of grammar and of typography: the meaning stays.
_DISRUPTING = {1, 2, *range(12, 19), *range(26, 33)}
_REFERENCE = 35
"""DEMETR's perturbation that puts the reference itself in the place of the bad translation."""

Row = tuple[str, Kind | None, Trial]


def demetr(path: str | Path) -> Suite:
    """DEMETR's folder, or one of its files; what could not be perturbed there is left out."""
    files = sorted(Path(path).rglob("*.json")) if Path(path).is_dir() else [Path(path)]
    if not files:
        raise CupelError(f"{path} has no .json files; DEMETR's `dataset` folder was expected.")
    rows: list[Row] = []
    unchanged = 0
    for file in files:
        for place, item in _items(file):
            fields = _fields(
                item, place, "eng_sent", "mt_sent", "pert_sent", "pert_name", "pert_id"
            )
            if not fields["pert_id"].isdecimal():
                raise CupelError(
                    f"{place}: pert_id is {fields['pert_id']!r} where a number was expected."
                )
            number = int(fields["pert_id"])
            if number == _REFERENCE:
                continue
            if not item.get("pert_check", True) or fields["mt_sent"] == fields["pert_sent"]:
                unchanged += 1
                continue
            kind = Kind.disrupting if number in _DISRUPTING else Kind.altering
            trial = Trial(
                fields["mt_sent"],
                fields["pert_sent"],
                (fields["eng_sent"],),
                item.get("src_sent"),
                place,
            )
            rows.append((fields["pert_name"], kind, trial))
    return Suite("demetr", grouped(rows), _left_out(unchanged, "were not perturbed"))


def aces(path: str | Path, langpair: str | None = None) -> Suite:
    """ACES's challenge_set.jsonl, or a .tsv of its columns; all pairs of languages, or one."""
    rows: list[Row] = []
    equal = 0
    for place, item in _table(Path(path)):
        if langpair is not None and item.get("langpair") != langpair:
            continue
        fields = _fields(
            item, place, "good-translation", "incorrect-translation", "reference", "phenomena"
        )
        good, bad = fields["good-translation"], fields["incorrect-translation"]
        if good == bad:
            equal += 1
            continue
        name = fields["phenomena"]
        kind = Kind.disrupting if name.startswith("punctuation") else Kind.altering
        trial = Trial(good, bad, (fields["reference"],), item.get("source"), place)
        rows.append((name, kind, trial))
    return Suite("aces", grouped(rows), _left_out(equal, "have two equal translations"))


def _items(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    from cupel.reading.jsons import read_json

    entries = read_json(path)
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise CupelError(f"{path}: a list of objects was expected, as DEMETR's files are.")
    for number, entry in enumerate(entries, start=1):
        yield f"{path}, item {number}", entry


def _table(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    from cupel.reading.jsons import json_lines
    from cupel.reading.rows import read_table

    if path.suffix != ".tsv":
        yield from json_lines(path, blank=True)
        return
    table = read_table(path, "\t")
    for row, fields in enumerate(table.rows):
        yield table.where(row), dict(zip(table.header, fields, strict=True))


def _fields(item: Mapping[str, Any], place: str, *names: str) -> dict[str, str]:
    for name in names:
        if name not in item:
            raise CupelError(f"{place}: the field {name!r} is missing.")
    return {name: str(item[name]) for name in names}


def _left_out(count: int, why: str) -> tuple[str, ...]:
    return (f"{count} items {why} and are left out.",) if count else ()
