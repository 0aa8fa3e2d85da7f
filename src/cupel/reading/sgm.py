"""Test sets in the SGM of NIST and WMT (up to 2020) and in the XML of WMT (from 2021).

SGM has a `<refset>`, `<tstset>` or `<srcset>` with documents, each of one system or translator
(`sysid`); in XML a document holds `<src>`, `<ref translator=>` and `<hyp system=>`. Both become
streams: the segments of one translator or system, by (document, segment id). Documents of a WMT
test suite (`testsuite=`) have no references and are left out, as sacreBLEU does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cupel.errors import CupelError
from cupel.reading.lines import read_text
from cupel.reading.segments import Key, Role, Segments, listed, nearest
from cupel.reading.sgm_tags import Tag, error_at, scan

_KINDS: Mapping[str, Role] = {
    "srcset": "source",
    "refset": "reference",
    "tstset": "hypothesis",
    "src": "source",
    "ref": "reference",
    "hyp": "hypothesis",
}
_CONTENTS = {"source": "a source", "reference": "references", "hypothesis": "translations"}
# A reference may be scored as a system, and a system serve as reference; a source is neither.
_ACCEPTED: Mapping[Role, tuple[Role, ...]] = {
    "reference": ("reference", "hypothesis"),
    "hypothesis": ("hypothesis", "reference"),
    "source": ("source",),
}


@dataclass(frozen=True)
class Stream:
    """A system, reference or source; `number` separates references of the same or no label."""

    kind: Role
    label: str | None
    number: int = 0


Streams = dict[Stream, dict[Key, str]]


def read_sgm(
    file: str, role: Role, part: str | None = None, encoding: str = "utf-8"
) -> list[Segments]:
    """The references (as one), the systems, or the source of a file; `part` picks one by name."""
    content = read_text(file, encoding)
    streams = _chosen(parse_streams(content, file), file, role, part)
    if role == "reference":
        return [_references(streams, file)]
    return [
        Segments(file, list(texts.values()), list(texts), stream.label)
        for stream, texts in streams.items()
    ]


def parse_streams(content: str, file: str) -> Streams:
    """All streams of a test set, in the file's order."""
    builder = Builder(content, file)
    for tag in scan(content, file):
        builder.add(tag)
    if not builder.streams:
        state = "holds no segments" if content else "is empty"
        raise CupelError(f"{file} {state}; <doc> with <seg> were expected.")
    return builder.streams


@dataclass
class Builder:
    """The current place in the file, and what was read so far.

    documents: the attributes of each by its name, without those of test suites. languages: of each
    kind of part, where the parts name them.
    """

    content: str
    file: str
    streams: Streams = field(default_factory=dict)
    stream: Stream | None = None
    document: str | None = None
    set_kind: Role | None = None
    set_label: str | None = None
    set_number: int = 0
    unlabelled: int = 0
    skipped: bool = False
    documents: dict[str, Mapping[str, str]] = field(default_factory=dict)
    languages: dict[Role, dict[str, None]] = field(default_factory=dict)

    def add(self, tag: Tag) -> None:
        """Take the next tag."""
        if tag.name == "seg":
            self._add_segment(tag)
        elif tag.name == "doc":
            self._enter_document(tag)
        elif tag.name.endswith("set"):
            self._enter_set(tag)
        else:
            self._enter_part(tag)

    def _enter_set(self, tag: Tag) -> None:
        self.set_kind = None if tag.closing else _KINDS[tag.name]
        self.set_label = tag.attributes.get("sysid") or tag.attributes.get("refid")
        self.set_number += not tag.closing
        self.document = self.stream = None

    def _enter_document(self, tag: Tag) -> None:
        self.document = self.stream = None
        self.unlabelled = 0
        if tag.closing:
            return
        self.document = tag.attributes.get("docid") or tag.attributes.get("id")
        if self.document is None:
            raise self._error(tag, "a document has no docid")
        self.skipped = "testsuite" in tag.attributes
        if not self.skipped:
            self.documents[self.document] = tag.attributes
        if self.set_kind is not None:
            label = tag.attributes.get("sysid") or self.set_label
            self.stream = _stream(self.set_kind, label, self.set_number)

    def _enter_part(self, tag: Tag) -> None:
        """`<src>`, `<ref>` or `<hyp>` of the newer XML."""
        if tag.closing:
            self.stream = None
            return
        kind = _KINDS[tag.name]
        self.languages.setdefault(kind, {})[tag.attributes.get("lang", "")] = None
        label = tag.attributes.get("translator" if kind == "reference" else "system") or None
        if kind == "reference" and label is None:
            self.unlabelled += 1
        self.stream = _stream(kind, label, 0 if label else self.unlabelled)

    def _add_segment(self, tag: Tag) -> None:
        if self.document is None:
            raise self._error(tag, "a segment is outside of any <doc>")
        if self.stream is None:
            raise self._error(
                tag,
                f"a segment of document {self.document!r} is neither source, reference nor "
                "translation; it must be in a <srcset>, <refset>, <tstset>, <src>, <ref> or <hyp>",
            )
        if self.skipped:
            return
        number = tag.attributes.get("id")
        if not number:
            raise self._error(tag, f"a segment of document {self.document!r} has no id")
        texts = self.streams.setdefault(self.stream, {})
        key = (self.document, number)
        if key in texts:
            by = f" by {self.stream.label!r}" if self.stream.label else ""
            raise self._error(
                tag, f"segment {number!r} of document {self.document!r}{by} occurs twice"
            )
        texts[key] = tag.text

    def _error(self, tag: Tag, what: str) -> CupelError:
        return error_at(self.file, self.content, tag.position, what)


def _stream(kind: Role, label: str | None, number: int) -> Stream:
    if kind == "source":  # there is one, whatever its documents' sysid
        return Stream(kind, None)
    return Stream(kind, label, number if kind == "reference" else 0)


def _chosen(streams: Streams, file: str, role: Role, part: str | None) -> Streams:
    kinds = list(dict.fromkeys(stream.kind for stream in streams))
    kind = next((kind for kind in _ACCEPTED[role] if kind in kinds), None)
    if kind is None:
        held = " and ".join(_CONTENTS[other] for other in kinds)
        missing = _CONTENTS[role].removeprefix("a ")
        raise CupelError(f"{file} holds no {missing}, only {held}.")
    chosen = {stream: texts for stream, texts in streams.items() if stream.kind == kind}
    if part is None:
        return chosen
    labels = list(dict.fromkeys(stream.label for stream in chosen if stream.label))
    if part not in labels:
        held = f"it has {listed(labels)}{nearest(part, labels)}" if labels else "it names none."
        missing = "system" if kind == "hypothesis" else "reference by"
        raise CupelError(f"{file} has no {missing} {part!r}; {held}")
    return {stream: texts for stream, texts in chosen.items() if stream.label == part}


def _references(streams: Streams, file: str) -> Segments:
    if len(streams) == 1:
        (only,) = streams.values()
        return Segments(file, list(only.values()), list(only))
    texts: dict[Key, list[str]] = {}
    for stream in streams.values():
        for key, text in stream.items():
            texts.setdefault(key, []).append(text)
    return Segments(file, list(texts.values()), list(texts))
