"""Five-way rankings of newstest2015 into English: Bojar and others (WMT 2015).

The ranks are those of the organisers, the texts those of the tasks that people saw, joined by the
number of the segment and the systems. In 2015 people ranked distinct translations: an item may name
several systems, separated by commas.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from cupel.errors import CupelError
from cupel.reading import open_bytes

_TASKS = "cfedermann/Appraise"
_RANKS = "mjpost/wmt15"
_RANK_FILE = "data/wmt15.xml.gz"
_LANGUAGES = {"ces": "cs", "deu": "de", "fin": "fi", "fre": "fr", "rus": "ru"}


@dataclass
class Segment:
    """One segment as people saw it: the texts by the systems that gave them."""

    source: str
    reference: str
    texts: dict[str, str] = field(default_factory=dict)


Segments = dict[tuple[str, str], Segment]
"""By language and number."""


def build(sources: Mapping[str, Path], target: Path) -> None:
    """The rankings of each language pair, in the order of the results."""
    folder = sources[_TASKS] / "wmt15data"
    segments = read_tasks(
        path
        for batches in ("full-batches", "init-batches")
        for language in _LANGUAGES.values()
        for path in sorted((folder / batches).glob(f"*.{language}-en.xml"))
    )
    lines: dict[str, list[str]] = {language: [] for language in _LANGUAGES.values()}
    for language, ranking in read_ranks(sources[_RANKS] / _RANK_FILE, segments):
        lines[language].append(f"{json.dumps(ranking, ensure_ascii=False)}\n")
    for language, of_language in lines.items():
        path = target / f"{language}-en.jsonl"
        path.write_text("".join(of_language), encoding="utf-8", newline="\n")


def read_tasks(paths: Iterable[Path]) -> Segments:
    """The segments of ranking tasks into English."""
    segments: Segments = {}
    for path in paths:
        for language, hit in _hits(path, "hit"):
            for part in hit.iterfind("seg"):
                source = part.find("source")
                if source is None:
                    raise CupelError(f"{path}: a segment has no source.")
                segment = segments.setdefault(
                    (language, source.get("id", "")),
                    Segment(source.text or "", part.findtext("reference", "")),
                )
                for item in part.iterfind("translation"):
                    segment.texts.setdefault(item.get("system", ""), item.text or "")
    return segments


def read_ranks(path: Path, segments: Segments) -> Iterator[tuple[str, dict[str, Any]]]:
    """Language and ranking of each result that has at least two translations."""
    for language, hit in _hits(path, "HIT"):
        for task in hit.iterfind("ranking-task"):
            for result in task.iterfind("ranking-result"):
                items = [(item.get("system", ""), item.get("rank", "")) for item in result]
                if len(items) > 1:
                    yield language, _ranking(path, language, task.get("id", ""), items, segments)


def _ranking(
    path: Path, language: str, number: str, items: list[tuple[str, str]], segments: Segments
) -> dict[str, Any]:
    try:
        segment = segments[language, number]
        texts = [[system, segment.texts[system], int(rank)] for system, rank in items]
    except (KeyError, ValueError) as error:
        raise CupelError(
            f"{path}, segment {number} of {language}-en: no text or no rank of {error}."
        ) from error
    return {
        "lp": f"{language}-en",
        "seg": number,
        "source": segment.source,
        "reference": segment.reference,
        "items": texts,
    }


def _hits(path: Path, tag: str) -> Iterator[tuple[str, ElementTree.Element]]:
    """Tasks into English, each with its source language; others are left out."""
    try:
        with open_bytes(path) as stream:
            root = ElementTree.parse(stream).getroot()
    except ElementTree.ParseError as error:
        raise CupelError(f"{path} is not XML: {error}.") from error
    for hit in root.iterfind(tag):
        language = _LANGUAGES.get(hit.get("source-language", ""))
        if language and hit.get("target-language") == "eng":
            yield language, hit
