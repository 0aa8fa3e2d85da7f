"""Sheets: what each annotator sees, in which order, and the key that says what it was.

Systems have no names on a sheet: every screen and every translation has an id without meaning, and the
key, a file of its own, says what is behind it. Equal translations of a segment are judged once, for all
their systems. Among the tasks are attention checks, translations of which a part was replaced by words
of another segment, and repeats, tasks that come a second time; only the key tells them apart.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import get_args

import numpy as np

from cupel.errors import CupelError
from cupel.human.tasks.task import Task
from cupel.questions.annotate import Annotate, Protocol

PROTOCOLS = get_args(Protocol)
SEVERITIES = {"esa": ["minor", "major"], "mqm": ["minor", "major", "neutral"]}
CATEGORIES = [
    "Accuracy/Mistranslation", "Accuracy/Addition", "Accuracy/Omission",
    "Accuracy/Untranslated text", "Fluency/Grammar", "Fluency/Spelling", "Fluency/Punctuation",
    "Fluency/Register", "Fluency/Inconsistency", "Fluency/Character encoding",
    "Terminology/Inappropriate for context", "Terminology/Inconsistent use", "Style/Awkward",
    "Locale convention", "Source error", "Non-translation!", "Other",
]  # fmt: skip
"""Those of Freitag et al. (2021), which the weights of `google` know."""
JUDGE, CHECK, REPEAT = "judge", "check", "repeat"


@dataclass(frozen=True)
class Option:
    """A translation on a screen. systems: who wrote it; empty for a damaged one."""

    id: str
    text: str
    systems: tuple[str, ...]


@dataclass(frozen=True)
class Screen:
    """What is judged at once: one translation, or for ranking several of one segment.

    kind: judge, check or repeat; of: the id of the screen that a check or repeat belongs to. context:
    (source, translation) of what precedes it in its document.
    """

    id: str
    segment: int
    options: tuple[Option, ...]
    kind: str = JUDGE
    of: str = ""
    context: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Sheets:
    """All sheets of one set of tasks, by part: the annotator's name, or a number."""

    id: str
    protocol: str
    tasks: Sequence[Task]
    parts: dict[str, list[Screen]] = field(default_factory=dict)
    annotators: dict[str, str] = field(default_factory=dict)


def make_sheets(tasks: Sequence[Task], plan: Annotate) -> Sheets:
    """The sheets of all annotators; the same tasks, plan and seed give the same sheets."""
    if plan.protocol == "ranking" and len(tasks[0].translations) < 2:
        raise CupelError("A ranking needs at least two systems, but the tasks have one.")
    names = [name for name in plan.names if name]
    if len(set(names)) < len(names):
        raise CupelError(f"An annotator is named twice: {', '.join(names)}.")
    sheets = Sheets(_identity(tasks, plan), plan.protocol, tasks)
    number = iter(range(10**9))

    def new_id() -> str:
        content = f"{sheets.id}/{plan.seed}/{next(number)}"
        return hashlib.sha256(content.encode()).hexdigest()[:10]

    rng = np.random.default_rng([plan.seed, len(tasks)])
    for at, share in enumerate(_shares(tasks, plan, rng)):
        part = plan.names[at] or str(at + 1)
        sheets.parts[part] = _sheet(share, tasks, plan, new_id, rng)
        sheets.annotators[part] = plan.names[at]
    return sheets


def _identity(tasks: Sequence[Task], plan: Annotate) -> str:
    parts = [plan.protocol, plan.seed, plan.shared, plan.checks, plan.repeats, plan.most]
    texts = [[t.segment, t.source, t.reference, dict(t.translations)] for t in tasks]
    content = json.dumps([parts, list(plan.names), texts])
    return hashlib.sha256(content.encode()).hexdigest()[:12]


def _documents(tasks: Sequence[Task]) -> list[list[Task]]:
    """The tasks of each document in their order; a task without a document is one by itself."""
    groups: dict[tuple[str, int], list[Task]] = {}
    for task in sorted(tasks, key=lambda one: one.segment):
        groups.setdefault((task.document, 0 if task.document else task.segment), []).append(task)
    return list(groups.values())


def _shares(tasks: Sequence[Task], plan: Annotate, rng: np.random.Generator) -> list[list[Task]]:
    """The tasks of each annotator: those that all judge, and a part of the others; documents whole."""
    count = len(plan.names)
    documents = _documents(tasks)
    order = [documents[at] for at in rng.permutation(len(documents))]
    if count == 1:
        return [[task for document in order for task in document]]
    shares: list[list[Task]] = [[] for _ in range(count)]
    common = 0
    for document in order:
        if common < plan.shared * len(tasks):
            common += len(document)
            for share in shares:
                share.extend(document)
        else:
            min(shares, key=len).extend(document)
    for name, share in zip(plan.names, shares, strict=True):
        if not share:
            raise CupelError(
                f"{len(tasks)} tasks are too few for {count} annotators: nothing is left for "
                f"{name or 'one of them'}; keep fewer annotators, or raise --shared."
            )
    return shares


