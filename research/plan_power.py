"""Is the power that `cupel plan` states the power that tests have?

From 500 segments of two systems of WMT14 a plan says how many segments show their difference, as
it is on the whole test set, with 80% power. Test sets of that size are then drawn with replacement
from the whole, and tested by approximate randomization (`--paired ar`) and by the standard error of
a bootstrap (`--clusters`, without correction). Pairs whose plan is larger than the most segments are skipped.

    python research/plan_power.py --pair de-en --trials 200
"""

from __future__ import annotations

import argparse

import numpy as np

import cupel
from cupel import data, significance
from cupel.arrays import FloatArray
from cupel.metric import Metric
from cupel.planning import pseudo_values, segments_needed
from cupel.significance import standard_errors, tail

PILOT = 500
FEWEST, MOST = 60, 3000


def rejected(metric: Metric, statistics: FloatArray, seed: int) -> tuple[bool, bool]:
    """Whether `ar` and the standard error show a difference. statistics: (2, n, k)."""
    n = statistics.shape[1]
    by_exchange = significance.paired_randomization(metric, statistics, trials=400, seed=seed)[1]
    drawn = significance.bootstrap_scores(metric, statistics, 200, seed)
    error = standard_errors(drawn, n)[0, 1]
    actual = metric.score(statistics.sum(axis=1))
    by_error = 2 * tail(np.array(abs(actual[1] - actual[0])), np.array(error), n)
    return bool(by_exchange < 0.05), bool(by_error < 0.05)


def measured(
    metric: Metric, statistics: FloatArray, trials: int, generator: np.random.Generator
) -> list[float] | None:
    """[segments planned, share shown by ar, by the error]; None where the plan is out of range."""
    everything = statistics.shape[1]
    totals = metric.score(statistics.sum(axis=1))
    pilot = statistics[:, generator.permutation(everything)[:PILOT]]
    spread = float(pseudo_values(metric, pilot).std(ddof=1))
    if totals[0] == totals[1] or spread == 0:
        return None
    difference = abs(float(totals[1] - totals[0]))
    needed = segments_needed(difference, spread)
    if not FEWEST <= needed <= MOST:
        return None
    counts = np.zeros(2)
    for trial in range(trials):
        rows = generator.integers(everything, size=needed)
        counts += rejected(metric, statistics[:, rows], trial)
    return [needed, *(counts / trials)]


def main() -> None:
    """Print a line for each metric and pair of systems, and the means."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--dataset", default="wmt14")
    parser.add_argument("--pair", default="de-en")
    parser.add_argument("--metrics", nargs="+", default=["chrf++", "bleu", "ter"])
    parser.add_argument("--pairs", type=int, default=6, help="pairs of systems for each metric")
    parser.add_argument("--trials", type=int, default=200)
    asked = parser.parse_args()
    scores = cupel.score(data.wmt_corpus(asked.dataset, asked.pair), metrics=asked.metrics)
    generator = np.random.default_rng(12345)
    count = len(scores.systems)
    for label, metric in scores.metrics.items():
        results: list[list[float]] = []
        for at in generator.permutation(count * count).tolist():
            if at // count < at % count and len(results) < asked.pairs:
                two = scores.statistics[label][[at // count, at % count]]
                result = measured(metric, two, asked.trials, generator)
                results += [result] if result else []
        for needed, exchange, error in results:
            print(f"{label}\t{needed:.0f}\t{exchange:.3f}\t{error:.3f}", flush=True)
        means = np.mean(results, axis=0)
        print(f"{label}\tmean\t{means[1]:.3f}\t{means[2]:.3f}", flush=True)


if __name__ == "__main__":
    main()
