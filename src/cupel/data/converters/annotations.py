"""MQM annotations as Google publishes them: one marked error a line, with both texts.

The score of a translation is the mean over its raters of the summed penalties, negated: 5 for a
major error, 1 for a minor one, 0.1 for a minor error of punctuation, 25 for a translation that is
none, 0 for an error of the source (Freitag and others, TACL 2021).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cupel.data.converters.graded import JudgedPair, moved
from cupel.errors import CupelError
from cupel.reading.rows import table_of

COLUMNS = ("system", "doc", "seg_id", "rater", "source", "target", "category", "severity")

UNKNOWN = (-1, -1)
_TWICE = re.compile(r"(\S.{3,})\1")


@dataclass(frozen=True)
class Annotation:
    """One line of the table: an error that a rater marked, or that there is none.

    severity: minor or major. span: first character of the target that is marked, and the one after the
    last; None where nothing is, and UNKNOWN where its place in the text is.
    """

    system: str
    document: str
    segment: int
    rater: str
    source: str
    target: str
    penalty: float
    severity: str = ""
    span: tuple[int, int] | None = None

    @property
    def error(self) -> dict[str, object]:
        """The error as a rating has it."""
        start, end = self.span or ("missing", "missing")
        return {"start": start, "end": end, "severity": self.severity}


@dataclass(frozen=True)
class Translation:
    """One translation of one segment."""

    text: str
    score: float


def read_annotations(file: str, lines: Iterable[str]) -> list[Annotation]:
    """The annotations of a table whose first line names its columns; errors call it `file`."""
    table = table_of(lines, file, "\t")
    columns = [table.column(name) for name in COLUMNS]
    segments = table.parsed(columns[2], int, "the segment", "a number")
    return [
        Annotation(
            system,
            document,
            segment,
            rater,
            plain(source),
            plain(target),
            penalty(*error),
            "minor" if error[1].lower() == "minor" else "major",
            span_of(target),
        )
        for (system, document, _, rater, source, target, *error), segment in zip(
            zip(*columns, strict=True), segments, strict=True
        )
    ]


def span_of(target: str) -> tuple[int, int] | None:
    """The place of what is between the tags, in the text without them and with single spaces."""
    before, tag, after = target.partition("<v>")
    inside = after.partition("</v>")[0]
    if not tag:
        return None
    places = moved(f"{before}{after.replace('</v>', '')}")
    blanks = len(inside) - len(inside.lstrip())
    return places[len(before) + blanks], places[len(before) + len(inside.rstrip() or inside)]


def penalty(category: str, severity: str) -> float:
    """How much an error costs."""
    category, severity = category.lower(), severity.lower()
    if severity == "no-error" or category.startswith(("no-error", "source")):
        return 0.0
    if "non-translation" in category:
        return 25.0
    if severity == "minor":
        return 0.1 if "punctuation" in category else 1.0
    return 5.0 if severity in ("major", "critical") else 0.0


def translations(annotations: Iterable[Annotation]) -> dict[str, dict[int, Translation]]:
    """The text and the score of each system's translation of each segment, systems by name.

    Where raters changed the text while they marked it, most changes left a part there twice in a
    row, or added one. Of the texts without the former, if there are some, the one that most raters
    have is taken, and of several the shortest.
    """
    penalties: dict[tuple[str, int], dict[str, float]] = {}
    raters: dict[tuple[str, int], dict[str, set[str]]] = {}
    for error in annotations:
        key = error.system, error.segment
        by_rater = penalties.setdefault(key, {})
        by_rater[error.rater] = by_rater.get(error.rater, 0.0) + error.penalty
        raters.setdefault(key, {}).setdefault(error.target, set()).add(error.rater)
    by_system: dict[str, dict[int, Translation]] = {}
    for (system, segment), by_rater in sorted(penalties.items()):
        score = -sum(by_rater.values()) / len(by_rater)
        text = _most_common(raters[system, segment])
        by_system.setdefault(system, {})[segment] = Translation(text, score)
    return by_system


def judged_pair(
    pair: str,
    annotations: Collection[Annotation],
    references: Mapping[str, str],
    people: Collection[str],
    domain: str,
    spans: bool = False,
) -> JudgedPair:
    """The segments that the first reference translates, in order.

    references: the system that is each reference, by the reference's name; people: all systems
    that are people's translations, none of which is written as a system. spans: with the ratings.
    """
    by_system = translations(annotations)
    for person in references.values():
        if person not in by_system:
            raise CupelError(f"There are no translations by {person!r} in {pair}.")
    first = by_system[next(iter(references.values()))]
    segments = [segment for segment in sorted(first) if first[segment].text]
    sources = {error.segment: error.source for error in reversed(list(annotations))}
    documents = {error.segment: (domain, error.document) for error in annotations}
    systems = {system: texts for system, texts in by_system.items() if system not in people}
    return JudgedPair(
        pair,
        [sources[segment] for segment in segments],
        {name: _texts(by_system[system], segments) for name, system in references.items()},
        {system: _texts(texts, segments) for system, texts in systems.items()},
        {
            system: [texts[segment].score if segment in texts else None for segment in segments]
            for system, texts in systems.items()
        },
        [documents[segment] for segment in segments],
        _ratings(annotations, systems, segments) if spans else (),
    )


def _ratings(
    annotations: Iterable[Annotation],
    systems: Mapping[str, Mapping[int, Translation]],
    segments: Sequence[int],
) -> list[dict[str, Any]]:
    """Each rater's score and errors, where all of them were marked in the text that was taken."""
    numbers = {segment: number for number, segment in enumerate(segments, 1)}
    by_rater: dict[tuple[str, int, str], list[Annotation]] = {}
    for error in annotations:
        if error.system in systems and error.segment in numbers:
            by_rater.setdefault((error.system, error.segment, error.rater), []).append(error)
    return [
        {
            "system": system,
            "segment": numbers[segment],
            "rater": rater,
            "score": -sum(error.penalty for error in errors),
            "errors": [error.error for error in errors if error.penalty],
        }
        for (system, segment, rater), errors in sorted(by_rater.items())
        if {error.target for error in errors} == {systems[system][segment].text}
        and all(error.span != UNKNOWN for error in errors)
    ]


def _texts(translations: Mapping[int, Translation], segments: Iterable[int]) -> list[str]:
    return [translations[n].text if n in translations else "" for n in segments]


def _most_common(raters_by_text: Mapping[str, Collection[str]]) -> str:
    texts = sorted(raters_by_text, key=lambda text: (-len(raters_by_text[text]), len(text)))
    if len(texts) == 1:
        return texts[0]
    return next((text for text in texts if not _TWICE.search(text)), texts[0])


def plain(text: str) -> str:
    """Without the tags around the error; several spaces are one, for they are no change of a text."""
    return " ".join(text.replace("<v>", "").replace("</v>", "").split())
