"""The one form of raw annotations: a rater, a translation, the errors marked in it, a score.

Every reader of this package returns a list of `Judgment`; `Notes` counts what a reader accepted
although it is not in order, so that the command can report it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from cupel.errors import CupelError

NO_ERROR = "no-error"
"""The severity of a row that says: nothing is wrong here."""


@dataclass(frozen=True, slots=True)
class MarkedError:
    """An error that a rater marked: characters start to end (not included) of a text.

    start = end = 0 where nothing is marked in the text, such as for an omission. in_source: the place
    is in the source. weight: what the rater or the file itself gives the error, where it does.
    """

    start: int
    end: int
    category: str
    severity: str
    in_source: bool = False
    weight: float | None = None


@dataclass(slots=True)
class Judgment:
    """What one rater said of one translation.

    segment: its number or id in the test set, as written; source, target: None where the file has no
    texts; reference: a human translation that the file shows beside it; score: what the rater gave
    (direct assessment, ESA), None where there are only errors; seconds: how long it took; where:
    `FILE, line N`.
    """

    rater: str
    system: str
    document: str
    segment: str
    where: str
    source: str | None = None
    target: str | None = None
    reference: str | None = None
    errors: list[MarkedError] = field(default_factory=list)
    score: float | None = None
    seconds: float | None = None

    @property
    def place(self) -> tuple[str, str]:
        """What identifies the segment."""
        return self.document, self.segment


@dataclass
class Notes:
    """What is not in order and was accepted.

    lenient: accept texts that differ between rows, marks that are not closed and severities that have
    no weight, and count them; otherwise the first of these is an error.
    """

    lenient: bool = False
    counts: Counter[str] = field(default_factory=Counter)

    def count(self, what: str) -> None:
        """Something that is allowed but worth a line in the report."""
        self.counts[what] += 1

    def refuse(self, sentence: str, what: str) -> None:
        """An error with this sentence, or a count of `what` where the reader is lenient."""
        if not self.lenient:
            raise CupelError(f"{sentence} (--lenient accepts and counts such rows).")
        self.counts[what] += 1

    def sentences(self) -> list[str]:
        """One line for each kind, the number first."""
        return [f"{number} {what}" for what, number in self.counts.items()]


@dataclass
class Annotations:
    """The judgments of one language pair. kind: mqm, esa or da, the usual name of such scores."""

    pair: str
    kind: str
    judgments: list[Judgment]

    @property
    def raters(self) -> list[str]:
        """All raters, in the order of their names with numbers as numbers."""
        return sorted({one.rater for one in self.judgments}, key=natural_order)

    @property
    def systems(self) -> list[str]:
        """All systems by name."""
        return sorted({one.system for one in self.judgments})


def natural_order(name: str) -> tuple[tuple[int, int, str], ...]:
    """A key that sorts rater2 before rater10.

    >>> sorted(["rater10", "rater2"], key=natural_order)
    ['rater2', 'rater10']
    """
    parts = re.findall(r"\d+|\D+", name)
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts)


def segment_order(judgments: Iterable[Judgment]) -> list[tuple[str, str]]:
    """Every segment once: by number where all are numbers and differ, else as they first occur.

    Segments that are numbered within their documents follow the documents' order of appearance.
    """
    places = list(dict.fromkeys(one.place for one in judgments))
    first: dict[str, int] = {}
    for at, (document, _) in enumerate(places):
        first.setdefault(document, at)
    numbered = all(segment.isdecimal() for _, segment in places)
    if numbered and len({int(segment) for _, segment in places}) == len(places):
        return sorted(places, key=lambda place: int(place[1]))
    return sorted(places, key=lambda place: (first[place[0]], int(place[1]) if numbered else 0))


def use_repeated(judgments: list[Judgment], rule: str, notes: Notes) -> list[Judgment]:
    """One judgment for each rater and translation, by the rule for repeated ones.

    rule: error, first, last, or mean (of the scores; the errors are those of the last).
    """
    kept: dict[tuple[str, str, str, str], Judgment] = {}
    repeated: dict[tuple[str, str, str, str], list[Judgment]] = {}
    for one in judgments:
        key = one.rater, one.system, one.document, one.segment
        first = kept.setdefault(key, one)
        if first is not one:
            repeated.setdefault(key, [first]).append(one)
    for key, group in repeated.items():
        kept[key] = _one_of(group, rule, notes)
    return list(kept.values())


def _one_of(group: list[Judgment], rule: str, notes: Notes) -> Judgment:
    first, last = group[0], group[-1]
    if rule == "error":
        raise CupelError(
            f"{group[1].where}: rater {last.rater!r} judges segment {last.segment} of system "
            f"{last.system!r} a second time; the first is in {first.where} "
            "(--repeated first, last or mean accepts it)."
        )
    scores = [one.score for one in group if one.score is not None]
    same = all(one.score == first.score and one.errors == first.errors for one in group)
    kind = "the same" if same else "different"
    notes.count(f"translations judged more than once by one rater, with {kind} judgments")
    if rule == "mean" and scores:
        last.score = sum(scores) / len(scores)
    return first if rule == "first" else last


def check_text(first: Judgment, name: str, text: str, where: str, notes: Notes) -> None:
    """An error where a source or target is another text than in the first row that has it."""
    before = getattr(first, name)
    if before != text and before.split() != text.split():
        notes.refuse(
            f"{where}: the {name} of segment {first.segment} is {_shown(text)}, but "
            f"{_shown(before)} in {first.where}",
            f"rows with another {name} than the first of their segment, which is used",
        )


def _shown(text: str) -> str:
    return repr(text if len(text) < 50 else f"{text[:47]}...")
