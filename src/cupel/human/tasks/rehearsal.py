"""A rehearsal without annotators: sheets filled in from human scores that exist already.

The files are what the pages would save, so that the way from tasks to `cupel meta` can be tried before
anybody is asked. A segment's score s (MQM: 0 is perfect, below are penalties) becomes the score
max(0, 100 + 4 s), as many major (5) and minor (1) errors without a place, or a rank. Damaged
translations get the worst answer, repeats the same as the first, and every answer takes ten seconds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from cupel.errors import CupelError
from cupel.human.tasks.sheets import Option, Screen, Sheets

Scores = Mapping[tuple[str, int], float]
"""(system, segment from 1) -> score."""
_FIRST = datetime(2026, 1, 1, tzinfo=UTC)
_WORST = -25.0


def filled_sheet(sheets: Sheets, part: str, name: str, scores: Scores) -> tuple[str, int]:
    """The file that a page would save, and how many of its tasks the scores do not answer."""
    from cupel.human.raw.sheets import checksum

    records = []
    for number, screen in enumerate(sheets.parts[part]):
        answer = _answer(screen, sheets.protocol, scores)
        if answer is None:
            continue
        at = (_FIRST + timedelta(seconds=10 * number)).isoformat(timespec="milliseconds")
        record = {"item": screen.id, "score": None, "errors": [], "ranks": {}, **answer,
                  "comment": "", "ms": 10_000, "at": at.replace("+00:00", "Z")}  # fmt: skip
        records.append({**record, "sum": checksum(record)})
    if not records:
        raise CupelError("The campaign has no human scores of the selected segments and systems.")
    head = {
        "cupel": "annotations", "version": 1, "tasks": sheets.id, "name": name, "part": part,
        "protocol": sheets.protocol, "annotator": sheets.annotators[part] or f"rehearsal{part}",
        "session": "rehearsal", "started": f"{_FIRST:%Y-%m-%dT%H:%M:%S.000Z}",
        "exported": f"{_FIRST:%Y-%m-%dT%H:%M:%S.000Z}", "total": len(sheets.parts[part]),
    }  # fmt: skip
    first = _compact(head)[:-1]
    lines = ",\n".join(map(_compact, records))
    return f'{first},"judgments":[\n{lines}\n]}}\n', len(sheets.parts[part]) - len(records)


def _compact(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _answer(screen: Screen, protocol: str, scores: Scores) -> dict[str, Any] | None:
    """What the page would have, or None where a translation has no score."""
    values = [_value(option, screen.segment, scores) for option in screen.options]
    if None in values:
        return None
    numbers = [value for value in values if value is not None]
    if protocol == "ranking":
        ranks = [1 + sum(other > value for other in numbers) for value in numbers]
        return {"ranks": {o.id: r for o, r in zip(screen.options, ranks, strict=True)}}
    errors = _errors(-numbers[0], protocol)
    if protocol == "mqm":
        return {"errors": errors}
    score = max(0, round(100 + 4 * numbers[0]))
    return {"score": score, "errors": errors if protocol == "esa" else []}


def _value(option: Option, segment: int, scores: Scores) -> float | None:
    """Of equal translations the mean of their systems."""
    if not option.systems:
        return _WORST
    numbers = [scores[key] for system in option.systems if (key := (system, segment)) in scores]
    return sum(numbers) / len(numbers) if numbers else None


def _errors(penalty: float, protocol: str) -> list[dict[str, Any]]:
    if protocol not in ("esa", "mqm"):
        return []
    category = "Other" if protocol == "mqm" else "missing"
    major, rest = divmod(round(max(0.0, penalty)), 5)
    severities = ["major"] * major + ["minor"] * rest
    return [
        {"start": 0, "end": 0, "severity": severity, "category": category, "source": False}
        for severity in severities
    ]
