"""The score files inside a folder of mt-metrics-eval, read and written.

    human-scores/PAIR.NAME.LEVEL.score        SYSTEM SCORE, `None` where nobody judged
    metric-scores/PAIR/NAME-REF.LEVEL.score   the same; every score is a number

LEVEL is seg, doc, domain or sys. For each system there is one line per segment or document, in
their order; a file of domains has DOMAIN SYSTEM SCORE, in any order. REF names the references that
the metric read: `refA`, `refA.refB`, `all`, or `src` for none.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cupel.arrays import FloatArray
from cupel.corpus import counted_segments
from cupel.errors import CupelError
from cupel.folders import write_text
from cupel.human.score_files import finite_score
from cupel.human.scores import LEVELS, ScoreSet
from cupel.reading.lines import iterate_lines
from cupel.reading.rows import Table, read_table
from cupel.reading.segments import counted, listed, nearest

MISSING = "None"
NO_REFERENCE, ALL_REFERENCES = "src", "all"
_OF_FILES = {short: level for level, short in LEVELS.items()}
_UNSAFE = re.compile(r"[^\w.+:=,()@-]+")


@dataclass(frozen=True)
class Shape:
    """What the score files of one language pair must fit.

    systems: those with output. documents, domains: their names in order; segments: how many.
    """

    systems: Sequence[str]
    segments: int
    documents: Sequence[str] = ()
    domains: Sequence[str] = ()

    def length(self, level: str) -> int:
        """How many scores a system has at that level."""
        lengths = {
            "segment": self.segments,
            "document": len(self.documents),
            "domain": len(self.domains),
            "system": 1,
        }
        return lengths[level]

    def counted(self, level: str) -> str:
        """`3 segments`, for errors."""
        if level == "segment":
            return counted_segments(self.segments)
        return counted(self.length(level), level, f"{level}s")


def level_of(path: Path | str) -> str | None:
    """The level that the name of a score file says, if it says one."""
    stem = Path(path).name.removesuffix(".gz").removesuffix(".score")
    return _OF_FILES.get(stem.rpartition(".")[2])


def scorer_of(path: Path | str, prefix: str = "") -> str:
    """`COMET-refA` of `COMET-refA.seg.score`; prefix: what stands before it, such as `en-de.`."""
    stem = Path(path).name.removesuffix(".gz").removesuffix(".score")
    return stem.removeprefix(prefix).rpartition(".")[0]


def is_evalset_layout(path: Path | str) -> bool:
    """Whether a score file has SYSTEM SCORE (or DOMAIN SYSTEM SCORE), no METRIC PAIR TESTSET."""
    first = next(iter(iterate_lines(path)), "")
    return len(first.split("\t")) in (2, 3) or ("\t" not in first and len(first.split()) in (2, 3))


def metric_and_references(name: str, references: Sequence[str]) -> tuple[str, frozenset[str]]:
    """`COMET-refA` -> COMET and refA. A name without a reference of the campaign is one by itself."""
    pieces = name.split("-")
    for cut in range(1, len(pieces)):  # a reference may have a hyphen in its name
        base, last = "-".join(pieces[:cut]), "-".join(pieces[cut:])
        if last == NO_REFERENCE:
            return base, frozenset()
        if last == ALL_REFERENCES:
            return base, frozenset(references)
        if (parts := frozenset(last.split("."))) <= set(references):
            return base, parts
    return name, frozenset()


def file_name(metric: str, references: Sequence[str], every: Sequence[str]) -> str:
    """`chrf-refA`: how score files call a metric that read these references of all there are."""
    if len(references) >= 3 and set(references) == set(every):
        part = ALL_REFERENCES
    else:
        part = ".".join(references) or NO_REFERENCE
    return f"{safe_name(metric)}-{part}"


def safe_name(metric: str) -> str:
    """The name of a metric as part of a file name."""
    return _UNSAFE.sub("_", metric)


def read_score_sets(
    paths: Iterable[Path], pair: str, prefix: str, shape: Shape, *, missing: bool
) -> dict[str, ScoreSet]:
    """The files of each scorer, all levels in one set; files of other levels are left alone.

    prefix: what stands before the scorer in file names. missing: whether `None` is allowed.
    """
    by_name: dict[str, dict[str, dict[str, FloatArray]]] = {}
    for path in paths:
        name, level = scorer_of(path, prefix), level_of(path)
        if level and name:
            read = read_level(path, level, shape, missing=missing)
            by_name.setdefault(name, {})[level] = read
    return {
        name: ScoreSet(
            name,
            pair,
            levels.get("segment", {}),
            {system: float(scores[0]) for system, scores in levels.get("system", {}).items()},
            document_scores=levels.get("document", {}),
            domain_scores=levels.get("domain", {}),
        )
        for name, levels in by_name.items()
    }


def read_level(
    path: Path | str, level: str, shape: Shape, *, missing: bool
) -> dict[str, FloatArray]:
    """system -> (items,) of one file, NaN for `None`, held against what there is to score."""
    quick = _quick(Path(path), shape, shape.length(level), missing) if level != "domain" else None
    if quick is not None:
        return quick
    width = 3 if level == "domain" else 2
    # A system's name may have blanks in it where the fields are divided by tabs.
    by_tabs = all(line.count("\t") == width - 1 for line in iterate_lines(path))
    table = read_table(path, "\t" if by_tabs else None, header=False)
    if len(table.rows[0]) != width:
        what = "a domain, a system and a score" if width == 3 else "a system and a score"
        raise CupelError(
            f"{table.where(0)}: {what} were expected, but {listed(table.rows[0])} was found."
        )
    read = _domains if level == "domain" else _blocks
    return read(table, level, shape, missing)


def _quick(path: Path, shape: Shape, length: int, missing: bool) -> dict[str, FloatArray] | None:
    """The same for a plain file without a fault, five times as fast; None for any other.

    A campaign has millions of such lines.
    """
    try:
        text = path.read_bytes().decode("utf-8")
        rows = [line.split("\t") for line in text.removesuffix("\n").split("\n")]
        scores = [(row[0], math.nan if row[1] == MISSING else float(row[1])) for row in rows]
    except (OSError, ValueError, IndexError):
        return None
    by_system: dict[str, list[float]] = {}
    for system, score in scores:
        by_system.setdefault(system, []).append(score)
    arrays = {system: np.array(values) for system, values in by_system.items()}
    whole = np.concatenate(list(arrays.values()))
    named = sum(row[1] == MISSING for row in rows) if missing else 0
    sound = (
        max(map(len, rows)) == 2
        and arrays.keys() <= set(shape.systems)
        and {len(values) for values in arrays.values()} == {length}
        and int((~np.isfinite(whole)).sum()) == named
    )
    return arrays if sound else None


def _blocks(table: Table, level: str, shape: Shape, missing: bool) -> dict[str, FloatArray]:
    names, length = set(shape.systems), shape.length(level)
    by_system: dict[str, list[float]] = {}
    last: dict[str, int] = {}
    for row, (system, cell) in enumerate(table.rows):
        if system not in names:
            raise _no_output(table, row, system, shape)
        scores = by_system.setdefault(system, [])
        if len(scores) == length:
            what = "is a second score" if length == 1 else f"are more than {length} scores"
            raise CupelError(f"{table.where(row)}: there {what} of system {system!r}.")
        scores.append(_score(table, row, cell, missing))
        last[system] = row
    for system, scores in by_system.items():
        if len(scores) < length:
            raise CupelError(
                f"{table.where(last[system])}: the scores of system {system!r} end here after "
                f"{len(scores)}, but there are {shape.counted(level)}."
            )
    return {system: np.array(scores) for system, scores in by_system.items()}


def _domains(table: Table, level: str, shape: Shape, missing: bool) -> dict[str, FloatArray]:
    names, place = set(shape.systems), {name: i for i, name in enumerate(shape.domains)}
    by_system: dict[str, FloatArray] = {}
    seen: dict[tuple[str, str], int] = {}
    for row, (domain, system, cell) in enumerate(table.rows):
        if system not in names:
            raise _no_output(table, row, system, shape)
        if domain not in place:
            raise CupelError(
                f"{table.where(row)}: no segment is of the domain {domain!r}; "
                f"the domains are {', '.join(shape.domains)}."
            )
        if (domain, system) in seen:
            raise CupelError(
                f"{table.where(row)}: there is a second score of system {system!r} for the domain "
                f"{domain!r}; the first is in line {table.lines[seen[domain, system]]}."
            )
        seen[domain, system] = row
        scores = by_system.setdefault(system, np.full(len(place), np.nan))
        scores[place[domain]] = _score(table, row, cell, missing)
    for system in by_system:
        for domain in shape.domains if not missing else ():
            if (domain, system) not in seen:
                raise CupelError(
                    f"{table.file} has no score of system {system!r} for the domain {domain!r}."
                )
    return by_system


def _no_output(table: Table, row: int, system: str, shape: Shape) -> CupelError:
    return CupelError(
        f"{table.where(row)}: there is no output of system {system!r}"
        f"{nearest(system, shape.systems)}"
    )


def _score(table: Table, row: int, cell: str, missing: bool) -> float:
    if missing and cell == MISSING:
        return math.nan
    try:
        score = float(cell)
    except ValueError:
        score = math.nan
    return score if math.isfinite(score) else finite_score(cell, table.where(row))


def write_score_set(folder: Path | str, scores: ScoreSet, domains: Sequence[str] = ()) -> None:
    """Write `NAME.LEVEL.score` for each level that the set has; a missing score is `None`.

    folder: metric-scores/PAIR of a campaign, say. domains: their names, for that level.
    """
    for level, short in LEVELS.items():
        if rows := scores.at(level):
            lines = _domain_lines(rows, domains) if level == "domain" else _lines(rows)
            write_text(Path(folder) / f"{scores.name}.{short}.score", "".join(lines))


def _lines(rows: Mapping[str, FloatArray]) -> list[str]:
    return [f"{system}\t{_cell(score)}\n" for system, row in rows.items() for score in row.tolist()]


def _domain_lines(rows: Mapping[str, FloatArray], domains: Sequence[str]) -> list[str]:
    return [
        f"{domain}\t{system}\t{_cell(score)}\n"
        for system, row in rows.items()
        for domain, score in zip(domains, row.tolist(), strict=True)
    ]


def _cell(score: float) -> str:
    return MISSING if math.isnan(score) else repr(score)
