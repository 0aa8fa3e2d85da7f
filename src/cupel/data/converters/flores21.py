"""Direct assessment of WMT21's systems on FLORES, four pairs without English: Akhbardeh and others (2021).

The table names a segment by batch, document and place: `bn-hi-0-71-1000434.2_2` is the second segment
of document 71. Documents are counted from 1 in the order of their names in the test's XML, as text:
so the numbers of segments agree in all 145 and 139 documents, and in no other order that was tried
in more than a third of the former.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from cupel.data.converters.graded import JudgedPair, write_pair
from cupel.data.converters.sources import only
from cupel.errors import CupelError
from cupel.reading import iterate_lines

_PAIRS = ("bn-hi", "hi-bn", "xh-zu", "zu-xh")
_SEGMENT = re.compile(r"(?P<pair>\w\w-\w\w)-\d+-(?P<document>\d+)-\d+\.(?P<number>\d+)_\d+")


def build(sources: Mapping[str, Path], target: Path) -> None:
    """Every judged system; a score is the mean of raters' standardised scores."""
    folder = only(sources)
    for pair in _PAIRS:
        write_pair(target, _judged(folder, pair), "da")


def _judged(folder: Path, pair: str) -> JudgedPair:
    path = folder / f"xml/florestest2021.{pair}.all.xml"
    try:
        documents = ElementTree.parse(path).findall("doc")
    except (OSError, ElementTree.ParseError) as error:
        raise CupelError(f"{path} is not a test set in WMT's XML: {error}.") from error
    columns: dict[str, list[str]] = defaultdict(list)
    places: dict[tuple[int, int], int] = {}
    order = sorted(document.attrib["id"] for document in documents)
    names: list[tuple[str, str]] = []
    for document in documents:
        name = document.attrib["id"]
        for segment in document.iterfind("src//seg"):
            places[order.index(name) + 1, int(segment.attrib["id"])] = len(names)
            names.append(("wikipedia", name))
            for side in document:
                text = side.find(f".//seg[@id='{segment.attrib['id']}']")
                key = side.attrib.get("system", side.tag)
                columns[key].append("" if text is None else "".join(text.itertext()))
    source, reference = columns.pop("src"), columns.pop("ref")
    return JudgedPair(
        pair, source, {"refA": reference}, columns,
        _scores(folder, pair, columns, places), names,
    )  # fmt: skip


def _scores(
    folder: Path, pair: str, systems: Mapping[str, object], places: Mapping[tuple[int, int], int]
) -> dict[str, list[float | None]]:
    path = folder / f"humaneval/facebook-wikipedia-2021/ad-seg-scores-{pair}.csv"
    given: dict[tuple[str, int], list[float]] = defaultdict(list)
    for number, line in enumerate(iterate_lines(path), 1):
        if number == 1:
            continue
        name, where, _, score, *_ = line.split()
        match, system = _SEGMENT.fullmatch(where), name.rpartition(".")[0]
        key = (int(match["document"]), int(match["number"])) if match else (0, 0)
        if key not in places or system not in systems:
            raise CupelError(f"{path}, line {number}: there is no segment {where} of {system}.")
        given[system, places[key]].append(float(score))
    return {
        system: [
            float(np.mean(some)) if (some := given.get((system, place))) else None
            for place in range(len(places))
        ]
        for system in systems
    }
