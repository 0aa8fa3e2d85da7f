"""What google-research/mt-metrics-eval answers to the questions of `mtme_statistics`."""

from __future__ import annotations

import functools
import importlib.util
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from mtme_statistics import SEED, STOPPING, WEIGHTS, Case, Question, by_name, rankings

from cupel.arrays import FloatArray
from cupel.meta.statistic import Statistic

VARIANTS = {"tau-23": "23", "acc-23": "acc23", "tau-eq": "23", "acc-eq": "acc23", "tau-b": "b"}


def load(path: Path) -> types.SimpleNamespace:
    """The modules of a clone, without what only its parallel runs and its error spans need."""
    for name in ("apache_beam", "dacite"):
        if name not in sys.modules and importlib.util.find_spec(name) is None:
            sys.modules[name] = types.ModuleType(name)
    if str(path) not in sys.path:
        sys.path.insert(0, str(path))
    from mt_metrics_eval import data, stats, tasks  # type: ignore[import-not-found]

    return types.SimpleNamespace(data=data, stats=stats, tasks=tasks)


@dataclass
class Oracle:
    """mt-metrics-eval, asked the same."""

    mtme: types.SimpleNamespace
    results: dict[str, Any] = field(default_factory=dict)

    def answer(self, asked: Question) -> list[float]:
        """In the form of `ours`."""
        if asked.kind == "average":
            return self._average()
        data = asked.data()
        np.random.seed(SEED)  # noqa: NPY002
        if asked.kind == "ranking":
            return self._ranking(asked, data)
        if asked.kind == "value":
            return self._value(asked, data)
        first, second = (self._correlation(data, name) for name in asked.metrics)
        if asked.kind == "williams":
            wrapper = self._wrapper(asked.statistic, data, first.none_count)
            p, r2, r1 = self.mtme.stats.WilliamsSigDiff(second, first, wrapper)
            return [float(p), float(r1), float(r2)]
        return self._test(asked, first, second, data)

    def _correlation(self, data: Case, name: str) -> Any:
        gold, scores = data.human.ravel(), data.metrics[name].ravel()
        return self.mtme.stats.Correlation(
            len(data.human),
            [None if np.isnan(x) else float(x) for x in gold],
            [None if np.isnan(x) else float(x) for x in scores],
        )

    def _function(
        self, statistic: Statistic, data: Case
    ) -> tuple[Callable[..., Any], dict[str, Any]]:
        import scipy.stats

        stats, name = self.mtme.stats, statistic.name
        plain = {"pearson": scipy.stats.pearsonr, "spearman": scipy.stats.spearmanr}
        if name in plain:
            return plain[name], {"pdp": True} if statistic.differences else {}
        if name in ("tau-b", "tau-c") and not statistic.epsilon:
            return scipy.stats.kendalltau, {"variant": name[-1]}
        if name == "kendall-like":
            return stats.KendallLike, {"thresh": statistic.threshold}
        if name in ("tau-eq", "acc-eq"):
            options = {"variant": VARIANTS[name], "sample_rate": statistic.sample_rate}
            return stats.KendallWithTiesOpt, options
        if name == "spa":
            missing = bool(np.isnan(data.human).any())
            systems = len(data.human)
            return functools.partial(
                stats.PairwiseConfidenceError, num_sys=systems, filter_nones=missing
            ), {}
        if name == "accuracy":
            return self._accuracy, {}
        return stats.KendallVariants, {"variant": VARIANTS[name], "epsilon": statistic.epsilon}

    def _accuracy(self, gold: Any, scores: Any) -> tuple[float, int]:
        agree, pairs = self.mtme.stats.Agreement(gold, scores)
        return agree / pairs, pairs

    def _wrapper(self, statistic: Statistic, data: Case, gaps: int) -> Any:
        function, options = self._function(statistic, data)
        return self.mtme.stats.AverageCorrelation(
            function, len(data.human), statistic.average, gaps, statistic.zeros,
            not statistic.weighted, **options,
        )  # fmt: skip

    def _value(self, asked: Question, data: Case) -> list[float]:
        statistic = asked.statistic
        function, options = self._function(statistic, data)
        one = self._correlation(data, asked.metrics[0])
        if statistic.name in ("tau-eq", "acc-eq"):
            value, epsilon, _ = function(
                one.gold_scores, one.metric_scores, num_sys=one.num_sys,
                average_by=statistic.average, **options,
            )  # fmt: skip
            return [float(value), float(epsilon)]
        if statistic.name in ("spa", "accuracy"):
            pairs = one.num_sys * (one.num_sys - 1) / 2
            return [float(function(one.gold_scores, one.metric_scores)[0]), pairs]
        wrapper = self._wrapper(statistic, data, one.none_count)
        value, p, n = wrapper(one.gold_scores, one.metric_scores)
        return [float(value), float(n), *([float(p)] if asked.with_p else [])]

    def _test(self, asked: Question, first: Any, second: Any, data: Case) -> list[float]:
        stats, statistic = self.mtme.stats, asked.statistic
        params = stats.PermutationSigDiffParams(STOPPING.block, STOPPING.low, STOPPING.high)
        function, options = self._function(statistic, data)
        if asked.swap == "pairs":
            epsilon = None if statistic.name in ("tau-eq", "acc-eq") else statistic.epsilon
            p, difference, made, draws = stats.PairwisePermutationSigDiff(
                second, first, VARIANTS[statistic.name], statistic.average, asked.trials, params,
                epsilon, epsilon,
            )  # fmt: skip
        else:
            with _coins(asked.swap, data, statistic.average):
                p, difference, made, draws = stats.PermutationSigDiff(
                    second, first, function, statistic.average, asked.trials, params, **options
                )
        last = np.array(draws)
        return [*map(float, (p, difference, made, *last.sum(axis=0), *last[-1]))]

    def _ranking(self, asked: Question, data: Case) -> list[float]:
        function, options = self._function(asked.statistic, data)
        correlations = {name: self._correlation(data, name) for name in data.metrics}
        params = self.mtme.stats.PermutationSigDiffParams(
            STOPPING.block, STOPPING.low, STOPPING.high
        )
        result = self.mtme.data.CompareMetrics(
            correlations, function, asked.statistic.average, asked.trials, params,
            perm_test="pairs" if asked.swap == "pairs" else "scores", **options,
        )  # fmt: skip
        task = self.mtme.tasks.TaskResults(None, result)
        corr_fcn = {"acc-eq": "KendallWithTiesOpt"}.get(asked.statistic.name, asked.statistic.name)
        task.name = f"corr_fcn={corr_fcn} corr_fcn_args={{}}"
        self.results[asked.name] = task
        return _plain_oracle(result[0], result[1])

    def _average(self) -> list[float]:
        for asked in rankings():
            if asked.name not in self.results:
                self.answer(asked)
        results = [self.results[asked.name] for asked in rankings()]
        tasks = self.mtme.tasks.TaskSetResults(results)
        averaged = _plain_oracle(*tasks.AverageCorrMatrix(WEIGHTS))
        return averaged + by_name(tasks.AverageRanks(WEIGHTS))


def _plain_oracle(ranks: dict[str, Any], matrix: FloatArray) -> list[float]:
    order = [sorted(ranks).index(name) for name in ranks]
    values, places = zip(*ranks.values(), strict=True)
    return [*map(float, (*order, *values, *places, *matrix.ravel()))]


class _coins:  # noqa: N801
    """PERM-SYS and PERM-INPUT, which mt-metrics-eval lacks: its test with coins that go together."""

    def __init__(self, swap: str, data: Case, average: str) -> None:
        self.swap, self.average = swap, average
        self.shape = data.human.shape
        self.judged = ~np.isnan(data.human)
        self.toss = np.random.binomial

    def __enter__(self) -> None:
        if self.swap == "both":
            return
        systems, segments = self.shape

        def together(n: int, p: float, size: int) -> Any:
            sizes = {"systems": (systems, 1), "segments": (1, segments)}[self.swap]
            coins = np.broadcast_to(self.toss(n, p, sizes), self.shape)
            by_item = self.average == "item"
            kept = coins.T[self.judged.T] if by_item else coins[self.judged]
            assert len(kept) == size
            return kept

        np.random.binomial = together  # type: ignore[assignment]

    def __exit__(self, *_: object) -> None:
        np.random.binomial = self.toss
