"""How often `--not-worse-than` lets through a system that is worse by exactly the margin.

For the worst case that the test allows: two systems of one quality and a margin of 0. From the
outputs of two systems of WMT14 such pairs are made by a coin for each segment, which gives
one system's translation to the first and the other's to the second; segments are drawn with
replacement. The share of pairs that pass must be alpha, 0.05, or less. The same pairs say how often
`--clusters` sees a difference where there is none, and drops the better one from the best.

    python research/gate_errors.py wmt14 --trials 2000
"""

from __future__ import annotations

import argparse

import numpy as np

import cupel
from cupel import data, significance
from cupel.scores import Scores
from cupel.significance import standard_errors, tail
from cupel.system_ranking import ranking

METRICS = ("bleu", "chrf++", "ter", "rouge-l", "numbers")
ALPHA = 0.05


def error_rates(scores: Scores, segments: int, trials: int, seed: int) -> dict[str, list[float]]:
    """metric -> [passed, different, best dropped]: shares of trials."""
    generator = np.random.default_rng(seed)
    n = len(scores.corpus)
    counts = {label: np.zeros(3) for label in scores.metrics}
    for trial in range(trials):
        rows = generator.integers(n, size=segments)
        first = generator.integers(2, size=segments)
        drawn_statistics = {
            label: np.stack([values[first, rows], values[1 - first, rows]])
            for label, values in scores.statistics.items()
        }
        drawn = significance.bootstrap_all(scores.metrics, drawn_statistics, 500, trial)
        for label, metric in scores.metrics.items():
            actual = metric.score(drawn_statistics[label].sum(axis=1))
            gain = (actual[1] - actual[0]) * (1 if metric.higher_is_better else -1)
            error = standard_errors(drawn[label], segments)[0, 1]
            ranked = ranking(
                label, ["a", "b"], actual, drawn[label],
                segments=segments, higher_is_better=metric.higher_is_better, level=ALPHA,
            )  # fmt: skip
            counts[label] += [
                float(tail(np.array(gain), np.array(error), segments)) <= ALPHA,
                ranked.systems[1].cluster == 2,
                not next(one for one in ranked.systems if one.system == "a").maybe_best,
            ]
    return {label: list(count / trials) for label, count in counts.items()}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("dataset", nargs="?", default="wmt14")
    parser.add_argument("--pair", default="de-en")
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    corpus = data.wmt_corpus(given.dataset, given.pair)
    two = dict(list(corpus.systems.items())[:2])
    scores = cupel.score(
        cupel.Corpus(two, corpus.references, corpus.sources), metrics=list(METRICS)
    )
    print("segments  metric    passed  different  best dropped")
    for segments in (50, 200, 1000):
        rates = error_rates(scores, segments, given.trials, given.seed)
        for label, (passed, different, dropped) in rates.items():
            print(f"{segments:8}  {label:8}  {passed:.3f}   {different:.3f}      {dropped:.3f}")


if __name__ == "__main__":
    main()
