"""WMT12, WMT13 and WMT14: texts, system outputs and rankings of five systems.

Most comes from a repository that keeps the data of METEOR's training. Its WMT12 judgments are the
official CSV; those of WMT13 and WMT14 are strict pairs, from which `strict_pairs` rebuilds the
rankings. WMT13 fr-en comes as official rows from the TrueSkill code of Sakaguchi and others (2014), and
the human scores of WMT14's systems from a collection of WMT's metric data.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from cupel.data.converters.sources import copy_files
from cupel.data.converters.strict_pairs import SHOWN, names_by_content, read_strict_pairs
from cupel.errors import CupelError
from cupel.reading import open_bytes
from cupel.reading.rows import Table, read_table

_METEOR = "Perilon/Meteor_POS"
_FOLDERS = {12: "wmt12-data/plain", 13: "wmt13-data/plain", 14: "wmt14-data/txt"}
_OFFICIAL_12 = "wmt_data/wmt12-manual-evaluation/wmt12.RNK_results.csv"
_OFFICIAL_13_FR = "data/sample-fr-en-train.csv"
_SYSTEM_SCORES_14 = "metric_data/WMT14/human-2014-05-16.scores"
_LANGUAGES = {"cs": "Czech", "de": "German", "es": "Spanish", "fr": "French", "hi": "Hindi", "ru": "Russian"}  # fmt: skip
_AS_PAIRS = {13: ("cs", "de", "es"), 14: ("cs", "de", "fr", "hi", "ru")}

_NUMBERS = range(1, SHOWN + 1)
_COLUMNS = [
    *("srclang", "trglang", "srcIndex", "documentId", "segmentId", "judgeId"),
    *(f"system{number}{what}" for number in _NUMBERS for what in ("Number", "Id")),
    *(f"system{number}rank" for number in _NUMBERS),
]
_JUDGE = _COLUMNS.index("judgeId")


def build_wmt12(sources: Mapping[str, Path], target: Path) -> None:
    """Texts as they are; official judgments, with the judges' ids replaced."""
    _copy_texts(12, sources, target)
    judges: dict[str, str] = {}
    rows = _official(sources[_METEOR] / _OFFICIAL_12).rows
    for row in rows:  # Mechanical Turk's ids of people
        row[_JUDGE] = judges.setdefault(row[_JUDGE], f"judge{len(judges) + 1:03d}")
    _write(target, rows)


def build_wmt13(sources: Mapping[str, Path], target: Path) -> None:
    """Texts as they are; three language pairs from strict pairs, fr-en as released."""
    _copy_texts(13, sources, target)
    french = _official(sources["keisks/wmt-trueskill"] / _OFFICIAL_13_FR).rows
    _write(target, [*_rebuilt(13, sources, target), *french])


def build_wmt14(sources: Mapping[str, Path], target: Path) -> None:
    """Texts and human system scores as they are; rankings from strict pairs."""
    _copy_texts(14, sources, target)
    _write(target, _rebuilt(14, sources, target))
    with open_bytes(sources["alvations/warmth"] / _SYSTEM_SCORES_14) as scores:
        (target / "human-system-scores.txt").write_bytes(scores.read())


def _copy_texts(year: int, sources: Mapping[str, Path], target: Path) -> None:
    copy_files(sources[_METEOR] / "wmt_data" / _FOLDERS[year], "**/*", target)


def _official(path: Path) -> Table:
    table = read_table(path)
    if table.header != _COLUMNS:
        raise CupelError(f"{path}, line 1: the columns {', '.join(_COLUMNS)} were expected.")
    return table


def _rebuilt(year: int, sources: Mapping[str, Path], target: Path) -> Iterator[Sequence[object]]:
    """The rows of the rankings that are published as strict pairs; needs the texts in `target`."""
    training = sources[_METEOR] / f"training_wmt{year}"
    for language in _AS_PAIRS[year]:
        pair = f"{language}-en"
        outputs = target / "system-outputs" / f"newstest20{year}" / pair
        names = names_by_content(
            sorted(training.glob(f"{pair}.sys*.sgm")), sorted(outputs.iterdir())
        )
        for segment, ranks in read_strict_pairs(training / f"{pair}.rank", names):
            ids = [cell for name in ranks for cell in (-1, name)]
            place = (_LANGUAGES[language], "English", segment, -1, segment, "unknown")
            yield [*place, *ids, *ranks.values()]


def _write(target: Path, rows: Iterable[Sequence[object]]) -> None:
    with (target / "judgments.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(_COLUMNS)
        writer.writerows(rows)
