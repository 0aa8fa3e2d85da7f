"""Suites: sets of trials, each an original, its corruption and one or more references.

Trials are never deduplicated: the paper's repeat some, and its figures count them as often.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from cupel.errors import CupelError
from cupel.mutt.corruptions import CORRUPTIONS, Kind, kind_named


@dataclass(frozen=True)
class Trial:
    """One trial; `place` says where it came from, for errors: `trials.jsonl, line 3`."""

    original: str
    corrupted: str
    references: tuple[str, ...]
    source: str | None = None
    place: str = ""


@dataclass(frozen=True)
class TrialSet:
    """The trials of one corruption."""

    corruption: str
    kind: Kind
    trials: tuple[Trial, ...]

    def __post_init__(self) -> None:
        for number, trial in enumerate(self.trials, start=1):
            place = trial.place or f"Trial {number} of {self.corruption}"
            if trial.original == trial.corrupted:
                raise CupelError(
                    f"{place}: the original and the corrupted sentence are the same, "
                    f"{trial.original!r}; a trial needs two."
                )
            if not trial.references:
                raise CupelError(f"{place}: the trial has no references; at least one is needed.")

    def __len__(self) -> int:
        return len(self.trials)

    def with_references(self, count: int) -> TrialSet:
        """The same trials with the first `count` of their references."""
        for number, trial in enumerate(self.trials, start=1):
            if len(trial.references) < count:
                place = trial.place or f"Trial {number} of {self.corruption}"
                raise CupelError(
                    f"{place}: {count} references were asked for, but the trial has "
                    f"{len(trial.references)}."
                )
        return replace(
            self,
            trials=tuple(replace(t, references=t.references[:count]) for t in self.trials),
        )


@dataclass(frozen=True)
class Suite:
    """Sets of trials under one name.

    remarks: what was left out in making it, as sentences. counts: the numbers of references with
    which it is run if none are asked for; all references of a trial where this is empty.
    """

    name: str
    sets: tuple[TrialSet, ...]
    remarks: tuple[str, ...] = ()
    counts: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not any(self.sets):
            raise CupelError(f"The suite {self.name} has no trials.")

    def __len__(self) -> int:
        return sum(map(len, self.sets))

    def only(self, corruptions: Sequence[str]) -> Suite:
        """The sets of these corruptions alone, in this order."""
        by_name = {trials.corruption: trials for trials in self.sets}
        for name in corruptions:
            if name not in by_name:
                raise CupelError(
                    f"The suite {self.name} has no corruption {name!r}; it has {', '.join(by_name)}."
                )
        return replace(self, sets=tuple(by_name[name] for name in corruptions))


def paper_suite(corruptions: Sequence[str] = tuple(CORRUPTIONS)) -> Suite:
    """The trials that the authors released, each with its 20 references (pack `mutt`).

    Its sets of 5 and 10 references are the first ones of these.
    """
    from cupel.data import mutt_trials
    from cupel.data.load import REFERENCE_COUNTS

    sets = []
    for name in corruptions:
        given = mutt_trials(name, max(REFERENCE_COUNTS))
        trials = zip(given.originals, given.corrupted, map(tuple, given.references), strict=True)
        sets.append(TrialSet(name, CORRUPTIONS[name].kind, tuple(Trial(*t) for t in trials)))
    return Suite("mutt", tuple(sets), counts=REFERENCE_COUNTS)


def sick_suite(path: str | Path | None = None) -> Suite:
    """What the templates find in SICK, or in a file like it.

    The reference of a trial is the caption that both sentences were made from; where the file
    has none, it is the original itself.
    """
    from cupel.data import find as find_dataset
    from cupel.mutt import templates

    file = find_dataset("sick") / "SICK.txt" if path is None else Path(path)
    pairs = templates.read_pairs(file)
    matches = templates.find(pairs)
    if not matches:
        raise CupelError(f"{file}: no template matches any of its pairs; {len(pairs)} were tried.")
    rows = (
        (match.corruption, None, Trial(match.original, match.corrupted, (reference,)))
        for match in matches
        for reference in [match.caption or match.original]
    )
    return Suite("sick" if path is None else file.stem, grouped(rows))


def sample_suite() -> Suite:
    """The suite inside the package: small, but it needs no data and no parser."""
    with as_file(files("cupel") / "resources" / "mutt" / "sample.jsonl") as path:
        return replace(read_suite(path), name="sample")


def read_suite(path: str | Path) -> Suite:
    """A suite from JSON lines, one trial a line.

    Fields: original, corrupted, references (a list), corruption (any name), kind
    (meaning-altering, meaning-preserving or fluency-disrupting; may be missing for the corruptions
    of the paper), source (if there is one).
    """
    from cupel.reading.jsons import json_lines

    rows = [_row(fields, place) for place, fields in json_lines(path, blank=True)]
    return Suite(Path(path).stem, grouped(rows))


def write_suite(suite: Suite, path: str | Path) -> None:
    """Write JSON lines that `read_suite` reads."""
    from cupel.folders import write_text

    lines = []
    for trials in suite.sets:
        for trial in trials.trials:
            fields: dict[str, Any] = {
                "original": trial.original,
                "corrupted": trial.corrupted,
                "references": list(trial.references),
                "corruption": trials.corruption,
                "kind": trials.kind.value,
            }
            if trial.source is not None:
                fields["source"] = trial.source
            lines.append(json.dumps(fields, ensure_ascii=False) + "\n")
    write_text(Path(path), "".join(lines))


def _row(fields: Mapping[str, Any], place: str) -> tuple[str, Kind | None, Trial]:
    for name in ("original", "corrupted", "references", "corruption"):
        if name not in fields:
            raise CupelError(f"{place}: the field {name!r} is missing.")
    for name in ("original", "corrupted", "corruption"):
        if not isinstance(fields[name], str):
            raise CupelError(f"{place}: the field {name!r} must be text, not {fields[name]!r}.")
    references = fields["references"]
    if not isinstance(references, list) or not all(isinstance(r, str) for r in references):
        raise CupelError(f"{place}: the field 'references' must be a list of texts.")
    kind = None
    if "kind" in fields:
        try:
            kind = kind_named(str(fields["kind"]))
        except CupelError as error:
            raise CupelError(f"{place}: {error}.") from None
    elif fields["corruption"] not in CORRUPTIONS:
        raise CupelError(
            f"{place}: the field 'kind' is missing, and {fields['corruption']!r} is not one of "
            f"the paper's corruptions; give {', '.join(Kind)}."
        )
    trial = Trial(
        fields["original"], fields["corrupted"], tuple(references), fields.get("source"), place
    )
    return fields["corruption"], kind, trial


def grouped(rows: Iterable[tuple[str, Kind | None, Trial]]) -> tuple[TrialSet, ...]:
    """Sets in the order in which their corruptions first appear."""
    kinds: dict[str, Kind] = {}
    trials: dict[str, list[Trial]] = {}
    for name, given, trial in rows:
        kind = given or CORRUPTIONS[name].kind
        if kinds.setdefault(name, kind) is not kind:
            raise CupelError(
                f"{trial.place}: the corruption {name!r} is {kind} here, but {kinds[name]} above."
            )
        trials.setdefault(name, []).append(trial)
    return tuple(TrialSet(name, kinds[name], tuple(trials[name])) for name in trials)
