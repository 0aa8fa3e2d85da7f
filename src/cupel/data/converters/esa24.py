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

from cupel.data.converters.graded import JudgedPair, moved, one_line, write_pair
from cupel.errors import CupelError
from cupel.reading import read_lines

_RATINGS = "alvations/warmth"
_TEXTS = "wmt-conference/wmt24-news-systems"
_TABLE = "data/wmt-general/wmt24humeval-"
_SYSTEMS = "txt/system-outputs"
_REFERENCE = "refA"


def build(sources: Mapping[str, Path], target: Path) -> None:
    """Texts, mean scores, and the errors that raters marked."""
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
        ratings,
    )
    write_pair(target, judged, "esa")


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
