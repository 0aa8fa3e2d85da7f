"""Direct assessment of WMT15 (da15) and WMT17 (da17) segments, from the repository of MENLI.

Stanojević and others (WMT 2015) and Bojar, Graham and Kamran (WMT 2017): the score of a translation
is the mean of its judgments, about fifteen, each standardised by judge.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from cupel.data.recipes.copying import write_readme
from cupel.data.recipes.recipe import Recipe, Repository
from cupel.errors import CupelError
from cupel.reading import iterate_lines, read_lines

_MENLI = Repository(
    "cyr19/MENLI", "911238d470288125d35cc950f69411bc619a2c4b", archive_bytes=200_000_000
)
_DA15 = "experiments/datasets/DAseg-wmt-newstest2015"
_DA17 = "experiments/datasets/WMT17"
_TABLE = f"{_DA17}/DA-seglevel.csv"
_KINDS = ("source", "reference", "mt-system", "human")
_FIELDS = ("source", "reference", "hypothesis", "score")
_PAIRS_15 = ("cs-en", "de-en", "fi-en", "ru-en")
_PAIRS_17 = (
    "cs-en", "de-en", "fi-en", "lv-en", "ru-en", "tr-en", "zh-en", "en-ru", "en-zh",
)  # fmt: skip

_FORM = """\
One JSON object a line: lp, source, reference, hypothesis, score (mean of standardised judgments; higher
is better).
Built from cyr19/MENLI (MIT), which took it from the WMT metrics task.
"""
_README_15 = f"""\
# da15
Direct assessment of newstest2015 into English, from cs de fi ru: 500 translations of each.
{_FORM}"""
_README_17 = f"""\
# da17
Direct assessment of newstest2017: 560 translations each from cs de fi lv ru tr into English and of
en-ru, 501 of zh-en and 513 of en-zh (the texts of CASICT-cons and ROCMT are not there).
{_FORM}"""


def build_da15(sources: Mapping[str, Path], target: Path) -> None:
    """Line i of each file belongs to translation i."""
    for pair in _PAIRS_15:
        paths = [sources[_MENLI.name] / _path_15(kind, pair) for kind in _KINDS]
        columns = [read_lines(path) for path in paths]
        for path, column in zip(paths, columns, strict=True):
            if len(column) != len(columns[0]):
                raise CupelError(
                    f"{path}: {len(columns[0])} lines expected, as in {paths[0]}, "
                    f"{len(column)} found."
                )
        scores = [_number(paths[-1], *place) for place in enumerate(columns[-1], start=1)]
        _write(target, pair, zip(*columns[:-1], scores, strict=True))
    write_readme(target, _README_15)


def build_da17(sources: Mapping[str, Path], target: Path) -> None:
    """A table names the system and the line of each judged translation."""
    folder = sources[_MENLI.name]
    assessed = list(_assessed(folder / _TABLE))
    for pair in _PAIRS_17:
        source, reference = (read_lines(folder / path) for path in _paths_17(pair)[:2])
        outputs = {path.name: read_lines(path) for path in folder.glob(_paths_17(pair)[2])}
        rows: list[tuple[str | float, ...]] = []
        for one in assessed:
            files = [file for file in one.files if file in outputs]
            if one.pair == pair and files:
                texts = (source, reference, outputs[files[0]])
                if not 1 <= one.line <= min(map(len, texts)):
                    raise CupelError(f"{one.place}: there is no line {one.line} in {files[0]}.")
                rows.append((*(text[one.line - 1] for text in texts), one.score))
        _write(target, pair, rows)
    write_readme(target, _README_17)


@dataclass(frozen=True)
class _Assessed:
    place: str  # in the table
    pair: str
    files: list[str]  # of the systems that gave this translation
    line: int
    score: float


def _assessed(path: Path) -> Iterator[_Assessed]:
    """`PAIR TEST SYSTEM+SYSTEM LINE SCORE`, after a header."""
    for number, row in enumerate(iterate_lines(path), start=1):
        fields = row.split()
        if len(fields) != 5:
            raise CupelError(f"{path}, line {number}: 5 columns expected, {len(fields)} found.")
        if number > 1:
            pair, test, systems, *numbers = fields
            line, score = (_number(path, number, text) for text in numbers)
            files = [f"{test}.{system}.{pair}" for system in systems.split("+")]
            yield _Assessed(f"{path}, line {number}", pair, files, int(line), score)


def _number(path: Path, line: int, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise CupelError(f"{path}, line {line}: {text!r} is not a number.") from None


def _write(target: Path, pair: str, rows: Iterable[tuple[str | float, ...]]) -> None:
    with (target / f"{pair}.jsonl").open("w", encoding="utf-8", newline="\n") as file:
        for row in rows:
            record = {"lp": pair, **dict(zip(_FIELDS, row, strict=True))}
            file.write(f"{json.dumps(record, ensure_ascii=False)}\n")


def _path_15(kind: str, pair: str) -> str:
    return f"{_DA15}/newstest2015.{kind}.{pair}"


def _paths_17(pair: str) -> tuple[str, str, str]:
    """Of the source, of the reference, and the pattern of the outputs."""
    source, target = pair.split("-")
    stem = f"newstest2017-{source}{target}"
    return (
        f"{_DA17}/sources/{stem}-src.{source}",
        f"{_DA17}/references/{stem}-ref.{target}",
        f"{_DA17}/system-outputs/newstest2017/{pair}/newstest2017.*",
    )


READS = {
    "da15": {_MENLI.name: tuple(_path_15(kind, pair) for kind in _KINDS for pair in _PAIRS_15)},
    "da17": {_MENLI.name: (_TABLE, *(path for pair in _PAIRS_17 for path in _paths_17(pair)))},
}
RECIPES = {
    "da15": Recipe("da15", (_MENLI,), build_da15),
    "da17": Recipe(
        "da17",
        (_MENLI,),
        build_da17,
        lost="Translations of CASICT-cons (zh-en, en-zh) and ROCMT (zh-en): no texts of that name.",
    ),
}
