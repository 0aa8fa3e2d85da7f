"""Statistics and tests of campaigns against google-research/mt-metrics-eval.

The peer is a clone that the variable MT_METRICS_EVAL names; without one, rows have our times alone.
Judgments are those of ted21, both language pairs one after the other (no gaps), and of mqm21
(people judged a third); scores those of Cupel's metrics and of means of two of them. Where the peer would take hours it runs some of the trials, and
its time is multiplied. Times are those of the processor, one core for either.
"""

from __future__ import annotations

import itertools
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from cupel.arrays import FloatArray
from cupel.errors import CupelError
from cupel.human.evalset import read_evalset
from cupel.learned.assay.data.graded import pack_folder
from cupel.meta.agreement import agreement, agreements
from cupel.meta.permutation import Stopping, permutation_test, standardised
from cupel.meta.ranking import rank_metrics
from cupel.meta.scorecache import metric_scores
from cupel.meta.statistic import Statistic
from cupel.registry import named_metrics

HEADER = ["campaigns", "ours", "mt-metrics-eval", "ratio", "goal", "largest difference"]
METRICS = "sentbleu chrf chrf++ ter wer per cder rouge-l".split()
COUNT, TRIALS = 20, 1000
NO_PEER = "not measured: MT_METRICS_EVAL names no clone"

Scores = dict[str, FloatArray]


def rows(repetitions: int = 3) -> list[list[str]]:
    """One line for each contest; a line that says what is missing where the pack is."""
    try:
        human, metrics = _data("ted21", "en-de", "zh-en")
        some, others = _data("mqm21", "zh-en")
    except CupelError as error:
        return [[str(error), "", "", "", "", ""]]
    peer, other_peer = _peer(human, metrics), _peer(some, others)
    what, gaps = (f"{len(h)} systems x {h.shape[1]:,} segments" for h in (human, some))
    first, second = list(metrics)[:2]
    tau, pairs = Statistic("tau-b", "item"), Statistic("acc-eq", "item")
    no_end = {"trials": TRIALS, "stopping": Stopping(TRIALS)}

    def test(statistic: Statistic, swap: str) -> FloatArray:
        scores = metrics[first], metrics[second]
        return permutation_test(statistic, human, *scores, swap=swap, **no_end).draws  # type: ignore[arg-type]

    def ranking() -> FloatArray:
        made = rank_metrics(Statistic("pearson"), human, metrics, **no_end)  # type: ignore[arg-type]
        return made.draws[made.names[0], made.names[1]]

    def soft(human: FloatArray, metrics: Scores) -> FloatArray:
        values = agreements(Statistic("spa"), human, metrics).values()
        return np.array([value.value for value in values])

    contests: list[tuple[str, Callable[[], FloatArray], Any, int, str]] = [
        (
            f"acc-eq with tie optimisation, {what}",
            lambda: np.array([agreement(pairs, human, metrics[first]).value]),
            peer and peer.acc_eq, repetitions, "30x",
        ),
        (
            f"SPA of {COUNT} metrics, {gaps}, a third judged",
            lambda: soft(some, others), other_peer and other_peer.soft, repetitions, "30x",
        ),
        (
            f"SPA of {COUNT} metrics, {what}, all judged",
            lambda: soft(human, metrics), peer and peer.soft, repetitions, "30x",
        ),
        (
            f"PERM-BOTH of Pearson's r, {TRIALS:,} permutations, {COUNT} metrics",
            ranking, peer and peer.pearson, 1, "30x",
        ),
        (
            f"PERM-BOTH of Kendall's tau by item, {TRIALS:,} permutations, 2 metrics",
            lambda: test(tau, "both"), peer and peer.kendall, 1, "30x",
        ),
        (
            f"PERM-PAIR-DIFF of acc-eq, {TRIALS:,} permutations, 2 metrics",
            lambda: test(pairs, "pairs"), peer and peer.pairs, 1, "30x",
        ),
    ]  # fmt: skip
    return [_row(*contest) for contest in contests]


