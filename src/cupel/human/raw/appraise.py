"""Scores and error spans exported by Appraise: direct assessment (DA) and error spans (ESA, MQM).

`ExportSystemScoresToCSV` writes rows without a header:

    user, system, segment, item type, source language, target language, score
    [, document, whole document or not [, errors as JSON]] [, start, end [, batch, item]]

`DumpAllResults` has a header (taskID, systemID, username, ..., mqm), no languages, and JSON that is not
quoted. Items of type TGT and CHK (shown a second time) count, as in Appraise's own scripts; BAD and
REF, which check the raters, do not, nor do scores of whole documents. The texts are in the batches that
the campaign was made from.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from cupel.errors import CupelError
from cupel.human.languages import language_code
from cupel.human.raw.annotations import Judgment, Notes
from cupel.human.raw.spans import read_spans, required_text
from cupel.human.score_files import finite_score
from cupel.reading.jsons import parse_json
from cupel.reading.lines import display_name, iterate_lines, read_text
from cupel.reading.segments import listed

_COUNTED = ("TGT", "CHK")
_TYPES = (*_COUNTED, "BAD", "REF")
_TRUTH = ("True", "False")
_HEADED = {
    "username": "rater",
    "systemID": "system",
    "segmentID": "segment",
    "itemType": "type",
    "score": "score",
    "documentID": "document",
    "isCompleteDocument": "whole",
    "mqm": "errors",
    "startTime": "start",
    "endTime": "end",
    "durationInSeconds": "seconds",
}
"""Columns of exports with a header, and what we call them."""
_NEEDED = ("username", "systemID", "segmentID", "itemType", "score")


def read_appraise(path: Path | str, notes: Notes) -> Iterator[tuple[str | None, Judgment]]:
    """(language pair, judgment) of the rows that count."""
    rows = _rows(path)
    first = next(rows, None)
    if first is None:
        raise CupelError(f"{display_name(path)} is empty; an export of Appraise was expected.")
    header = first[1] if "systemID" in first[1] else None
    if header is not None:
        missing = [name for name in _NEEDED if name not in header]
        if missing:
            raise CupelError(f"{first[0]}: there is no column {missing[0]!r}.")
    else:
        rows = _with(first, rows)
    for where, fields in rows:
        cells = _named(header, fields, where) if header else _unnamed(fields, where)
        if cells["type"] not in _COUNTED:
            notes.count(f"items of type {cells['type']}, which check the raters, left out")
        elif cells.get("whole") == "True":
            notes.count("scores of whole documents, left out")
        elif "tutorial" in cells.get("document", "").lower():
            notes.count("items of tutorials, left out")
        else:
            yield _pair(cells, where), _judgment(cells, where)


def _with(first: tuple[str, list[str]], rest: Iterator[tuple[str, list[str]]]) -> Any:
    yield first
    yield from rest


def _rows(path: Path | str) -> Iterator[tuple[str, list[str]]]:
    file = display_name(path)
    reader = csv.reader(f"{line}\n" for line in iterate_lines(path))
    try:
        for fields in reader:
            if fields:
                yield f"{file}, line {reader.line_num}", fields
    except csv.Error as error:
        raise CupelError(f"{file}, line {reader.line_num}: this is not CSV ({error}).") from None


def _unnamed(fields: Sequence[str], where: str) -> dict[str, str]:
    if len(fields) < 7 or fields[3] not in _TYPES:
        raise CupelError(
            f"{where}: user, system, segment, item type ({', '.join(_TYPES)}), two languages and "
            f"score were expected, but there are {len(fields)} fields, {listed(fields, 4)}."
        )
    names = "rater system segment type source target score".split()
    rest = list(fields[7:])
    cells = dict(zip(names, fields, strict=False))
    if len(rest) >= 2 and rest[1] in _TRUTH:
        cells["document"], cells["whole"], rest = rest[0], rest[1], rest[2:]
        if len(rest) in (1, 3, 5):
            cells["errors"], rest = rest[0], rest[1:]
    if len(rest) in (2, 4):
        cells["start"], cells["end"] = rest[:2]
    elif rest:
        raise CupelError(f"{where}: {len(fields)} fields are no known form of this export.")
    return cells


def _named(header: Sequence[str], fields: Sequence[str], where: str) -> dict[str, str]:
    if len(fields) < len(header):
        raise CupelError(
            f"{where}: {len(header)} fields were expected, as in the header, but there are "
            f"{len(fields)}."
        )
    # JSON behind the last column has commas of its own; some headers leave that column out.
    names = [*header[:-1], "mqm"] if header[-1] == "mqm" else [*header, "mqm"]
    last = ",".join(fields[len(names) - 1 :])
    cells = dict(zip(names, [*fields[: len(names) - 1], last], strict=True))
    return {ours: cells[theirs] for theirs, ours in _HEADED.items() if theirs in cells}


def _pair(cells: dict[str, str], where: str) -> str | None:
    if "source" not in cells:
        return None
    codes = [language_code(cells[name]) or cells[name] for name in ("source", "target")]
    if not all(code.replace("-", "").replace("_", "").isalnum() for code in codes):
        raise CupelError(f"{where}: the languages are {codes[0]!r} and {codes[1]!r}.")
    return "-".join(codes)


def _judgment(cells: dict[str, str], where: str) -> Judgment:
    for name in ("rater", "system", "segment"):
        if not cells[name].strip():
            raise CupelError(f"{where}: the {name} is empty.")
    text = cells.get("errors", "").strip()
    errors = read_spans(parse_json(text, where), where) if text not in ("", "None") else []
    seconds = None
    if cells.get("start") and cells.get("end"):
        seconds = finite_score(cells["end"], where) - finite_score(cells["start"], where)
    elif cells.get("seconds"):
        seconds = finite_score(cells["seconds"], where)
    return Judgment(
        cells["rater"],
        cells["system"],
        cells.get("document", ""),
        cells["segment"],
        where,
        errors=errors,
        score=finite_score(cells["score"], where),
        seconds=seconds,
    )


def has_spans(path: Path | str) -> bool:
    """Whether an export has a column of error spans: ESA or MQM rather than DA."""
    rows = _rows(path)
    _, first = next(rows, ("", []))
    if "systemID" in first:
        return "mqm" in first
    return len(first) >= 10 and first[8] in _TRUTH and len(first[9:]) in (1, 3, 5)


def add_texts(judgments: Sequence[Judgment], paths: Sequence[Path | str], notes: Notes) -> None:
    """Give judgments the texts of Appraise's batches (JSON), matched by system, document and item."""
    texts: dict[tuple[str, str, str], tuple[str, str]] = {}
    for path in paths:
        file = display_name(path)
        batches = parse_json(read_text(path), file)
        for number, batch in enumerate(batches if isinstance(batches, list) else [batches], 1):
            for item in batch.get("items", []) if isinstance(batch, dict) else []:
                if not isinstance(item, dict) or item.get("itemType") not in _COUNTED:
                    continue
                if str(item.get("isCompleteDocument")) == "True":
                    continue
                where = f"{file}, batch {number}, item {item.get('itemID')}"
                source = required_text(item, "sourceText", where)
                target = str(item.get("targetText", ""))
                for system in required_text(item, "targetID", where).split("+"):
                    key = system, str(item.get("documentID", "")), str(item.get("itemID", ""))
                    texts[key] = source, target
    if not texts:
        raise CupelError(f"{', '.join(map(str, paths))}: there are no items with texts.")
    for one in judgments:
        pair = texts.get((one.system, one.document, one.segment))
        if pair is None:
            notes.refuse(
                f"{one.where}: the batches have no item {one.segment} of document "
                f"{one.document!r} and system {one.system!r}",
                "judgments of items that the batches do not have",
            )
        else:
            one.source, one.target = pair
