"""Rankings of five systems, rebuilt from the strict pairs that they were taken apart into.

METEOR's trainer reads human judgments as pairs, a line each: segment, language pair and better system,
language pair and worse system, with the systems called sys1, sys2 and so on. The pairs of a ranking
follow one another, so the five systems and their ties can be restored: two systems without a pair are
tied. Ranks come out as 1, 2, 3 without gaps. A ranking in which all five tie has left no pairs.

On WMT13 and WMT14 each run of pairs can be divided into rankings in exactly one way, and the 9,996
rankings of WMT13 fr-en, whose original is public too, all come out as they were.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from pathlib import Path
from typing import NamedTuple

from cupel.errors import CupelError
from cupel.reading import read_lines
from cupel.reading.rows import rows_of_cells
from cupel.reading.segments import counted
from cupel.reading.sgm import read_sgm

SHOWN = 5
_MOST = SHOWN * (SHOWN - 1) // 2  # pairs of a ranking without ties
_LEAST = SHOWN - 1  # one system is better or worse than the others, which are tied

Pair = tuple[str, str]
"""The better system, and the worse."""
Ranks = dict[str, int]
"""The rank of each system, from 1, which is best."""


class _Line(NamedTuple):
    number: int
    segment: str
    pair: Pair


def read_strict_pairs(path: Path, names: Mapping[str, str]) -> Iterator[tuple[int, Ranks]]:
    """The segment and the ranks of each ranking, in the file's order; `names` are the real names."""
    for segment, lines in groupby(_read(path, names), key=lambda line: line.segment):
        run = list(lines)
        divisions = list(islice(divide([line.pair for line in run]), 2))
        if len(divisions) != 1:
            problem = "can be divided in more than one way" if divisions else "cannot be divided"
            raise CupelError(
                f"{path}, line {run[0].number}: the {counted(len(run), 'pair', 'pairs')} of segment "
                f"{segment} from here on {problem} into rankings of {SHOWN} systems."
            )
        yield from ((int(segment), ranks) for ranks in divisions[0])


def divide(pairs: Sequence[Pair]) -> Iterator[list[Ranks]]:
    """All ways to divide a row of pairs into whole rankings, one after the other."""
    if not pairs:
        yield []
    for length in range(_LEAST, min(_MOST, len(pairs)) + 1):
        ranks = weak_order(pairs[:length])
        if ranks is not None:
            yield from ([ranks, *others] for others in divide(pairs[length:]))


def weak_order(pairs: Sequence[Pair]) -> Ranks | None:
    """The ranking of five systems that has exactly these strict pairs, each once, if there is one."""
    losses = Counter(dict.fromkeys((better for better, _ in pairs), 0))
    losses.update(worse for _, worse in pairs)
    if len(losses) != SHOWN:
        return None
    # Tied systems lose to the same systems, and a lower one to more: the losses order them.
    levels = sorted(set(losses.values()))
    ranks = {system: levels.index(losses[system]) + 1 for system in sorted(losses)}
    strict = {(one, other) for one in ranks for other in ranks if ranks[one] < ranks[other]}
    return ranks if len(pairs) == len(strict) and set(pairs) == strict else None


def names_by_content(anonymous: Iterable[Path], outputs: Iterable[Path]) -> dict[str, str]:
    """sysN of each SGM file PAIR.sysN.sgm -> the name of the text file with the same segments."""
    names: dict[tuple[str, ...], Path] = {}
    for path in outputs:
        other = names.setdefault(_stripped(read_lines(path)), path)
        if other != path:
            raise CupelError(
                f"{path} and {other} hold the same output, so that names cannot be assigned by it."
            )
    systems: dict[str, str] = {}
    for path in anonymous:
        segments = _stripped(map(str, read_sgm(str(path), "hypothesis")[0].texts))
        if segments not in names:
            raise CupelError(f"{path} is the output of no system of this language pair.")
        systems[path.name.split(".")[1]] = names[segments].name
    return systems


def _stripped(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(text.strip() for text in texts)


def _read(path: Path, names: Mapping[str, str]) -> Iterator[_Line]:
    cells = ("a segment's number", "a language pair", "a system", "a language pair", "a system")
    for number, (segment, _, better, _, worse) in rows_of_cells(path, "\t", *cells):
        if not segment.isdecimal():
            raise CupelError(f"{path}, line {number}: {segment!r} is not a segment's number.")
        for system in (better, worse):
            if system not in names:
                raise CupelError(f"{path}, line {number}: there is no output of {system!r}.")
        yield _Line(number, segment, (names[better], names[worse]))
