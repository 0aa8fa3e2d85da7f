"""How far metrics agree with experts on the campaigns that `assay` has not seen, as docs/assay.md has it.

    python research/left_out_figures.py assay assay-wmt13 chrf
    python research/left_out_figures.py assay assay:size=large --segments 30    # drawn from each language pair
    python research/left_out_figures.py assay --penalties

Of scores as they are printed: tau within segments over pairs that people told apart, Pearson's r over all
translations, and standard errors of both over segments (bootstrap). r is with -log(1 + penalty). --penalties prints the mean
penalty of translations by score. Needs mqm21, ted21 and bio21.
"""

from __future__ import annotations

import argparse
from itertools import pairwise

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.batch import Batch
from cupel.learned.assay.data.graded import GradedPair, graded_pairs, pack_folder
from cupel.learned.assay.training.graded import within_segments
from cupel.registry import get_metric

CAMPAIGNS = ("mqm21", "ted21", "bio21:de-en,fr-en,zh-en")
EDGES = (0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 1.01)
DRAWS, SEED = 300, 1


def chosen_rows(pair: GradedPair, segments: int | None) -> IntArray:
    """The translations of so many segments, drawn by a fixed seed; of all where there is no number."""
    lines = np.array(pair.lines)
    own = np.random.default_rng(SEED).permutation(np.unique(lines))[:segments]
    return np.flatnonzero(np.isin(lines, own)).astype(np.int64)


def errors(scores: FloatArray, grades: FloatArray, lines: IntArray) -> tuple[float, float]:
    """Standard errors of tau and r, by drawing segments with replacement."""
    generator = np.random.default_rng(SEED)
    members = [np.flatnonzero(lines == line) for line in np.unique(lines)]
    figures = []
    for _ in range(DRAWS):
        drawn = generator.integers(0, len(members), len(members))
        rows = np.concatenate([members[at] for at in drawn])
        own = np.repeat(np.arange(len(drawn)), [len(members[at]) for at in drawn]).astype(np.int64)
        figures.append(agreement(scores[rows], grades[rows], own))
    tau, r = np.std(figures, axis=0)
    return float(tau), float(r)


def agreement(scores: FloatArray, grades: FloatArray, lines: IntArray) -> tuple[float, float]:
    """Tau within segments and Pearson's r."""
    return within_segments(scores, grades, lines), float(np.corrcoef(scores, grades)[0, 1])


def main() -> None:
    """Print a table for each metric."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("metrics", nargs="+")
    parser.add_argument("--segments", type=int, help="so many of each language pair (default: all)")
    parser.add_argument("--penalties", action="store_true", help="mean penalties by score, too")
    asked = parser.parse_args()
    pairs = [(name, pair) for name in CAMPAIGNS for pair in graded_pairs(name)]
    for name in asked.metrics:
        metric = get_metric(name)
        sign = 1.0 if metric.higher_is_better else -1.0
        rows, by_score = [], []
        for campaign, pair in pairs:
            own = chosen_rows(pair, asked.segments)
            batch = Batch(
                [pair.hypotheses[at] for at in own], [[pair.references[at]] for at in own]
            )
            scores = sign * metric.segment_scores(metric.statistics(batch))
            lines, grades = np.array(pair.lines)[own], pair.grades[own]
            figures = agreement(scores, grades, lines)
            rows.append(figures)
            tau, r = errors(scores, grades, lines)
            print(
                f"{name}\t{campaign.partition(':')[0]} {pair.pair}\t{len(own)}\ttau {figures[0]:.3f} ± {tau:.3f}"
                f"\tr {figures[1]:.3f} ± {r:.3f}", flush=True,
            )  # fmt: skip
            by_score.append((scores, penalties(campaign, pair)[own]))
        print(f"{name}\tmean\t\ttau {np.mean(rows, 0)[0]:.3f}\tr {np.mean(rows, 0)[1]:.3f}")
        if asked.penalties:
            scores, given = (np.concatenate(column) for column in zip(*by_score, strict=True))
            for low, high in pairwise(EDGES):
                inside = (scores >= low) & (scores < high)
                mean = given[inside].mean() if inside.any() else float("nan")
                print(f"{name}\t{low} to {high}\t{inside.sum()}\tmean penalty {mean:.1f}")


def penalties(campaign: str, pair: GradedPair) -> FloatArray:
    """Of each translation of a language pair, as experts gave them."""
    from cupel.human.evalset import read_evalset

    judged = read_evalset(pack_folder(campaign.partition(":")[0]), pair.pair)
    human = next(scores for scores in judged.human.values() if scores.segment_scores)
    systems = [name for name in judged.corpus.systems if name in human.segment_scores]
    matrix = human.matrix(systems)
    there = np.isfinite(matrix) & [bool(texts[0]) for texts in judged.corpus.references]
    return -matrix[there]


if __name__ == "__main__":
    main()
