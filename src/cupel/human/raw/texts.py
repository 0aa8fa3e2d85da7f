"""The texts that were judged: from the judgments themselves, or from a folder that has them.

Human translations among the systems (`ref`, `refB`, `ref-A`, `Human-A.0`) become references: refA,
refB and so on, as folders of mt-metrics-eval call them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cupel.errors import CupelError
from cupel.human.evalset import read_evalset
from cupel.human.raw.annotations import Annotations, Judgment, Notes, check_text, segment_order
from cupel.reading.campaigns import read_documents
from cupel.reading.segments import nearest

_HUMAN = re.compile(r"(?:ref(?:erence)?|human)[-_. ]?([a-z])?(?:\.\d+)?", re.IGNORECASE)


@dataclass(frozen=True)
class Texts:
    """One language pair, all lists in the order of `places`; documents: (domain, document).

    An output that nobody judged and no folder has is an empty line.
    """

    places: list[tuple[str, str]]
    sources: list[str]
    references: dict[str, list[str]]
    outputs: dict[str, list[str]]
    documents: list[tuple[str, str]]


def human_name(system: str) -> str | None:
    """`refB` for `ref-B`, `ref.B` or `Human-B.0`, `refA` for `ref`; None for a machine.

    >>> human_name("Human-B.0"), human_name("ref"), human_name("Online-B")
    ('refB', 'refA', None)
    """
    match = _HUMAN.fullmatch(system)
    return f"ref{(match[1] or 'A').upper()}" if match else None


def name_references(annotations: Annotations, references: Sequence[str] | None) -> list[str]:
    """Rename the human translations among the systems, and return their names.

    references: the systems that are human translations; if not given, those with such a name.
    """
    systems = annotations.systems
    for name in references or ():
        if name not in systems:
            raise CupelError(f"There is no system {name!r}{nearest(name, systems)}")
    names = {
        system: human_name(system) or system
        for system in systems
        if (system in references if references is not None else human_name(system))
    }
    for system, name in names.items():
        other = next((s for s in systems if s != system and names.get(s, s) == name), None)
        if other is not None:
            raise CupelError(f"Two references are called {name!r}: {system!r} and {other!r}.")
    for one in annotations.judgments:
        one.system = names.get(one.system, one.system)
    return sorted(set(names.values()))


def judged_texts(
    annotations: Annotations, humans: Sequence[str], domain: str, notes: Notes
) -> Texts:
    """The texts of the judgments; a segment has one source, a translation one text."""
    places = segment_order(annotations.judgments)
    sources: dict[tuple[str, str], Judgment] = {}
    targets: dict[tuple[str, tuple[str, str]], Judgment] = {}
    for one in annotations.judgments:
        if one.source is None or one.target is None:
            raise CupelError(
                f"{one.where}: there is no text of segment {one.segment} and system "
                f"{one.system!r}; name a folder with the texts (--texts), or the batches of "
                "Appraise (--batches)."
            )
        check_text(sources.setdefault(one.place, one), "source", one.source, one.where, notes)
        first = targets.setdefault((one.system, one.place), one)
        check_text(first, "target", one.target, one.where, notes)
    outputs = {
        system: [_text(targets.get((system, place))) for place in places]
        for system in annotations.systems
    }
    references = {name: outputs[name] for name in humans if all(outputs[name])}
    shown = [sources[place].reference for place in places]
    if not references and all(shown):
        references["refA"] = [str(text) for text in shown]
    return Texts(
        places,
        [str(sources[place].source) for place in places],
        references,
        outputs,
        [(domain, document or "document") for document, _ in places],
    )


def _text(one: Judgment | None) -> str:
    return "" if one is None else str(one.target)


def folder_texts(annotations: Annotations, folder: Path | str, notes: Notes) -> Texts:
    """The texts of a folder in the layout of mt-metrics-eval; the judgments are placed in it.

    A judgment belongs to the line that its segment's number names, if the source there is the same,
    and else to the one line with its source.
    """
    campaign = read_evalset(folder, annotations.pair)
    sources = campaign.corpus.sources or []
    outputs = {**campaign.references, **campaign.corpus.systems}
    lowered = {name.lower(): name for name in outputs}
    lines: dict[str, list[int]] = {}
    for number, source in enumerate(sources):
        lines.setdefault(" ".join(source.split()), []).append(number)
    documents = _documents(Path(folder), annotations.pair, len(sources))
    places = [(documents[n][1], str(n + 1)) for n in range(len(sources))]
    for one in annotations.judgments:
        number = _line(one, sources, lines, folder)
        one.document, one.segment = places[number]
        name = lowered.get(one.system.lower())
        if name is None:
            raise CupelError(
                f"{one.where}: {folder} has no output of system {one.system!r}"
                f"{nearest(one.system, list(outputs))}"
            )
        one.system = name
        if one.target is not None and one.target.split() != outputs[name][number].split():
            notes.count(f"judged translations that differ from the text in {folder}, which is used")
    judged = set(annotations.systems)
    return Texts(
        places,
        list(sources),
        campaign.references,
        {name: list(texts) for name, texts in outputs.items() if name in judged},
        documents,
    )


def _line(
    one: Judgment, sources: Sequence[str], lines: dict[str, list[int]], folder: Path | str
) -> int:
    number = int(one.segment) - 1 if one.segment.isdecimal() else -1
    there = 0 <= number < len(sources)
    if there and (one.source is None or one.source.split() == sources[number].split()):
        return number
    matches = lines.get(" ".join((one.source or "").split()), []) if one.source else []
    if len(matches) == 1:
        return matches[0]
    raise CupelError(
        f"{one.where}: segment {one.segment} is not in {folder}, which has "
        + ("its source in several lines." if matches else "no line with its number and source.")
    )


def _documents(folder: Path, pair: str, length: int) -> list[tuple[str, str]]:
    path = folder / "documents" / f"{pair}.docs"
    return read_documents(path, length) if path.is_file() else [("all", "document")] * length


def anonymous(annotations: Annotations) -> Annotations:
    """The same with rater1, rater2, ... for the raters."""
    names = {rater: f"rater{number}" for number, rater in enumerate(annotations.raters, start=1)}
    return replace(
        annotations,
        judgments=[replace(one, rater=names[one.rater]) for one in annotations.judgments],
    )
