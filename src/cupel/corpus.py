"""The corpus: what was translated, what it should say, and what each system made of it.

Every shape is checked here, once, so that no metric ever sees a ragged or transposed corpus.
References are per segment: `references[i]` holds one or more strings, and their number may
differ from segment to segment. Files are read in `cupel.reading`; this module knows only lists.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import chain
from typing import Any

from cupel.errors import CupelError

DEFAULT_SYSTEM = "system"


class _NoReferences(tuple[Sequence[str], ...]):
    """Unlike an empty list of references, which does not fit its translations."""


NO_REFERENCES = _NoReferences()
"""The references of a corpus that has none, for metrics that need none."""


VARYING = -1
"""In an outline, a number of references that is known to differ and no more."""


@dataclass(frozen=True)
class Outline:
    """What is counted of texts, whether they are kept or not; outlines of blocks add up.

    segments    system -> its segments
    references  number of references -> segments that have so many
    empty       system, or "references" -> blank texts
    tokenised   system -> translations that end in ' .', as tokenised text does
    characters  of the first references
    """

    segments: Counter[str] = field(default_factory=Counter)
    references: Counter[int] = field(default_factory=Counter)
    empty: Counter[str] = field(default_factory=Counter)
    tokenised: Counter[str] = field(default_factory=Counter)
    characters: int = 0

    @classmethod
    def of(
        cls, systems: Mapping[str, Sequence[str]], references: Sequence[Sequence[str]]
    ) -> Outline:
        """The outline of some segments."""
        empty = Counter({name: _blanks(texts) for name, texts in systems.items()})
        empty["references"] += sum(map(_blanks, references))
        tokenised = {
            name: sum(text.endswith(" .") for text in texts) for name, texts in systems.items()
        }
        return cls(
            Counter({name: len(texts) for name, texts in systems.items()}),
            Counter(map(len, references)),
            +empty,
            +Counter(tokenised),
            sum(len(texts[0]) for texts in references if texts),
        )

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> Outline:
        """What JSON gives back of `vars(outline)`."""
        return cls(
            Counter(record["segments"]),
            Counter({int(number): count for number, count in record["references"].items()}),
            Counter(record["empty"]),
            Counter(record["tokenised"]),
            record["characters"],
        )

    def __add__(self, other: Outline) -> Outline:
        return Outline(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def __len__(self) -> int:
        """How many segments there are, of the system that has most."""
        return max(self.segments.values(), default=0)

    @property
    def number_of_references(self) -> int | None:
        """How many references each segment has, or None where that differs.

        Segments without any count only where no others are: they were scored by metrics that need none.
        """
        numbers = set(self.references) - {0} or {0}
        return numbers.pop() if len(numbers) == 1 and VARYING not in numbers else None

    @property
    def reference_length(self) -> float:
        """Mean number of characters of the first references."""
        return self.characters / max(len(self), 1)


@dataclass(frozen=True)
class Corpus:
    """References per segment, outputs per system, and sources where there are any.

    systems     name -> (segments,) translations
    references  (segments,): a string, or a list of one or more strings; of NO_REFERENCES an empty
                list per segment
    sources     (segments,): the texts that were translated, for metrics that read them
    origins     where each part came from ("references", "sources" or a system's name -> file), so
                that an error names the file and not a list
    test_set    entries of the signature that name the test set: test, lang, origlang, subset
    """

    systems: Mapping[str, Sequence[str]]
    references: Sequence[Sequence[str]] = NO_REFERENCES
    sources: Sequence[str] | None = None
    origins: Mapping[str, str] = field(default_factory=dict)
    test_set: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.systems, Mapping):
            raise CupelError(
                "The systems are no mapping of name -> translations; "
                "use Corpus.of for the translations of one system."
            )
        if not self.systems:
            raise CupelError("There is no system to score: give at least one list of translations.")
        systems = {
            name: _checked_texts(texts, self._name(name)) for name, texts in self.systems.items()
        }
        object.__setattr__(self, "systems", systems)
        if self.references is NO_REFERENCES:
            self._without_references()
            return
        _check_is_list(self.references, self._name("references"))
        given = list(self.references)
        references = _checked_references(given, self._name("references"))
        object.__setattr__(self, "references", references)
        if self.sources is not None:
            sources = _checked_texts(self.sources, self._name("sources"))
            object.__setattr__(self, "sources", sources)
        if not references and not any(systems.values()):
            first = self._name(next(iter(systems)))
            raise CupelError(
                f"The corpus is empty: {self._name('references')} and {first} have no segments."
            )
        # A flat list of strings cannot be in the wrong orientation, and neither can a file.
        flat = "references" in self.origins or all(isinstance(entry, str) for entry in given)
        self._check_lengths(transposable=not flat)

    def _without_references(self) -> None:
        """Every part has as many segments as the first system."""
        first, *others = self.systems
        length = len(self.systems[first])
        if not length:
            raise CupelError(f"The corpus is empty: {self._name(first)} has no segments.")
        parts: dict[str, Sequence[str]] = {name: self.systems[name] for name in others}
        if self.sources is not None:
            parts["sources"] = _checked_texts(self.sources, self._name("sources"))
            object.__setattr__(self, "sources", parts["sources"])
        for name, texts in parts.items():
            if len(texts) != length:
                raise CupelError(
                    f"{self._having(first)} {counted_segments(length)}, "
                    f"but {self._having(name, first=False)} {len(texts)}."
                )
        object.__setattr__(self, "references", [()] * length)

    @classmethod
    def of(
        cls,
        hypotheses: Sequence[str] | Mapping[str, Sequence[str]],
        references: Sequence[str | Sequence[str]] | None = None,
        sources: Sequence[str] | None = None,
    ) -> Corpus:
        """A corpus from lists.

        hypotheses: one system's translations, or a mapping system -> translations. references: per
        segment a string or a list of strings; None where there are none. sources: per segment a
        string.
        """
        systems = hypotheses if isinstance(hypotheses, Mapping) else {DEFAULT_SYSTEM: hypotheses}
        return cls(systems, NO_REFERENCES if references is None else references, sources)

    @classmethod
    def from_evaluate(
        cls,
        *,
        predictions: Sequence[str],
        references: Sequence[str | Sequence[str]],
        sources: Sequence[str] | None = None,
    ) -> Corpus:
        """The arguments of HuggingFace `evaluate`'s `metric.compute(predictions=, references=)`.

        predictions: one system's translations. references: per segment a string or a list of
        strings, there as here. sources: per segment a string.
        """
        return cls.of(predictions, references, sources)

    @classmethod
    def from_streams(
        cls,
        hypotheses: Sequence[str] | Mapping[str, Sequence[str]],
        reference_streams: Sequence[Sequence[str | None]],
        sources: Sequence[str] | None = None,
    ) -> Corpus:
        """The arguments of sacreBLEU's `corpus_score`: references per reference, not per segment.

        hypotheses: as for `of`. reference_streams: one list for every reference, each with a string
        per segment, or None where the segment does not have it. sources: per segment a string.
        """
        streams = _checked_streams(reference_streams)
        references = [
            [line for line in segment if line is not None] for segment in zip(*streams, strict=True)
        ]
        return cls.of(hypotheses, references, sources)

    def __len__(self) -> int:
        return len(self.references)

    @property
    def has_references(self) -> bool:
        """Whether there is something to compare translations with."""
        return any(self.references)

    @property
    def has_texts(self) -> bool:
        """Whether there are translations; where there are only scores of them, all are empty."""
        return any(map(any, self.systems.values()))

    @property
    def number_of_references(self) -> int | None:
        """How many references each segment has, or None where that differs."""
        counts = {len(texts) for texts in self.references}
        return counts.pop() if len(counts) == 1 else None

    @cached_property
    def outline(self) -> Outline:
        """Its counts: blank texts, tokenised translations, lengths."""
        return Outline.of(self.systems, self.references)

    def _name(self, part: str) -> str:
        """What errors call a part: its file, or what it is."""
        if part in self.origins:
            return self.origins[part]
        return f"system {part!r}" if part in self.systems else f"the {part}"

    def _check_lengths(self, *, transposable: bool) -> None:
        expected = len(self.references)
        for name, texts in self.systems.items():
            if len(texts) == expected:
                continue
            if (
                transposable
                and texts
                and all(len(entry) == len(texts) for entry in self.references)
            ):
                lists = "1 list" if expected == 1 else f"{expected} lists"
                raise CupelError(
                    f"The references are {lists} of {len(texts)}, but {self._name(name)} "
                    f"has {counted_segments(len(texts))}; if they are given per reference, as for "
                    "sacreBLEU, use Corpus.from_streams."
                )
            raise CupelError(
                f"{self._having('references')} {counted_segments(expected)}, "
                f"but {self._having(name, first=False)} {len(texts)}."
            )
        if self.sources is not None and len(self.sources) != expected:
            raise CupelError(
                f"{self._having('sources')} {counted_segments(len(self.sources))}, "
                f"but {self._having('references', first=False)} {expected}."
            )

    def _having(self, part: str, *, first: bool = True) -> str:
        """`ref.txt has`, or `The references have`: the part with its verb."""
        name = self._name(part)
        verb = "has" if part in self.origins or part in self.systems else "have"
        if first and part not in self.origins:
            name = name[0].upper() + name[1:]
        return f"{name} {verb}"


def counted_segments(count: int) -> str:
    """`1 segment`, `2 segments`."""
    return "1 segment" if count == 1 else f"{count} segments"


def _checked_references(
    references: Iterable[str | Sequence[str]], name: str
) -> list[tuple[str, ...]]:
    listed = references if isinstance(references, list | tuple) else list(references)
    if set(map(type, listed)) <= {list, tuple}:  # the usual case, without a loop in Python
        tuples = list(map(tuple, listed))
        if all(tuples) and set(map(type, chain.from_iterable(tuples))) <= {str}:
            return tuples
    checked: list[tuple[str, ...]] = []
    for number, entry in enumerate(listed, start=1):
        if isinstance(entry, str):
            checked.append((entry,))
            continue
        if not _is_listlike(entry):
            raise CupelError(
                f"Segment {number} of {name} holds {_kind(entry)} "
                "where a string or a list of strings was expected."
            )
        checked.append(tuple(entry))
        if not checked[-1]:
            raise CupelError(
                f"Segment {number} of {name} has no reference; at least one is needed."
            )
        _check_strings(checked[-1], name, number)
    return checked


def _checked_texts(texts: Sequence[str], name: str) -> list[str]:
    _check_is_list(texts, name)
    checked = list(texts)
    _check_strings(checked, name)
    return checked


def _checked_streams(streams: Iterable[Iterable[str | None]]) -> list[list[str | None]]:
    _check_is_list(streams, "the reference streams", "a list with one list per reference")
    checked: list[list[str | None]] = []
    for number, stream in enumerate(streams, start=1):
        _check_is_list(stream, f"reference stream {number}")
        checked.append(list(stream))
        if len(checked[-1]) != len(checked[0]):
            raise CupelError(
                f"Reference stream 1 has {counted_segments(len(checked[0]))}, "
                f"but reference stream {number} has {len(checked[-1])}."
            )
    return checked


def _check_is_list(
    value: object, name: str, expected: str = "a list with one entry per segment"
) -> None:
    if not _is_listlike(value):
        received = "one string" if isinstance(value, str) else _kind(value)
        raise CupelError(
            f"{expected[0].upper()}{expected[1:]} was expected for {name}, not {received}."
        )


def _check_strings(texts: Sequence[object], name: str, segment: int | None = None) -> None:
    """All texts are strings; `segment` is theirs where they are one segment's references."""
    if set(map(type, texts)) <= {str}:
        return
    for number, text in enumerate(texts, start=1):
        if not isinstance(text, str):
            raise CupelError(
                f"Segment {segment or number} of {name} holds {_kind(text)} "
                "where a string was expected."
            )


def _is_listlike(value: object) -> bool:
    # Sets have no order, and a mapping would yield its keys.
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping | Set)


def _blanks(texts: Iterable[str]) -> int:
    return sum(not text.strip() for text in texts)


def _kind(value: object) -> str:
    if value is None:
        return "None"
    name = type(value).__name__
    return f"an {name}" if name[0].lower() in "aeiou" else f"a {name}"
