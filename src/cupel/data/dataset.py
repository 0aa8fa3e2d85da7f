"""What the catalog says of a dataset, and the files that one consists of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Kind = Literal["wmt", "rankings-json", "graded", "graded-json", "mutt", "plain"]
"""How the files are laid out:

wmt            newstest texts and judgments.csv
rankings-json  PAIR.jsonl, one ranking a line
graded         as mt-metrics-eval's: sources, references, system-outputs, human-scores, documents
graded-json    PAIR.jsonl, one graded translation a line
mutt           the trials of MUTT
plain          anything else
"""


@dataclass(frozen=True)
class Expected:
    """Files that must be there: a pattern, how many match it, and the lines each has, if known."""

    pattern: str
    count: int = 1
    lines: int | None = None


@dataclass(frozen=True)
class Dataset:
    """One named dataset."""

    name: str
    what: str
    licence: str  # as its repositories state it
    published: str
    used_for: str
    sha256: str  # of the archive that the counts come from; empty where there is none
    files: tuple[Expected, ...]
    kind: Kind = "plain"
    pairs: tuple[str, ...] = ()  # the language pairs that have system outputs
    languages: str = ""
    systems: str = ""
    judgments: str = ""
    size: int = 0  # in bytes, on disk


@dataclass(frozen=True)
class Counts:
    """How much there is of one language pair of a graded campaign."""

    segments: int
    systems: int
    references: int = 1


def graded_files(pairs: Mapping[str, Counts], human: str) -> tuple[Expected, ...]:
    """The files of a graded campaign; `verify` compares their lines with those of the source."""
    return tuple(
        expected
        for pair, counts in pairs.items()
        for expected in (
            Expected(f"sources/{pair}.txt", lines=counts.segments),
            Expected(f"references/{pair}.*.txt", counts.references),
            Expected(f"system-outputs/{pair}/*.txt", counts.systems),
            Expected(f"documents/{pair}.docs"),
            Expected(f"human-scores/{pair}.{human}.seg.score"),
        )
    )


def json_files(lines: Mapping[str, int]) -> tuple[Expected, ...]:
    """PAIR.jsonl with so many lines, for each language pair."""
    return tuple(Expected(f"{pair}.jsonl", lines=count) for pair, count in lines.items())
