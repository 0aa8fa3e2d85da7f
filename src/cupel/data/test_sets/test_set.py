"""What a test set is: named fields with one text per segment, and how it becomes a corpus.

Fields have sacreBLEU's names: src, ref (or ref:A, ref:B, ...), docid, genre, domain, origlang, ... Several
sets that are named together are one set, one after the other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress

from cupel.corpus import Corpus, counted_segments
from cupel.errors import CupelError
from cupel.reading.segments import Segments, listed, nearest
from cupel.reading.wmt_xml import is_reference

Texts = Callable[[], Sequence[str]]


@dataclass(frozen=True)
class Part:
    """One test set in one language pair.

    name         as in signatures
    place        the file or folder that errors name
    fields       name -> a function that reads the texts
    references   the fields that are scored against
    annotations  what --subset is matched with, per segment; if not given, domain or docid
    optional     whether a reference may be empty where a segment does not have it
    """

    name: str
    pair: str
    place: str
    fields: Mapping[str, Texts]
    references: Sequence[str]
    annotations: Texts | None = None
    optional: bool = False

    def __post_init__(self) -> None:
        if not self.references:
            raise CupelError(f"The test set {self} has no reference (in {self.place}).")

    def __str__(self) -> str:
        return f"{self.name} ({self.pair})"

    def texts(self, field: str) -> Sequence[str]:
        """One text per segment; a field whose length is not that of the source is an error."""
        texts = self.sources if field == "src" else self.fields[field]()
        if not texts or len(texts) != len(self.sources):
            raise CupelError(
                f"The test set {self} is damaged: its field {field} has "
                f"{counted_segments(len(texts))}, the source has {len(self.sources)} (in {self.place}): "
                "remove it and get it again."
            )
        return texts

    @cached_property
    def sources(self) -> Sequence[str]:
        """(segments,): the source texts, read once."""
        return self.fields["src"]()

    def field_name(self, name: str) -> str:
        """The field of that name; `ref` is the first reference where none is called so."""
        if name == "ref" and "ref" not in self.fields:
            return min(field for field in self.fields if is_reference(field))
        if name not in self.fields:
            raise CupelError(
                f"The test set {self} has no field {name!r}; it has {listed(list(self.fields))}"
                f"{nearest(name, list(self.fields))}"
            )
        return name

    def kept(self, origlang: str | None, subset: str | None) -> list[bool] | None:
        """Which segments are of that original language and subset; None for all."""
        if origlang is None and subset is None:
            return None
        keep = [True] * len(self.texts("src"))
        if origlang is not None:
            if "origlang" not in self.fields:
                raise CupelError(f"The test set {self} does not name original languages.")
            language = origlang.removeprefix("non-")
            languages = self.texts("origlang")
            keep = [(own == language) != (language != origlang) for own in languages]
        if subset is not None:
            matches = _pattern(subset).search
            marks = self._annotations()
            keep = [
                one and matches(mark) is not None for one, mark in zip(keep, marks, strict=True)
            ]
        return keep

    def _annotations(self) -> Sequence[str]:
        if self.annotations is not None:
            return self.annotations()
        for field in ("domain", "docid"):
            if field in self.fields:
                return self.texts(field)
        raise CupelError(f"The test set {self} names neither documents nor domains for --subset.")


@dataclass(frozen=True)
class TestSet:
    """One or more test sets of a language pair, or the segments of them that were asked for."""

    parts: Sequence[Part]
    origlang: str | None = None
    subset: str | None = None

    @property
    def pair(self) -> str:
        return self.parts[0].pair

    @property
    def name(self) -> str:
        return ",".join(part.name for part in self.parts)

    @property
    def signature(self) -> dict[str, str]:
        """The entries that name the set, in sacreBLEU's order."""
        entries = {
            "test": self.name,
            "lang": self.pair,
            "origlang": self.origlang,
            "subset": self.subset,
        }
        return {key: value for key, value in entries.items() if value is not None}

    def rows(self, fields: Sequence[str]) -> Iterator[list[str]]:
        """The texts of these fields, segment by segment; `all` stands for every field."""
        if "all" in fields and len(fields) > 1:
            raise CupelError("The field 'all' stands for every field: name no other beside it.")
        keep = self._kept()
        start = 0
        for part in self.parts:
            names = list(part.fields) if list(fields) == ["all"] else fields
            columns = [part.texts(part.field_name(name)) for name in names]
            end = start + len(columns[0])
            for row in compress(zip(*columns, strict=True), keep[start:end]):
                yield list(row)
            start = end

    def corpus(self, systems: Mapping[str, Segments | Sequence[str]]) -> Corpus:
        """The corpus of these systems, name -> translations of all segments of the whole set."""
        outputs = {
            name: texts if isinstance(texts, Segments) else Segments(f"system {name!r}", texts)
            for name, texts in systems.items()
        }
        sources = [text for part in self.parts for text in part.texts("src")]
        for segments in outputs.values():
            if len(segments.texts) != len(sources):
                raise CupelError(
                    f"The test set {self.name} ({self.pair}) has {counted_segments(len(sources))}, "
                    f"but {segments.who} has {len(segments.texts)}."
                )
        keep = self._kept()
        return Corpus(
            {name: list(compress(map(str, s.texts), keep)) for name, s in outputs.items()},
            list(compress(self._references(), keep)),
            list(compress(sources, keep)),
            {
                "references": f"the test set {self.name}",
                **{name: segments.who for name, segments in outputs.items()},
            },
            self.signature,
        )

    def _references(self) -> Iterator[list[str]]:
        for part in self.parts:
            columns = [part.texts(field) for field in part.references]
            for texts in zip(*columns, strict=True):
                given = [text for text in texts if text] if part.optional else []
                yield given or list(texts)

    def _kept(self) -> list[bool]:
        keep: list[bool] = []
        for part in self.parts:
            kept = part.kept(self.origlang, self.subset)
            keep += [True] * len(part.texts("src")) if kept is None else kept
        if not any(keep):
            asked = {"--origlang": self.origlang, "--subset": self.subset}
            options = " ".join(f"{key} {value}" for key, value in asked.items() if value)
            raise CupelError(f"No segment of the test set {self.name} ({self.pair}) has {options}.")
        return keep


def _pattern(subset: str) -> re.Pattern[str]:
    try:
        return re.compile(subset.removeprefix("country:"))
    except re.error as error:
        raise CupelError(f"--subset {subset!r} is not a regular expression: {error}.") from None