def _sheet(
    share: Sequence[Task],
    tasks: Sequence[Task],
    plan: Annotate,
    new_id: Callable[[], str],
    rng: np.random.Generator,
) -> list[Screen]:
    ranking = plan.protocol == "ranking"
    documents: dict[tuple[str, int], list[Task]] = {}
    for task in share:  # the order of the documents is that of the share
        documents.setdefault((task.document, 0 if task.document else task.segment), []).append(task)
    screens: list[Screen] = []
    for document in documents.values():
        make = _ranked(document, plan, new_id, rng) if ranking else _single(document, new_id, rng)
        screens.extend(make)
    originals = list(screens)
    for at in _spots(plan.checks, len(originals), rng):
        _add_check(screens, originals[at], tasks, ranking, new_id, rng)
    for at in _spots(plan.repeats, len(originals), rng):
        _add_repeat(screens, originals[at], new_id, rng)
    return screens


def _spots(share: float, count: int, rng: np.random.Generator) -> list[int]:
    """Which screens a check or repeat is made of: the share of them, rounded up."""
    return [int(at) for at in rng.permutation(count)[: int(np.ceil(share * count))]]


def variants(task: Task) -> list[tuple[str, tuple[str, ...]]]:
    """(text, systems) of every different translation of a segment."""
    systems: dict[str, list[str]] = {}
    for system, text in task.translations.items():
        systems.setdefault(text, []).append(system)
    return [(text, tuple(names)) for text, names in systems.items()]


def _single(
    document: Sequence[Task], new_id: Callable[[], str], rng: np.random.Generator
) -> Iterator[Screen]:
    """System by system in random order, each through the whole document."""
    systems = list(document[0].translations)
    for at in rng.permutation(len(systems)):
        system = systems[at]
        for task in document:
            for text, names in variants(task):
                if names[0] == system:  # equal outputs are judged once
                    context = tuple(
                        (one.source, one.translations.get(system, "")) for one in task.before
                    )
                    option = Option(new_id(), text, names)
                    yield Screen(new_id(), task.segment, (option,), context=context)


def _ranked(
    document: Sequence[Task], plan: Annotate, new_id: Callable[[], str], rng: np.random.Generator
) -> Iterator[Screen]:
    for task in document:
        texts = variants(task)
        if len(texts) < 2:
            continue  # all systems say the same: there is nothing to rank
        chosen = [texts[at] for at in rng.permutation(len(texts))[: plan.most]]
        options = tuple(Option(new_id(), text, names) for text, names in chosen)
        context = tuple((one.source, "") for one in task.before)
        yield Screen(new_id(), task.segment, options, context=context)


def _add_check(
    screens: list[Screen],
    original: Screen,
    tasks: Sequence[Task],
    ranking: bool,
    new_id: Callable[[], str],
    rng: np.random.Generator,
) -> None:
    """Somewhere a damaged translation; in a ranking one more option on the screen itself."""
    first = original.options[0]
    others = [t for t in tasks if t.segment != original.segment] or list(tasks)
    other = others[int(rng.integers(len(others)))]
    system = first.systems[0]
    damaged = Option(new_id(), damage(first.text, other.translations[system], rng), ())
    if ranking:
        at = screens.index(original)
        options = [*original.options, damaged]
        mixed = tuple(options[i] for i in rng.permutation(len(options)))
        screens[at] = Screen(
            original.id, original.segment, mixed, CHECK, first.id, original.context
        )
        return
    check = Screen(new_id(), original.segment, (damaged,), CHECK, original.id, original.context)
    screens.insert(int(rng.integers(len(screens) + 1)), check)


def _add_repeat(
    screens: list[Screen], original: Screen, new_id: Callable[[], str], rng: np.random.Generator
) -> None:
    """The screen a second time, as far behind the first as a third of the sheet where it can be."""
    at = next(n for n, screen in enumerate(screens) if screen.id == original.id)
    first = screens[at]
    options = tuple(
        Option(new_id(), first.options[i].text, first.options[i].systems)
        for i in rng.permutation(len(first.options))
        if first.options[i].systems
    )
    again = Screen(new_id(), first.segment, options, REPEAT, first.id, first.context)
    earliest = min(at + 1 + len(screens) // 3, len(screens))
    screens.insert(int(rng.integers(earliest, len(screens) + 1)), again)


def damage(text: str, other: str, rng: np.random.Generator) -> str:
    """The text with about half of it, in the middle, replaced by as much of another text.

    A text without blanks is cut between characters; one of fewer than four words is replaced.
    """
    spaced = " " in text.strip()
    parts = text.split() if spaced else list(text)
    foreign = (other.split() if spaced else list(other)) or ["..."]
    if len(parts) < 4:
        replaced = other if other.strip() != text.strip() else f"{other} {other}"
        return replaced or "..."
    length = max(2, len(parts) // 2)
    start = int(rng.integers(0, len(parts) - length + 1))
    filling = [foreign[at % len(foreign)] for at in range(length)]
    joint = " " if spaced else ""
    damaged = joint.join([*parts[:start], *filling, *parts[start + length :]])
    return damaged if damaged != text else joint.join([*parts[length:], *filling])
