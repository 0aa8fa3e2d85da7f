"""Which utility chooses best by people? The tables of docs/research/mbr.md.

    python research/mbr_table.py [-o build/mbr.json] [--segments 100000]

The outputs of all systems for a segment of mqm21 or bio21 are its candidates and pseudo-references;
experts' scores (MQM, 0 for a translation without error) say which was best. A utility chooses without
reference; what it chose is judged by people and, with the reference, by metrics. Means over language
pairs, with 95% intervals of people's score from resampled segments. Needs both datasets and about
ten minutes of two cores. assay is left out: it was trained on judgments of these very segments.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.choosing.mbr import Decoder
from cupel.choosing.reranking import candidate_statistics, judge_metric, segment_metric
from cupel.choosing.segment import Candidates
from cupel.data import find
from cupel.human.evalset import read_evalset
from cupel.metric import Metric
from cupel.registry import get_metric

PAIRS = {
    "into English": [
        ("mqm21", "zh-en"), ("bio21", "de-en"), ("bio21", "es-en"), ("bio21", "fr-en"),
        ("bio21", "ru-en"), ("bio21", "zh-en"),
    ],
    "out of English": [
        ("mqm21", "en-de"), ("bio21", "en-de"), ("bio21", "en-es"), ("bio21", "en-fr"),
        ("bio21", "en-ru"),
    ],
}  # fmt: skip
LEXICAL = ["bleu", "chrf", "chrf++", "ter", "rouge-l"]
UTILITIES = {
    "into English": [
        *LEXICAL,
        "meteor",
        "w2v-avg",
        "assay-wmt13",
        "chrf ter",
        "chrf meteor assay-wmt13",
    ],
    "out of English": [*LEXICAL, "chrf ter"],
}
JUDGES = {
    "into English": ["bleu", "chrf", "ter", "meteor", "assay-wmt13"],
    "out of English": ["bleu", "chrf", "ter"],
}
RESAMPLES, SEED = 1000, 12345


@dataclass(frozen=True)
class Lists:
    """The judged segments of a language pair: candidates, references, people's scores."""

    candidates: list[Candidates]
    references: list[list[str]]
    human: list[FloatArray]
    systems: list[list[str]]

    @classmethod
    def of(cls, dataset: str, pair: str, most: int) -> Lists:
        """Segments of which at least three outputs were judged, with those outputs."""
        campaign = read_evalset(find(dataset), pair)
        corpus, names = campaign.corpus, list(campaign.corpus.systems)
        scores = campaign.human["mqm"].matrix(names)
        found = cls([], [], [], [])
        for segment in range(len(corpus)):
            judged = np.flatnonzero(~np.isnan(scores[:, segment]))
            if len(judged) < 3 or len(found.candidates) == most:
                continue
            own = [names[s] for s in judged]
            texts = [corpus.systems[name][segment] for name in own]
            found.candidates.append(Candidates(texts, place=f"{pair} {segment + 1}"))
            found.references.append(list(corpus.references[segment]))
            found.human.append(scores[judged, segment])
            found.systems.append(own)
        return found


def choose(lists: Lists, utility: str) -> IntArray:
    """The number of the candidate that a utility, or a mean of ranks, chooses in each segment."""
    decoder = Decoder.of(utility.split())
    return np.array([decoder.choose(one).index for one in lists.candidates])


@dataclass(frozen=True)
class Judge:
    """A metric with references: statistics of all candidates, segment by segment."""

    metric: Metric
    statistics: list[FloatArray]

    @classmethod
    def of(cls, name: str, lists: Lists) -> Judge:
        """All candidates are scored once."""
        metric = judge_metric(name, get_metric(name))
        rows = candidate_statistics(name, metric, lists.candidates, lists.references)
        sizes = [len(one.texts) for one in lists.candidates]
        return cls(metric, np.split(rows, np.cumsum(sizes)[:-1]))

    def best(self) -> IntArray:
        """The oracle: the best candidate of each segment by this metric and the reference."""
        sign = 1.0 if self.metric.higher_is_better else -1.0
        metric = segment_metric(self.metric)
        return np.array([int(np.argmax(sign * metric.segment_scores(r))) for r in self.statistics])

    def score(self, chosen: Sequence[int] | IntArray | None) -> float:
        """The corpus score of a choice; None: of a random one."""
        if chosen is None:
            return float(self.metric.score(sum(rows.mean(axis=0) for rows in self.statistics)))
        picked = [rows[c] for rows, c in zip(self.statistics, chosen, strict=True)]
        return float(self.metric.score(np.sum(picked, axis=0)))


