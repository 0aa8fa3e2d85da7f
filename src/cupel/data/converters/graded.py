"""Writing a graded campaign in the layout of mt-metrics-eval, one language pair after another.

    sources/PAIR.txt  references/PAIR.NAME.txt  system-outputs/PAIR/SYSTEM.txt
    documents/PAIR.docs  human-scores/PAIR.HUMAN.seg.score  spans/PAIR.jsonl

Every text has one line per segment, with single spaces; a score that people did not give is None.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cupel.errors import CupelError
from cupel.reading.campaigns import write_campaign, write_lines


@dataclass(frozen=True)
class JudgedPair:
    """The segments of one language pair; entry i of each list belongs to segment i.

    references: by name; outputs and scores: by system, in the order in which they are written;
    documents: domain and document of each segment; ratings: what raters marked, an object each: system,
    segment (from 1), rater, score, errors.
    """

    pair: str
    sources: Sequence[str]
    references: Mapping[str, Sequence[str]]
    outputs: Mapping[str, Sequence[str]]
    scores: Mapping[str, Sequence[float | None]]
    documents: Sequence[tuple[str, str]]
    ratings: Sequence[Mapping[str, Any]] = ()


def write_pair(folder: Path, judged: JudgedPair, human: str) -> None:
    """Write the files of a language pair; `human` names the kind of score (mqm, da, esa)."""
    pair = judged.pair
    check_lengths(
        {
            f"the sources of {pair}": judged.sources,
            f"the documents of {pair}": judged.documents,
            **{f"{name} of {pair}": lines for name, lines in judged.references.items()},
            **{f"{system} of {pair}": lines for system, lines in judged.outputs.items()},
            **{f"the scores of {system}": scores for system, scores in judged.scores.items()},
        }
    )
    write_campaign(
        folder,
        pair,
        map(one_line, judged.sources),
        {name: map(one_line, lines) for name, lines in judged.references.items()},
        {system: map(one_line, lines) for system, lines in judged.outputs.items()},
        judged.documents,
    )
    write_lines(
        folder / "human-scores" / f"{pair}.{human}.seg.score",
        (f"{system}\t{score}" for system in judged.outputs for score in judged.scores[system]),
    )
    if judged.ratings:
        ratings = (json.dumps(rating, ensure_ascii=False) for rating in judged.ratings)
        write_lines(folder / "spans" / f"{pair}.jsonl", ratings)


def one_line(text: str) -> str:
    """The text with single spaces, whatever white space it has."""
    return " ".join(text.split())


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


def check_lengths(columns: Mapping[str, Sequence[object]]) -> None:
    """All columns must be as long as the first; their keys name them in the error."""
    first, *others = columns
    for name in others:
        if len(columns[name]) != len(columns[first]):
            raise CupelError(
                f"{name}: {len(columns[first])} lines expected, as in {first}, "
                f"{len(columns[name])} found."
            )
