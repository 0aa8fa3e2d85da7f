"""MQM annotations as Google publishes them: one marked error a line, with both texts.

The score of a translation is the mean over its raters of the summed penalties, negated: 5 for a
major error, 1 for a minor one, 0.1 for a minor error of punctuation, 25 for a translation that is
none, 0 for an error of the source (Freitag and others, TACL 2021).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from cupel.data.recipes.graded import JudgedPair
from cupel.errors import CupelError

COLUMNS = (
    "system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity",
)  # fmt: skip


_TWICE = re.compile(r"(\S.{3,})\1")


@dataclass(frozen=True)
class Annotation:
    """One line of the table: an error that a rater marked, or that there is none."""

    system: str
    document: str
    segment: int
    rater: str
    source: str
    target: str
    penalty: float


@dataclass(frozen=True)
class Translation:
    """One translation of one segment."""

    text: str
    score: float


def read_annotations(name: str, lines: Iterable[str]) -> Iterator[Annotation]:
    """The annotations of a table whose first line names its columns; `name` is for errors."""
    numbered = enumerate(lines, start=1)
    names = next(numbered, (1, ""))[1].split("\t")
    absent = [column for column in COLUMNS if column not in names]
    if absent:
        raise CupelError(f"{name}, line 1: there is no column {absent[0]!r}.")
    at = [names.index(column) for column in COLUMNS]
    for number, line in numbered:
        fields = line.split("\t")
        if len(fields) < len(names):
            raise CupelError(
                f"{name}, line {number}: {len(names)} columns expected, {len(fields)} found."
            )
        system, document, _, segment, rater, source, target, category, severity = (
            fields[place] for place in at
        )
        if not segment.isdecimal():
            raise CupelError(f"{name}, line {number}: {segment!r} is not the number of a segment.")
        texts = (_without_marks(source), _without_marks(target))
        cost = penalty(category, severity)
        yield Annotation(system, document, int(segment), rater, *texts, cost)


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
    for one in annotations:
        key = one.system, one.segment
        of_rater = penalties.setdefault(key, {})
        of_rater[one.rater] = of_rater.get(one.rater, 0.0) + one.penalty
        raters.setdefault(key, {}).setdefault(one.target, set()).add(one.rater)
    of_system: dict[str, dict[int, Translation]] = {}
    for (system, segment), of_rater in sorted(penalties.items()):
        score = -sum(of_rater.values()) / len(of_rater)
        text = _most_common(raters[system, segment])
        of_system.setdefault(system, {})[segment] = Translation(text, score)
    return of_system


def judged_pair(
    pair: str,
    annotations: Collection[Annotation],
    references: Mapping[str, str],
    people: Collection[str],
    domain: str,
) -> JudgedPair:
    """The segments that the first reference translates, in order.

    references: the system that is each reference, by the reference's name; people: all systems
    that are people's translations, none of which is written as a system.
    """
    of_system = translations(annotations)
    for person in references.values():
        if person not in of_system:
            raise CupelError(f"There are no translations by {person!r} in {pair}.")
    first = of_system[next(iter(references.values()))]
    segments = [segment for segment in sorted(first) if first[segment].text]
    sources = {one.segment: one.source for one in reversed(list(annotations))}
    documents = {one.segment: (domain, one.document) for one in annotations}
    systems = {system: of for system, of in of_system.items() if system not in people}
    return JudgedPair(
        pair,
        [sources[segment] for segment in segments],
        {name: _texts(of_system[system], segments) for name, system in references.items()},
        {system: _texts(of, segments) for system, of in systems.items()},
        {
            system: [of[segment].score if segment in of else None for segment in segments]
            for system, of in systems.items()
        },
        [documents[segment] for segment in segments],
    )


def _texts(of_segment: Mapping[int, Translation], segments: Iterable[int]) -> list[str]:
    return [of_segment[one].text if one in of_segment else "" for one in segments]


def _most_common(raters_of: Mapping[str, Collection[str]]) -> str:
    texts = sorted(raters_of, key=lambda text: (-len(raters_of[text]), len(text)))
    if len(texts) == 1:
        return texts[0]
    return next((text for text in texts if not _TWICE.search(text)), texts[0])


def _without_marks(text: str) -> str:
    """Without the tags around the error; several spaces are one, for they are no change of a text."""
    return " ".join(text.replace("<v>", "").replace("</v>", "").split())