def best_system(lists: Lists) -> IntArray:
    """The output of the system with the highest mean of people's scores, where it was judged."""
    scores: dict[str, list[float]] = {}
    for names, human in zip(lists.systems, lists.human, strict=True):
        for name, value in zip(names, human.tolist(), strict=True):
            scores.setdefault(name, []).append(value)
    order = sorted(scores, key=lambda name: -float(np.mean(scores[name])))
    return np.array([names.index(next(n for n in order if n in names)) for names in lists.systems])


def people_of(lists: Lists, chosen: IntArray | None) -> FloatArray:
    """(segments,): people's scores of what was chosen; None: of a random candidate."""
    if chosen is None:
        return np.array([human.mean() for human in lists.human])
    return np.array([human[c] for human, c in zip(lists.human, chosen, strict=True)])


def pair_rows(
    direction: str, dataset: str, pair: str, most: int
) -> dict[str, tuple[FloatArray, dict[str, float]]]:
    """chooser -> people's scores by segment, and the scores of the judges."""
    lists = Lists.of(dataset, pair, most)
    judges = {name: Judge.of(name, lists) for name in JUDGES[direction]}
    choosers: dict[str, IntArray | None] = {"random": None, "best system": best_system(lists)}
    for utility in UTILITIES[direction]:
        choosers[f"mbr {utility}"] = choose(lists, utility)
    for name, judge in judges.items():
        choosers[f"oracle {name}"] = judge.best()
    choosers["oracle people"] = np.array([int(np.argmax(human)) for human in lists.human])
    print(f"{dataset} {pair}: {len(lists.human)} segments", file=sys.stderr)
    return {
        name: (people_of(lists, picks), {k: judge.score(picks) for k, judge in judges.items()})
        for name, picks in choosers.items()
    }


def interval(parts: Sequence[FloatArray]) -> tuple[float, float]:
    """95% of the mean over pairs, segments resampled within each; the same draws for every chooser."""
    generator = np.random.default_rng(SEED)
    means = np.mean(
        [
            part[generator.integers(len(part), size=(RESAMPLES, len(part)))].mean(axis=1)
            for part in parts
        ],
        axis=0,
    )
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def table(direction: str, most: int) -> list[dict[str, object]]:
    """One row per chooser."""
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        asked = [pool.submit(pair_rows, direction, *pair, most) for pair in PAIRS[direction]]
        pairs = [future.result() for future in asked]
    means = {name: float(np.mean([p[name][0].mean() for p in pairs])) for name in pairs[0]}
    room = means["oracle people"] - means["random"]
    rows: list[dict[str, object]] = []
    for name in pairs[0]:
        low, high = interval([p[name][0] - p["random"][0] for p in pairs])
        row: dict[str, object] = {
            "chooser": name,
            "people": means[name],
            "gain": means[name] - means["random"],
            "low": low,
            "high": high,
            "standing": 100 * (means[name] - means["random"]) / room,
        }
        row |= {k: float(np.mean([p[name][1][k] for p in pairs])) for k in pairs[0][name][1]}
        rows.append(row)
    return rows


def markdown(rows: list[dict[str, object]]) -> str:
    """The table as a page shows it."""
    judges = [
        key
        for key in rows[0]
        if key not in ("chooser", "people", "gain", "low", "high", "standing")
    ]
    lines = ["| chosen by | people | gain over random | standing | " + " | ".join(judges) + " |"]
    lines.append("|" + "---|" * (4 + len(judges)))
    for row in rows:
        cells = [f"{row[name]:.{4 if abs(float(str(row[name]))) < 2 else 1}f}" for name in judges]
        gain = f"{row['gain']:+.2f} ({row['low']:+.2f} to {row['high']:+.2f})"
        lines.append(
            f"| {row['chooser']} | {row['people']:.2f} | {gain} | {row['standing']:.0f}% | "
            + " | ".join(cells) + " |"
        )  # fmt: skip
    return "\n".join(lines)


def main() -> None:
    """Compute both tables and print them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--segments", type=int, default=100_000)
    parser.add_argument("--only", choices=list(PAIRS))
    options = parser.parse_args()
    results = {d: table(d, options.segments) for d in PAIRS if options.only in (None, d)}
    for direction, rows in results.items():
        print(f"\n### {direction}\n\n{markdown(rows)}")
    if options.output:
        options.output.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
