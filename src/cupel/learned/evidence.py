"""All that a reader may learn from, as one table: segments with their translations, as people judged them.

`evidence` reads the judgments that the manifest lists: graded campaigns, rankings, and the errors
that raters marked. Each row is a segment of one language pair, with a list of its translations; the
column `use` says what the manifest gives it for, or "overlap" where it would be for training but
shares a text with what is not. `counts` sums that up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from cupel.arrays import FloatArray
from cupel.data import wmt_corpus
from cupel.data.catalog import DATASETS, EMBEDDED
from cupel.data.find import find, locate
from cupel.errors import CupelError
from cupel.human.da13 import da13, da13_pairs
from cupel.human.evalset import evalset_pairs, read_evalset
from cupel.human.rankings import wmt_rankings
from cupel.human.raw.spans import read_spans
from cupel.learned.manifest import Gate, entries, entry_of, text_key
from cupel.reading.jsons import json_lines

SPAN = pl.Struct({"start": pl.Int32, "end": pl.Int32, "severity": pl.String, "category": pl.String})
RATING = pl.Struct({"rater": pl.String, "score": pl.Float64, "spans": pl.List(SPAN)})
TRANSLATION = pl.Struct({
    "system": pl.String,
    "text": pl.String,
    "score": pl.Float64,
    "grade": pl.Float64,
    "ratings": pl.List(RATING),
})  # fmt: skip
PREFERENCE = pl.Struct({"better": pl.Int32, "worse": pl.Int32, "tied": pl.Boolean})
SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "dataset": pl.String,
    "pair": pl.String,
    "use": pl.String,
    "domain": pl.String,
    "document": pl.String,
    "segment": pl.Int32,
    "source": pl.String,
    "references": pl.List(pl.String),
    "translations": pl.List(TRANSLATION),
    "preferences": pl.List(PREFERENCE),
}
"""The columns of the table.

