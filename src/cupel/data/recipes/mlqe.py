"""MLQE-PE: direct assessment by translators and post-edits: Fomicheva and others (LREC 2022).

The post-edit is the reference. The post-edited files are tokenized, so that their segments are found
by their source without spaces, and post-edits are detokenized.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cupel.data.recipes.archives import archived_files, archived_lines
from cupel.data.recipes.copying import write_readme
from cupel.data.recipes.graded import JudgedPair, write_pair
from cupel.data.recipes.recipe import Recipe, Repository
from cupel.errors import CupelError

_MLQE = Repository(
    "sheffieldnlp/mlqe-pe", "2a670a1140416cf80507b5a829659383c878feb8", archive_bytes=40_000_000
)
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

_README = """\
# mlqe
MLQE-PE, train and dev parts: et-en ne-en ro-en ru-en si-en en-de en-zh, one neural system each, direct
assessment by translators (z-scores, mean of three or more), and as reference the system's translation
post-edited by a person (detokenized here). Post-edits stay close to the translation: a metric sees
mostly what was wrong with it. Layout: mt-metrics-eval's.
Built from sheffieldnlp/mlqe-pe (CC0 1.0).
"""


@dataclass
class _Texts:
    """Entry i of each list belongs to segment i."""

    sources: list[str] = field(default_factory=list)
    post_edits: list[str] = field(default_factory=list)
    translations: list[str] = field(default_factory=list)
    scores: list[float | None] = field(default_factory=list)


def build(sources: Mapping[str, Path], target: Path) -> None:
    """All judged segments that have a post-edit."""
    for pair in _PAIRS:
        texts = _Texts()
        for part in _PARTS:
            assessed, edited = (sources[_MLQE.name] / path for path in _archives(pair, part))
            post_edits = _post_edits(edited, part, pair)
            for source, translation, score in _assessed(assessed):
                if (key := _bare(source)) in post_edits:
                    texts.sources.append(source)
                    texts.post_edits.append(post_edits[key])
                    texts.translations.append(translation)
                    texts.scores.append(score)
        judged = JudgedPair(
            pair,
            texts.sources,
            {"post-edit": texts.post_edits},
            {"MT": texts.translations},
            {"MT": texts.scores},
            [("mlqe", "doc")] * len(texts.sources),
        )
        write_pair(target, judged, "da")
    write_readme(target, _README)


def _assessed(archive: Path) -> Iterator[tuple[str, str, float]]:
    """Source, translation and score of each line of the archive's table."""
    files = archived_files(archive)
    name = next((name for name in files if name.endswith(".tsv")), "*.tsv")
    lines = enumerate(archived_lines(archive, name, files), start=1)
    header = next(lines, (1, ""))[1].split("\t")
    for column in _COLUMNS:
        if column not in header:
            raise CupelError(f"{archive}:{name}, line 1: there is no column {column!r}.")
    at = [header.index(column) for column in _COLUMNS]
    for number, line in lines:
        fields = line.split("\t")
        try:
            source, translation, score = (fields[place] for place in at)
            yield source, translation, float(score)
        except (IndexError, ValueError) as error:
            raise CupelError(
                f"{archive}:{name}, line {number}: a source, a translation and a score were expected."
            ) from error


def _post_edits(archive: Path, part: str, pair: str) -> dict[str, str]:
    """The detokenized post-edit of each source."""
    files = archived_files(archive)
    sources, edits = (
        list(archived_lines(archive, f"{part}.{kind}", files)) for kind in ("src", "pe")
    )
    if len(sources) != len(edits):
        raise CupelError(
            f"{archive}: {len(sources)} lines in {part}.src, but {len(edits)} in {part}.pe."
        )
    return {
        _bare(source): detokenized(edit, pair.endswith("-zh"))
        for source, edit in zip(sources, edits, strict=True)
    }


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


def _archives(pair: str, part: str) -> tuple[str, str]:
    """Of the assessments and of the post-edits."""
    name = f"{part}/{pair}-{part}.tar.gz"
    return f"data/direct-assessments/{name}", f"data/post-editing/{name}"


READS = {
    "mlqe": {
        _MLQE.name: tuple(
            path for pair in _PAIRS for part in _PARTS for path in _archives(pair, part)
        )
    }
}
RECIPES = {"mlqe": Recipe("mlqe", (_MLQE,), build)}
