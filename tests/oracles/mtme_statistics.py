"""Questions about real judgments, with the answers of Cupel and of mt-metrics-eval.

Judgments are those of mqm21, ted21 and bio21, scores those of Cupel's metrics. There are gaps (whole
segments, single translations, 35% at random), ties, a metric that is constant on most segments, and
scores that are missing. The answers of mt-metrics-eval are those of `mtme_oracle`; `tools/record_mtme.py` writes the answers of a clone to
recorded_statistics.json.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cupel.arrays import FloatArray
from cupel.human.evalset import read_evalset
from cupel.learned.assay.data.graded import pack_folder
from cupel.meta.agreement import agreement
from cupel.meta.comparison import correlations_of, williams
from cupel.meta.permutation import Stopping, permutation_test
from cupel.meta.ranking import Ranking, average_ranking, average_ranks, rank_metrics
from cupel.meta.scorecache import metric_scores
from cupel.meta.statistic import Statistic
from cupel.registry import named_metrics

RECORD = Path(__file__).with_name("recorded_statistics.json")
METRICS = ["sentbleu", "chrf", "wer", "rouge-l"]
SHORT = 40
SEED = 7
WEIGHTS = [0.4, 0.3, 0.2, 0.1]
STOPPING = Stopping(block=20)


@dataclass(frozen=True)
class Case:
    """human: (systems, segments); metrics: name -> the same shape."""

    human: FloatArray
    metrics: dict[str, FloatArray]

    def cut(self, short: bool) -> Case:
        """The first segments only, where mt-metrics-eval would take minutes for all."""
        if not short:
            return self
        return Case(self.human[:, :SHORT], {k: v[:, :SHORT] for k, v in self.metrics.items()})

    def of_systems(self) -> Case:
        """One score per system: means over what people judged."""
        judged = ~np.isnan(self.human)

        def means(scores: FloatArray) -> FloatArray:
            return np.array([[row[kept].mean()] for row, kept in zip(scores, judged, strict=True)])

        return Case(means(self.human), {k: means(v) for k, v in self.metrics.items()})


@functools.cache
def case(name: str) -> Case:
    """`PACK PAIR [sparse | whole]`: as it is, with 35% missing at random, without gaps."""
    pack, pair, *kind = name.split()
    source = read_evalset(pack_folder(pack), pair)
    human = source.human["mqm"].matrix(list(source.corpus.systems))
    metrics = {
        label: scores.segments
        for label, scores in metric_scores(source.corpus, named_metrics(METRICS)).items()
    }
    metrics["tied"] = np.round(metrics["chrf"] / 8) * 8
    metrics["few"] = (metrics["chrf"] > 85).astype(float)
    # Judged segments first, so that the first ones are worth looking at.
    order = np.argsort(np.isnan(human).sum(axis=0), kind="stable")
    human, metrics = human[:, order], {k: v[:, order] for k, v in metrics.items()}
    if kind == ["sparse"]:
        human = np.where(np.random.default_rng(1).random(human.shape) < 0.35, np.nan, human)
    elif kind == ["whole"]:
        whole = ~np.isnan(human).any(axis=0)
        human, metrics = human[:, whole], {k: v[:, whole] for k, v in metrics.items()}
    return Case(human, metrics)


@dataclass(frozen=True)
class Question:
    """kind: value, test, ranking, average or williams."""

    kind: str
    case: str
    statistic: Statistic
    metrics: tuple[str, ...] = ()
    short: bool = False
    systems: bool = False
    swap: str = "both"
    trials: int = 40
    with_p: bool = False
    missing: bool = False
    flat: bool = False

    @property
    def name(self) -> str:
        """Its key in the record."""
        default = Statistic(self.statistic.name)
        options = [f"{k}={v}" for k, v in vars(self.statistic).items() if v != getattr(default, k)]
        flags = [k for k in ("short", "systems", "with_p", "missing", "flat") if getattr(self, k)]
        test = [self.swap, str(self.trials)] if self.kind != "value" else []
        words = [self.kind, self.case, self.statistic.name, *options, *self.metrics, *flags, *test]
        return " ".join(words)

    def data(self) -> Case:
        """Its scores; `missing`: the metrics lack some as well; `flat`: one more is constant."""
        chosen = case(self.case).cut(self.short)
        chosen = chosen.of_systems() if self.systems else chosen
        if self.missing:
            holes = np.random.default_rng(2).random(chosen.human.shape) < 0.1
            metrics = {k: np.where(holes, np.nan, v) for k, v in chosen.metrics.items()}
            chosen = Case(chosen.human, metrics)
        if self.flat:
            chosen = Case(
                chosen.human, {**chosen.metrics, "flat": np.full(chosen.human.shape, 0.3)}
            )
        return chosen


CASES = ("mqm21 zh-en", "ted21 en-de", "ted21 en-de sparse", "bio21 de-en")
AVERAGES = ("none", "item", "sys")
ALL = (*METRICS, "tied", "few")


def questions() -> list[Question]:
    """Every statistic and average, gaps, ties, tests, rankings."""
    asked = [
        Question("value", name, Statistic(statistic, average), (metric,))
        for name in CASES
        for statistic in ("pearson", "spearman", "tau-b", "tau-c")
        for average in AVERAGES
        for metric in ("chrf", "tied", "few")
    ]
    asked += [
        Question("value", name, Statistic("acc-eq", "item"), (metric,))
        for name in CASES
        for metric in ("chrf", "tied", "few", "sentbleu")
    ]
    short = functools.partial(Question, "value", short=True)
    for name, average in ((n, a) for n in ("ted21 en-de sparse", "bio21 de-en") for a in AVERAGES):
        asked += [
            short(name, Statistic(s, average, sample_rate=rate), ("tied",))
            for s in ("acc-eq", "tau-eq")
            for rate in (1.0, 0.3)
        ]
        asked += [
            short(name, Statistic(s, average, epsilon=epsilon), ("tied",))
            for s in ("acc-23", "tau-23", "tau-b")
            for epsilon in (0.0, 8.0)
            if (s, epsilon) != ("tau-b", 0.0)
        ]
        asked += [
            short(name, Statistic("kendall-like", average, threshold=t, weighted=w), ("tied",))
            for t in (0.0, 1.0, 5.0)
            for w in (False, True)
        ]
        asked += [
            short(name, Statistic(s, average, zeros=z), ("few",), with_p=True)
            for s in ("pearson", "spearman", "tau-b", "tau-c")
            for z in (False, True)
        ]
        asked.append(short(name, Statistic("pearson", average, weighted=True), ("chrf",)))
        asked.append(short(name, Statistic("acc-eq", average), ("chrf",), missing=True))
        if average != "none":
            asked.append(short(name, Statistic("pearson", average, differences=True), ("chrf",)))
    asked += [
        Question("value", n, Statistic("spa"), (m,))
        for n in (*CASES[:2], "bio21 de-en whole")
        for m in ALL
    ]
    asked += [
        Question("value", n, Statistic("accuracy"), (m,), systems=True) for n in CASES for m in ALL
    ]
    return asked + _tests() + rankings() + _more_rankings()


def _tests() -> list[Question]:
    pair = ("chrf", "tied")
    asked = [
        Question("test", name, Statistic(s, a), pair, short=True)
        for name in ("ted21 en-de", "ted21 en-de sparse")
        for s in ("pearson", "spearman", "tau-b", "tau-c", "acc-23", "kendall-like")
        for a in AVERAGES
    ]
    asked += [
        Question("test", "ted21 en-de", Statistic("pearson"), p, trials=200)
        for p in (("chrf", "sentbleu"), ("wer", "rouge-l"), ("rouge-l", "few"))
    ]
    asked += [
        Question("test", "mqm21 zh-en", Statistic(s), ("rouge-l", "few"), trials=100)
        for s in ("spearman", "tau-b")
    ]
    asked += [
        Question("test", name, Statistic(s, a), pair, short=True, swap="pairs", trials=60)
        for name in ("ted21 en-de sparse", "bio21 de-en whole")
        for s in ("acc-eq", "tau-eq", "tau-b")
        for a in ("item", "sys")
    ]
    asked += [
        Question(
            "test",
            "ted21 en-de sparse",
            Statistic("acc-eq", a, sample_rate=r),
            pair,
            short=True,
            trials=4,
        )
        for a in ("item", "sys")
        for r in (1.0, 0.5)
    ]
    asked += [
        Question("test", "ted21 en-de", Statistic("acc-eq", "item"), p, swap="pairs", trials=6)
        for p in (("chrf", "sentbleu"), ("wer", "few"))
    ]
    asked += [
        Question("test", name, Statistic(s), p, systems=True, trials=400)
        for name in CASES
        for s in ("pearson", "spearman", "tau-b", "accuracy")
        for p in (("chrf", "sentbleu"), ("wer", "few"))
    ]
    asked.append(Question("test", "ted21 en-de", Statistic("spa"), ("wer", "chrf"), trials=20))
    asked += [
        Question("test", "ted21 en-de sparse", Statistic(s, a), pair, short=True, swap=swap)
        for swap in ("systems", "segments")
        for s, a in (("pearson", "none"), ("tau-b", "item"), ("pearson", "sys"))
    ]
    asked += [
        Question("williams", name, Statistic("pearson", a), pair, short=True)
        for name in ("ted21 en-de", "ted21 en-de sparse")
        for a in AVERAGES
    ]
    return asked


def rankings() -> list[Question]:
    return [
        Question("ranking", "ted21 en-de", Statistic("pearson"), trials=60),
        Question("ranking", "bio21 de-en", Statistic("tau-b", "item"), short=True),
        Question(
            "ranking", "ted21 en-de sparse", Statistic("acc-eq", "item"), short=True, swap="pairs"
        ),
        Question("ranking", "mqm21 zh-en", Statistic("accuracy"), systems=True, trials=100),
    ]


def _more_rankings() -> list[Question]:
    """The average of those, and some with a constant metric."""
    asked = [
        Question("ranking", f"ted21 en-de{kind}", Statistic(name, average), short=True, flat=True)
        for kind in ("", " sparse")
        for name in ("pearson", "spearman")
        for average in ("none", "sys")
    ]
    return [Question("average", "", Statistic("pearson")), *asked]


def ours(asked: Question) -> list[float]:
    """Cupel's answer."""
    if asked.kind == "average":
        tasks = [_ranking(task) for task in rankings()]
        return _plain_ranking(average_ranking(tasks, WEIGHTS)) + by_name(
            average_ranks(tasks, WEIGHTS)
        )
    data = asked.data()
    if asked.kind == "ranking":
        return _plain_ranking(_ranking(asked))
    if asked.kind == "value":
        value = agreement(
            asked.statistic, data.human, data.metrics[asked.metrics[0]],
            random=SEED, p_value=asked.with_p,
        )  # fmt: skip
        assert value.value is not None
        if value.epsilon is not None:
            return [value.value, value.epsilon]
        return [value.value, value.n, *([] if value.p_value is None else [value.p_value])]
    first, second = (data.metrics[name] for name in asked.metrics)
    if asked.kind == "williams":
        r, between, n = correlations_of(asked.statistic, data.human, [first, second])
        return [float(williams(r.max(), r.min(), between[0, 1], n)), *r.tolist()]
    tested = permutation_test(
        asked.statistic, data.human, first, second, swap=asked.swap, trials=asked.trials,
        stopping=STOPPING, random=SEED,
    )  # fmt: skip
    return [
        tested.p_value,
        tested.difference,
        tested.trials,
        *tested.draws.sum(axis=0),
        *tested.draws[-1],
    ]


def _ranking(asked: Question) -> Ranking:
    data = asked.data()
    return rank_metrics(
        asked.statistic, data.human, data.metrics, swap=asked.swap, trials=asked.trials,
        stopping=STOPPING, random=SEED, undefined_as_zero=asked.flat,
    )  # fmt: skip


def _plain_ranking(ranking: Ranking) -> list[float]:
    order = [sorted(ranking.names).index(name) for name in ranking.names]
    return [*order, *ranking.values, *ranking.ranks, *ranking.p_values.ravel()]


def by_name(values: dict[str, float]) -> list[float]:
    return [values[name] for name in sorted(values)]
