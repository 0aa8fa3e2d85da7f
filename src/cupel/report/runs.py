"""Read the JSON that `cupel score`, `cupel meta` and `cupel mutt` print, and check all of it.

A run is flat records under "rows", with "version" and "signatures"; its columns show what kind of run
it is. A file that was cut off, edited or made by something else is refused here with a
sentence that names the row, so that nothing after this needs to look again.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cupel import __version__
from cupel.errors import CupelError

Row = Mapping[str, Any]

PREFERRED = ("preferred", "preferred_low", "preferred_high")
"""How often people prefer a system to the first, with the ends of an interval."""
COLUMNS: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "score": (("system", "metric"), ("score",), ("low", "high", "p_value", *PREFERRED)),
    "segments": (("system",), ("segment",), ()),
    "meta": (
        ("dataset", "pair", "level", "statistic", "metric"),
        ("value", "n"),
        ("low", "high"),
    ),
    "tasks": (
        ("dataset", "task", "pair", "level", "statistic", "metric"),
        ("weight", "value", "rank"),
        ("mean_rank",),
    ),
    "mutt": (
        ("suite", "corruption", "kind", "metric"),
        ("accuracy", "trials"),
        ("low", "high", "ties"),
    ),
}
"""Of each kind of run: columns with text, with numbers, with numbers or nothing."""
UNDEFINED = {"meta": ("value",)}
"""Columns that must be there, but may have no number: a metric that ties all has no correlation."""

LARGEST = 1e100
"""A larger number is a mistake, and charts could not show it."""

_MADE_BY = {
    "score": "cupel score -f json",
    "segments": "cupel score -sl -f json",
    "meta": "cupel meta -f json",
    "tasks": "cupel meta --task -f json",
    "mutt": "cupel mutt -f json",
}
_DISTINCTIVE = {
    "mutt": "accuracy",
    "tasks": "mean_rank",
    "meta": "statistic",
    "segments": "segment",
    "score": "score",
}


@dataclass(frozen=True)
class Run:
    """One run: its kind (a key of `COLUMNS`), its rows, and what else its file has (`extras`)."""

    kind: str
    rows: Sequence[Row]
    signatures: Mapping[str, str] = field(default_factory=dict)
    version: str = __version__
    extras: Mapping[str, Any] = field(default_factory=dict)
    origin: str = "the run"

    @property
    def segment_metrics(self) -> list[str]:
        """The metrics of a run over segments: its columns but two."""
        return [column for column in self.rows[0] if column not in ("system", "segment")]


def read_run(path: Path | str) -> Run:
    """A run from a file; CupelError in one sentence where it is not one."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise CupelError(f"{path} cannot be read: {error.strerror}.") from error
    try:
        document = json.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise CupelError(
            f"{path} is not UTF-8 text at byte {error.start + 1}; a run is the JSON of "
            f"`{_MADE_BY['score']}` and the like."
        ) from error
    except json.JSONDecodeError as error:
        raise CupelError(_not_json(path, content, error)) from error
    except RecursionError as error:
        raise CupelError(f"{path} is nested too deeply to be a run of Cupel.") from error
    except ValueError as error:  # Python reads no integer of thousands of digits
        raise CupelError(f"{path} has a number that no run of Cupel has; make it again.") from error
    return checked(document, str(path))


def _not_json(path: Path | str, content: bytes, error: json.JSONDecodeError) -> str:
    if not content.strip():
        return f"{path} is empty: print a run into it with `{_MADE_BY['score']} -o {path}`."
    if content.lstrip()[:1] != b"{":
        return f"{path} is not JSON: a run is what `{_MADE_BY['score']}` and the like print."
    return (
        f"{path} is not whole: it stops being JSON at line {error.lineno} ({error.msg}), as if it "
        "was cut off or edited; make the run again."
    )


def checked(document: Any, origin: str) -> Run:
    """A run from parsed JSON, with every row looked at."""
    if not isinstance(document, dict) or not isinstance(document.get("rows"), list):
        raise CupelError(
            f'{origin} is not a run of Cupel: an object with "rows" was expected, as '
            f"`{_MADE_BY['score']}` prints it."
        )
    if not isinstance(document.get("version"), str):
        raise CupelError(f'{origin} does not say which version made it ("version"): make it again.')
    rows = document["rows"]
    if not rows:
        raise CupelError(f"{origin} has no rows: there is nothing to report.")
    for index, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise CupelError(f"{origin}, row {index}: an object was expected, not {_shown(row)}.")
    kind = _kind(rows[0], origin, document["version"])
    signatures = document.get("signatures") or {}
    if not isinstance(signatures, dict) or not all(isinstance(s, str) for s in signatures.values()):
        raise CupelError(f'{origin}: "signatures" was expected to map metrics to signatures.')
    for index, row in enumerate(rows, 1):
        _check_row(row, rows[0], kind, f"{origin}, row {index}")
    _check_whole(rows, kind, origin)
    rows = [{column: _or_none(value) for column, value in row.items()} for row in rows]
    extras = {k: v for k, v in document.items() if k not in ("rows", "version", "signatures")}
    return Run(kind, rows, signatures, document["version"], extras, origin)


