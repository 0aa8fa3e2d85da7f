"""Scores of others as a metric: a column of numbers that was computed elsewhere.

A segment's statistics are `[score, 1]`, as of any mean over segments, so that intervals, tests,
reports and gates work as for all metrics. A file is named [NAME=]FILE[:COLUMN]; NAME is what the
metric is called, and files of one NAME are joined. Systems are matched by name, as `-i` names them,
segments by number, id or position.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.corpus import Corpus, counted_segments
from cupel.errors import CupelError
from cupel.metric import Metric, SegmentMean, Signature, mean_statistics
from cupel.reading.given_scores import (
    SCORE_COLUMNS,
    SCORE_KINDS,
    ScoreTable,
    SystemScores,
    finite_number,
    read_score_table,
    stem,
    unchanged,
)
from cupel.reading.names import kind_of, parse_name
from cupel.reading.segments import listed, nearest

GIVEN = "given"
"""The column of scores that were no file, but lists."""

Numbers = Sequence[float] | NDArray[Any]
Given = Sequence[str | Path] | Mapping[str, Mapping[str, Numbers] | Numbers]
"""Files, each [NAME=]FILE[:COLUMN], or name -> system -> scores of segments (or only the scores)."""


_PROGRAMS = {
    "comet": "comet-score -s src.txt -t hyp.txt -r ref.txt --to_json comet.json",
    "metricx": "python -m metricx24.predict ... --input_file texts.jsonl --output_file metricx.jsonl",
    "bertscore": "bert-score -r ref.txt -c hyp.txt --lang en -s | tail -n +2 | cut -f3 > bertscore.txt",
    "bleurt": "python -m bleurt.score_files -candidate_file=hyp.txt -reference_file=ref.txt "
    "-bleurt_checkpoint=BLEURT-20 -scores_file=bleurt.txt",
}
"""Well-known metrics by a part of their names, and how their own programs write scores to a file."""


def own_program(name: str) -> str | None:
    """A sentence on how to score with a metric that Cupel reads but does not compute."""
    letters = "".join(filter(str.isalnum, name.lower()))
    for metric, command in _PROGRAMS.items():
        if metric in letters:
            file = re.split("[ =]", command)[-1]
            return (
                f"{name} is a metric with a program of its own, whose scores Cupel takes from a file: "
                f"run `{command}`, then add `--scores {metric}={file}` (see docs/external.md)."
            )
    return None


@dataclass(frozen=True)
class External(SegmentMean):
    """The metric; its statistics come with it, for the segments of one test set."""

    label: str
    column: str
    digest: str
    lower_is_better: bool = False
    decimals: int = 4

    needs: ClassVar[tuple[str, ...]] = ()

    @property
    def name(self) -> str:
        return self.label

    @property
    def higher_is_better(self) -> bool:
        return not self.lower_is_better

    def signature(self) -> Signature:
        return Signature.of(scores=self.column, sha256=self.digest)

    def statistics(self, batch: Batch) -> FloatArray:
        raise CupelError(
            "its scores were read from a file, and there are none of other translations"
        )


@dataclass(frozen=True)
class Source:
    """A table, what its metric is called, and the SHA-256 of the content."""

    label: str
    table: ScoreTable
    digest: str


def read_sources(given: Given, pair: str | None = None) -> list[Source]:
    """What the files or lists hold. pair: of a WMT file with several, the one to use."""
    if isinstance(given, str | Path):
        raise CupelError("Scores are a list of files, or name -> system -> numbers; not one name.")
    if isinstance(given, Mapping):
        return [_from_lists(label, scores) for label, scores in given.items()]
    return [_from_file(str(name), pair) for name in given]


def _from_file(given: str, pair: str | None) -> Source:
    label, equals, rest = given.partition("=")
    if not equals or Path(given).exists():
        label, rest = "", given
    elif not label or not rest:
        raise CupelError(f"Scores are named NAME=FILE:COLUMN, not {given!r}.")
    from cupel.human.evalset_scores import is_evalset_layout

    name = parse_name(rest, SCORE_KINDS)
    with unchanged(name.file) as digest:
        if kind_of(name.file, SCORE_KINDS) == "score" and not is_evalset_layout(name.file):
            table = _wmt_table(name.file, name.part, pair)
        else:
            table = read_score_table(name.file, name.part)
    usual = table.column in SCORE_COLUMNS and table.column != "COMET"
    return Source(label or (stem(name.file) if usual else table.column), table, digest)


def _from_lists(label: str, scores: Mapping[str, Numbers] | Numbers) -> Source:
    origin = f"the scores of {label!r}"
    digest = hashlib.sha256()
    systems: dict[str, SystemScores] = {}
    for system, row in (scores if isinstance(scores, Mapping) else {"": scores}).items():
        of = f" of system {system!r}" if system else ""
        places = [f"Segment {n}{of} in {origin}" for n in range(1, len(row) + 1)]
        values = [
            finite_number(v.item() if isinstance(v, np.generic) else v, place, label)
            for v, place in zip(row, places, strict=True)
        ]
        digest.update(f"{system}\0{values!r}\0".encode())
        systems[system] = SystemScores(values, places)
    if not systems:
        raise CupelError(f"There are no systems in {origin}.")
    return Source(label, ScoreTable(origin, GIVEN, systems), digest.hexdigest())


def _wmt_table(file: str, metric: str | None, pair: str | None) -> ScoreTable:
    """METRIC PAIR TESTSET SYSTEM SEGMENT SCORE: of the metric, if several, and the pair."""
    from cupel.human.score_files import read_seg_scores

    sets = read_seg_scores(file)
    for what, chosen, option in (("name", metric, f"{file}:METRIC"), ("pair", pair, "-l PAIR")):
        names = list(dict.fromkeys(getattr(one, what) for one in sets))
        if chosen is not None and chosen not in names:
            raise CupelError(f"{file} has no scores of {chosen!r}{nearest(chosen, names)}")
        if chosen is None and len(names) > 1:
            raise CupelError(f"{file} has scores of {listed(names)}; choose one with {option}.")
        sets = [one for one in sets if getattr(one, what) == (chosen or names[0])]
    if len(sets) > 1:
        raise CupelError(
            f"{file} has scores of {listed([s.testset for s in sets])}: of one, please."
        )
    return ScoreTable(
        file,
        sets[0].name,
        {
            system: SystemScores(
                row.tolist(),
                [f"{file}, system {system!r}, segment {n + 1}" for n in range(len(row))],
            )
            for system, row in sets[0].segment_scores.items()
        },
    )


def corpus_of(sources: Sequence[Source]) -> Corpus:
    """A corpus without texts: the systems and segments of the first metric's scores."""
    systems: dict[str, list[str]] = {}
    for source in sources:
        for name, scores in source.table.systems.items():
            label = name or stem(source.table.file)
            if source.label == sources[0].label:
                systems[label] = [""] * len(scores.values)
    return Corpus(systems)


