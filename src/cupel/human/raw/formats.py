"""Any file of raw annotations, by its format or by what it looks like, as judgments by language pair."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from cupel.errors import CupelError
from cupel.human.languages import language_code
from cupel.human.raw.annotations import Annotations, Judgment, Notes, use_repeated
from cupel.human.raw.appraise import has_spans, read_appraise
from cupel.human.raw.mqm_tsv import read_mqm_tsv
from cupel.human.raw.pearmut import read_pearmut
from cupel.human.raw.ratings import SUFFIX, rating_files, read_ratings, read_standalone, split_name
from cupel.human.raw.sheet_sets import are_sheets, read_sheet_set
from cupel.questions.human import InputFormat, Repeated
from cupel.reading.lines import iterate_lines

FORMATS = get_args(InputFormat)
_REPEATED_BY_FORMAT = {"appraise": "mean", "pearmut": "last"}
_PAIR = re.compile(r"(?<![a-z])([a-z]{2,3})-([a-z]{2,3})(?![a-z])")
_JOINED = re.compile(r"(?<![a-z])([a-z]{2})([a-z]{2})(?![a-z])")


@dataclass(frozen=True)
class _File:
    """The judgments of a file with the language pair of each, where the file says it."""

    path: Path
    form: str
    kind: str
    judgments: list[tuple[str | None, Judgment]]


def read_annotations(
    paths: Sequence[Path | str],
    notes: Notes,
    *,
    form: InputFormat = "auto",
    pair: str | None = None,
    repeated: Repeated | None = None,
) -> list[Annotations]:
    """The judgments of files or folders, one `Annotations` for each language pair.

    form: an `InputFormat`. pair: the language pair, where neither the files nor their names have
    it. repeated: what to do with a rater's second judgment of a translation, a `Repeated`; by
    default an error, for Appraise the mean, for Pearmut and saved sheets the last.
    """
    files = list(_expanded(paths))
    if are_sheets(files, form):
        return [read_sheet_set(files, notes, pair=pair, repeated=repeated).kept]
    by_pair: dict[str, Annotations] = {}
    for path in files:
        file = _read(path, form, notes)
        rule = repeated or _REPEATED_BY_FORMAT.get(file.form, "error")
        for name, group in _grouped(file, pair):
            whole = by_pair.setdefault(name, Annotations(name, file.kind, []))
            if whole.kind != file.kind:
                raise CupelError(
                    f"{path} has {file.kind} judgments, and files before it {whole.kind} ones of "
                    f"{name}; import each kind by itself."
                )
            whole.judgments = use_repeated([*whole.judgments, *group], rule, notes)
    return list(by_pair.values())


def _expanded(paths: Iterable[Path | str]) -> Iterator[Path]:
    for path in map(Path, paths):
        if path.is_dir():
            files = rating_files(path)
            if not files:
                raise CupelError(f"{path} has no ratings, human-scores/PAIR.NAME.RATER{SUFFIX}.")
            yield from files
        else:
            yield path


def _read(path: Path, form: str, notes: Notes) -> _File:
    kind = form if form in ("esa", "da") else ""
    form = detect_format(path) if form == "auto" else "appraise" if kind else form
    judgments: list[tuple[str | None, Judgment]]
    if form == "mqm":
        judgments = [(None, one) for one in read_mqm_tsv(path, notes)]
    elif form == "appraise":
        kind = kind or ("esa" if has_spans(path) else "da")
        judgments = list(read_appraise(path, notes))
    elif form == "pearmut":
        judgments = [(None, one) for one in read_pearmut(path, notes)]
    elif path.name.endswith(SUFFIX):
        pair, name, _ = split_name(path)
        kind = name.rpartition(".")[2]
        judgments = [(pair, one) for one in read_ratings(path)]
    else:
        judgments = list(read_standalone(path))
    if not judgments:
        raise CupelError(f"{path} has no judgments.")
    return _File(path, form, kind or _kind(one for _, one in judgments), judgments)


def _kind(judgments: Iterable[Judgment]) -> str:
    """mqm, esa or da, by what the judgments have."""
    scored = marked = named = False
    for one in judgments:
        scored = scored or one.score is not None
        marked = marked or bool(one.errors)
        named = named or any(error.category for error in one.errors)
    return "mqm" if named or not scored else "esa" if marked else "da"


def detect_format(path: Path) -> str:
    """The format of a file, by the end of its name and its first line."""
    if path.name.endswith(SUFFIX):
        return "ratings"
    first = next(iterate_lines(path), "")
    if not first.strip():
        raise CupelError(f"{path} is empty; annotations were expected.")
    if '"segment"' in first and '"translations"' in first:
        raise CupelError(f"{path} has tasks, not judgments; `cupel annotate` makes pages of them.")
    if first.lstrip().startswith(("{", "[")):
        return "ratings" if '"hypothesis"' in first else "pearmut"
    if "\t" in first:
        return "mqm"
    if first.count(",") >= 6:
        return "appraise"
    raise CupelError(
        f"{path}, line 1: this looks like none of the formats {', '.join(FORMATS[1:])}; "
        "name the format (--input-format)."
    )


def _grouped(file: _File, pair: str | None) -> Iterator[tuple[str, list[Judgment]]]:
    groups: dict[str, list[Judgment]] = {}
    fallback = pair or pair_of_name(file.path.name)
    for own, one in file.judgments:
        name = pair or own or fallback or pair_of_name(one.segment.partition("_#_")[0])
        if name is None:
            raise CupelError(f"{file.path} does not say which language pair it is of (--pair).")
        groups.setdefault(name, []).append(one)
    yield from groups.items()


def pair_of_name(name: str) -> str | None:
    """The language pair in a file's name.

    >>> pair_of_name("mqm_ted_zhen.tsv"), pair_of_name("wmt22.en-de.csv"), pair_of_name("mine.csv")
    ('zh-en', 'en-de', None)
    """
    for pattern in (_PAIR, _JOINED):
        for match in pattern.finditer(name):
            codes = [language_code(part) for part in match.groups()]
            if all(codes):
                return f"{codes[0]}-{codes[1]}"
    return None
