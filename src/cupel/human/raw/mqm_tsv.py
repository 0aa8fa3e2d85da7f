"""MQM annotations as Google publishes them: a table with one row for each marked error.

    system doc doc_id seg_id rater source target category severity

The marked words stand between `<v>` and `</v>`, in the source or in the target. A translation without
errors has one row of severity No-error. Columns differ over the years: seg_id or globalSegId, doc_id
or docSegId, more columns behind (comment, metadata); some files quote their fields as CSV does, most
take quotes literally. Tables of Unbabel (en-ru) have a column `misc` with the score of the segment.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path

from cupel.errors import CupelError
from cupel.human.raw.annotations import NO_ERROR, Judgment, MarkedError, Notes, check_text
from cupel.human.raw.spans import number_or_none
from cupel.reading.jsons import parse_json
from cupel.reading.rows import Table, read_table
from cupel.reading.segments import listed

COLUMNS = {
    "rater": ("rater", "annotator", "rater_id"),
    "system": ("system",),
    "document": ("doc", "document", "doc_name"),
    "segment": ("seg_id", "globalSegId", "global_seg_id", "segment_id", "doc_id", "docSegId"),
    "source": ("source",),
    "target": ("target",),
    "category": ("category",),
    "severity": ("severity",),
}
"""The names that each column has had."""
_TAG = re.compile(r"(</?v>)")
_NOTHING_WRONG = (NO_ERROR, "no error", "")


@dataclass(frozen=True)
class Marked:
    """A text without its marks, and the characters from the first to the last that was marked."""

    text: str
    start: int = 0
    end: int = 0


def read_mqm_tsv(path: Path | str, notes: Notes) -> list[Judgment]:
    """The judgments of a table, the rows of one rater and translation together."""
    table = read_table(path, "\t")
    if not table.rows:
        raise CupelError(f"{table.file} has a header line and no annotations.")
    places = _places(table)
    misc = table.place("misc")
    _unquote(table, [places["source"], places["target"], places["category"]])
    pick = itemgetter(*places.values())
    texts: dict[str, Marked] = {}
    judgments: dict[tuple[str, ...], Judgment] = {}
    given: dict[int, list[float]] = {}
    for row, fields in enumerate(table.rows):
        *names, marked_source, marked_target, category, severity = pick(fields)
        source = _marks(marked_source, table, row, texts, notes)
        target = _marks(marked_target, table, row, texts, notes)
        key = tuple(names)
        one = judgments.get(key)
        first = one is None
        if one is None:
            _check_key(key, table, row)
            rater, system, document, segment = key
            one = judgments[key] = Judgment(
                rater, system, document, segment, table.where(row), source.text, target.text
            )
        elif one.source != source.text or one.target != target.text:
            check_text(one, "source", source.text, table.where(row), notes)
            check_text(one, "target", target.text, table.where(row), notes)
        _add(one, category.strip(), severity.strip(), source, target, first=first, notes=notes)
        if misc is not None:
            given.setdefault(id(one), []).append(_stored_score(fields[misc], table, row))
    for one in judgments.values():
        if scores := given.get(id(one)):
            one.score = sum(scores) / len(scores)
    return list(judgments.values())


def _places(table: Table) -> dict[str, int]:
    places: dict[str, int] = {}
    for what, names in COLUMNS.items():
        place = table.place(*names)
        if place is None:
            called = f"called {listed(names)}" if len(names) > 1 else f"{names[0]!r}"
            raise CupelError(
                f"{table.file}, line 1: there is no column {called}; there are "
                f"{listed(table.header, 20)}."
            )
        places[what] = place
    return places


def _check_key(key: Sequence[str], table: Table, row: int) -> None:
    for name, cell in zip(("rater", "system", "document", "segment"), key, strict=True):
        if not cell.strip() and name != "document":
            raise CupelError(f"{table.where(row)}: the {name} is empty.")


def _unquote(table: Table, columns: Sequence[int]) -> None:
    """Undo the quotes of CSV, where every field that has quotes is written so."""
    doubled = False
    for fields in table.rows:
        for column in columns:
            cell = fields[column]
            if '"' in cell:
                inner = cell[1:-1]
                if len(cell) < 2 or cell[0] + cell[-1] != '""' or '"' in inner.replace('""', ""):
                    return
                doubled = doubled or '""' in inner
    if doubled:
        for fields in table.rows:
            for column in columns:
                if fields[column].startswith('"'):
                    fields[column] = fields[column][1:-1].replace('""', '"')


def _marks(cell: str, table: Table, row: int, texts: dict[str, Marked], notes: Notes) -> Marked:
    marked = texts.get(cell)
    if marked is None:
        marked = texts[cell] = marked_text(cell, table.where(row), notes)
    return marked


def marked_text(cell: str, where: str, notes: Notes) -> Marked:
    """A text without `<v>` and `</v>`, and the place of what they mark.

    >>> marked_text("the <v>red</v> hat", "", Notes())
    Marked(text='the red hat', start=4, end=7)
    """
    if "<v>" not in cell and "</v>" not in cell:
        return Marked(cell)
    text, start, end, opened = "", -1, 0, False
    for part in _TAG.split(cell):
        if part in ("<v>", "</v>"):
            if opened == (part == "<v>"):
                _unbalanced(cell, where, notes)
            opened = part == "<v>"
            start = len(text) if start < 0 and opened else start
            end = len(text)
        else:
            text += part
    if opened:
        _unbalanced(cell, where, notes)
        end = len(text)
    return Marked(text, max(start, 0), end)


def _unbalanced(cell: str, where: str, notes: Notes) -> None:
    shown = cell if len(cell) < 60 else f"{cell[:57]}..."
    notes.refuse(
        f"{where}: <v> and </v> do not match in {shown!r}",
        "texts in which <v> and </v> do not match, marked to the end of the text",
    )


def _add(
    one: Judgment,
    category: str,
    severity: str,
    source: Marked,
    target: Marked,
    *,
    first: bool,
    notes: Notes,
) -> None:
    """Add the error of a row; rows of one rater that cannot all be meant are counted."""
    nothing = severity.lower() in _NOTHING_WRONG and category.lower() in _NOTHING_WRONG
    if severity.lower() == NO_ERROR or nothing:
        if not first:
            notes.count("rows without an error beside other rows of the same rater and translation")
        return
    in_source = target.end <= target.start and source.end > source.start
    marked = source if in_source else target
    error = MarkedError(marked.start, marked.end, category, severity, in_source)
    if error in one.errors:
        notes.count("errors that a rater marked twice at the same place")
    elif not first and not one.errors:
        notes.count("rows with an error beside a row of the same rater without one")
    one.errors.append(error)


def _stored_score(cell: str, table: Table, row: int) -> float:
    text = cell[1:-1].replace('""', '"') if cell.startswith('"') else cell
    value = parse_json(text, table.where(row))
    score = value.get("mqm") if isinstance(value, dict) else None
    number = number_or_none(score, "'mqm' in the column misc", table.where(row))
    if number is None:
        raise CupelError(f"{table.where(row)}: the column misc has no number called 'mqm'.")
    return number
