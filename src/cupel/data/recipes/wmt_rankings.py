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

from cupel.data.recipes.copying import copy_files, write_readme
from cupel.data.recipes.recipe import Recipe, Repository
from cupel.data.recipes.strict_pairs import SHOWN, names_by_content, read_strict_pairs
from cupel.errors import CupelError
from cupel.reading import open_bytes
from cupel.reading.rows import Table, read_table

# The archives' sizes are estimates: several large files of these two were not at hand.
_METEOR = Repository(
    "Perilon/Meteor_POS", "04870c51d72d4eaa82d0bad2a6c653fa18c9c8f2", archive_bytes=900_000_000
)
_WARMTH = Repository(
    "alvations/warmth", "f3ea2eb4a6cffb70226ae93fd6f99bf86652bbc3", archive_bytes=800_000_000
)
_TRUESKILL = Repository(
    "keisks/wmt-trueskill", "da5bb1dca2297100ea955484c108f7a0d91327b5", archive_bytes=300_000
)

_BASES = {
    12: "wmt_data/wmt12-data/plain",
    13: "wmt_data/wmt13-data/plain",
    14: "wmt_data/wmt14-data/txt",
}
_TEXTS = {
    12: (
        "references/newstest2012-ref.*",
        "sources/newstest2012-src.*",
        "system-outputs/newstest2012/??-??/newstest2012.*",
    ),
    13: (
        "references/newstest2013-ref.*",
        "sources/newstest2013-src.*",
        "system-outputs/newstest2013/??-en/newstest2013.*[!~]",  # one has an editor's backup
    ),
    14: (
        "references/newstest2014-[cfhr]?en-ref.*",
        "references/newstest2014-deen-ref.en",  # deen-ref.de and -src.en are another, shorter set
        "sources/newstest2014-[cfhr]?en-src.*",
        "sources/newstest2014-deen-src.de",
        "system-outputs/newstest2014/??-en/newstest2014.*",
    ),
}
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

_README = """\
# WMT{year}: texts, system outputs, human rankings

newstest20{year}, {pairs}: `sources/`, `references/`, `system-outputs/`, one segment a line, and
`judgments.csv`, {rankings}, in the form of WMT's own releases: rank 1 is best, ties are allowed, -1 is
not ranked; `srcIndex` is the line, from 1; {systems}.

{judgments}
Published by the Workshop on Statistical Machine Translation: https://www.statmt.org/wmt{year}/
"""
_REBUILT = """\
have been rebuilt from strict pairs: ties are there, but ranks are 1, 2, 3 without gaps, and judges and
rankings in which all systems tie are not there.
"""


def build_wmt12(sources: Mapping[str, Path], target: Path) -> None:
    """Texts as they are; official judgments, with the judges' ids replaced."""
    _copy_texts(12, sources, target)
    judges: dict[str, str] = {}
    rows = _official(sources[_METEOR.name] / _OFFICIAL_12).rows
    for row in rows:  # Mechanical Turk's ids of people
        row[_JUDGE] = judges.setdefault(row[_JUDGE], f"judge{len(judges) + 1:03d}")
    _write(target, rows)
    text = _README.format(
        year=12,
        pairs="8 language pairs",
        rankings="12,339 rankings of five systems",
        systems="a system's id is the last part of the name of its file",
        judgments="The ids of judges have been replaced.\n",
    )
    write_readme(target, text)


def build_wmt13(sources: Mapping[str, Path], target: Path) -> None:
    """Texts as they are; three language pairs from strict pairs, fr-en as released."""
    _copy_texts(13, sources, target)
    french = _official(sources[_TRUESKILL.name] / _OFFICIAL_13_FR).rows
    _write(target, [*_rebuilt(13, sources, target), *french])
    text = _README.format(
        year=13,
        pairs="five languages into English",
        rankings="45,223 rankings of five systems (cs-en 10,551, de-en 16,038, es-en 8,638, fr-en 9,996)",
        systems="a system's id is the name of its file",
        judgments=f"The rankings of cs-en, de-en and es-en {_REBUILT}There are none of ru-en.\n",
    )
    write_readme(target, text)


def build_wmt14(sources: Mapping[str, Path], target: Path) -> None:
    """Texts and human system scores as they are; rankings from strict pairs."""
    _copy_texts(14, sources, target)
    _write(target, _rebuilt(14, sources, target))
    with open_bytes(sources[_WARMTH.name] / _SYSTEM_SCORES_14) as scores:
        (target / "human-system-scores.txt").write_bytes(scores.read())
    text = _README.format(
        year=14,
        pairs="five languages into English",
        rankings="12,239 rankings of five systems",
        systems="a system's id is the name of its file",
        judgments=f"The rankings {_REBUILT}`human-system-scores.txt`: the official human scores.\n",
    )
    write_readme(target, text)


def _copy_texts(year: int, sources: Mapping[str, Path], target: Path) -> None:
    for pattern in _TEXTS[year]:
        copy_files(sources[_METEOR.name] / _BASES[year], pattern, target)


def _official(path: Path) -> Table:
    table = read_table(path)
    if table.header != _COLUMNS:
        raise CupelError(f"{path}, line 1: the columns {', '.join(_COLUMNS)} were expected.")
    return table


def _rebuilt(year: int, sources: Mapping[str, Path], target: Path) -> Iterator[Sequence[object]]:
    """The rows of the rankings that are published as strict pairs; needs the texts in `target`."""
    training = sources[_METEOR.name] / f"training_wmt{year}"
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


def _reads(year: int, *others: str) -> tuple[str, ...]:
    training = (
        f"training_wmt{year}/{language}-en.{end}"
        for language in _AS_PAIRS.get(year, ())
        for end in ("rank", "sys*.sgm")
    )
    return (*(f"{_BASES[year]}/{pattern}" for pattern in _TEXTS[year]), *training, *others)


READS = {
    "wmt12": {_METEOR.name: _reads(12, _OFFICIAL_12)},
    "wmt13": {_METEOR.name: _reads(13), _TRUESKILL.name: (_OFFICIAL_13_FR,)},
    "wmt14": {_METEOR.name: _reads(14), _WARMTH.name: (_SYSTEM_SCORES_14,)},
}
RECIPES = {
    "wmt12": Recipe("wmt12", (_METEOR,), build_wmt12, "The ids of judges are replaced by others."),
    "wmt13": Recipe(
        "wmt13",
        (_METEOR, _TRUESKILL),
        build_wmt13,
        "There are no judgments of ru-en and no rankings in which all five systems tie, and those of "
        "cs-en, de-en and es-en have no judges and no gaps between ranks; the full release is WMT's own "
        "wmt13-judgments.csv.",
    ),
    "wmt14": Recipe(
        "wmt14",
        (_METEOR, _WARMTH),
        build_wmt14,
        "There are no judges, no rankings in which all five systems tie and no gaps between ranks; "
        "the full release is WMT's own wmt14-judgments-anonymized.csv.",
    ),
}