def external_scores(
    sources: Sequence[Source], corpus: Corpus, lower: Sequence[str] = ()
) -> tuple[dict[str, Metric], dict[str, FloatArray]]:
    """The metrics, and their statistics (systems, segments, 2), by label.

    lower: the metrics of which lower scores are better, beside those that MetricX wrote.
    """
    by_label: dict[str, list[Source]] = {}
    for source in sources:
        by_label.setdefault(source.label, []).append(source)
    for name in lower:
        if name not in by_label:
            raise CupelError(
                f"Lower is better for {name!r}, but the scores are those of "
                f"{listed(list(by_label))}{nearest(name, list(by_label))}"
            )
    metrics: dict[str, Metric] = {}
    statistics: dict[str, FloatArray] = {}
    for label, parts in by_label.items():
        scores = _matrix(label, parts, corpus)
        metrics[label] = External(
            label,
            "+".join(dict.fromkeys(part.table.column for part in parts)),
            "+".join(part.digest[:12] for part in parts),
            label in lower or _are_errors(label, parts),
            4 if np.abs(scores).max() <= 5 else 1,
        )
        statistics[label] = mean_statistics(scores)
    return metrics, statistics


def _are_errors(label: str, parts: Sequence[Source]) -> bool:
    errors = [part.table.file for part in parts if part.table.is_errors]
    others = [part.table.file for part in parts if not part.table.is_errors]
    if errors and others:
        raise CupelError(
            f"The scores of {label!r} have mixed directions: in {errors[0]} lower is better, as of "
            f"MetricX, in {others[0]} higher; give the two different names (NAME=FILE)."
        )
    return bool(errors)


def _matrix(label: str, parts: Sequence[Source], corpus: Corpus) -> FloatArray:
    """(systems, segments): each system's scores, from the only one of the files that has them."""
    rows = []
    for place, system in enumerate(corpus.systems):
        matches = [
            (part, name) for part in parts for name in _matching(part.table, system, place, corpus)
        ]
        if not matches:
            raise _missing(label, parts, system)
        if len(matches) > 1:
            raise CupelError(
                f"System {system!r} has two sets of scores of {label!r}: "
                f"{' and '.join(_origin(part.table, name) for part, name in matches[:2])}."
            )
        part, name = matches[0]
        rows.append(_ordered(part.table, name, system, len(corpus)))
    return np.array(rows, np.float64)


