"""The tags of SGM and XML test sets, read without a parser for either.

The SGM of NIST and WMT is not XML (unquoted attributes, upper-case tags, bare `&`), so only the
tags that matter are looked for and everything else is text. Nothing is ever expanded beyond
XML's five entities and numbered characters, no DTD is read, and `<!ENTITY` is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cupel.errors import CupelError

_WHITE = " \t\r\n"  # XML's; a no-break space or U+2028 belongs to the segment
_ENTITIES = {"quot": '"', "amp": "&", "lt": "<", "gt": ">", "apos": "'"}

# The possessive `*+` keeps a malformed tag from costing more than one pass over it.
_TAG = re.compile(
    r"<!--|<!ENTITY\b|<(?P<close>/?)(?P<name>seg|doc|srcset|refset|tstset|src|ref|hyp)(?=[\s/>])"
    r"""(?P<attributes>(?:[^<>=]++|=\s*"[^"<]*"|=\s*'[^'<]*'|=)*+)>""",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"""(?<![\w:.-])([\w:.-]++)\s*+=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))""")
_SEGMENT_END = re.compile(r"</seg\s*>", re.IGNORECASE)
_UNCLOSED = re.compile(r"<seg[\s>]|</?doc[\s>]", re.IGNORECASE)
_COMMENT_OR_CDATA = re.compile(r"<!--|<!\[CDATA\[")
_ENTITY = re.compile(r"&(?:(quot|amp|lt|gt|apos)|#([0-9]{1,7})|#x([0-9A-Fa-f]{1,6}));")


@dataclass(frozen=True, slots=True)
class Tag:
    """One tag; a `seg` comes with its text and stands for its closing tag too."""

    name: str
    closing: bool
    attributes: Mapping[str, str]
    position: int
    text: str = ""


def scan(content: str, file: str) -> Iterator[Tag]:
    """The tags of a test set in their order."""
    position = 0
    while match := _TAG.search(content, position):
        position = match.end()
        start = match.start()
        if match["name"] is None:
            position = _behind_comment(content, start, file)
            continue
        name, closing = match["name"].lower(), bool(match["close"])
        blob = match["attributes"]
        if name != "seg":
            yield Tag(name, closing, _attributes(blob), start)
            continue
        if closing:
            raise error_at(file, content, start, "a segment ends that never began")
        text = ""
        if not blob.endswith("/"):
            text, position = _segment_text(content, position, file)
        yield Tag(name, False, _attributes(blob), start, text)


def error_at(file: str, content: str, position: int, what: str) -> CupelError:
    """An error that names the line of a position."""
    line = content.count("\n", 0, position) + 1
    return CupelError(f"{file}, line {line}: {what}.")


def resolve_entities(text: str) -> str:
    """XML's five entities and numbered characters as what they stand for; other `&` stay."""
    return _ENTITY.sub(_character, text) if "&" in text else text


def _behind_comment(content: str, start: int, file: str) -> int:
    if not content.startswith("<!--", start):
        what = "entity declarations (<!ENTITY) are refused; write the characters themselves"
        raise error_at(file, content, start, what)
    end = content.find("-->", start)
    if end < 0:
        raise error_at(file, content, start, "a comment (<!--) is not closed")
    return end + 3


def _segment_text(content: str, start: int, file: str) -> tuple[str, int]:
    end = _SEGMENT_END.search(content, start)
    if end is None:
        raise error_at(file, content, start, "a segment is not closed with </seg>")
    body = content[start : end.start()]
    if "<" not in body:
        return _one_line(resolve_entities(body)), end.end()
    parts = _without_comments(body)
    if any(_UNCLOSED.search(part) for part in parts[::2]):
        raise error_at(file, content, start, "a segment is not closed with </seg>")
    parts[::2] = [resolve_entities(part) for part in parts[::2]]
    return _one_line("".join(parts)), end.end()


def _without_comments(body: str) -> list[str]:
    """Text at the even places, and between two texts what stood literally in a CDATA section."""
    parts = []
    position = 0
    while match := _COMMENT_OR_CDATA.search(body, position):
        literal = match[0] == "<![CDATA["
        end = body.find("]]>" if literal else "-->", match.end())
        if end < 0:  # then it is no markup, but part of the text
            break
        parts += [body[position : match.start()], body[match.end() : end] if literal else ""]
        position = end + 3
    return [*parts, body[position:]]


def _one_line(text: str) -> str:
    if "\n" not in text:
        return text.strip(_WHITE)
    lines = (line.strip(_WHITE) for line in text.split("\n"))
    return " ".join(line for line in lines if line)


def _attributes(blob: str) -> dict[str, str]:
    return {
        match[1].lower(): resolve_entities(match[2] or match[3] or match[4] or "").strip()
        for match in _ATTRIBUTE.finditer(blob)
    }


def _character(match: re.Match[str]) -> str:
    if match[1]:
        return _ENTITIES[match[1]]
    code = int(match[2]) if match[2] else int(match[3], 16)
    legal = 0 < code < 0xD800 or 0xDFFF < code < 0x110000
    return chr(code) if legal else match[0]
