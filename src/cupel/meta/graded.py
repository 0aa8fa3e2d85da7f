"""Metrics against graded judgments: direct assessment, MQM, ESA, any score that people gave.

Judgments are a matrix (systems, items) with NaN where nobody judged; items are segments, documents or
domains, and at system level there is one. Statistics are those of `cupel.meta.statistic`. Intervals
resample items: all translations of a segment are drawn together; at system level they resample the
judgments of segments from which people's scores of systems were computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.corpus import Corpus
from cupel.errors import CupelError
from cupel.meta.advice import judged_units
from cupel.meta.agreement import agreement, group_values
from cupel.meta.comparison import williams_test
from cupel.meta.evaluation import (
    FEWEST_SYSTEMS,
    SYSTEM_STATISTICS,
    interval_of,
    too_few_systems,
)
from cupel.meta.permutation import Stopping
from cupel.meta.ranking import Ranking, average_ranking, rank_metrics
from cupel.meta.result import AVERAGE, Agreement, Evaluation
from cupel.meta.statistic import CALIBRATED, STATISTICS, Statistic, generator, grouped
from cupel.significance import (
    BOOTSTRAP_RESAMPLES,
    DEFAULT_SEED,
    bootstrap_sums,
    drawn_indices,
    widened,
)

DIFFERENCES = "pearson-diff"
"""Pearson's r over the differences between translations of one segment."""
OF_SYSTEMS = ("spearman-no-ties", "kendall")
"""Statistics over systems that mt-metrics-eval does not have."""
GRADED_STATISTICS = (*(n for n in STATISTICS if n not in ("accuracy", "spa")), DIFFERENCES)
GRADED_SYSTEM_STATISTICS = (*STATISTICS, *OF_SYSTEMS)
TESTS = {
    "perm-both": "both",
    "perm-sys": "systems",
    "perm-input": "segments",
    "perm-pair-diff": "pairs",
}
"""Permutation tests, and what they exchange between two metrics."""
_BY_ITEM = ("acc-eq", "tau-eq", "kendall-like", DIFFERENCES)


@dataclass(frozen=True)
class Graded:
    """One language pair at one level: what people and metrics gave each system and item.

    human: (systems, items), NaN where nobody judged; scores: metric -> the same shape. systems,
    items: their names. gold: the name of the human scores. corpus: all texts; segments: the places
    in it that are used. judgments, segment_scores: people's and metrics' scores of these, (systems,
    segments), where they are there. blocks: the numbers of systems of several language pairs that
    follow each other; those of different pairs are not compared.
    """

    pair: str
    human: FloatArray
    scores: Mapping[str, FloatArray]
    level: str = "segment"
    systems: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    judgments: FloatArray | None = None
    gold: str = ""
    corpus: Corpus | None = field(default=None, repr=False)
    segments: IntArray | None = field(default=None, repr=False)
    segment_scores: Mapping[str, FloatArray] = field(default_factory=dict, repr=False)
    blocks: tuple[int, ...] = ()


@dataclass(frozen=True)
class Settings:
    """How metrics are judged: see `cupel.evaluate`. average: if not given, as WMT does."""

    statistic: str = "pearson"
    level: str = "segment"
    average: str | None = None
    undefined: str = "skip"
    sample_rate: float = 1.0
    threshold: float | None = None
    test: str | None = None
    permutations: int = 1000
    block: int = 100
    alpha: float = 0.05
    resamples: int = BOOTSTRAP_RESAMPLES
    seed: int = DEFAULT_SEED
    like_mtme: bool = False
    p_values: bool = False

    def statistic_of(self, one: Graded) -> Statistic:
        """The statistic with its options. Ties and thresholds are judged within a segment."""
        by_item = self.statistic in _BY_ITEM and len(one.human) > 1
        raw = 25.0 if one.gold == "wmt-raw" else 0.0
        return Statistic(
            "pearson" if self.statistic == DIFFERENCES else self.statistic,
            self.average or ("item" if by_item else "none"),
            zeros=self.undefined == "zero",
            weighted=self.statistic == "kendall-like",
            threshold=raw if self.threshold is None else self.threshold,
            sample_rate=self.sample_rate,
            differences=self.statistic == DIFFERENCES,
            packed=self.like_mtme,
            blocks=one.blocks,
        )

    @property
    def rounding(self) -> float:
        """A difference between averages that is none; mt-metrics-eval lets rounding decide."""
        return 0.0 if self.like_mtme else 1e-12

    @property
    def stopping(self) -> Stopping:
        """When a test may end early."""
        return Stopping(block=self.block)


