"""From the name of a dataset to an evaluation: what `cupel meta` does, for Python too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from cupel import __version__
from cupel.arrays import FloatArray
from cupel.console import Progress
from cupel.corpus import Corpus
from cupel.data.catalog import RANKED
from cupel.errors import CupelError
from cupel.human.evalset import evalset_pairs, read_evalset
from cupel.human.rankings import Rankings, chosen_pairs, ranked_corpus, wmt_rankings
from cupel.human.score_files import read_seg_scores, read_sys_scores
from cupel.human.score_tables import da13, da13_pairs
from cupel.human.scores import ScoreSet
from cupel.human.system_scores import OFFICIAL, SYSTEM_SCORES, YEARS_OWN, official_array
from cupel.meta.evaluation import (
    OVER,
    SEGMENT_STATISTICS,
    SYSTEM_STATISTICS,
    Judged,
    perm_both_p_values,
    segment_level,
    system_level,
    williams_p_values,
)
from cupel.meta.graded import (
    GRADED_STATISTICS,
    GRADED_SYSTEM_STATISTICS,
    Graded,
    graded_level,
    graded_system_level,
    perm_both_grades,
)
from cupel.meta.points import graded_points, ranked_points
from cupel.meta.result import AVERAGE, Evaluation
from cupel.meta.scorecache import MetricScores, metric_scores
from cupel.metric import Signature
from cupel.registry import MetricLike, named_metrics
from cupel.significance import BOOTSTRAP_RESAMPLES, DEFAULT_SEED

LEVELS = ("segment", "system")
COMPARISONS = ("bootstrap", "williams", "perm-both")

Scored = Callable[[Corpus], dict[str, MetricScores]]


def evaluate(
    dataset: str,
    metrics: Sequence[MetricLike] | MetricLike = (),
    *,
    pairs: Sequence[str] | None = None,
    level: str = "segment",
    statistic: str | None = None,
    human: str | None = None,
    score_files: Sequence[str | Path] = (),
    lower: Sequence[str] = (),
    over: str = "judgments",
    compare: str | None = None,
    resamples: int = BOOTSTRAP_RESAMPLES,
    average_resamples: bool = False,
    seed: int = DEFAULT_SEED,
    workers: int = 1,
    use_cache: bool = True,
    progress: Progress | None = None,
) -> Evaluation:
    """Judge metrics by human judgments: what `cupel meta` does.

    dataset: wmt12, wmt13, wmt14 (rankings), da13 (direct assessment), or a folder laid out as
    mt-metrics-eval's. metrics: as for `cupel.score`. pairs: language pairs; if not given, all into
    English. level: segment or system. statistic: of rankings tau-wmt12, tau-wmt13, tau-wmt14; of
    systems pearson, spearman, spearman-no-ties, kendall, accuracy, spa (grades only); of grades
    pearson, spearman, tau-b, tau-c, acc-eq; if not given, the tau of the year, or pearson. human:
    people's scores of systems, official or a name of `cupel.human.system_scores.SYSTEM_SCORES`;
    in a folder, the name of its human scores. score_files: .seg.score and .sys.score files of other
    metrics, to be judged as well. lower: metrics of those files whose lower scores are better.
    over: what intervals resample: judgments, segments, systems, both. compare: p-values between all
    metrics, as `comparisons` of the result: bootstrap, williams (systems), perm-both (segments).
    resamples: for intervals. average_resamples: report the mean over the resamples, as the WMT14
    task did. seed: of everything drawn at random. workers, progress: as for `cupel.score`.
    use_cache: whether scores are kept on disk between runs.
    """
    for what, choice, names in (
        ("judge metrics", level, LEVELS),
        ("resample over", over, OVER),
        ("compare metrics by", compare or COMPARISONS[0], COMPARISONS),
    ):
        if choice not in names:
            raise CupelError(
                f"There is no way {choice!r} to {what}; there are: {', '.join(names)}."
            )
    named = named_metrics(metrics) if metrics or not score_files else {}
    signatures = {
        label: str(metric.signature() + Signature.of(version=f"cupel-{__version__}"))
        for label, metric in named.items()
    }

    def scored(corpus: Corpus) -> dict[str, MetricScores]:
        return metric_scores(corpus, named, workers=workers, progress=progress, use_cache=use_cache)

    question = _Question(
        dataset, pairs, level, statistic, human, score_files, lower, over, compare, resamples,
        average_resamples, seed,
    )  # fmt: skip
    answer = _by_rankings if dataset in RANKED else _by_grades
    return replace(answer(question, scored), dataset=dataset, signatures=signatures)


@dataclass(frozen=True)
class _Question:
    """What `evaluate` is asked, under the same names."""

    dataset: str
    pairs: Sequence[str] | None
    level: str
    statistic: str | None
    human: str | None
    score_files: Sequence[str | Path]
    lower: Sequence[str]
    over: str
    compare: str | None
    resamples: int
    average_resamples: bool
    seed: int

    def checked_statistic(self, default: str, names: Iterable[str]) -> str:
        statistic = self.statistic or default
        if statistic not in names:
            raise CupelError(
                f"There is no statistic {statistic!r} for these judgments at this level; "
                f"there are: {', '.join(names)}."
            )
        return statistic


def _by_rankings(asked: _Question, scored: Scored) -> Evaluation:
    human = asked.human or YEARS_OWN.get(asked.dataset, "expected-wins")
    if human != OFFICIAL and human not in SYSTEM_SCORES:
        raise CupelError(
            f"There is no way {human!r} to score systems; there are: official, "
            f"{', '.join(SYSTEM_SCORES)}."
        )
    by_segment = asked.level == "segment"
    statistic = (
        asked.checked_statistic(f"tau-{asked.dataset}", SEGMENT_STATISTICS)
        if by_segment
        else asked.checked_statistic("pearson", SYSTEM_STATISTICS)
    )
    rankings = wmt_rankings(asked.dataset)
    pairs = chosen_pairs(asked.pairs, list(rankings), asked.dataset)
    judged = [_ranked(asked, rankings[pair], scored) for pair in pairs]
    if by_segment:
        evaluation = segment_level(
            judged, statistic, over=asked.over, resamples=asked.resamples, seed=asked.seed
        )
    else:
        evaluation = system_level(
            judged,
            statistic,
            human=human,
            average_resamples=asked.average_resamples,
            over=asked.over,
            resamples=asked.resamples,
            seed=asked.seed,
        )
    comparisons = _comparisons(evaluation, judged, [], asked.compare, human, asked.seed)
    return replace(evaluation, comparisons=comparisons, points=ranked_points(judged, human))


def _by_grades(asked: _Question, scored: Scored) -> Evaluation:
    compute, names = (
        (graded_level, tuple(GRADED_STATISTICS))
        if asked.level == "segment"
        else (graded_system_level, GRADED_SYSTEM_STATISTICS)
    )
    statistic = asked.checked_statistic("pearson", names)
    graded = _graded(asked, scored)
    evaluation = compute(graded, statistic, resamples=asked.resamples, seed=asked.seed)
    comparisons = _comparisons(evaluation, [], graded, asked.compare, "", asked.seed)
    return replace(evaluation, comparisons=comparisons, points=graded_points(graded))


def _comparisons(
    evaluation: Evaluation,
    judged: Sequence[Judged],
    graded: Sequence[Graded],
    compare: str | None,
    human: str,
    seed: int,
) -> dict[str, FloatArray]:
    if compare is None:
        return {}
    if compare == "bootstrap":
        return {AVERAGE: evaluation.p_values()}
    if compare == "williams" and judged and evaluation.level == "system":
        return {
            one.pair: williams_p_values(one, human)
            for one in judged
            if one.pair not in evaluation.left_out
        }
    if compare == "perm-both" and judged and evaluation.level == "segment":
        return {AVERAGE: perm_both_p_values(judged, evaluation.statistic, seed=seed)}
    if compare == "perm-both" and (evaluation.level, evaluation.statistic) == (
        "segment",
        "pearson",
    ):
        return {AVERAGE: perm_both_grades(graded, seed)}
    raise CupelError(
        f"{compare!r} does not compare metrics on these judgments at {evaluation.level} level: "
        "williams is for rankings at system level, perm-both for rankings and for Pearson's r of "
        "grades at segment level, bootstrap for all."
    )


def _ranked(asked: _Question, rankings: Rankings, scored: Scored) -> Judged:
    corpus = ranked_corpus(asked.dataset, rankings)
    scores = scored(corpus)
    judged = [rankings.systems[i] for i in np.unique(rankings.ranked[rankings.ranked >= 0])]
    scores |= _from_files(asked, rankings.pair, rankings.systems, len(corpus), judged)
    if not scores:
        raise CupelError(f"The score files have no scores of {rankings.pair}.")
    published = YEARS_OWN.get(asked.dataset) == OFFICIAL
    official = official_array(asked.dataset, rankings) if published else None
    return Judged(rankings.pair, rankings, scores, official)


def _from_files(
    asked: _Question, pair: str, systems: Sequence[str], segments: int, needed: Sequence[str]
) -> dict[str, MetricScores]:
    """Scores of other people's metrics: `.seg.score` and `.sys.score` files join by metric.

    needed: the systems that people judged, which every file must have.
    """
    nothing = np.full((len(systems), segments), np.nan)
    of_metric: dict[str, MetricScores] = {}
    for file in asked.score_files:
        if str(file).removesuffix(".gz").endswith(".sys.score"):
            sets = read_sys_scores(file, {pair: list(systems)})
        else:
            sets = read_seg_scores(file, {pair: list(systems)}, {pair: segments})
        for scores in sets:
            for system in needed:
                if system not in scores.systems:
                    raise CupelError(
                        f"{file} has no scores of system {system!r} by {scores.name} for {pair}."
                    )
            sign = -1.0 if scores.name in asked.lower else 1.0
            entry = of_metric.get(scores.name, MetricScores(nothing, nothing[:, 0]))
            if scores.segment_scores:
                matrix = sign * scores.matrix(systems)
                entry = replace(entry, segments=matrix)
                if np.isnan(entry.systems).all():
                    entry = replace(entry, systems=matrix.mean(axis=1))
            if scores.system_scores:
                values = [scores.system_scores.get(system, np.nan) for system in systems]
                entry = replace(entry, systems=sign * np.array(values))
            of_metric[scores.name] = entry
    return of_metric


def _graded(asked: _Question, scored: Scored) -> list[Graded]:
    dataset, pairs = asked.dataset, asked.pairs
    if dataset == "da13":
        return [_assessed(pair, scored) for pair in chosen_pairs(pairs, da13_pairs(), dataset)]
    if not Path(dataset).is_dir():
        raise CupelError(
            f"There are no judgments called {dataset!r}: name one of {', '.join(RANKED)}, da13, or "
            "a folder laid out as mt-metrics-eval's."
        )
    graded = []
    for pair in chosen_pairs(pairs, evalset_pairs(dataset), dataset):
        campaign = read_evalset(dataset, pair)
        name = asked.human or next(iter(campaign.human), None)
        if name not in campaign.human:
            raise CupelError(
                f"{dataset} has no human scores {name!r} for {pair}; it has "
                f"{', '.join(campaign.human) or 'none'}."
            )
        judgments = campaign.human[name]
        systems = list(campaign.corpus.systems)
        scores = scored(campaign.corpus)
        judged = [system for system in systems if system in judgments.systems]
        scores |= _from_files(asked, pair, systems, len(campaign.corpus), judged)
        graded.append(Graded(pair, _matrix(judgments, systems, len(campaign.corpus)), scores))
    return graded


def _matrix(judgments: ScoreSet, systems: Sequence[str], segments: int) -> FloatArray:
    """Human segment scores; where there are none, the system's score stands for each segment."""
    if judgments.segment_scores:
        return judgments.matrix(systems)
    scores = [judgments.system_scores.get(system, np.nan) for system in systems]
    return np.tile(np.array(scores)[:, None], (1, segments))


def _assessed(pair: str, scored: Scored) -> Graded:
    """da13 is a list of translations, each judged by itself: one row, whatever system it is of."""
    assessed = da13(pair)
    corpus = Corpus({"all": assessed.hypotheses}, assessed.references, assessed.sources)
    return Graded(pair, assessed.scores[None], scored(corpus))
