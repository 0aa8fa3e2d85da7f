"""`cupel again`: a result computed once more from its own question."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from cupel.cli.commands import perform, question_of
from cupel.cli.table import COMMANDS
from cupel.errors import CupelError
from cupel.reading.segments import counted
from cupel.records import QUESTION_KEY

if TYPE_CHECKING:
    from cupel.questions.again import Again
    from cupel.questions.question import Question

Rows = Sequence[Mapping[str, Any]]
_EMBEDDED = re.compile(r'<script type="application/json" id="result">(.*?)</script>', re.DOTALL)
_SHOWN = 5


def run(question: Again) -> int:
    """Compute the result, and print whether its numbers are the same."""
    record, rows = read_result(question.result)
    folders = [*question.folders, question.result.parent, Path()]
    asked = _restored(record, folders)
    if not question.plugins:
        check_plugins(asked)
    rows_again = _computed(asked)
    if len(rows) != len(rows_again):
        print(
            f"The result has {counted(len(rows), 'row', 'rows')}; now there are {len(rows_again)}."
        )
        return 1
    differences = list(_differences(rows, rows_again, question.tolerance))
    for sentence in differences[:_SHOWN]:
        print(sentence)
    if differences:
        print(
            f"Numbers that differ: {len(differences)}, in a result of {counted(len(rows), 'row', 'rows')}."
        )
        return 1
    how = (
        "exactly"
        if not any(_differences(rows, rows_again, 0.0))
        else f"within {question.tolerance:g}"
    )
    print(f"The same: {counted(len(rows), 'row', 'rows')} of `cupel {asked.command}`, {how}.")
    return 0


def read_result(path: Path) -> tuple[Mapping[str, Any], Rows]:
    """The record of the question and the rows that a file has."""
    try:
        document = _parquet(path) if path.suffix.lower() == ".parquet" else _document(path)
        record, rows = document["question"], document["rows"]
        if not isinstance(record["values"], dict) or not isinstance(rows, list):
            raise TypeError
        return record, rows
    except OSError as error:
        raise CupelError(f"{path} cannot be read: {error.strerror}.") from None
    except (KeyError, TypeError, ValueError):
        raise CupelError(
            f"{path} does not say what was asked: `cupel again` reads results that Cupel wrote as "
            "JSON, Parquet (segment scores) or HTML."
        ) from None


def _document(path: Path) -> Any:
    text = path.read_text("utf-8")
    if path.suffix.lower() in (".html", ".htm"):
        embedded = _EMBEDDED.search(text)
        text = embedded[1].replace("<\\/", "</") if embedded else ""
    return json.loads(text)


def _parquet(path: Path) -> Any:
    import polars as pl

    try:
        record = json.loads(pl.read_parquet_metadata(path)[QUESTION_KEY])
        return {"question": record, "rows": pl.read_parquet(path).to_dicts()}
    except pl.exceptions.PolarsError:
        raise ValueError from None


def _restored(record: Mapping[str, Any], folders: Sequence[Path]) -> Question:
    from cupel.provenance import restored

    command = record.get("command")
    if command not in COMMANDS or not question_of(str(command)).repeatable:
        raise CupelError(f"A result of `cupel {command}` cannot be computed again by this command.")
    return restored(question_of(str(command)), record["values"], record.get("inputs", {}), folders)


def check_plugins(question: Question) -> None:
    """Refuse a question that would run code which is not part of Cupel."""
    from cupel.registry import entry_of

    for spec in getattr(question, "metrics", ()):
        entry = entry_of(spec.partition(":")[0])
        if entry is None or entry.package != "cupel":
            raise CupelError(
                f"The result was computed with {spec!r}, which is not part of Cupel: if you trust it, "
                "add --plugins."
            )


def _computed(question: Question) -> Rows:
    """The rows that the command prints now; nothing else is written."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "again.json"
        names = {field.name for field in fields(question)}
        printed = {"format": "json", "file": file, "quiet": True}
        question = replace(question, **{n: v for n, v in printed.items() if n in names})
        question.rules()
        perform(question)
        rows: Rows = json.loads(file.read_text("utf-8"))["rows"]
        return rows


def _numbers(row: Mapping[str, Any]) -> dict[str, float]:
    return {k: v for k, v in row.items() if isinstance(v, int | float) and not isinstance(v, bool)}


def _differences(rows: Rows, again: Rows, tolerance: float) -> Iterator[str]:
    for number, (row, new) in enumerate(zip(rows, again, strict=True), start=1):
        numbers = _numbers(new)
        for name, value in _numbers(row).items():
            now = numbers.get(name)
            if name in new and (now is None or abs(now - value) > tolerance * max(1.0, abs(value))):
                yield f"Row {number}, {name}: {value!r} in the result, {now!r} now."