def graded_evaluation(judged: Sequence[Graded], settings: Settings) -> Evaluation:
    """Agreement of every metric with graded judgments, on each language pair and on average.

    n: judged translations, documents, domains, or systems.
    """
    left_out: dict[str, str] = {}
    used: list[Graded] = []
    for one in judged:
        if not np.isfinite(one.human).any():
            raise CupelError(f"Nobody judged a translation of {one.pair}.")
        count = int(np.isfinite(one.human).any(axis=1).sum())
        if settings.level == "system" and count < FEWEST_SYSTEMS:
            left_out[one.pair] = too_few_systems(one.pair, count)
        else:
            used.append(one)
    if not used:
        raise CupelError("There is no language pair to evaluate: " + " ".join(left_out.values()))
    agreements: list[Agreement] = []
    replicates: dict[str, FloatArray] = {}
    rankings: dict[str, Ranking] = {}
    metrics = tuple(dict.fromkeys(name for one in used for name in one.scores))
    for one in used:
        computed, drawn, ranking = _of_pair(one, settings)
        agreements += computed
        replicates[one.pair] = np.stack([drawn.get(m, _nothing(settings)) for m in metrics], axis=1)
        if ranking:
            rankings[one.pair] = ranking
    replicates[AVERAGE] = np.mean(list(replicates.values()), axis=0)
    agreements += _averages(agreements, metrics, used, replicates[AVERAGE])
    if len(rankings) == 1:
        rankings[AVERAGE] = rankings[used[0].pair]
    elif rankings:
        rankings[AVERAGE] = average_ranking(
            list(rankings.values()), alpha=settings.alpha, rounding=settings.rounding
        )
    comparisons = {pair: _both_ways(ranking, metrics) for pair, ranking in rankings.items()}
    if settings.test == "williams":
        comparisons = {one.pair: _williams(one, settings, metrics) for one in used}
    return Evaluation(
        settings.statistic,
        settings.level,
        metrics,
        agreements,
        replicates,
        left_out,
        comparisons,
        rankings=rankings,
        graded=tuple(used),
    )


def _of_pair(
    one: Graded, settings: Settings
) -> tuple[list[Agreement], dict[str, FloatArray], Ranking | None]:
    """Values, resampled values and the ranking by a test."""
    judged = np.isfinite(one.human)
    number = int((judged.any(axis=1) if settings.level == "system" else judged).sum())
    ranking = None
    if settings.statistic in OF_SYSTEMS:
        correlate = SYSTEM_STATISTICS[settings.statistic]
        people = one.human[:, 0]
        values = {m: float(correlate(scores[:, 0], people)) for m, scores in one.scores.items()}
        epsilons: dict[str, float] = {}
        p_values: dict[str, float | None] = {}
    else:
        statistic, random = settings.statistic_of(one), generator(settings.seed)
        results = {
            metric: agreement(
                statistic, one.human, scores, random=random, p_value=settings.p_values
            )
            for metric, scores in one.scores.items()
        }
        nothing = 0.0 if settings.like_mtme else np.nan
        values = {m: nothing if v.value is None else v.value for m, v in results.items()}
        epsilons = {m: v.epsilon for m, v in results.items() if v.epsilon is not None}
        p_values = {m: v.p_value for m, v in results.items()}
        if settings.test in TESTS:
            ranking = rank_metrics(
                statistic,
                one.human,
                one.scores,
                swap=TESTS[settings.test],
                trials=settings.permutations,
                stopping=settings.stopping,
                alpha=settings.alpha,
                random=settings.seed,
                undefined_as_zero=settings.like_mtme,
            )
    drawn = {
        metric: _resampled(one, settings, metric, epsilons.get(metric))
        for metric, value in values.items()
        if np.isfinite(value)
    }
    agreements = [
        Agreement(
            one.pair,
            metric,
            value,
            *widened(value, *interval_of(drawn.get(metric, _nothing(settings))), judged_units(one)),
            number,
            "" if np.isfinite(value) else why_no_value(one.human, one.scores[metric]),
            p_values.get(metric),
        )
        for metric, value in values.items()
    ]
    return agreements, drawn, ranking


def why_no_value(human: FloatArray, metric: FloatArray) -> str:
    """The reason why a statistic is undefined, in a few words."""
    judged = np.isfinite(human) & np.isfinite(metric)
    if judged.sum() < 2:
        return "fewer than two judgments"
    if np.ptp(metric[judged]) == 0:
        return "constant scores"
    return (
        "constant human scores"
        if np.ptp(human[judged]) == 0
        else "no group with two different scores"
    )


def _averages(
    agreements: Sequence[Agreement],
    metrics: Sequence[str],
    used: Sequence[Graded],
    replicates: FloatArray,
) -> list[Agreement]:
    """The mean over language pairs of each metric that all of them have."""
    units = sum(map(judged_units, used))
    averages = []
    for place, metric in enumerate(metrics):
        parts = [a for a in agreements if a.metric == metric]
        if len(parts) == len(used):
            value = float(np.mean([a.value for a in parts]))
            reason = next((f"{a.reason} on {a.pair}" for a in parts if a.reason), "")
            number = sum(a.n for a in parts)
            bounds = widened(value, *interval_of(replicates[:, place]), units)
            averages.append(Agreement(AVERAGE, metric, value, *bounds, number, reason))
    return averages


