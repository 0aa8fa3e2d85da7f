"""The folders of mt-metrics-eval, in which WMT's newer campaigns are published.

    sources/PAIR.txt                          one line a segment
    references/PAIR.NAME.txt
    system-outputs/PAIR/SYSTEM.txt
    human-scores/PAIR.NAME.LEVEL.score        SYSTEM and score a line, `None` where there is none
    metric-scores/PAIR/NAME-REF.LEVEL.score   the same

LEVEL is sys or seg here; files of other levels are left alone. A segment-level file has, for each
system, one line a segment in their order. Texts may also be `.jsonl`, as since 2024.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cupel.corpus import Corpus, counted_segments
from cupel.errors import CupelError
from cupel.human.score_files import finite_score
from cupel.human.scores import ScoreSet
from cupel.reading.lines import read_lines
from cupel.reading.rows import Table, read_table
from cupel.reading.segments import listed, nearest
from cupel.reading.tables import read_column

_SUFFIXES = (".txt", ".jsonl")
_LEVELS = ("sys", "seg")
_MISSING = "None"
_NO_TRANSLATION = "[No translation supplied]"  # as these folders write an empty segment


@dataclass(frozen=True)
class EvalSet:
    """One language pair of a campaign: its texts, and the scores that people and metrics gave."""

    pair: str
    corpus: Corpus
    references: dict[str, list[str]]
    human: dict[str, ScoreSet]
    metrics: dict[str, ScoreSet]


def evalset_pairs(folder: Path | str) -> list[str]:
    """The language pairs that the folder has sources of."""
    paths = _texts(Path(folder) / "sources", "")
    if not paths:
        raise CupelError(f"{folder} has no sources/PAIR.txt: it is no folder of mt-metrics-eval.")
    return sorted(paths)


def read_evalset(folder: Path | str, pair: str, references: Sequence[str] | None = None) -> EvalSet:
    """The texts and scores of one language pair.

    references: the names of the references to score against; by default the first by name (refA),
    as most campaigns mean it. A reference may also be among the systems, as a human translation; one
    that is scored against is not.
    """
    folder = Path(folder)
    pairs = evalset_pairs(folder)
    if pair not in pairs:
        raise CupelError(f"{folder} has no language pair {pair!r}; it has {', '.join(pairs)}.")
    source = _texts(folder / "sources", "")[pair]
    paths = _texts(folder / "references", f"{pair}.")
    texts = {name: _read(path, "target") for name, path in paths.items()}
    if not texts:
        raise CupelError(f"{folder} has no references/{pair}.NAME.txt.")
    chosen = list(references) if references is not None else sorted(texts)[:1]
    for name in chosen:
        if name not in texts:
            raise CupelError(
                f"{folder} has no reference {name!r} for {pair}; it has {', '.join(sorted(texts))}."
            )
    outputs = _texts(folder / "system-outputs" / pair, "")
    used = {name: path for name, path in outputs.items() if name not in chosen}
    if not used:
        raise CupelError(f"{folder / 'system-outputs' / pair} has no system outputs.")
    sources = _read(source, "source")
    for name in chosen:
        if len(texts[name]) != len(sources):
            raise CupelError(
                f"{source} has {counted_segments(len(sources))}, "
                f"but {paths[name]} has {len(texts[name])}."
            )
    corpus = Corpus(
        systems={name: _read(path, "hypothesis") for name, path in used.items()},
        references=[list(lines) for lines in zip(*(texts[name] for name in chosen), strict=True)],
        sources=sources,
        origins={
            "sources": str(source),
            "references": ", ".join(str(paths[name]) for name in chosen),
            **{name: str(path) for name, path in used.items()},
        },
    )
    human_files = sorted((folder / "human-scores").glob(f"{pair}.*.score"))
    metric_files = sorted((folder / "metric-scores" / pair).glob("*.score"))
    names, length = list(outputs), len(sources)
    return EvalSet(
        pair,
        corpus,
        texts,
        _score_sets(human_files, pair, f"{pair}.", names, length, missing=True),
        _score_sets(metric_files, pair, "", names, length, missing=False),
    )


def _texts(folder: Path, prefix: str) -> dict[str, Path]:
    """The text files of a folder by what follows the prefix in their names."""
    return {
        path.name.removeprefix(prefix).removesuffix(path.suffix): path
        for path in sorted(folder.glob(f"{prefix}*"))
        if path.suffix in _SUFFIXES
    }


def _read(path: Path, field: str) -> list[str]:
    if path.suffix == ".txt":
        cells = read_lines(path)
    else:
        cells = [str(cell) for cell in read_column(str(path), "jsonl", field)]
    return ["" if cell == _NO_TRANSLATION else cell for cell in cells]


def _score_sets(
    paths: Sequence[Path], pair: str, prefix: str, systems: list[str], length: int, *, missing: bool
) -> dict[str, ScoreSet]:
    """The files of each scorer, both levels in one set."""
    by_name: dict[str, dict[str, dict[str, list[float]]]] = {}
    for path in paths:
        name, _, level = path.name.removeprefix(prefix).removesuffix(".score").rpartition(".")
        if level in _LEVELS and name:
            blocks = _blocks(path, systems, 1 if level == "sys" else length, missing=missing)
            by_name.setdefault(name, {})[level] = blocks
    return {
        name: ScoreSet(
            name,
            pair,
            {system: np.array(scores) for system, scores in levels.get("seg", {}).items()},
            {system: scores[0] for system, scores in levels.get("sys", {}).items()},
        )
        for name, levels in by_name.items()
    }


def _blocks(
    path: Path, systems: Sequence[str], length: int, *, missing: bool
) -> dict[str, list[float]]:
    """The scores of each system, as many as there are segments (or one)."""
    table = read_table(path, None, header=False)
    by_system: dict[str, list[float]] = {}
    for row, fields in enumerate(table.rows):
        _check_fields(table, row)
        system, cell = fields
        if system not in systems:
            raise CupelError(
                f"{table.where(row)}: there is no output of system {system!r}"
                f"{nearest(system, systems)}"
            )
        scores = by_system.setdefault(system, [])
        if len(scores) == length:
            what = "is a second score" if length == 1 else f"are more than {length} scores"
            raise CupelError(f"{table.where(row)}: there {what} of system {system!r}.")
        none = missing and cell == _MISSING
        scores.append(float("nan") if none else finite_score(cell, table.where(row)))
    for system, scores in by_system.items():
        if len(scores) < length:
            raise CupelError(
                f"{table.file} has {len(scores)} scores of system {system!r}, "
                f"but there are {counted_segments(length)}."
            )
    return by_system


def _check_fields(table: Table, row: int) -> None:
    if len(table.rows[row]) != 2:
        raise CupelError(
            f"{table.where(row)}: a system and a score were expected, "
            f"but {listed(table.rows[row])} was found."
        )
