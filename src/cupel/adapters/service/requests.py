"""From the body of a request to a task, or to one sentence that says what is wrong with it.

Nothing that a request names is loaded or imported: metrics are compared, as text, with those that
the service was started with.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cupel.adapters.service.settings import LONGEST_TEXT, Ability
from cupel.corpus import NO_REFERENCES, Corpus
from cupel.errors import CupelError
from cupel.metric import REFERENCES, SOURCES

SCORE, ALIGN, PREFER = OPERATIONS = ("score", "align", "prefer")
FIELDS = {
    SCORE: ("hypotheses", "references", "sources", "metrics"),
    ALIGN: ("hypotheses", "references", "metric"),
    PREFER: ("first", "second", "references", "sources", "metric"),
}
"""The fields of each operation; those with translations come first."""


class Refusal(Exception):
    """A request that is not carried out: its HTTP status, and why, in one sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence


@dataclass(frozen=True)
class Task:
    """A checked request.

    metrics     labels of metrics that the service offers; one, unless it is to score
    systems     (segments,) translations by field: `hypotheses`, or `first` and `second`
    references  (segments,) lists of strings, or None
    sources     (segments,) strings, or None
    """

    operation: str
    metrics: tuple[str, ...]
    systems: Mapping[str, Sequence[str]]
    references: Sequence[Sequence[str]] | None
    sources: Sequence[str] | None

    @property
    def segments(self) -> int:
        """How many there are."""
        return len(next(iter(self.systems.values())))

    @cached_property
    def characters(self) -> int:
        """How much text there is."""
        texts = [text for texts in self.systems.values() for text in texts]
        texts += [text for texts in self.references or () for text in texts]
        return sum(map(len, texts)) + sum(map(len, self.sources or ()))


def task_of(operation: str, body: bytes, offered: Mapping[str, Ability]) -> Task:
    """The task that a request asks for; `Refusal` where it cannot be one."""
    content = _object(operation, body)
    systems = {name: content[name] for name in FIELDS[operation] if name in _TRANSLATIONS}
    try:
        corpus = Corpus(
            systems,
            NO_REFERENCES if content.get("references") is None else content["references"],
            content.get("sources"),
            {name: f'"{name}"' for name in content},
        )
    except CupelError as error:
        raise Refusal(400, str(error)) from None
    _check_texts(corpus)
    references = corpus.references if corpus.has_references else None
    metrics = _metrics(operation, content, offered)
    for label in metrics:
        for part, there in ((REFERENCES, references), (SOURCES, corpus.sources)):
            if part in offered[label].needs and there is None:
                raise Refusal(422, f'The metric {label!r} needs "{part}", and there are none here.')
    return Task(operation, metrics, corpus.systems, references, corpus.sources)


_TRANSLATIONS = ("hypotheses", "first", "second")


def _object(operation: str, body: bytes) -> dict[str, Any]:
    fields = FIELDS[operation]
    try:
        content = json.loads(body.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise Refusal(400, f"The body is not UTF-8: byte {error.start + 1} is wrong.") from None
    except RecursionError:
        raise Refusal(400, "The body is nested too deeply.") from None
    except ValueError as error:
        raise Refusal(400, f"The body is not JSON: {error}.") from None
    if not isinstance(content, dict):
        raise Refusal(400, f"The body is no JSON object; its fields are: {', '.join(fields)}.")
    for name in content:
        if name not in fields:
            raise Refusal(
                400, f"Unknown field {_shown(name)}; the fields are: {', '.join(fields)}."
            )
    for name in fields:
        if name in _TRANSLATIONS and name not in content:
            raise Refusal(400, f'The field "{name}" is missing: a list with one text per segment.')
    return content


def _check_texts(corpus: Corpus) -> None:
    parts: list[tuple[str, Sequence[Sequence[str]]]] = [("references", corpus.references)]
    parts += [(name, [[text] for text in texts]) for name, texts in corpus.systems.items()]
    parts.append(("sources", [[text] for text in corpus.sources or ()]))
    for name, segments in parts:
        for number, texts in enumerate(segments, start=1):
            for text in texts:
                _check_text(text, f'segment {number} of "{name}"')


def _check_text(text: str, place: str) -> None:
    if len(text) > LONGEST_TEXT:
        raise Refusal(
            413,
            f"The text of {place} has {len(text):,} characters; {LONGEST_TEXT:,} are allowed.",
        )
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Refusal(
            400, f"The text of {place} has half of a surrogate pair, which is no character."
        ) from None


def _metrics(
    operation: str, content: Mapping[str, Any], offered: Mapping[str, Ability]
) -> tuple[str, ...]:
    able = {
        label: ability
        for label, ability in offered.items()
        if operation == SCORE
        or (operation == ALIGN and ability.aligns)
        or (operation == PREFER and ability.prefers)
    }
    what = {
        SCORE: "scores",
        ALIGN: "aligns words",
        PREFER: "compares two translations",
    }[operation]
    if not able:
        raise Refusal(422, f"No metric of this service {what}; it has: {', '.join(offered)}.")
    names = ", ".join(able)
    if operation == SCORE:
        labels = content.get("metrics", list(able))
    else:
        labels = [content.get("metric", next(iter(able)))]
    if not isinstance(labels, list) or not labels:
        raise Refusal(400, f'"metrics" is a list of one or more of: {names}.')
    for label in labels:
        if not isinstance(label, str) or label not in able:
            raise Refusal(
                422, f"This service {what} with {names}; {_shown(label)} is not among them."
            )
    if len(set(labels)) < len(labels):
        raise Refusal(400, 'A metric is named twice in "metrics".')
    return tuple(labels)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