def _both_ways(ranking: Ranking, metrics: Sequence[str]) -> FloatArray:
    """(metrics, metrics): p of "row is better than column", also of the worse one of two."""
    p = np.full((len(metrics), len(metrics)), np.nan)
    place = {metric: at for at, metric in enumerate(metrics)}
    for i, first in enumerate(ranking.names):
        for j, second in enumerate(ranking.names[i + 1 :], start=i + 1):
            a, b = place[first], place[second]
            null = ranking.draws_of(first, second)
            difference = ranking.values[i] - ranking.values[j]
            p[a, b] = ranking.p_values[i, j]
            p[b, a] = np.mean(null[:, 0] - null[:, 1] <= difference + 1e-12)
    np.fill_diagonal(p, 0.5)
    return p


def _williams(one: Graded, settings: Settings, metrics: Sequence[str]) -> FloatArray:
    """(metrics, metrics): p of "row is better than column" by Williams' test; NaN without a value."""
    p = np.full((len(metrics), len(metrics)), np.nan)
    statistic = settings.statistic_of(one)
    for i, first in enumerate(metrics):
        for j, second in enumerate(metrics):
            if first in one.scores and second in one.scores:
                scores = one.scores[first], one.scores[second]
                value, a, b = williams_test(
                    statistic, one.human, *scores, as_published=settings.like_mtme
                )
                p[i, j] = value if i == j or (a or 0.0) >= (b or 0.0) else 1.0 - value
    return p


def _nothing(settings: Settings) -> FloatArray:
    return np.full(settings.resamples, np.nan)


def _resampled(one: Graded, settings: Settings, metric: str, epsilon: float | None) -> FloatArray:
    """(resamples,): the value on resampled judgments; NaN where that takes too long."""
    resamples, seed = settings.resamples, settings.seed
    scores = one.scores[metric]
    if not resamples or settings.statistic == "spa":
        return _nothing(settings)
    if one.human.shape[1] == 1:
        return _over_judgments(one, settings, scores)
    statistic = settings.statistic_of(one)
    if statistic.average == "item" and not statistic.weighted and not statistic.differences:
        return _over_items(statistic, one.human, scores, settings, epsilon)
    if settings.statistic in CALIBRATED:
        return _nothing(settings)
    if statistic.name == "pearson" and statistic.average == "none" and not statistic.differences:
        return _pearson(scores, one.human, resamples, seed)
    replicates = np.empty(resamples)
    for block, drawn in drawn_indices(one.human.shape[1], resamples, seed):
        for number, columns in enumerate(drawn, start=block.start):
            value = agreement(statistic, one.human[:, columns], scores[:, columns]).value
            replicates[number] = np.nan if value is None else value
    return replicates


def _over_judgments(one: Graded, settings: Settings, scores: FloatArray) -> FloatArray:
    """One score a system: people's is the mean of resampled judgments."""
    if one.judgments is None:
        return _nothing(settings)
    rated = np.isfinite(one.judgments)
    sums = np.stack([np.where(rated, one.judgments, 0.0), rated.astype(float)], axis=-1)
    drawn = bootstrap_sums(np.swapaxes(sums, 0, 1), settings.resamples, settings.seed)
    with np.errstate(divide="ignore", invalid="ignore"):
        people = drawn[..., 0] / drawn[..., 1]
    if settings.statistic in SYSTEM_STATISTICS:
        return np.asarray(SYSTEM_STATISTICS[settings.statistic](scores[:, 0], people))
    statistic = settings.statistic_of(one)
    values = [agreement(statistic, row[:, None], scores).value for row in people]
    return np.array([np.nan if value is None else value for value in values])


def _over_items(
    statistic: Statistic,
    human: FloatArray,
    scores: FloatArray,
    settings: Settings,
    epsilon: float | None,
) -> FloatArray:
    """The mean over items, drawn with replacement; a tie threshold stays as it was chosen."""
    name = {"acc-eq": "acc-23", "tau-eq": "tau-23"}.get(statistic.name, statistic.name)
    fixed = Statistic(name, "item", zeros=statistic.zeros, epsilon=epsilon or 0.0)
    groups = grouped(human, [scores], "item")
    values = group_values(fixed, groups, groups.metrics)[0]
    values[groups.sizes < 2] = np.nan
    if statistic.zeros:
        values[groups.sizes > 1] = np.nan_to_num(values[groups.sizes > 1])
    # (items, 2): the value and whether there is one; an item without a judgment has none.
    table = np.zeros((human.shape[1], 2))
    table[groups.labels] = np.stack([np.nan_to_num(values), np.isfinite(values)], axis=1)
    sums = bootstrap_sums(table, settings.resamples, settings.seed)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(sums[:, 0] / sums[:, 1])


def _pearson(metric: FloatArray, human: FloatArray, resamples: int, seed: int) -> FloatArray:
    rated = np.isfinite(human) & np.isfinite(metric)
    x = np.where(rated, metric - metric[rated].mean(), 0.0)
    y = np.where(rated, human - human[rated].mean(), 0.0)
    sums = np.stack([rated, x, y, x * x, y * y, x * y], axis=-1).sum(axis=0)
    n, sx, sy, sxx, syy, sxy = np.moveaxis(bootstrap_sums(sums, resamples, seed), -1, 0)
    scale = (sxx - sx * sx / n) * (syy - sy * sy / n)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((sxy - sx * sy / n) / np.sqrt(scale))
