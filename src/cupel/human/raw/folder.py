"""Write judgments as a folder in the layout of mt-metrics-eval, which `cupel meta` reads.

    sources/PAIR.txt                              references/PAIR.refA.txt
    system-outputs/PAIR/SYSTEM.txt                documents/PAIR.docs
    human-scores/PAIR.NAME.seg.score, .sys.score  averaged over raters
    human-scores/PAIR.NAME.RATER.seg.rating       what each rater marked and scored
    annotators.tsv                                of saved sheets: quality control, who is kept and why
    left-out/PAIR.NAME.RATER.seg.rating           of saved sheets: ratings of those who are not

Human translations are both references and systems, as the campaigns of WMT have them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cupel.arrays import FloatArray
from cupel.errors import CupelError
from cupel.folders import writing_folder
from cupel.human.raw.annotations import Annotations, Judgment
from cupel.human.raw.quality import Quality
from cupel.human.raw.rated import Rated
from cupel.human.raw.ratings import MERGED, SUFFIX, rating_line
from cupel.human.raw.texts import Texts
from cupel.reading.campaigns import write_campaign, write_lines

Ratings = dict[tuple[str, tuple[str, str]], Judgment]
"""(system, (document, segment)) -> judgment."""


@dataclass(frozen=True)
class Imported:
    """One language pair that is ready to be written. name: of its human scores."""

    name: str
    annotations: Annotations
    rated: Rated
    texts: Texts
    scores: FloatArray
    left_out: Annotations | None = None
    quality: Sequence[Quality] = ()


def write_evalset(folder: Path, parts: Sequence[Imported]) -> bool:
    """Write all language pairs, at once or not at all; the folder must be new.

    False where it holds just this already, as after a run that was killed when it had finished.
    """
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
    is_new = not folder.exists()
    with writing_folder(folder) as target:
        for part in parts:
            _write_texts(target, part)
            _write_scores(target, part)
            _write_ratings(target, part)
            _write_quality(target, part)
        if not is_new and _contents(folder) != _contents(target):
            raise CupelError(f"{folder} exists already; choose the name of a new folder.")
    return is_new


def _contents(folder: Path) -> dict[str, bytes] | None:
    if not folder.is_dir():
        return None
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def _write_texts(target: Path, part: Imported) -> None:
    pair, texts = part.rated.pair, part.texts
    _check_name("language pair", pair)
    _check_name("name", part.name)
    for system in part.rated.systems:
        _check_name("system", system)
    write_campaign(
        target,
        pair,
        _plain(texts.sources),
        {name: _plain(lines) for name, lines in texts.references.items()},
        {system: _plain(texts.outputs[system]) for system in part.rated.systems},
        [(domain, " ".join(_plain([document]))) for domain, document in texts.documents],
    )


def _check_name(what: str, name: str) -> None:
    if not name or "/" in name or name.startswith(".") or not name.isprintable():
        raise CupelError(f"The {what} {name!r} cannot be the name of a file; rename it.")


def _write_scores(target: Path, part: Imported) -> None:
    base = f"human-scores/{part.rated.pair}.{part.name}"
    rows = list(zip(part.rated.systems, part.scores, strict=True))
    segments = (f"{system}\t{_number(score)}" for system, row in rows for score in row.tolist())
    write_lines(target / f"{base}.seg.score", segments)
    systems = (f"{system}\t{_number(_mean(row))}" for system, row in rows)
    write_lines(target / f"{base}.sys.score", systems)


def _write_ratings(target: Path, part: Imported) -> None:
    """A file for each rater, and one of all where no translation has two of them."""
    files = _by_rater(part.annotations)
    if len(files) > 1 and part.rated.counts().max() <= 1:
        files[MERGED] = {key: one for group in files.values() for key, one in group.items()}
    _put_ratings(target / "human-scores", part, files)


def _by_rater(annotations: Annotations) -> dict[str, Ratings]:
    """The name of a rater in the name of a file -> (system, segment) -> judgment."""
    by_rater: dict[str, Ratings] = {}
    for one in annotations.judgments:
        by_rater.setdefault(one.rater, {})[one.system, one.place] = one
    files: dict[str, Ratings] = {}
    for rater in annotations.raters:
        name = re.sub(r"[^\w-]+", "_", rater) or "rater"
        while name in files or name == MERGED:
            name += "_"
        files[name] = by_rater[rater]
    return files


def _put_ratings(folder: Path, part: Imported, files: Mapping[str, Ratings]) -> None:
    for name, judgments in files.items():
        lines = (
            rating_line(judgments.get((system, place)), system)
            for system in part.rated.systems
            for place in part.texts.places
        )
        write_lines(folder / f"{part.rated.pair}.{part.name}.{name}{SUFFIX}", lines)


def _write_quality(target: Path, part: Imported) -> None:
    """Who is kept and why, and what those who are not have judged."""
    if part.quality:
        rows = [one.row() for one in part.quality]
        lines = ["\t".join(rows[0])]
        lines += ["\t".join("" if v is None else str(v) for v in row.values()) for row in rows]
        write_lines(target / "annotators.tsv", _plain(lines))
    if part.left_out is not None and part.left_out.judgments:
        _put_ratings(target / "left-out", part, _by_rater(part.left_out))


def _plain(lines: Iterable[str]) -> Iterator[str]:
    """A line end inside a text becomes a blank, so that marks keep their places."""
    return (line.replace("\n", " ").replace("\r", " ") for line in lines)


def _number(score: float) -> str:
    return "None" if np.isnan(score) else repr(score)


def _mean(row: FloatArray) -> float:
    judged = row[np.isfinite(row)]
    return float(judged.mean()) if len(judged) else float("nan")