segment       from 0, in its language pair
translations  those that people judged. score: the mean of people's scores, as the campaign has it; grade:
              standardised within dataset, pair and use (of MQM -log(1 + penalty), where ratings are listed the mean of
              the raters' standardised scores); both null where there are only preferences. spans: end is
              not included, 0 to 0 where something is missing
preferences   better and worse are places in `translations`
"""
FEWEST = 10
"""Ratings of a rater that are enough to know the rater's level and spread."""
Row = dict[str, Any]


@dataclass
class Segment:
    """A segment while it is read."""

    number: int
    source: str
    references: list[str]
    document: str = ""
    domain: str = ""
    translations: list[Row] = field(default_factory=list)
    preferences: list[Row] = field(default_factory=list)

    def add(self, system: str, text: str, score: float | None = None) -> int:
        """The place of a translation, which may be there already."""
        for place, one in enumerate(self.translations):
            if (one["system"], one["text"]) == (system, text):
                return place
        row: Row = {"system": system, "text": text, "score": score, "grade": score, "ratings": []}
        self.translations.append(row)
        return len(self.translations) - 1


def evidence(datasets: Iterable[str] | None = None) -> pl.DataFrame:
    """The table of SCHEMA; datasets: names, by default all judgments of the manifest that are here."""
    listed = dict.fromkeys(one.dataset for one in entries() if one.kind == "judgments")
    known = {**DATASETS, **EMBEDDED}
    chosen = [one for one in listed if one in known and one not in EMBEDDED and locate(one)]
    reserved = Gate().reserved()
    rows: list[Row] = []
    for name in chosen if datasets is None else datasets:
        for pair, segments in _read(name):
            rows += _rows(name, pair, [one for one in segments if one.translations], reserved)
    return pl.DataFrame(rows, schema=SCHEMA)


def _rows(
    name: str, pair: str, segments: Sequence[Segment], reserved: frozenset[bytes]
) -> Iterator[Row]:
    """The rows of a language pair, the grades standardised within each use."""
    uses: dict[str, list[Segment]] = defaultdict(list)
    for segment in segments:
        entry = entry_of(name, pair, segment.document)
        use: str = entry.use if entry else "train"
        texts = (segment.source, *segment.references)
        shared = use == "train" and any(text_key(text) in reserved for text in texts)
        uses["overlap" if shared else use].append(segment)
    for use, some in uses.items():
        _standardise([one for segment in some for one in segment.translations])
        for one in some:
            yield {
                "dataset": name, "pair": pair, "use": use, "domain": one.domain,
                "document": one.document, "segment": one.number, "source": one.source,
                "references": one.references, "translations": one.translations,
                "preferences": one.preferences,
            }  # fmt: skip


def _standardise(translations: Sequence[Row]) -> None:
    """Make grades of mean 0 and deviation 1; raters are brought to one level and spread before."""
    raters: dict[str, list[float]] = defaultdict(list)
    for one in translations:
        for rating in one["ratings"]:
            raters[rating["rater"]].append(_grade(rating["score"]))
    every = np.array([score for scores in raters.values() for score in scores])
    levels = {
        rater: _level(np.array(scores) if len(scores) >= FEWEST else every)
        for rater, scores in raters.items()
    }
    for one in translations:
        if one["ratings"]:
            scaled = [
                (_grade(rating["score"]) - levels[rating["rater"]][0]) / levels[rating["rater"]][1]
                for rating in one["ratings"]
            ]
            one["grade"] = float(np.mean(scaled))
    graded = [one for one in translations if one["grade"] is not None]
    mean, spread = _level(np.array([one["grade"] for one in graded]))
    for one in graded:
        one["grade"] = (one["grade"] - mean) / spread


def _grade(score: float) -> float:
    """Penalties, which are negative, as -log(1 + penalty), since a few are very high."""
    return -float(np.log1p(-score)) if score < 0 else score


def _level(scores: FloatArray) -> tuple[float, float]:
    """Mean and deviation; a deviation of 0 divides by 1."""
    return (float(scores.mean()), float(scores.std()) or 1.0) if len(scores) else (0.0, 1.0)


def _read(name: str) -> Iterator[tuple[str, list[Segment]]]:
    """Each language pair of a dataset, or of a folder in the layout of mt-metrics-eval."""
    known = {**DATASETS, **EMBEDDED}.get(name)
    kind = known.kind if known else "graded"
    if name == "da13":
        yield from ((pair, _assessed(pair)) for pair in da13_pairs())
    elif kind == "wmt":
        yield from ((pair, _ranked(name, pair)) for pair in wmt_rankings(name))
    elif kind in ("rankings-json", "graded-json"):
        read = _ranked_lines if kind == "rankings-json" else _graded_lines
        yield from ((path.stem, read(path)) for path in sorted(find(name).glob("*.jsonl")))
    elif kind == "graded":
        folder = find(name) if known else Path(name)
        yield from ((pair, _graded(folder, pair)) for pair in evalset_pairs(folder))


def _graded(folder: Path, pair: str) -> list[Segment]:
    campaign = read_evalset(folder, pair)
    corpus, scores = campaign.corpus, next(iter(campaign.human.values()), None)
    if scores is None:
        raise CupelError(f"{folder} has no human-scores/{pair}.NAME.seg.score.")
    sources = corpus.sources or [""] * len(corpus)
    segments = [
        Segment(number, sources[number], [text for text in references if text], document, domain)
        for number, (references, document, domain) in enumerate(
            zip(corpus.references, campaign.documents, campaign.domains, strict=True)
        )
    ]
    for system, column in scores.segment_scores.items():
        texts = corpus.systems.get(system)
        for segment, score in zip(segments, column.tolist(), strict=True):
            if texts is not None and score == score:
                place = segment.add(system, texts[segment.number], score)
                if scores.name.startswith("mqm"):
                    segment.translations[place]["grade"] = _grade(score)
    path = folder / "spans" / f"{pair}.jsonl"
    if path.is_file():
        _add_ratings(path, segments)
    return segments


def _add_ratings(path: Path, segments: Sequence[Segment]) -> None:
    """The raters' scores and marked errors; segments are counted from 1 in the file."""
    places = {
        (one["system"], segment.number + 1): one
        for segment in segments
        for one in segment.translations
    }
    for where, line in json_lines(path):
        one = places.get((line["system"], line["segment"]))
        if one is None:
            continue
        length = len(one["text"])
        spans = [
            {
                "start": min(error.start, length),
                "end": min(error.end, length),
                "severity": error.severity,
                "category": error.category,
            }
            for error in read_spans(line["errors"], where)
        ]
        one["ratings"].append({"rater": line["rater"], "score": line["score"], "spans": spans})


def _graded_lines(path: Path) -> list[Segment]:
    """`PAIR.jsonl`, one translation a line; those of one source and reference are a segment."""
    segments: dict[tuple[str, str], Segment] = {}
    for number, (_, line) in enumerate(json_lines(path)):
        source, reference = str(line.get("source") or ""), str(line["reference"])
        new = Segment(len(segments), source, [reference])
        segment = segments.setdefault((source, reference), new)
        segment.add(str(line.get("system") or number), line["hypothesis"], float(line["score"]))
    return list(segments.values())


def _assessed(pair: str) -> list[Segment]:
    table, segments = da13(pair), dict[int, Segment]()
    columns = zip(table.segments, table.sources, table.references, strict=True)
    for row, (number, source, reference) in enumerate(columns):
        segment = segments.setdefault(number, Segment(number, source, [reference]))
        segment.add(str(row), table.hypotheses[row], float(table.scores[row]))
    return list(segments.values())


def _ranked(name: str, pair: str) -> list[Segment]:
    """Of each line what was judged, every preference and tie as often as it was judged."""
    rankings, corpus = wmt_rankings(name)[pair], wmt_corpus(name, pair)
    names, texts = list(corpus.systems), list(corpus.systems.values())
    sources, segments = corpus.sources or [], dict[int, Segment]()
    for part, tied in ((rankings.pairs(), False), (rankings.ties(), True)):
        columns = (part.segment, part.better, part.worse)
        for line, *both in zip(*(column.tolist() for column in columns), strict=True):
            new = Segment(line, sources[line], list(corpus.references[line]))
            segment = segments.setdefault(line, new)
            better, worse = (segment.add(names[one], texts[one][line]) for one in both)
            segment.preferences.append({"better": better, "worse": worse, "tied": tied})
    return [segments[line] for line in sorted(segments)]


def _ranked_lines(path: Path) -> list[Segment]:
    """`PAIR.jsonl`, one ranking a line; those of one source are a segment."""
    segments: dict[str, Segment] = {}
    for _, line in json_lines(path):
        new = Segment(len(segments), line["source"], [line["reference"]])
        segment = segments.setdefault(line["source"], new)
        items = [(segment.add(str(system), text), rank) for system, text, rank in line["items"]]
        for one, other in combinations(sorted(items, key=lambda item: item[1]), 2):
            if one[0] != other[0]:
                row = {"better": one[0], "worse": other[0], "tied": one[1] == other[1]}
                segment.preferences.append(row)
    return list(segments.values())


def counts(table: pl.DataFrame) -> pl.DataFrame:
    """How much there is of each dataset, language pair and use."""
    names = ["dataset", "pair", "use"]
    spans = pl.col("translations").list.eval(
        pl.element().struct.field("ratings").explode().struct.field("spans").explode()
    )
    severity = spans.list.eval(pl.element().struct.field("severity").drop_nulls())
    is_missing = pl.element().struct.field("start") == pl.element().struct.field("end")
    each: Mapping[str, pl.Expr] = {
        "translations": pl.col("translations").list.len(),
        "judgments": pl.col("translations").list.eval(
            pl.element().struct.field("score").drop_nulls()
        ).list.len() + pl.col("preferences").list.len(),
        "ratings": pl.col("translations").list.eval(
            pl.element().struct.field("ratings").list.len().sum()
        ).list.sum(),
        "minor": severity.list.count_matches("minor"),
        "major": severity.list.count_matches("major"),
        "missing": spans.list.eval(is_missing.drop_nulls().sum()).list.sum(),
    }  # fmt: skip
    return (
        table.with_columns(**each)
        .group_by(names, maintain_order=True)
        .agg(
            pl.len().alias("segments"),
            pl.col("document").filter(pl.col("document") != "").n_unique().alias("documents"),
            *(pl.col(name).sum() for name in each),
        )
    )
