"""What annotators saved from the pages of `cupel annotate`, read with the key of their tasks.

A file is a JSON document with one judgment a line: `item`, the id of a screen, `score`, `errors` or
`ranks`, `ms`, `at`, and `sum`, a CRC-32 of the judgment as the page saved it. What is whole is read,
and everything else is counted with its file: files of other tasks, a file that was cut short, judgments
of unknown tasks or with impossible values (left out), and judgments changed by hand (used).
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cupel.errors import CupelError
from cupel.human.raw.annotations import Judgment, MarkedError, Notes
from cupel.human.tasks.key import SUFFIX, Key, find_keys
from cupel.human.tasks.sheets import REPEAT, SEVERITIES, Option, Screen
from cupel.reading.lines import display_name, read_text

MARK = '"cupel":"annotations"'
"""By this, near its beginning, a file is recognised."""


@dataclass(frozen=True)
class Answer:
    """What an annotator said on one screen. ranks: option -> rank from 1, the best."""

    screen: Screen
    score: float | None
    errors: tuple[MarkedError, ...]
    ranks: Mapping[str, int]
    seconds: float | None
    at: str
    where: str


@dataclass
class Sheet:
    """All answers of one annotator to one set of tasks, by screen. total: number of their screens."""

    key: Key
    annotator: str
    answers: dict[str, Answer] = field(default_factory=dict)
    parts: set[str] = field(default_factory=set)

    @property
    def total(self) -> int:
        """Screens of all the pages that this annotator saved."""
        return sum(len(self.key.screens[part]) for part in self.parts)


def is_saved_sheet(path: Path | str) -> bool:
    """Whether a file looks like one that a page of `cupel annotate` saved."""
    try:
        with Path(path).open(encoding="utf-8-sig", errors="replace") as file:
            beginning = file.read(400)
    except OSError:
        return False
    return MARK in beginning.replace(" ", "").replace("\n", "")


def read_sheets(
    paths: Sequence[Path | str], notes: Notes, keys: Sequence[Path | str] = ()
) -> list[Sheet]:
    """The answers of every annotator; the later answer counts where two files have the same screen.

    keys: key files; if not given, those beside the files and in the current folder.
    """
    by_id = find_keys(paths, keys)
    sheets: dict[tuple[str, str], Sheet] = {}
    for path in paths:
        name = display_name(path)
        head, records = _document(path, notes)
        key = by_id.get(str(head.get("tasks")))
        if key is None:
            _refuse_without_keys(name, head, by_id)
            notes.count(f"file of other tasks than those of the key, left out: {name}")
            continue
        part = str(head.get("part"))
        if part not in key.screens:
            notes.count(f"file of a part that the key does not have, left out: {name}")
            continue
        annotator = str(head.get("annotator") or part).strip()
        sheet = sheets.setdefault((key.id, annotator), Sheet(key, annotator))
        if sheet.parts - {part}:
            what = f"page by another annotator called {annotator}, taken for the same person"
            notes.count(f"{what}: {name}")
        sheet.parts.add(part)
        for answer in _answers(name, records, key.screens[part], key, notes):
            _add(sheet, answer, name, notes)
    if not sheets:
        raise CupelError("None of the files belongs to tasks whose key is there (--key).")
    return list(sheets.values())


def _refuse_without_keys(name: str, head: Mapping[str, Any], keys: Mapping[str, Key]) -> None:
    if not keys:
        raise CupelError(
            f"{name}: the key of its tasks, {head.get('name', 'tasks')}{SUFFIX}, is neither beside "
            "it nor here; name the file that `cupel annotate` wrote (--key)."
        )


def _document(path: Path | str, notes: Notes) -> tuple[dict[str, Any], list[Any]]:
    """The head of a file and its judgments; of a damaged file those that can be read."""
    name, text = display_name(path), read_text(path)
    try:
        document = json.loads(text)
        records = document["judgments"]
        if isinstance(document, dict) and isinstance(records, list):
            return document, records
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    first, *lines = text.splitlines() or [""]
    try:
        head = json.loads(first.rstrip().removesuffix("[") + "[]}")
    except ValueError:
        head = None
    if not isinstance(head, dict) or "tasks" not in head:
        raise CupelError(
            f"{name} is damaged: its first line, which names its tasks, cannot be read."
        )
    records = []
    for line in lines:
        try:
            records.append(json.loads(line.strip().removesuffix(",")))
        except ValueError:
            if line.strip() not in ("]}", "]", "}", ""):
                notes.count(f"line of the damaged file {name} that cannot be read, left out")
    if not text.rstrip().endswith("]}"):
        notes.count(f"file that ends too early, read as far as it goes: {name}")
    return head, records


def _answers(
    name: str, records: Sequence[Any], screens: Mapping[str, Screen], key: Key, notes: Notes
) -> Iterator[Answer]:
    for number, record in enumerate(records, start=1):
        where = f"{name}, judgment {number}"
        item = record.get("item") if isinstance(record, dict) else None
        screen = screens.get(item) if isinstance(item, str) else None
        if screen is None:
            notes.count(f"judgment in {name} of a task that the key does not have, left out")
            continue
        try:
            answer = _answer(record, screen, key, where)
        except (ValueError, TypeError, KeyError, AttributeError):
            notes.count(f"judgment in {name} with impossible values, left out")
            continue
        if record.get("sum") != checksum(record):
            notes.count(f"judgment in {name} that was changed after it was saved, used as it is")
        yield answer


def _answer(record: Mapping[str, Any], screen: Screen, key: Key, where: str) -> Answer:
    """A ValueError, TypeError or KeyError where a value cannot be what the page has saved."""
    score, ranks = record.get("score"), record.get("ranks") or {}
    if key.protocol in ("da", "esa"):
        _require(isinstance(score, int | float) and not isinstance(score, bool))
        _require(0 <= score <= 100)  # type: ignore[operator]
    if key.protocol == "ranking":
        _require(set(ranks) == {one.id for one in screen.options})
        _require(all(type(r) is int and 1 <= r <= len(screen.options) for r in ranks.values()))
    source = key.tasks[screen.segment].source
    errors = tuple(
        _error(one, screen.options[0], source, key.protocol) for one in record.get("errors") or []
    )
    ms = record.get("ms")
    _require(ms is None or (isinstance(ms, int | float) and ms >= 0))
    seconds = None if ms is None else float(ms) / 1000
    given = float(score) if key.protocol in ("da", "esa") else None  # type: ignore[arg-type]
    return Answer(screen, given, errors, ranks, seconds, str(record["at"]), where)


def _require(holds: bool) -> None:
    if not holds:
        raise ValueError


def _error(one: Mapping[str, Any], option: Option, source: str, protocol: str) -> MarkedError:
    start, end, in_source = one["start"], one["end"], bool(one.get("source"))
    _require(type(start) is int and type(end) is int)
    _require(0 <= start <= end <= len(source if in_source else option.text))
    _require(one["severity"] in SEVERITIES.get(protocol, []))
    return MarkedError(start, end, str(one.get("category") or ""), one["severity"], in_source)


def checksum(record: Mapping[str, Any]) -> int:
    """The sum that the page computes: of item, score, errors, ranks, comment, time and date."""
    try:
        errors = [
            [e.get("start"), e.get("end"), e.get("severity"), e.get("category"), e.get("source")]
            for e in record.get("errors") or []
        ]
        ranks = sorted([name, rank] for name, rank in (record.get("ranks") or {}).items())
    except (AttributeError, TypeError):
        return -1
    signed = [record.get("item"), record.get("score"), errors, ranks, record.get("comment"),
              record.get("ms"), record.get("at")]  # fmt: skip
    text = json.dumps(signed, ensure_ascii=False, separators=(",", ":"))
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def _add(sheet: Sheet, answer: Answer, name: str, notes: Notes) -> None:
    before = sheet.answers.get(answer.screen.id)
    if before is None:
        sheet.answers[answer.screen.id] = answer
        return
    same = all(getattr(before, n) == getattr(answer, n) for n in ("score", "errors", "ranks"))
    kind = "the same" if same else "another; the later one is used"
    notes.count(f"judgment by {sheet.annotator} in {name} that an earlier file has too, {kind}")
    if answer.at >= before.at:
        sheet.answers[answer.screen.id] = answer


def judgments_of(sheet: Sheet) -> Iterator[Judgment]:
    """The judgments of an annotator, without checks and repeats, for each system by itself."""
    for answer in sheet.answers.values():
        if answer.screen.kind != REPEAT:
            yield from _judgments(sheet, answer)


def _judgments(sheet: Sheet, answer: Answer) -> Iterator[Judgment]:
    task = sheet.key.tasks[answer.screen.segment]
    scores = rank_scores(answer) if answer.ranks else {}
    for option in answer.screen.options:
        for system in option.systems:  # a damaged translation has none
            yield Judgment(
                sheet.annotator,
                system,
                task.document,
                str(task.segment),
                answer.where,
                task.source,
                option.text,
                task.reference,
                list(answer.errors),
                scores[option.id] if answer.ranks else answer.score,
                answer.seconds,
            )


def rank_scores(answer: Answer) -> dict[str, float]:
    """Of each translation in a ranking, the share of the other systems that it beats, ties half."""
    options = [one for one in answer.screen.options if one.systems]
    systems = sum(len(one.systems) for one in options)
    scores = {}
    for one in options:
        beaten = sum(
            len(other.systems) * (0.5 if answer.ranks[other.id] == answer.ranks[one.id] else 1.0)
            for other in options
            if answer.ranks[other.id] >= answer.ranks[one.id]
        )
        scores[one.id] = (beaten - 0.5) / max(systems - 1, 1)  # without itself, which ties
    return scores
