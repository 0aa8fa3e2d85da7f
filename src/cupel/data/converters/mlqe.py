"""MLQE-PE: direct assessment by translators and post-edits: Fomicheva and others (LREC 2022).

The post-edit is the reference. The post-edited files are tokenized, so that their segments are found
by their source without spaces, and post-edits are detokenized.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from cupel.data.converters.graded import JudgedPair, check_lengths, write_pair
from cupel.data.converters.sources import archived_lines, only
from cupel.reading.rows import table_of

_PAIRS = ("et-en", "ne-en", "ro-en", "ru-en", "si-en", "en-de", "en-zh")
_PARTS = ("train", "dev")
_COLUMNS = ("original", "translation", "z_mean")
_ESCAPED = {
    "&apos;": "'", "&quot;": '"', "&amp;": "&", "&lt;": "<", "&gt;": ">", "&#91;": "[",
    "&#93;": "]", "@-@": "-",
}  # fmt: skip
_WHITE_SPACE = re.compile(r"\s")
_SPACING = (
    (re.compile(r" ([.,;:!?%)\]}»])"), r"\1"),
    (re.compile(r"([(\[{«$]) "), r"\1"),
    (re.compile(r" (n't|'s|'re|'ve|'ll|'d|'m|')(?= |$)"), r"\1"),
    (re.compile('" ([^"]*) "'), r'"\1"'),
)


def build(sources: Mapping[str, Path], target: Path) -> None:
    """All judged segments that have a post-edit."""
    for pair in _PAIRS:
        rows = [
            row
            for part in _PARTS
            for row in _judged(only(sources) / "data", f"{part}/{pair}-{part}.tar.gz", part)
        ]
        texts, post_edits, translations, scores = zip(*rows, strict=True)
        edits = [detokenized(edit, pair.endswith("-zh")) for edit in post_edits]
        judged = JudgedPair(
            pair,
            texts,
            {"post-edit": edits},
            {"MT": translations},
            {"MT": scores},
            [("mlqe", "doc")] * len(rows),
        )
        write_pair(target, judged, "da")


def _judged(folder: Path, name: str, part: str) -> Iterator[tuple[str, str, str, float]]:
    """Source, post-edit, translation and score of each line that has all of them."""
    edited = folder / "post-editing" / name
    files = (archived_lines(edited, f"{part}.{kind}") for kind in ("src", "pe"))
    columns = {file: list(lines) for file, lines in files}
    check_lengths(columns)
    post_edits = {_bare(source): edit for source, edit in zip(*columns.values(), strict=True)}
    file, lines = archived_lines(folder / "direct-assessments" / name, ".tsv")
    table = table_of(lines, file, "\t")
    texts, translations, numbers = (table.column(column) for column in _COLUMNS)
    scores = table.parsed(numbers, float, "the score", "a number")
    for source, translation, score in zip(texts, translations, scores, strict=True):
        if (key := _bare(source)) in post_edits:
            yield source, post_edits[key], translation, score


def detokenized(text: str, chinese: bool = False) -> str:
    """The text without the spaces and the escapes that Moses' tokenizer adds."""
    text = _unescaped(text.replace(" @-@ ", "-"))
    if chinese:
        return text.replace(" ", "")
    for pattern, replacement in _SPACING:
        text = pattern.sub(replacement, text)
    return text


def _bare(text: str) -> str:
    return _WHITE_SPACE.sub("", _unescaped(text))


def _unescaped(text: str) -> str:
    for escaped, plain in _ESCAPED.items():
        text = text.replace(escaped, plain)
    return text
