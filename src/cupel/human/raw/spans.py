"""Error spans in JSON: objects with start, end, category and severity, as several tools write them.

mt-metrics-eval calls the bounds `start` and `end` (not included), Appraise and Pearmut `start_i` and
`end_i` (included), which are words such as "missing" where something is left out of the translation.
"""

from __future__ import annotations

import math
from typing import Any

from cupel.errors import CupelError
from cupel.human.raw.annotations import MarkedError
from cupel.reading.jsons import kind_of_json


def read_spans(value: Any, where: str) -> list[MarkedError]:
    """The errors of a list of spans; null is an empty list."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise CupelError(f"{where}: the errors are {kind_of_json(value)}; a list was expected.")
    return [_span(span, where) for span in value]


def _span(span: Any, where: str) -> MarkedError:
    if not isinstance(span, dict):
        raise CupelError(f"{where}: an error is {kind_of_json(span)}; an object was expected.")
    ends_inside = "start_i" in span
    start: Any = span.get("start_i" if ends_inside else "start")
    end: Any = span.get("end_i" if ends_inside else "end")
    category = span.get("category") or span.get("error_type") or ""
    if isinstance(category, list):
        category = "/".join(str(part) for part in category)
    if not _is_place(start) or not _is_place(end):
        category = category or str(start or "missing")
        start, end = 0, -1 if ends_inside else 0
    severity = span.get("severity")
    if not isinstance(severity, str) or not severity:
        raise CupelError(f"{where}: an error has no severity.")
    weight = number_or_none(span.get("score"), "the score of an error", where)
    last = end + ends_inside
    if start > last:
        raise CupelError(f"{where}: an error begins at {start} and ends before, at {end}.")
    in_source = bool(span.get("is_source_error", False))
    return MarkedError(start, last, str(category), severity, in_source, weight)


def _is_place(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def plain_span(error: MarkedError) -> dict[str, Any]:
    """An error as mt-metrics-eval's `ratings.Error` is written."""
    return {
        "start": error.start,
        "end": error.end,
        "category": error.category or None,
        "severity": error.severity,
        "score": error.weight,
        "is_source_error": error.in_source,
    }


def number_or_none(value: Any, what: str, where: str) -> float | None:
    """A finite number or null; anything else is an error."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        kind = value if isinstance(value, float) else kind_of_json(value)
        raise CupelError(f"{where}: {what} is {kind} where a number was expected.")
    return float(value)


def text_or_none(value: Any, what: str, where: str) -> str | None:
    """Text or null; anything else is an error."""
    if value is None or isinstance(value, str):
        return value
    raise CupelError(f"{where}: {what} is {kind_of_json(value)} where text was expected.")


def required_text(record: dict[str, Any], name: str, where: str) -> str:
    """A field that must be there and be text; a number is taken as written."""
    value = record.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value:
        kind = "missing" if name not in record else kind_of_json(value) if value != "" else "empty"
        raise CupelError(f"{where}: the field {name!r} is {kind} where text was expected.")
    return value
