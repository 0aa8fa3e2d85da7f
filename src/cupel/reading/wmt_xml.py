"""Test sets in the XML of WMT (from 2021), by fields as sacreBLEU names them.

The fields are src, ref:TRANSLATOR (or ref), docid, origlang, each system's output by its name, and
domain where the documents have one. As in sacreBLEU, documents of a test suite and segments without
any reference are left out, and runs of white space become one space. The file is scanned for tags
(`cupel.reading.sgm_tags`): nothing is expanded or fetched, whatever it declares.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cupel.errors import CupelError
from cupel.reading.lines import display_name, read_text
from cupel.reading.segments import Role
from cupel.reading.sgm_tags import Tag, error_at, scan

_ROOT = re.compile(r"<([A-Za-z][\w.-]*)")
_PARTS: Mapping[str, Role] = {"src": "source", "ref": "reference", "hyp": "hypothesis"}
_NAMED_BY = {"ref": "translator", "hyp": "system"}


@dataclass(frozen=True)
class WmtXml:
    """One language pair: `fields` have one text per segment."""

    source_language: str
    target_language: str
    fields: Mapping[str, list[str]]

    @property
    def pair(self) -> str:
        return f"{self.source_language}-{self.target_language}"

    @property
    def references(self) -> list[str]:
        """The names of the fields that are references."""
        return [name for name in self.fields if is_reference(name)]


def is_reference(name: str) -> bool:
    """Whether a field of that name is a reference: `ref`, `ref:A`."""
    return name == "ref" or name.startswith("ref:")


def one_space(text: str) -> str:
    """The text with every run of white space as one space, as sacreBLEU's test sets are written."""
    return " ".join(text.split())


def read_wmt_xml(path: Path | str, encoding: str = "utf-8") -> WmtXml:
    """The fields of a file; one that is cut off, or that mixes languages, is an error."""
    file = display_name(path)
    content = read_text(path, encoding)
    _check_whole(content, file)
    reader = _Reader(content, file)
    for tag in scan(content, file):
        reader.add(tag)
    return reader.result()


def _check_whole(content: str, file: str) -> None:
    root = _ROOT.search(content)
    if root is None:
        raise CupelError(f"{file} is no XML: it has no elements.")
    if not content.rstrip().endswith(f"</{root[1]}>"):
        raise CupelError(f"{file} is cut off: <{root[1]}> is not closed at its end.")


@dataclass
class _Document:
    attributes: Mapping[str, str]
    # "src", "ref:A" or a system's name -> segment id -> text
    texts: dict[str, dict[str, str]] = field(default_factory=dict)


@dataclass
class _Reader:
    content: str
    file: str
    documents: list[_Document] = field(default_factory=list)
    languages: dict[Role, dict[str, None]] = field(default_factory=dict)
    references: dict[str, None] = field(default_factory=dict)
    systems: dict[str, None] = field(default_factory=dict)
    document: _Document | None = None
    part: str | None = None

    def add(self, tag: Tag) -> None:
        if tag.name == "doc":
            self._enter_document(tag)
        elif tag.name == "seg":
            self._add_segment(tag)
        elif tag.name in _PARTS:
            self._enter_part(tag)
        else:
            raise self._error(tag, f"<{tag.name}> belongs to SGM, not to the XML of WMT")

    def result(self) -> WmtXml:
        if self.document is not None:
            raise CupelError(f"{self.file}: the last <doc> is not closed.")
        source, target = self._language("source"), self._language("reference")
        columns: dict[str, list[str]] = {
            name: [] for name in ("src", *self.references, "docid", "origlang", *self.systems)
        }
        domains: list[str | None] = []
        for document in self.documents:
            sources = document.texts.get("src", {})
            references = [document.texts.get(name, {}) for name in self.references]
            for number in sorted(sources, key=int):
                if not any(texts.get(number) for texts in references):
                    continue
                for name in ("src", *self.references, *self.systems):
                    columns[name].append(one_space(document.texts.get(name, {}).get(number, "")))
                columns["docid"].append(document.attributes.get("id", ""))
                columns["origlang"].append(document.attributes.get("origlang", ""))
                domains.append(document.attributes.get("domain"))
        if not domains:
            raise CupelError(f"{self.file} holds no segment with a reference.")
        if domains[-1] is not None:
            columns["domain"] = [domain or "" for domain in domains]
        return WmtXml(source, target, columns)

    def _enter_document(self, tag: Tag) -> None:
        if tag.closing:
            self.document = self.part = None
            return
        if self.document is not None:
            raise self._error(tag, "a <doc> begins inside another one")
        self.document = _Document(tag.attributes)
        if "testsuite" not in tag.attributes:
            self.documents.append(self.document)

    def _enter_part(self, tag: Tag) -> None:
        if tag.closing:
            self.part = None
            return
        if self.document is None:
            raise self._error(tag, f"<{tag.name}> is outside of any <doc>")
        self.languages.setdefault(_PARTS[tag.name], {})[tag.attributes.get("lang", "")] = None
        label = tag.attributes.get(_NAMED_BY.get(tag.name, ""), "")
        self.part = tag.name
        if tag.name == "ref":
            self.part = f"ref:{label}" if label else "ref"
            self.references[self.part] = None
        elif tag.name == "hyp":
            self.part = label or "hyp"
            self.systems[self.part] = None
        self.document.texts.setdefault(self.part, {})

    def _add_segment(self, tag: Tag) -> None:
        if self.document is None or self.part is None:
            raise self._error(tag, "a segment is outside of any <src>, <ref> or <hyp>")
        number = tag.attributes.get("id", "")
        if not number.isdecimal():
            raise self._error(tag, f"a segment's id is {number!r}, but it must be a number")
        self.document.texts[self.part][number] = tag.text

    def _language(self, role: Role) -> str:
        languages = list(self.languages.get(role, ()))
        if not languages:
            raise CupelError(f"{self.file} holds no <{'src' if role == 'source' else 'ref'}>.")
        if len(languages) > 1:
            raise CupelError(f"{self.file} mixes languages in one {role}: {', '.join(languages)}.")
        return languages[0]

    def _error(self, tag: Tag, what: str) -> CupelError:
        return error_at(self.file, self.content, tag.position, what)
