"""Raw annotations to a folder that `cupel meta` reads: what `cupel human import` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from cupel.errors import CupelError
from cupel.human.raw.annotations import Annotations, Notes
from cupel.human.raw.appraise import add_texts
from cupel.human.raw.folder import Imported, write_evalset
from cupel.human.raw.formats import read_annotations
from cupel.human.raw.rated import Rated, rate
from cupel.human.raw.ratings import SUFFIX
from cupel.human.raw.schemes import read_scheme
from cupel.human.raw.sheet_sets import are_sheets, read_sheet_set
from cupel.human.raw.texts import (
    Texts,
    anonymous,
    folder_texts,
    judged_texts,
    name_references,
)
from cupel.records import Row

OVER_RATERS = ("mean", "sum")


@dataclass(frozen=True)
class Reading:
    """How raw files are read and scored; see the options of `cupel human import`."""

    form: str = "auto"
    pair: str | None = None
    scheme: str | None = None
    standardize: bool = False
    repeated: str | None = None
    lenient: bool = False


@dataclass
class Report:
    """What was written, one row a language pair, and what was accepted although not in order.

    quality: of saved sheets, one row an annotator: who is kept and why.
    """

    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    quality: list[Row] = field(default_factory=list)


def read_rated(
    paths: Sequence[Path | str], reading: Reading
) -> tuple[list[tuple[Annotations, Rated]], Notes]:
    """The judgments and the scores of every rater, by language pair."""
    notes = Notes(reading.lenient)
    scheme = read_scheme(reading.scheme) if reading.scheme else None
    pairs = read_annotations(
        paths, notes, form=reading.form, pair=reading.pair, repeated=reading.repeated
    )
    rated = [(one, rate(one, notes, scheme)) for one in pairs]
    if reading.standardize:
        rated = [(one, scores.standardized()) for one, scores in rated]
    return rated, notes


def import_annotations(
    paths: Sequence[Path | str],
    folder: Path | str,
    reading: Reading,
    *,
    name: str | None = None,
    over_raters: str = "mean",
    texts: Path | str | None = None,
    batches: Sequence[Path | str] = (),
    references: Sequence[str] | None = None,
    anonymize: bool = False,
    keys: Sequence[Path | str] = (),
    keep: str = "good",
) -> Report:
    """Read raw annotations and write them as a folder in the layout of mt-metrics-eval.

    name: of the human scores; if not given mqm, esa or da, with `-z` for z-scores. over_raters: mean
    or sum. texts: a folder with the texts; batches: files of Appraise that have them; by default those
    in the annotations. references: the systems that are human translations. keys, keep: of sheets that
    pages of `cupel annotate` saved, see `cupel.human.raw.sheet_sets`.
    """
    if over_raters not in OVER_RATERS:
        raise CupelError(f"Scores of raters are combined by mean or sum, not by {over_raters!r}.")
    notes = Notes(reading.lenient)
    report = Report()
    scoring = _Scoring(reading, name, over_raters, notes)
    if are_sheets(paths, reading.form):
        parts = [_of_sheets(paths, scoring, keys, keep, references, anonymize)]
        report.quality = [one.row() for one in parts[0].quality]
    else:
        parts = []
        for one in read_annotations(
            paths, notes, form=reading.form, pair=reading.pair, repeated=reading.repeated
        ):
            one = anonymous(one) if anonymize else one
            if batches:
                add_texts(one.judgments, batches, notes)
            humans = name_references(one, references)
            own = texts or _own_folder(paths)
            there = (
                folder_texts(one, own, notes) if own else judged_texts(one, humans, one.kind, notes)
            )
            parts.append(scoring.part(one, there))
    for part in parts:
        report.rows.append(_row(part))
        if not part.texts.references:
            report.notes.append(
                f"{part.rated.pair} has no human translation of all segments, so there is no reference"
            )
    write_evalset(folder, parts)
    report.notes += notes.sentences()
    return report


@dataclass(frozen=True)
class _Scoring:
    """From judgments and texts to what is written."""

    reading: Reading
    name: str | None
    over_raters: str
    notes: Notes

    def part(self, one: Annotations, there: Texts) -> Imported:
        scheme = read_scheme(self.reading.scheme) if self.reading.scheme else None
        rated = rate(one, self.notes, scheme, there.places)
        rated = rated.standardized() if self.reading.standardize else rated
        label = self.name or f"{one.kind}{'-z' if self.reading.standardize else ''}"
        return Imported(label, one, rated, there, rated.combined(self.over_raters))


def _of_sheets(
    paths: Sequence[Path | str],
    scoring: _Scoring,
    keys: Sequence[Path | str],
    keep: str,
    references: Sequence[str] | None,
    anonymize: bool,
) -> Imported:
    reading = scoring.reading
    sheets = read_sheet_set(
        paths, scoring.notes, keys=keys, pair=reading.pair, repeated=reading.repeated, keep=keep
    )
    sheets = sheets.anonymous() if anonymize else sheets
    sheets = sheets.with_references(references)
    part = scoring.part(sheets.kept, sheets.texts)
    return replace(part, left_out=sheets.left_out, quality=sheets.quality)


def _own_folder(paths: Sequence[Path | str]) -> Path | None:
    """The folder of ratings that lie in the layout of mt-metrics-eval themselves."""
    first = Path(paths[0])
    if first.is_dir():
        return first
    return first.parent.parent if first.name.endswith(SUFFIX) else None


def _row(part: Imported) -> Row:
    counts = part.rated.counts()
    return {
        "pair": part.rated.pair,
        "name": part.name,
        "scheme": part.rated.method,
        "systems": len(part.rated.systems),
        "segments": len(part.texts.places),
        "references": " ".join(part.texts.references),
        "raters": len(part.annotations.raters),
        "judgments": int(counts.sum()),
        "translations": int((counts > 0).sum()),
        "shared": int((counts > 1).sum()),
    }
