"""Raw annotations to a folder that `cupel meta` reads: what `cupel human import` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

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
from cupel.questions.human import ImportHuman, RawAnnotations
from cupel.records import Row


@dataclass
class Report:
    """What was written, one row a language pair, and what was accepted although not in order.

    quality: of saved sheets, one row an annotator: who is kept and why.
    """

    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    quality: list[Row] = field(default_factory=list)


def read_rated(question: RawAnnotations) -> tuple[list[tuple[Annotations, Rated]], Notes]:
    """The judgments and the scores of every rater, by language pair."""
    notes = Notes(question.lenient)
    scheme = read_scheme(question.scheme) if question.scheme else None
    pairs = _annotations(question, notes)
    rated = [(annotations, rate(annotations, notes, scheme)) for annotations in pairs]
    if question.standardize:
        rated = [(annotations, scores.standardized()) for annotations, scores in rated]
    return rated, notes


def import_annotations(question: ImportHuman) -> Report:
    """Read raw annotations and write them as a folder in the layout of mt-metrics-eval."""
    notes = Notes(question.lenient)
    report = Report()
    references = question.references or None
    if are_sheets(question.files, question.input_format):
        parts = [_of_sheets(question, notes)]
        report.quality = [row.row() for row in parts[0].quality]
    else:
        parts = []
        for annotations in _annotations(question, notes):
            annotations = anonymous(annotations) if question.anonymous else annotations
            if question.batches:
                add_texts(annotations.judgments, question.batches, notes)
            humans = name_references(annotations, references)
            folder = question.texts or _own_folder(question.files)
            texts = (
                folder_texts(annotations, folder, notes)
                if folder
                else judged_texts(annotations, humans, annotations.kind, notes)
            )
            parts.append(_part(question, annotations, texts, notes))
    for part in parts:
        report.rows.append(_row(part))
        if not part.texts.references:
            report.notes.append(
                f"{part.rated.pair} has no human translation of all segments, so there is no reference"
            )
    if not write_evalset(question.folder, parts):
        report.notes.append(f"{question.folder} has just this already, and is left as it is")
    report.notes += notes.sentences()
    return report


def _annotations(question: RawAnnotations, notes: Notes) -> list[Annotations]:
    return read_annotations(
        question.files,
        notes,
        form=question.input_format,
        pair=question.pair,
        repeated=question.repeated,
    )


def _part(question: ImportHuman, annotations: Annotations, texts: Texts, notes: Notes) -> Imported:
    """From judgments and texts to what is written."""
    scheme = read_scheme(question.scheme) if question.scheme else None
    rated = rate(annotations, notes, scheme, texts.places)
    rated = rated.standardized() if question.standardize else rated
    label = question.name or f"{annotations.kind}{'-z' if question.standardize else ''}"
    return Imported(label, annotations, rated, texts, rated.combined(question.over_raters))


def _of_sheets(question: ImportHuman, notes: Notes) -> Imported:
    sheets = read_sheet_set(
        question.files,
        notes,
        keys=question.key,
        pair=question.pair,
        repeated=question.repeated,
        keep=question.keep,
    )
    sheets = sheets.anonymous() if question.anonymous else sheets
    sheets = sheets.with_references(question.references or None)
    part = _part(question, sheets.kept, sheets.texts, notes)
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
