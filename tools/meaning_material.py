"""Scores of all pairs of systems of the campaigns at hand, on test sets of several sizes.

`tools/fit_meaning.py` learns from them how often people prefer the system that a metric prefers. A
group is one language pair of one campaign. From its segments test sets of each size are drawn
without replacement, and each two systems are scored on what both have; people's verdict is that
of the whole campaign: expected wins where they ranked, the mean over segments where experts marked
errors. Each group and metric is a file in a folder, so that what was interrupted goes on.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.corpus import Corpus
from cupel.data import find
from cupel.human.evalset import evalset_pairs, read_evalset
from cupel.human.rankings import ranked_corpus, wmt_rankings
from cupel.human.system_scores import expected_wins
from cupel.registry import named_metrics
from cupel.scoring import score_corpus

RANKED = ("wmt12", "wmt13", "wmt14")
GRADED = ("mqm21", "ted21", "bio21")
CAMPAIGNS = (*GRADED, *RANKED, "wmt15-rankings")
SIZES = (50, 100, 200, 400, 800, 1600)
DRAWS = 6
SEED = 12345


@dataclass(frozen=True)
class Group:
    """One language pair: texts, which of them are there (systems, segments), people's scores."""

    campaign: str
    pair: str
    corpus: Corpus
    present: FloatArray
    human: FloatArray

    @property
    def name(self) -> str:
        return f"{self.campaign}.{self.pair}"

    def sample(self, most: int | None) -> Group:
        """At most so many segments, drawn at random."""
        if most is None or len(self.corpus) <= most:
            return self
        rows = np.sort(np.random.default_rng(SEED).permutation(len(self.corpus))[:most])
        texts = {name: [t[i] for i in rows] for name, t in self.corpus.systems.items()}
        corpus = Corpus(texts, [self.corpus.references[i] for i in rows])
        return Group(self.campaign, self.pair, corpus, self.present[:, rows], self.human)


def groups(campaigns: Sequence[str] = CAMPAIGNS) -> Iterator[Group]:
    """All that people judged, with at least two systems."""
    for campaign in campaigns:
        if campaign in RANKED:
            yield from _ranked(campaign)
        elif campaign in GRADED:
            yield from _graded(campaign)
        else:
            yield from _rankings_of_2015(campaign)


def _ranked(campaign: str) -> Iterator[Group]:
    for pair, rankings in wmt_rankings(campaign).items():
        human = expected_wins(rankings)
        judged = np.flatnonzero(np.isfinite(human))
        corpus = ranked_corpus(campaign, rankings)
        texts = {rankings.systems[at]: corpus.systems[rankings.systems[at]] for at in judged}
        corpus = Corpus(texts, corpus.references)
        yield Group(campaign, pair, corpus, np.ones((len(texts), len(corpus))), human[judged])


def _graded(campaign: str) -> Iterator[Group]:
    folder = find(campaign)
    for pair in evalset_pairs(folder):
        campaign_set = read_evalset(folder, pair)
        systems = [
            system
            for system in campaign_set.corpus.systems
            if system not in campaign_set.references and not system.lower().startswith("ref")
        ]
        grades = campaign_set.table(campaign_set.human["mqm"], "segment", systems)
        systems = [s for s, row in zip(systems, grades, strict=True) if np.isfinite(row).any()]
        if len(systems) < 2:
            continue
        grades = campaign_set.table(campaign_set.human["mqm"], "segment", systems)
        judged = np.flatnonzero(np.isfinite(grades).all(axis=0)).tolist()
        texts = {s: [campaign_set.corpus.systems[s][i] for i in judged] for s in systems}
        references = [campaign_set.corpus.references[i] for i in judged]
        present = np.ones((len(systems), len(judged)))
        human = grades[:, judged].mean(axis=1)
        yield Group(campaign, pair, Corpus(texts, references), present, human)


def _rankings_of_2015(campaign: str) -> Iterator[Group]:
    """Only outputs that were ranked are there, so each pair of systems shares other segments."""
    for path in sorted(find(campaign).glob("*.jsonl")):
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        systems = sorted({s for r in rows for item in r["items"] for s in item[0].split(",")})
        segments = {(r["seg"], r["reference"]): None for r in rows}
        place = {key: n for n, key in enumerate(segments)}
        at = {system: n for n, system in enumerate(systems)}
        texts = [[""] * len(place) for _ in systems]
        present = np.zeros((len(systems), len(place)))
        wins = np.zeros((len(systems), len(systems)))
        for row in rows:
            segment = place[row["seg"], row["reference"]]
            ranked = [(at[s], item[2]) for item in row["items"] for s in item[0].split(",")]
            for names, text, _ in row["items"]:
                for system in names.split(","):
                    texts[at[system]][segment] = text
                    present[at[system], segment] = 1
            for one, rank in ranked:
                for other, theirs in ranked:
                    wins[one, other] += rank < theirs
        with np.errstate(invalid="ignore"):
            human = np.nanmean(wins / (wins + wins.T), axis=1)
        corpus = Corpus(dict(zip(systems, texts, strict=True)), [[ref] for _, ref in segments])
        yield Group(campaign, path.stem, corpus, present, human)


def collect(group: Group, metric: str, folder: Path, most: int | None, scored_by: str) -> None:
    """Write one group's scores under one metric, unless they are there.

    scored_by: the metric itself, or another in its place.
    """
    path = folder / f"{group.name}.{metric}.npz"
    if path.exists():
        return
    group = group.sample(most)
    scores = score_corpus(group.corpus, named_metrics([scored_by], {}))
    scorer, statistics = scores.metrics[scored_by], scores.statistics[scored_by]
    rows = []
    generator = np.random.default_rng(SEED)
    first, second = np.triu_indices(len(statistics), 1)
    for a, b in zip(first.tolist(), second.tolist(), strict=True):
        shared = np.flatnonzero(group.present[a] * group.present[b])
        weights, sizes = drawn(shared, statistics.shape[1], generator)
        if len(sizes) and np.isfinite(group.human[[a, b]]).all():
            ours, theirs = (scorer.score(weights @ statistics[s]) for s in (a, b))
            rows += [(a, b, n, x, y) for n, x, y in zip(sizes, ours, theirs, strict=True)]
    lengths = np.mean([len(texts[0]) for texts in group.corpus.references])
    higher = 1.0 if scorer.higher_is_better else -1.0
    table = np.array(rows, np.float64).reshape(-1, 5)
    np.savez(path, table=table, human=group.human, length=lengths, higher=higher)


def drawn(
    shared: IntArray, segments: int, generator: np.random.Generator
) -> tuple[FloatArray, list[int]]:
    """(test sets, segments) of ones and zeros, and the sizes: some of each, and all once."""
    if len(shared) < SIZES[0]:
        return np.zeros((0, segments)), []
    chosen = [
        generator.permutation(shared)[:size]
        for size in SIZES
        if size <= 0.7 * len(shared)
        for _ in range(DRAWS)
    ]
    chosen.append(shared)
    weights = np.zeros((len(chosen), segments))
    for row, places in zip(weights, chosen, strict=True):
        row[places] = 1
    return weights, [len(places) for places in chosen]
