"""Data of WMT's tasks on quality estimation: qe24, with post-edits, and qe23, with marked errors.

qe24 has lines of sources, translations, post-edits and standardised scores. qe23 has a row for each rater of
a translation of newstest2021, people's translations among them, with the places of errors. In the file
of en-ru the ends of errors lie 3 characters too far: without these, 2,768 of 3,316 end with a word.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cupel.data.converters.graded import JudgedPair, check_lengths, moved, one_line, write_pair
from cupel.data.converters.mqm20 import unquoted
from cupel.data.converters.sources import only
from cupel.errors import CupelError
from cupel.reading import read_lines
from cupel.reading.rows import read_table

_PARTS = ("train", "dev")
COLUMNS = 9
"""System, document, segment, rater, source, translation; starts, ends and severities of errors."""
_TOO_FAR = {"en-de": 0, "en-ru": 3}
_PENALTIES = {"major": 5.0, "minor": 1.0}
_PEOPLE, _REFERENCE = "ref.", "ref.A"


def build_qe24(sources: Mapping[str, Path], target: Path) -> None:
    """The parts for training and development, which are the documents."""
    for folder in sorted((only(sources) / "train_dev/Task_3").glob("*_train_dev")):
        columns: dict[str, list[str]] = defaultdict(list)
        for part in _PARTS:
            kinds = ("src", "pe", "mt", "da_scores")
            lines = {kind: read_lines(folder / part / f"{part}.{kind}") for kind in kinds}
            check_lengths({f"{folder.name}/{part}.{kind}": lines[kind] for kind in kinds})
            for kind in kinds:
                columns[kind] += lines[kind]
            columns["part"] += [part] * len(lines["src"])
        judged = JudgedPair(
            "-".join(folder.name.split("_")[:2]),
            columns["src"],
            {"post-edit": columns["pe"]},
            {"MT": columns["mt"]},
            {"MT": list(map(float, columns["da_scores"]))},
            [("general", part) for part in columns["part"]],
        )
        write_pair(target, judged, "da")


@dataclass(frozen=True)
class Marks:
    """What one rater marked in a translation."""

    system: str
    segment: tuple[str, int]
    rater: str
    source: str
    text: str
    errors: list[dict[str, Any]]

    @property
    def score(self) -> float:
        """Penalties, negated."""
        return -float(sum(_PENALTIES[error["severity"]] for error in self.errors))


def build_qe23(sources: Mapping[str, Path], target: Path) -> None:
    """Segments that have a person's translation; what was marked in another text of a system is left out."""
    for pair in _TOO_FAR:
        path = only(sources) / f"task_2/train/2021_{pair}_processed.tsv"
        _write(pair, list(_marks(path, _TOO_FAR[pair])), target)


def _marks(path: Path, too_far: int) -> Iterator[Marks]:
    """The rows of the file, after its header, if any; a few have lost a column, or have doubled quotes."""
    table = read_table(path, "\t", header=False)
    for place, row in enumerate(table.rows):
        if len(row) != COLUMNS:
            raise CupelError(f"{table.where(place)}: {COLUMNS} columns expected, {len(row)} found.")
        system, document, segment, rater, source, text, *places = row
        marked, text = text, unquoted(text)
        if not rater.startswith("rater") or (text != marked and places[-1] != "no-error"):
            continue
        end, new = len(text), moved(text)
        errors = [
            {
                "start": new[min(int(start), end)],
                "end": new[min(max(int(stop) - too_far, int(start)), end)],
                "severity": severity,
            }
            for start, stop, severity in zip(*(column.split() for column in places), strict=True)
            if severity in _PENALTIES
        ]
        name = system.removeprefix("hyp.")
        yield Marks(name, (document, int(segment)), rater, unquoted(source), one_line(text), errors)


def _write(pair: str, marks: list[Marks], target: Path) -> None:
    documents = {
        name: place for place, name in enumerate(dict.fromkeys(m.segment[0] for m in marks))
    }
    texts: dict[str, dict[tuple[str, int], str]] = defaultdict(dict)
    sources: dict[tuple[str, int], str] = {}
    for mark in marks:
        sources.setdefault(mark.segment, mark.source)
        texts[mark.system].setdefault(mark.segment, mark.text)
    segments = sorted(texts[_REFERENCE], key=lambda segment: (documents[segment[0]], segment[1]))
    systems = sorted(name for name in texts if not name.startswith(_PEOPLE))
    scores: dict[tuple[str, tuple[str, int]], list[float]] = defaultdict(list)
    numbers = {segment: number for number, segment in enumerate(segments, 1)}
    lines = []
    for mark in sorted(marks, key=lambda m: (m.system, numbers.get(m.segment, 0))):
        same = mark.text == texts[mark.system][mark.segment]
        if mark.system in systems and mark.segment in numbers and same:
            scores[mark.system, mark.segment].append(mark.score)
            lines.append({
                "system": mark.system, "segment": numbers[mark.segment], "rater": mark.rater,
                "score": mark.score, "errors": mark.errors,
            })  # fmt: skip
    judged = JudgedPair(
        pair,
        [sources[segment] for segment in segments],
        {"refA": [texts[_REFERENCE][segment] for segment in segments]},
        {name: [texts[name].get(segment, "") for segment in segments] for name in systems},
        {
            name: [
                float(np.mean(given)) if (given := scores.get((name, segment))) else None
                for segment in segments
            ]
            for name in systems
        },
        [("news", document) for document, _ in segments],
        lines,
    )
    write_pair(target, judged, "mqm")
