"""Annotations of Pearmut: JSON lines of its log, or the JSON document that its dashboard downloads.

A line is what one user said of one document: `annotation` is a list with, for every item of the
document, an object from systems to `{"score": ..., "error_spans": [...]}`; `item` has the texts. A
later line of the same user and document replaces an earlier one, and the annotation `__RESET__`
removes it. Tutorials and attention checks (`welcome_0`, `random_0`, `goodbye_0`) are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from cupel.errors import CupelError
from cupel.human.raw.annotations import Judgment, Notes
from cupel.human.raw.spans import number_or_none, read_spans, required_text, text_or_none
from cupel.reading.jsons import json_lines, kind_of_json, parse_json
from cupel.reading.lines import display_name, iterate_lines, read_text

RESET = "__RESET__"
_ASIDE = ("welcome_", "random_", "goodbye_")
Entry = tuple[str, dict[str, Any]]


def read_pearmut(path: Path | str, notes: Notes) -> list[Judgment]:
    """The judgments of a log, with those that were replaced or reset left out."""
    current: dict[tuple[str, str], list[Judgment]] = {}
    for where, entry in _entries(path):
        user = required_text(entry, "user_id", where)
        item = str(entry.get("item_i", ""))
        if item.startswith(_ASIDE):
            notes.count("documents of tutorials and attention checks, left out")
            continue
        before = current.pop((user, item), None)
        if entry.get("annotation") == RESET:
            notes.count("documents that were reset, left out")
            continue
        if before:
            notes.count("documents that a user annotated again; the last annotation is used")
        actions = _as_list(entry.get("actions"), "actions", where)
        if any(action.get("action") == "submit_skip" for action in actions):
            notes.count("documents that a user skipped, left out")
            continue
        current[user, item] = list(_judgments(entry, user, item, where))
    return [one for group in current.values() for one in group]


def _entries(path: Path | str) -> Iterator[Entry]:
    first = next(iterate_lines(path), "")
    if not first.strip():
        raise CupelError(f"{display_name(path)} is empty; annotations of Pearmut were expected.")
    if _is_log(first):
        yield from json_lines(path, blank=True)
        return
    document = parse_json(read_text(path), display_name(path))
    if not isinstance(document, dict) or not all(isinstance(v, list) for v in document.values()):
        raise CupelError(
            f"{display_name(path)} is neither a log of Pearmut nor a download of its annotations."
        )
    for campaign, entries in document.items():
        for number, entry in enumerate(entries, start=1):
            yield f"{display_name(path)}, {campaign!r}, entry {number}", entry


def _is_log(line: str) -> bool:
    """Whether the first line of a file is an entry, or would be one if it were not damaged."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return '"user_id"' in line
    return isinstance(record, dict) and "user_id" in record


def _judgments(entry: dict[str, Any], user: str, item_i: str, where: str) -> Iterator[Judgment]:
    items = _as_list(entry.get("item"), "item", where)
    annotations = _as_list(entry.get("annotation"), "annotation", where)
    if items and len(items) != len(annotations):
        raise CupelError(
            f"{where}: there are {len(items)} items and {len(annotations)} annotations."
        )
    seconds = number_or_none(entry.get("time"), "'time'", where) or _duration(
        _as_list(entry.get("actions"), "actions", where)
    )
    share = seconds / len(annotations) if seconds and annotations else None
    for number, annotation in enumerate(annotations):
        item = items[number] if items else {}
        targets = item.get("tgt") or {}
        if not isinstance(targets, dict):
            raise CupelError(f"{where}: 'tgt' is {kind_of_json(targets)}; an object was expected.")
        segment = str(item.get("item_id", f"{item_i}_{number}"))
        for system, given in annotation.items():
            if not isinstance(given, dict):
                kind = kind_of_json(given)
                raise CupelError(f"{where}: the annotation of {system!r} is {kind}.")
            score = number_or_none(given.get("score"), f"the score of {system!r}", where)
            errors = read_spans(given.get("error_spans"), where)
            yield Judgment(
                user,
                system,
                segment.rpartition("_#_")[0] or item_i,
                segment,
                where,
                text_or_none(item.get("src"), "'src'", where),
                text_or_none(targets.get(system), f"the text of {system!r}", where),
                text_or_none(item.get("ref"), "'ref'", where),
                errors,
                score,
                share,
            )


def _as_list(value: Any, name: str, where: str) -> list[dict[str, Any]]:
    if value is None:
        return []
    values = value if isinstance(value, list) else [value]
    for one in values:
        if not isinstance(one, dict | None):
            raise CupelError(f"{where}: {name!r} has {kind_of_json(one)}; objects were expected.")
    return [one or {} for one in values]


def _duration(actions: Sequence[dict[str, Any]]) -> float | None:
    times = [one["time"] for one in actions if isinstance(one.get("time"), int | float)]
    return max(times) - min(times) if times else None
