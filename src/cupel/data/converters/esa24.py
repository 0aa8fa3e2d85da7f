"""Error span annotation (ESA) of the WMT24 general test, nine language pairs: Kocmi and others (WMT 2024).

The annotations, with sources and references, come from tables of a collection, one for each language
pair; the translations from WMT's own repository, at the number of their segment. A translation is one
line with single spaces here, so the places of errors move with its characters.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from cupel.data.converters.graded import JudgedPair, one_line, write_pair
from cupel.errors import CupelError
from cupel.reading import read_lines

_RATINGS = "alvations/warmth"
_TEXTS = "wmt-conference/wmt24-news-systems"
_TABLE = "data/wmt-general/wmt24humeval-"
_SYSTEMS = "txt/system-outputs"
_REFERENCE = "refA"


def build(sources: Mapping[str, Path], target: Path) -> None:
    """Texts, mean scores, and the errors that raters marked."""
    (target / "spans").mkdir(exist_ok=True)
    for path in sorted(sources[_RATINGS].glob(f"{_TABLE}*.parquet")):
        pair = path.stem.partition("-")[2]
        table = pl.read_parquet(path).filter(pl.col("system") != _REFERENCE)
        texts = sources[_TEXTS] / _SYSTEMS / pair
        _write(pair, table.sort("system", "segment_id"), texts, target)


def _write(pair: str, table: pl.DataFrame, texts: Path, target: Path) -> None:
    segments = table.unique("segment_id").sort("segment_id").to_dicts()
    numbers = {row["segment_id"]: number for number, row in enumerate(segments, 1)}
    systems: list[str] = table["system"].unique().sort().to_list()
    outputs = {system: _outputs(texts / f"{system}.txt", list(numbers)) for system in systems}
    ratings = [
        _rating(row, numbers[row["segment_id"]], rating, text)
        for row in table.iter_rows(named=True)
        if one_line(text := outputs[row["system"]][numbers[row["segment_id"]] - 1])
        for rating in json.loads(row["annotations"])["human"]
    ]
    judged = JudgedPair(
        pair,
        [row["source"] for row in segments],
        {_REFERENCE: [row["reference"] for row in segments]},
        outputs,
        _means(systems, len(segments), ratings),
        [(row["domain"], row["doc_id"].rpartition("_#_")[0]) for row in segments],
    )
    write_pair(target, judged, "esa")
    lines = (f"{json.dumps(rating, ensure_ascii=False)}\n" for rating in ratings)
    (target / "spans" / f"{pair}.jsonl").write_text("".join(lines), "utf-8", newline="\n")


def _outputs(path: Path, segments: list[int]) -> list[str]:
    """A system's translations of these segments, which are lines, counted from 1."""
    lines = read_lines(path)
    if segments and segments[-1] > len(lines):
        raise CupelError(f"{path}: {segments[-1]} lines expected, {len(lines)} found.")
    return [lines[segment - 1] for segment in segments]


def _rating(row: Mapping[str, Any], segment: int, rating: Any, text: str) -> dict[str, Any]:
    places = moved(text)
    errors = [
        {**error, **{end: _moved(error[end], places) for end in ("start_i", "end_i")}}
        for error in rating["errors"]
    ]
    return {
        "system": row["system"],
        "segment": segment,
        "key": row["doc_id"],
        "rater": rating["annotator"],
        "score": rating["score"],
        "errors": errors,
    }


def moved(text: str) -> list[int]:
    """Where each character is in the text with single spaces; last, the length of that.

    >>> moved(" a  b ")
    [0, 0, 1, 1, 2, 3, 3]
    """
    places, place, spaced = [], 0, True
    for character in text:
        if not character.isspace():
            places.append(place)
            place, spaced = place + 1, False
        else:
            places.append(place - 1 if spaced and place else place)
            place, spaced = (place if spaced else place + 1), True
    length = len(one_line(text))
    return [min(place, length) for place in places] + [length]


def _moved(place: int | str, places: list[int]) -> int | str:
    """Places beyond the end, of which there are a few, are the end."""
    return place if isinstance(place, str) else places[min(place, len(places) - 1)]


def _means(
    systems: list[str], segments: int, ratings: list[dict[str, Any]]
) -> dict[str, list[float | None]]:
    scores: dict[str, list[list[float]]] = {name: [[] for _ in range(segments)] for name in systems}
    for rating in ratings:
        scores[rating["system"]][rating["segment"] - 1].append(float(rating["score"]))
    return {
        system: [float(np.mean(some)) if some else None for some in column]
        for system, column in scores.items()
    }