def _kind(row: Row, origin: str, version: str) -> str:
    for kind, column in _DISTINCTIVE.items():
        if column in row:
            missing = [c for part in COLUMNS[kind][:2] for c in part if c not in row]
            if not missing:
                return kind
            made = "" if version == __version__ else f", and was made by version {version}"
            raise CupelError(
                f"{origin} has no column {missing[0]!r}{made}; make it again with "
                f"`{_MADE_BY[kind]}` of this version ({__version__})."
            )
    raise CupelError(
        f"{origin} is not a run that can be shown: its columns are {', '.join(map(str, row))}; "
        f"runs are what {', '.join(f'`{made}`' for made in _MADE_BY.values())} print."
    )


def _check_row(row: Row, first: Row, kind: str, where: str) -> None:
    if row.keys() != first.keys():
        odd = sorted(set(row) ^ set(first))[0]
        state = "missing" if odd in first else "not in the first row"
        raise CupelError(f"{where}: the column {odd!r} is {state}; was the file edited?")
    texts, numbers, optional = COLUMNS[kind]
    for column in texts:
        if not isinstance(row[column], str):
            raise CupelError(f"{where}: {column} is {_shown(row[column])}, not text.")
    if kind == "mutt" and not isinstance(row.get("references"), int | str):
        raise CupelError(f"{where}: references is {_shown(row.get('references'))}, not a number.")
    if kind == "segments":
        numbers = tuple(column for column in row if column != "system")
    for column in numbers:
        if column not in UNDEFINED.get(kind, ()) or _has_number(row, column):
            _check_number(row[column], column, where)
    for column in optional:
        if _has_number(row, column):
            _check_number(row[column], column, where)
    _check_bounds(row, where)


def _has_number(row: Row, column: str) -> bool:
    """Whether an optional number is there: neither missing, nor null, nor NaN."""
    return _or_none(row.get(column)) is not None


def _or_none(value: Any) -> Any:
    """NaN, which JSON does not have, as what is written in its place."""
    return None if isinstance(value, float) and math.isnan(value) else value


def _check_bounds(row: Row, where: str) -> None:
    low, high = _has_number(row, "low"), _has_number(row, "high")
    if low != high:
        raise CupelError(f"{where}: low and high go together; was the file edited?")
    if low and row["low"] > row["high"]:
        raise CupelError(f"{where}: low, {row['low']}, lies above high, {row['high']}.")
    if _has_number(row, "p_value") and not 0 <= row["p_value"] <= 1:
        raise CupelError(f"{where}: p_value is {row['p_value']}, not between 0 and 1.")


def is_number(value: object) -> bool:
    """Whether a value of JSON is a number that can be drawn."""
    right = isinstance(value, int | float) and not isinstance(value, bool)
    return right and abs(value) <= LARGEST  # type: ignore[arg-type]


def _check_number(value: object, column: str, where: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise CupelError(f"{where}: {column} is {_shown(value)}, not a number.")
    if not is_number(value):
        shown = value if isinstance(value, float) else _shown(value)
        raise CupelError(f"{where}: {column} is {shown}, not a finite number.")


def _check_whole(rows: Sequence[Row], kind: str, origin: str) -> None:
    """No row is there twice, and no score is missing."""
    keys = COLUMNS[kind][0]
    if kind == "segments":
        _check_segments(rows, origin)
        return
    if kind == "mutt":
        keys = (*keys, "references")
    seen: dict[tuple[Any, ...], int] = {}
    for index, row in enumerate(rows, 1):
        key = tuple(row[column] for column in keys)
        if key in seen:
            raise CupelError(
                f"{origin}, row {index}: {', '.join(map(str, key))} is in row {seen[key]} as well."
            )
        seen[key] = index
    if kind == "score":
        systems = dict.fromkeys(row["system"] for row in rows)
        metrics = dict.fromkeys(row["metric"] for row in rows)
        for system in systems:
            for metric in metrics:
                if (system, metric) not in seen:
                    raise CupelError(f"{origin} has no {metric} score of system {system!r}.")


def _check_segments(rows: Sequence[Row], origin: str) -> None:
    """Every system has the segments 1 to n, in order."""
    if len(rows[0]) < 3:
        raise CupelError(f"{origin} has no scores: a column for each metric was expected.")
    last_of: dict[str, int] = {}
    for index, row in enumerate(rows, 1):
        expected = last_of.get(row["system"], 0) + 1
        if row["segment"] != expected:
            raise CupelError(
                f"{origin}, row {index}: segment {row['segment']} of system {row['system']!r}, "
                f"where segment {expected} was expected."
            )
        last_of[row["system"]] = expected
    count = max(last_of.values())
    for system, last in last_of.items():
        if last != count:
            raise CupelError(
                f"{origin} has {last} segments of system {system!r} and {count} of others."
            )


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 40 else text[:39] + "…"


def other_versions(runs: Sequence[Run]) -> list[str]:
    """A warning for each run of another version."""
    return [
        f"{run.origin} was made by Cupel {run.version}, this is {__version__}: its numbers may "
        "differ from those of a new run."
        for run in runs
        if run.version != __version__
    ]
