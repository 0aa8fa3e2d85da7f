"""The ratings of mt-metrics-eval, read and written.

A folder has `human-scores/PAIR.NAME.RATER.seg.rating`: for every system one line a segment, with
SYSTEM, a JSON object `{"errors": [...]}` (or `None`) and RATER. Here the object may have a `score` as
well, for ratings that are not errors alone, and `seconds`; mt-metrics-eval ignores both. Standalone ratings are JSON
lines, one a rater and translation, with the texts; their segments count from 0.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from cupel.errors import CupelError
from cupel.human.raw.annotations import Judgment
from cupel.human.raw.spans import (
    number_or_none,
    plain_span,
    read_spans,
    required_text,
    text_or_none,
)
from cupel.reading.jsons import json_lines, parse_json
from cupel.reading.lines import display_name, iterate_lines

SUFFIX = ".seg.rating"
MERGED = "merged"
"""The last part of the name of a file that repeats the ratings of all raters."""
_NONE = "None"


def read_standalone(path: Path | str) -> Iterator[tuple[str | None, Judgment]]:
    """(language pair, judgment) of every line of a file of standalone ratings."""
    for where, record in json_lines(path):
        segment = record.get("segment_id")
        if isinstance(segment, bool) or not isinstance(segment, int) or segment < 0:
            raise CupelError(f"{where}: 'segment_id' is {segment!r}; a number from 0 was expected.")
        languages = record.get("src_lang"), record.get("tgt_lang")
        yield (
            "-".join(map(str, languages)) if all(languages) else None,
            Judgment(
                str(record.get("rater_id") or "rater"),
                required_text(record, "system_id", where),
                str(record.get("document_id") or ""),
                str(segment + 1),
                where,
                text_or_none(record.get("source"), "'source'", where),
                text_or_none(record.get("hypothesis"), "'hypothesis'", where),
                errors=read_spans(record.get("errors"), where),
                score=number_or_none(record.get("score"), "'score'", where),
            ),
        )


def rating_files(folder: Path | str, pair: str | None = None) -> list[Path]:
    """The files of ratings in a folder, of one language pair or of all; merged ones left out."""
    paths = sorted((Path(folder) / "human-scores").glob(f"{pair or '*'}.*{SUFFIX}"))
    single = [path for path in paths if not path.name.endswith(f".{MERGED}{SUFFIX}")]
    return single or paths


def split_name(path: Path | str) -> tuple[str, str, str]:
    """PAIR, NAME and RATER of a file's name; NAME is empty where there is only one part."""
    pair, _, rest = Path(path).name.removesuffix(SUFFIX).partition(".")
    name, _, rater = rest.rpartition(".")
    return pair, name, rater


def read_ratings(path: Path | str) -> list[Judgment]:
    """The judgments of a `.seg.rating` file; segments are numbered from 1."""
    file = display_name(path)
    default = split_name(path)[2] or "rater"
    lines: Counter[str] = Counter()
    judgments = []
    for number, line in enumerate(iterate_lines(path), start=1):
        where = f"{file}, line {number}"
        system, *rest = line.split("\t")
        if len(rest) not in (1, 2):
            raise CupelError(
                f"{where}: a system, a rating and a rater divided by tabs were expected, but "
                f"there are {len(rest) + 1} fields."
            )
        lines[system] += 1
        if rest[0] == _NONE:
            continue
        rating = parse_json(rest[0], where)
        if not isinstance(rating, dict):
            raise CupelError(f"{where}: the rating is no JSON object.")
        rater = rest[1] if len(rest) == 2 else default
        judgments.append(
            Judgment(
                rater,
                system,
                "",
                str(lines[system]),
                where,
                errors=read_spans(rating.get("errors"), where),
                score=number_or_none(rating.get("score"), "'score'", where),
                seconds=number_or_none(rating.get("seconds"), "'seconds'", where),
            )
        )
    if len(set(lines.values())) > 1:
        (most, high), (least, low) = lines.most_common()[0], lines.most_common()[-1]
        raise CupelError(f"{file} has {high} lines for system {most!r} and {low} for {least!r}.")
    if not judgments:
        raise CupelError(f"{file} has no ratings.")
    return judgments


def rating_line(judgment: Judgment | None, system: str) -> str:
    """A line of a `.seg.rating` file, without its end."""
    if judgment is None:
        return f"{system}\t{_NONE}"
    rating: dict[str, object] = {"errors": [plain_span(error) for error in judgment.errors]}
    if judgment.score is not None:
        rating["score"] = judgment.score
    if judgment.seconds is not None:
        rating["seconds"] = round(judgment.seconds, 1)
    return f"{system}\t{json.dumps(rating)}\t{judgment.rater}"
