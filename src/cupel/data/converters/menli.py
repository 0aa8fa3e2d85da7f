"""Direct assessment of WMT15 (da15) and WMT17 (da17) segments, from the repository of MENLI.

Stanojević and others (WMT 2015) and Bojar, Graham and Kamran (WMT 2017): the score of a translation
is the mean of its judgments, about fifteen, each standardised by judge.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from cupel.data.converters.graded import check_lengths
from cupel.data.converters.sources import only
from cupel.errors import CupelError
from cupel.reading import read_lines
from cupel.reading.rows import read_table

_FOLDER = "experiments/datasets"
_FIELDS = ("source", "reference", "hypothesis", "score")
_PAIRS_15 = ("cs-en", "de-en", "fi-en", "ru-en")
_PAIRS_17 = ("cs-en", "de-en", "fi-en", "lv-en", "ru-en", "tr-en", "zh-en", "en-ru", "en-zh")


def build_da15(sources: Mapping[str, Path], target: Path) -> None:
    """Line i of each file belongs to translation i."""
    folder = only(sources) / _FOLDER / "DAseg-wmt-newstest2015"
    for pair in _PAIRS_15:
        *paths, human = (
            folder / f"newstest2015.{kind}.{pair}"
            for kind in ("source", "reference", "mt-system", "human")
        )
        columns: dict[str, list[str]] = {str(path): read_lines(path) for path in paths}
        table = read_table(human, "\t", header=False)
        scores = table.parsed([row[0] for row in table.rows], float, "the score", "a number")
        check_lengths({**columns, str(human): scores})
        _write(target, pair, zip(*columns.values(), scores, strict=True))


def build_da17(sources: Mapping[str, Path], target: Path) -> None:
    """A table names the systems (with + between them) and the line of each judged translation."""
    folder = only(sources) / _FOLDER / "WMT17"
    table = read_table(folder / "DA-seglevel.csv", None)
    pairs, tests, systems, numbers, cells = zip(*table.rows, strict=True)
    lines = table.parsed(numbers, int, "the line", "a number")
    scores = table.parsed(cells, float, "the score", "a number")
    for pair in _PAIRS_17:
        source, reference, outputs = _texts_17(folder, pair)
        rows: list[tuple[str | float, ...]] = []
        for row in range(len(table.rows)):
            names = (f"{tests[row]}.{system}.{pair}" for system in systems[row].split("+"))
            name = next((name for name in names if name in outputs), None)
            if pairs[row] == pair and name is not None:
                texts = (source, reference, outputs[name])
                line = lines[row]
                if not 1 <= line <= min(map(len, texts)):
                    raise CupelError(f"{table.where(row)}: there is no line {line} in {name}.")
                rows.append((*(text[line - 1] for text in texts), scores[row]))
        _write(target, pair, rows)


def _texts_17(folder: Path, pair: str) -> tuple[list[str], list[str], dict[str, list[str]]]:
    """The source, the reference, and the outputs by the names of their files."""
    source, target = pair.split("-")
    stem = f"newstest2017-{source}{target}"
    outputs = folder / "system-outputs" / "newstest2017" / pair
    return (
        read_lines(folder / "sources" / f"{stem}-src.{source}"),
        read_lines(folder / "references" / f"{stem}-ref.{target}"),
        {path.name: read_lines(path) for path in outputs.glob("newstest2017.*")},
    )


def _write(target: Path, pair: str, rows: Iterable[tuple[str | float, ...]]) -> None:
    with (target / f"{pair}.jsonl").open("w", encoding="utf-8", newline="\n") as file:
        for row in rows:
            record = {"lp": pair, **dict(zip(_FIELDS, row, strict=True))}
            file.write(f"{json.dumps(record, ensure_ascii=False)}\n")