def systems_left_out(sources: Sequence[Source], corpus: Corpus) -> list[str]:
    """The systems of the tables that the corpus does not have; a file where it names none."""
    names: dict[str, None] = {}
    for table in (source.table for source in sources):
        used = {
            name
            for place, system in enumerate(corpus.systems)
            for name in _matching(table, system, place, corpus)
        }
        names |= {name or table.file: None for name in table.systems if name not in used}
    return list(names)


def _missing(label: str, parts: Sequence[Source], system: str) -> CupelError:
    names = [name for part in parts for name in part.table.systems if name]
    hint = (
        f"it has {listed(names)}{nearest(system, names)}"
        if names
        else f"name the file of each system {label}=FILE, where FILE is called after the system."
    )
    files = " and ".join(part.table.file for part in parts)
    return CupelError(f"{files} has no scores of system {system!r}; {hint}")


def _origin(table: ScoreTable, name: str) -> str:
    return f"{name!r} in {table.file}" if name else table.file


def _matching(table: ScoreTable, system: str, place: int, corpus: Corpus) -> list[str]:
    """The names in the table that mean this system: as it is, then its file, then without ending."""
    names = list(table.systems)
    if table.ordered and len(names) == len(corpus.systems):
        return [names[place]]
    if names == [""]:
        return names if _is_of(table, system, corpus) else []
    origin = corpus.origins.get(system, system)
    if system in names or origin in names:
        return [system if system in names else origin]
    by_file = [name for name in names if Path(name).name == Path(system).name]
    return by_file or [name for name in names if _bare(name) == _bare(system)]


def _is_of(table: ScoreTable, system: str, corpus: Corpus) -> bool:
    """Whether a file without system names is this system's: by its texts, or else by its name."""
    if len(corpus.systems) == 1:
        return True
    texts = [text.strip() for text in table.systems[""].texts]
    if texts and corpus.has_texts:
        return texts == [text.strip() for text in corpus.systems[system]]
    return _bare(table.file) == _bare(system)


def _bare(name: str) -> str:
    """Without folder and ending; `.5` of gpt-3.5 is none."""
    path = Path(Path(name).name.removesuffix(".gz"))
    return path.stem if path.suffix[1:2].isalpha() else path.name


def _ordered(table: ScoreTable, name: str, system: str, length: int) -> list[float]:
    """The scores of a system, segment by segment."""
    scores = table.systems[name]
    if scores.ids:
        places = _places(table, scores, system, length)
        values = dict(zip(places, scores.values, strict=True))
        for segment in range(length):
            if segment not in values:
                raise CupelError(
                    f"{table.file} has no score of system {system!r}, segment {segment + 1}; "
                    f"{len(values)} of {counted_segments(length)} "
                    f"{'has' if len(values) == 1 else 'have'} one."
                )
        return [values[segment] for segment in range(length)]
    if len(scores.values) != length:
        where = scores.places[-1] if scores.places else table.file
        raise CupelError(
            f"{where}: the scores of system {system!r} end here after {len(scores.values)}, but "
            f"there {'is' if length == 1 else 'are'} {counted_segments(length)}."
        )
    return scores.values


def _places(table: ScoreTable, scores: SystemScores, system: str, length: int) -> list[int]:
    """The index of each segment: of its number, or in the order of the ids of the first system."""
    first = next(iter(table.systems.values()))
    every = {one for entry in table.systems.values() for one in entry.ids}
    if all(one.isdecimal() for one in every):
        start = 0 if "0" in every else 1
        for one, place in zip(scores.ids, scores.places, strict=True):
            if not 0 <= int(one) - start < length:
                raise CupelError(
                    f"{place}: the segment is {one}, but system {system!r} has "
                    f"{counted_segments(length)}."
                )
        return [int(one) - start for one in scores.ids]
    order = {one: number for number, one in enumerate(first.ids)}
    for one, place in zip(scores.ids, scores.places, strict=True):
        if one not in order:
            raise CupelError(f"{place}: the first system has no segment {one!r}.")
    if len(order) != length:
        raise CupelError(
            f"{table.file} has scores of {counted_segments(len(order))}, but there are {length}."
        )
    return [order[one] for one in scores.ids]