def _row(
    name: str, ours: Callable[[], FloatArray], theirs: Any, repetitions: int, goal: str
) -> list[str]:
    ours() if repetitions > 1 else None
    took, expected, difference = [], [], ""
    for _ in range(repetitions):  # in turn, so that both meet the same machine
        start = time.process_time()
        values = ours()
        took.append(time.process_time() - start)
        if theirs:
            seconds, answer = theirs()
            expected.append(seconds)
            distance = np.abs(values[: len(answer)] - answer).max()
            difference = f"{distance:.0e}" + (" DIFFERENT" if not distance <= 1e-12 else "")
    mine = statistics.median(took)
    if not theirs:
        return [name, _time(mine), NO_PEER, "", goal, ""]
    other = statistics.median(expected)
    return [name, _time(mine), _time(other), f"{other / mine:.0f}x", goal, difference]


def _time(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:,.1f} s"


def _data(pack: str, *pairs: str) -> tuple[FloatArray, Scores]:
    """(systems, segments) of people, and of as many metrics as the contests ask for."""
    human: list[FloatArray] = []
    parts: dict[str, list[FloatArray]] = {}
    for pair in pairs:
        campaign = read_evalset(pack_folder(pack), pair)
        human.append(campaign.human["mqm"].matrix(list(campaign.corpus.systems)))
        for label, scores in metric_scores(campaign.corpus, named_metrics(METRICS)).items():
            parts.setdefault(label, []).append(scores.segments)
    metrics = {label: np.hstack(blocks) for label, blocks in parts.items()}
    for a, b in itertools.combinations(METRICS, 2):
        if len(metrics) < COUNT:
            metrics[f"{a}+{b}"] = standardised(metrics[a]) + standardised(metrics[b])
    return np.hstack(human), metrics


class Peer:
    """The same questions; each answer with the seconds that the whole contest would take."""

    def __init__(self, stats: Any, human: FloatArray, metrics: Scores) -> None:
        self.stats, self.systems = stats, len(human)
        gold = [None if np.isnan(x) else float(x) for x in human.ravel()]
        self.correlations = {
            name: stats.Correlation(self.systems, gold, scores.ravel().tolist())
            for name, scores in metrics.items()
        }
        self.first, self.second = list(self.correlations.values())[:2]
        self.params = stats.PermutationSigDiffParams(TRIALS, 0.02, 0.5)

    def acc_eq(self) -> tuple[float, FloatArray]:
        start = time.process_time()
        value = self.first.KendallWithTiesOpt("item", sample_rate=1.0)[0]
        return time.process_time() - start, np.array([value])

    def soft(self) -> tuple[float, FloatArray]:
        start = time.process_time()
        values = [one.PairwiseConfidenceError()[0] for one in self.correlations.values()]
        return time.process_time() - start, np.array(values)

    def pearson(self) -> tuple[float, FloatArray]:
        import scipy.stats

        order = sorted(
            self.correlations, key=lambda name: (-self.correlations[name].Pearson()[0], name)
        )
        best, next_best = (self.correlations[name] for name in order[:2])
        seconds, draws = self._trials(50, scipy.stats.pearsonr, "none", next_best, best)
        return seconds * COUNT * (COUNT - 1) / 2, draws

    def kendall(self) -> tuple[float, FloatArray]:
        import scipy.stats

        return self._trials(3, scipy.stats.kendalltau, "item", self.second, self.first)

    def _trials(
        self, count: int, function: Any, average: str, *both: Any
    ) -> tuple[float, FloatArray]:
        np.random.seed(0)  # noqa: NPY002
        start = time.process_time()
        draws = self.stats.PermutationSigDiff(*both, function, average, count, self.params)[3]
        return (time.process_time() - start) * TRIALS / count, np.array(draws)

    def pairs(self) -> tuple[float, FloatArray]:
        count = 3
        stats = self.stats
        gold, options = self.first.gold_scores, ("acc23", self.systems, "item", 1.0)
        epsilons = [
            stats.KendallWithTiesOpt(gold, one.metric_scores, *options)[1]
            for one in (self.second, self.first)
        ]
        np.random.seed(0)  # noqa: NPY002
        start = time.process_time()
        draws = stats.PairwisePermutationSigDiff(
            self.second, self.first, "acc23", "item", count, self.params, *epsilons
        )[3]
        return (time.process_time() - start) * TRIALS / count, np.array(draws)


def _peer(human: FloatArray, metrics: Scores) -> Peer | None:
    clone = os.environ.get("MT_METRICS_EVAL")
    if not clone:
        return None
    sys.path.insert(0, clone)
    from mt_metrics_eval import stats  # type: ignore[import-not-found]

    return Peer(stats, human, metrics)
