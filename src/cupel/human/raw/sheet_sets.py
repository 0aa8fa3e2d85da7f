"""All sheets of a campaign as annotations of one language pair, with the texts of their key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cupel.errors import CupelError
from cupel.human.raw.annotations import Annotations, Notes, use_repeated
from cupel.human.raw.quality import Quality, quality
from cupel.human.raw.sheets import Sheet, is_saved_sheet, judgments_of, read_sheets
from cupel.human.raw.texts import Texts, human_name
from cupel.human.tasks.key import SUFFIX
from cupel.human.tasks.task import Task
from cupel.reading.segments import nearest

FORMAT = "cupel"


@dataclass(frozen=True)
class SheetSet:
    """kept: the judgments that count; left_out: those of annotators that quality control excludes."""

    kept: Annotations
    left_out: Annotations
    texts: Texts
    quality: list[Quality]

    def anonymous(self) -> SheetSet:
        """The same with rater1, rater2, ... for the annotators."""
        names = {one.annotator: f"rater{n}" for n, one in enumerate(self.quality, start=1)}
        for one in (*self.kept.judgments, *self.left_out.judgments):
            one.rater = names[one.rater]
        return replace(
            self, quality=[replace(one, annotator=names[one.annotator]) for one in self.quality]
        )

    def with_references(self, references: Sequence[str] | None) -> SheetSet:
        """The same with human translations among the systems as references too.

        references: their names; if not given, those called ref, refA, Human-A and the like.
        """
        outputs, there = dict(self.texts.outputs), dict(self.texts.references)
        for name in references or ():
            if name not in outputs:
                raise CupelError(f"There is no system {name!r}{nearest(name, list(outputs))}")
        for system in list(outputs):
            human = human_name(system) or (system if references else None)
            is_human = system in references if references is not None else human is not None
            if is_human and human and there.get(human, outputs[system]) == outputs[system]:
                there[human] = outputs[human] = outputs.pop(system)
                for one in (*self.kept.judgments, *self.left_out.judgments):
                    one.system = human if one.system == system else one.system
        return replace(self, texts=replace(self.texts, outputs=outputs, references=there))


def are_sheets(paths: Sequence[Path | str], form: str) -> bool:
    """Whether the files are saved sheets; an error where some are and some are not."""
    if form not in (FORMAT, "auto"):
        return False
    paths = _without_keys(paths)
    if not paths:
        raise CupelError("The key of tasks alone has no judgments: name what annotators saved.")
    saved = [is_saved_sheet(path) for path in paths]
    if form == FORMAT or all(saved):
        return True
    if any(saved):
        other = next(path for path, is_one in zip(paths, saved, strict=True) if not is_one)
        raise CupelError(
            f"{other} was not saved by a page of `cupel annotate`, but other files were; import "
            "each kind by itself."
        )
    return False


def _without_keys(paths: Sequence[Path | str]) -> list[Path | str]:
    """The files without keys, which `*.json` names too."""
    return [path for path in paths if not str(path).endswith(SUFFIX)]


def read_sheet_set(
    paths: Sequence[Path | str],
    notes: Notes,
    *,
    keys: Sequence[Path | str] = (),
    pair: str | None = None,
    repeated: str | None = None,
    keep: str = "good",
) -> SheetSet:
    """The judgments of saved sheets.

    keep: leave out the annotators that quality control excludes (good), or nobody (all). repeated: as
    for other annotations; by default the last judgment counts.
    """
    saved = _without_keys(paths)
    sheets = read_sheets(saved, notes, [*keys, *(path for path in paths if path not in saved)])
    tasks = _tasks(sheets)
    protocols = {sheet.key.protocol for sheet in sheets}
    if len(protocols) > 1:
        raise CupelError(
            f"The files have judgments of {' and '.join(sorted(protocols))}; import each kind by "
            "itself."
        )
    name = pair or tasks[0].pair
    if name is None:
        raise CupelError("The tasks do not say which language pair they are of (--pair).")
    reports = quality(sheets, keep == "all")
    good = {one.annotator for one in reports if one.kept}
    if not good:
        raise CupelError(
            "Quality control leaves out every annotator "
            f"({'; '.join(f'{one.annotator} {one.reason}' for one in reports)}); --keep all keeps them."
        )
    _count_open(sheets, notes)
    judgments = [one for sheet in sheets for one in judgments_of(sheet)]
    for one in judgments:
        one.document = one.document or "document"
    judgments = use_repeated(judgments, repeated or "last", notes)
    kind = protocols.pop()
    kept = [one for one in judgments if one.rater in good]
    return SheetSet(
        Annotations(name, kind, kept),
        Annotations(name, kind, [one for one in judgments if one.rater not in good]),
        _texts(tasks, kind),
        reports,
    )


def _tasks(sheets: Sequence[Sheet]) -> list[Task]:
    """The tasks of all keys in the order of the test set; a segment is the same in all of them."""
    tasks: dict[int, Task] = {}
    for sheet in sheets:
        for number, task in sheet.key.tasks.items():
            first = tasks.setdefault(number, task)
            if (first.source, first.translations) != (task.source, task.translations):
                raise CupelError(
                    f"Segment {number} is another one in {sheet.key.path} than in the key before: "
                    "these tasks were not selected from the same files; import them one by one."
                )
    return [tasks[number] for number in sorted(tasks)]


def _count_open(sheets: Sequence[Sheet], notes: Notes) -> None:
    for sheet in sheets:
        left = sheet.total - len(sheet.answers)
        if left:
            notes.counts[f"of {sheet.total} tasks that {sheet.annotator} has not judged yet"] = left


def _texts(tasks: Sequence[Task], kind: str) -> Texts:
    # The layout wants the segments of a document side by side.
    first: dict[str, int] = {}
    for at, task in enumerate(tasks):
        first.setdefault(task.document, at)
    ordered = sorted(tasks, key=lambda task: (first[task.document], task.segment))
    references = [task.reference for task in ordered]
    systems = list(ordered[0].translations)
    return Texts(
        [(task.document or "document", str(task.segment)) for task in ordered],
        [task.source for task in ordered],
        {"refA": [str(text) for text in references]} if all(references) else {},
        {system: [task.translations[system] for task in ordered] for system in systems},
        [(kind, task.document or "document") for task in ordered],
    )
