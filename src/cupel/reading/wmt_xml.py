"""Test sets in the XML of WMT (from 2021), by fields as sacreBLEU names them.

The fields are src, ref:TRANSLATOR (or ref), docid, origlang, each system's output by its name, and
domain where the documents have one. As in sacreBLEU, documents of a test suite and segments without
any reference are left out, and runs of white space become one space. The file is scanned for tags
(`cupel.reading.sgm_tags`): nothing is expanded or fetched, whatever it declares.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cupel.errors import CupelError
from cupel.reading.lines import display_name, read_text
from cupel.reading.segments import Key, Role
from cupel.reading.sgm import Builder, Stream
from cupel.reading.sgm_tags import Tag, error_at, scan

_ROOT = re.compile(r"<([A-Za-z][\w.-]*)")


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
    builder = Builder(content, file)
    for tag in scan(content, file):
        if problem := _problem(tag, builder):
            raise error_at(file, content, tag.position, problem)
        builder.add(tag)
    if builder.document is not None:
        raise CupelError(f"{file}: the last <doc> is not closed.")
    languages = _language(builder, "source"), _language(builder, "reference")
    return WmtXml(*languages, _fields(builder))


def _problem(tag: Tag, builder: Builder) -> str | None:
    """What is wrong with a tag at this place, beyond what is wrong in any test set."""
    if tag.name.endswith("set"):
        return f"<{tag.name}> belongs to SGM, not to the XML of WMT"
    if tag.name == "doc":
        nested = builder.document is not None and not tag.closing
        return "a <doc> begins inside another one" if nested else None
    if builder.document is None:
        return f"<{tag.name}> is outside of any <doc>"
    if tag.name == "seg":
        number = tag.attributes.get("id", "")
        if builder.stream is None:
            return "a segment is outside of any <src>, <ref> or <hyp>"
        if not number.isdecimal():
            return f"a segment's id is {number!r}, but it must be a number"
    return None


def _fields(builder: Builder) -> dict[str, list[str]]:
    texts: dict[str, dict[Key, str]] = {"src": {}}
    for stream, by_key in builder.streams.items():
        texts.setdefault(_field_name(stream), {}).update(by_key)
    references = [name for name in texts if is_reference(name)]
    names = ("src", *references, "docid", "origlang")
    systems = [name for name in texts if name not in names]
    columns: dict[str, list[str]] = {name: [] for name in (*names, *systems)}
    domains: list[str | None] = []
    places = {name: place for place, name in enumerate(builder.documents)}
    for key in sorted(texts["src"], key=lambda key: (places[key[0]], int(key[1]))):
        if any(texts[name].get(key) for name in references):
            for name in ("src", *references, *systems):
                columns[name].append(one_space(texts[name].get(key, "")))
            attributes = builder.documents[key[0]]
            columns["docid"].append(key[0])
            columns["origlang"].append(attributes.get("origlang", ""))
            domains.append(attributes.get("domain"))
    if not domains:
        raise CupelError(f"{builder.file} holds no segment with a reference.")
    if domains[-1] is not None:
        columns["domain"] = [domain or "" for domain in domains]
    return columns


def _field_name(stream: Stream) -> str:
    if stream.kind == "source":
        return "src"
    if stream.kind == "reference":
        return f"ref:{stream.label}" if stream.label else "ref"
    return stream.label or "hyp"


def _language(builder: Builder, role: Role) -> str:
    languages = list(builder.languages.get(role, ()))
    if not languages:
        raise CupelError(f"{builder.file} holds no <{'src' if role == 'source' else 'ref'}>.")
    if len(languages) > 1:
        raise CupelError(f"{builder.file} mixes languages in one {role}: {', '.join(languages)}.")
    return languages[0]


def _check_whole(content: str, file: str) -> None:
    root = _ROOT.search(content)
    if root is None:
        raise CupelError(f"{file} is no XML: it has no elements.")
    if not content.rstrip().endswith(f"</{root[1]}>"):
        raise CupelError(f"{file} is cut off: <{root[1]}> is not closed at its end.")
