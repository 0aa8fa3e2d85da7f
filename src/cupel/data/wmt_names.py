"""File names of the WMT test sets, as the organisers give them.

newstest2012-src.cs                      sources, in 2012 and 2013 the same for every pair
newstest2014-deen-ref.en.sgm             one side of one pair, in SGM
newstestB2020-deen-ref.en.sgm            a second reference
newstest2014.uedin-wmt14.3170.cs-en      a system's output, below a folder named after the pair
newstest2021.en-de.all.xml               everything of one pair
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

_TEST = r"(?P<test>[a-z]*(?:test|dev))(?P<letter>[A-Z]?)(?P<year>\d{4})"
_SIDE = re.compile(
    rf"{_TEST}(?:-(?P<pair>[a-z]{{4}}))?-(?P<side>src|ref)\.(?P<language>[a-z]{{2}})(?:\.sgm|\.txt)?"
)
_OUTPUT = re.compile(rf"{_TEST}\..+")
_XML = re.compile(rf"{_TEST}\.(?P<pair>[a-z]{{2,3}}-[a-z]{{2,3}})(?:\.all)?\.xml")
_PAIR = re.compile(r"[a-z]{2}-[a-z]{2}")
_ENGLISH = "en"
_FIRST = "A"


@dataclass(frozen=True)
class Side:
    """The source or reference of a test set in one language: of one pair, or of all."""

    test: str
    pair: str | None
    is_source: bool
    language: str
    label: str = _FIRST


def side_of(path: Path) -> Side | None:
    """What a file's name says about it; None where it is not the name of a source or reference."""
    match = _SIDE.fullmatch(path.name)
    if match is None:
        return None
    joined = match["pair"]
    return Side(
        match["test"] + match["year"],
        f"{joined[:2]}-{joined[2:]}" if joined else None,
        match["side"] == "src",
        match["language"],
        match["letter"] or _FIRST,
    )


def output_of(path: Path) -> tuple[str, str, str] | None:
    """(test set, pair, system) of a system's output; the pair is its folder or a part of its name."""
    match = _OUTPUT.fullmatch(path.name)
    if match is None or path.suffix == ".xml" or path.name.endswith("~"):
        return None
    name = path.name.removesuffix(".sgm").removesuffix(".txt")
    places = (part for part in (path.parent.name, *name.split(".")) if _PAIR.fullmatch(part))
    pair = next(places, None)
    return None if pair is None else (match["test"] + match["year"], pair, name)


def xml_of(path: Path) -> str | None:
    """The test set of a file that has everything of one pair."""
    match = _XML.fullmatch(path.name)
    return match["test"] + match["year"] if match else None


def language_pairs(sides: Mapping[Side, Path]) -> dict[str, tuple[Path, Path]]:
    """(source, reference) of each language pair of one test set.

    A reference is also the other language's source where a set has sources only, as those of 2012 and
    2013 are published; those sets are used from and into English.
    """
    pairs = {}
    for side, source in sides.items():
        if not side.is_source or side.label != _FIRST:
            continue
        for target in _targets(side, sides):
            other = replace(side, language=target)
            reference = sides.get(replace(other, is_source=False))
            if reference is None and side.pair is None:
                reference = sides.get(other)
            if reference is not None:
                pairs[f"{side.language}-{target}"] = (source, reference)
    return dict(sorted(pairs.items()))


def more_references(sides: Mapping[Side, Path], pair: str) -> dict[str, Path]:
    """The references of a pair beside the first, by their letters."""
    target = pair.partition("-")[2]
    return {
        side.label: path
        for side, path in sides.items()
        if not side.is_source
        and side.label != _FIRST
        and side.language == target
        and side.pair in (pair, None)
    }


def _targets(source: Side, sides: Iterable[Side]) -> list[str]:
    if source.pair is not None:
        return [language for language in source.pair.split("-") if language != source.language]
    languages = {side.language for side in sides} - {source.language}
    return sorted(languages if source.language == _ENGLISH else languages & {_ENGLISH})
