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

from cupel.data.recipes.copying import write_readme
from cupel.data.recipes.graded import JudgedPair, one_line, write_pair
from cupel.data.recipes.recipe import Recipe, Repository
from cupel.errors import CupelError
from cupel.reading import read_lines

_RATINGS = Repository(
    "alvations/warmth", "f3ea2eb4a6cffb70226ae93fd6f99bf86652bbc3", archive_bytes=320_000_000
)
_TEXTS = Repository(
    "wmt-conference/wmt24-news-systems",
    "bfa937ee53586aa173d68657b89b8642693f7b66",
    archive_bytes=100_000_000,
)
_TABLE = "data/wmt-general/wmt24humeval-"
_SYSTEMS = "txt/system-outputs"
_REFERENCE = "refA"

_README = """\
# esa24
The general test of WMT24, judged by error span annotation (ESA): cs-uk (1,954 segments), en-cs, en-es,
en-hi, en-is, en-ja, en-ru, en-uk and en-zh (634 each), 10 to 15 systems each, mostly language models.
Segments are paragraphs or sentences of news, literary, speech, social media and educational texts.
human-scores has the mean score of the raters of a translation, 0 to 100, None where nobody judged.
spans/PAIR.jsonl has each rater's score and marked errors: start_i and end_i are the first and the last
character of the translation that are marked, counted from 0, or "missing" where something was left
out; the severity is minor or major. Segments count from 1. Layout: mt-metrics-eval's.
Raters differ in level: standardise by rater.
Built from alvations/warmth (data/wmt-general/wmt24humeval-*.parquet) and
wmt-conference/wmt24-news-systems (txt/).
"""


def build(sources: Mapping[str, Path], target: Path) -> None:
    """Texts, mean scores, and the errors that raters marked."""
    (target / "spans").mkdir(exist_ok=True)
    for path in sorted(sources[_RATINGS.name].glob(f"{_TABLE}*.parquet")):
        pair = path.stem.partition("-")[2]
        table = pl.read_parquet(path).filter(pl.col("system") != _REFERENCE)
        texts = sources[_TEXTS.name] / _SYSTEMS / pair
        _write(pair, table.sort("system", "segment_id"), texts, target)
    write_readme(target, _README)


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


READS = {
    "esa24": {
        _RATINGS.name: (f"{_TABLE}*.parquet",),
        _TEXTS.name: tuple(
            f"{_SYSTEMS}/{pair}/*.txt"
            for pair in ("cs-uk", *(f"en-{to}" for to in "cs es hi is ja ru uk zh".split()))
        ),
    }
}
RECIPES = {
    "esa24": Recipe(
        "esa24",
        (_RATINGS, _TEXTS),
        build,
        lost="Places of errors beyond the end of a translation are at its end.",
    )
}
