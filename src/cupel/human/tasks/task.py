"""Tasks: the segments to be judged, as JSON lines.

A line is a segment: `segment` (its line in the files, from 1), `source`, `translations` (an object from
systems to texts); where they are known `reference`, `pair`, `document`, and `before`, the segments that
precede it in its document, each with `source` and `translations`; `method`, how it was selected.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cupel.errors import CupelError
from cupel.folders import write_text
from cupel.reading.jsons import json_lines, kind_of_json
from cupel.reading.lines import display_name
from cupel.reading.segments import listed


@dataclass(frozen=True)
class Before:
    """A segment that precedes one to be judged."""

    source: str
    translations: Mapping[str, str]


@dataclass(frozen=True)
class Task:
    """A segment to be judged; see the module."""

    segment: int
    source: str
    translations: Mapping[str, str]
    reference: str | None = None
    pair: str | None = None
    document: str = ""
    before: Sequence[Before] = field(default_factory=tuple)
    method: str = ""


def write_tasks(path: Path | str, tasks: Iterable[Task]) -> None:
    """Write tasks at once or not at all."""
    write_text(path, "".join(f"{json.dumps(_line(task), ensure_ascii=False)}\n" for task in tasks))


def _line(task: Task) -> dict[str, Any]:
    line: dict[str, Any] = {"segment": task.segment}
    for name in ("pair", "document", "method"):
        if getattr(task, name):
            line[name] = getattr(task, name)
    line["source"] = task.source
    if task.reference is not None:
        line["reference"] = task.reference
    line["translations"] = dict(task.translations)
    if task.before:
        line["before"] = [
            {"source": one.source, "translations": dict(one.translations)} for one in task.before
        ]
    return line


def read_tasks(path: Path | str) -> list[Task]:
    """The tasks of a file; all have the same systems and language pair, and segments differ."""
    tasks = [_task(record, where) for where, record in json_lines(path, blank=True)]
    name = display_name(path)
    if not tasks:
        raise CupelError(f"{name} is empty; tasks as `cupel select` writes them were expected.")
    first, seen = tasks[0], set[int]()
    for task in tasks:
        if list(task.translations) != list(first.translations):
            raise CupelError(
                f"{name}: segment {task.segment} has translations of "
                f"{listed(list(task.translations))}, but segment {first.segment} of "
                f"{listed(list(first.translations))}."
            )
        if task.pair != first.pair:
            raise CupelError(
                f"{name}: segments {first.segment} and {task.segment} have different "
                "language pairs."
            )
        if task.segment in seen:
            raise CupelError(f"{name} has segment {task.segment} twice.")
        seen.add(task.segment)
    return tasks


def _task(record: dict[str, Any], where: str) -> Task:
    if not {"segment", "source", "translations"} <= set(record):
        raise CupelError(
            f"{where}: this is no task of `cupel select`, which has 'segment', 'source' and "
            "'translations'."
        )
    segment = record["segment"]
    if isinstance(segment, bool) or not isinstance(segment, int) or segment < 1:
        raise CupelError(f"{where}: 'segment' is {segment!r}; a number from 1 was expected.")
    before = record.get("before") or []
    if not isinstance(before, list) or not all(isinstance(one, dict) for one in before):
        raise CupelError(f"{where}: 'before' is no list of objects.")
    return Task(
        segment,
        _text(record, "source", where),
        _texts(record["translations"], where),
        _text(record, "reference", where) if record.get("reference") is not None else None,
        _text(record, "pair", where) if record.get("pair") else None,
        _text(record, "document", where) if record.get("document") else "",
        tuple(
            Before(_text(one, "source", where), _texts(one.get("translations"), where))
            for one in before
        ),
        str(record.get("method") or ""),
    )


def _text(record: Mapping[str, Any], name: str, where: str) -> str:
    value = record.get(name)
    if not isinstance(value, str):
        raise CupelError(f"{where}: {name!r} is {kind_of_json(value)}; text was expected.")
    return value


def _texts(value: Any, where: str) -> dict[str, str]:
    if not isinstance(value, dict) or not value:
        raise CupelError(f"{where}: 'translations' is no object from systems to texts.")
    return {system: _text(value, system, where) for system in value}
