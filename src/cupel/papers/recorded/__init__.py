"""Results that took a training, kept as files beside this one: `cupel reproduce --quick` reads them.

Each file is `{"results": [{"table", "row", "column", "value", "spread", "seeds", "date",
"signature"}, ...]}`: the names are those of `cupel reproduce -f json`; value and spread are in the
units that the table prints (percent where it prints percent); spread is the deviation between
seeds, or null. `computed.json` is different: the status of every table as `cupel reproduce --all`
last gave it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from cupel.errors import CupelError

COMPUTED = "computed.json"
Key = tuple[str, str, str]


@dataclass(frozen=True)
class Recorded:
    """A number that a training gave, and how: spread between seeds, their number, date, signature."""

    value: float
    spread: float | None = None
    seeds: int | None = None
    date: str = ""
    signature: str = ""


@cache
def recorded() -> dict[Key, Recorded]:
    """Every recorded result by table, row and column."""
    records: dict[Key, Recorded] = {}
    for file in sorted(files(__package__).iterdir(), key=lambda one: one.name):
        if file.name.endswith(".json") and file.name != COMPUTED:
            document = json.loads(file.read_text("utf-8"))
            records |= dict(_entry(entry, file.name) for entry in document["results"])
    return records


def _entry(entry: Mapping[str, Any], where: str) -> tuple[Key, Recorded]:
    try:
        key = (entry["table"], entry["row"], entry["column"])
        seeds = entry.get("seeds")
        return key, Recorded(
            float(entry["value"]),
            None if entry.get("spread") is None else float(entry["spread"]),
            len(seeds) if isinstance(seeds, list) else seeds,
            str(entry.get("date", "")),
            str(entry.get("signature", "")),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise CupelError(f"{where}: a recorded result lacks {error}.") from error


def last_computed() -> dict[str, Any]:
    """What `cupel reproduce --all` last gave: date, version and rows; empty where it never ran."""
    file = files(__package__) / COMPUTED
    return dict(json.loads(file.read_text("utf-8"))) if file.is_file() else {}
