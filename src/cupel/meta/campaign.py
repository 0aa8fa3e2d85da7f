"""From the name of a dataset to an evaluation: what `cupel meta` does, for Python too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from cupel import __version__
from cupel.arrays import FloatArray
from cupel.console import Progress
from cupel.corpus import Corpus
from cupel.data.catalog import RANKED
from cupel.errors import CupelError
from cupel.human.evalset import evalset_pairs, read_evalset
from cupel.human.rankings import Rankings, ranked_corpus, wmt_rankings
from cupel.human.score_files import read_seg_scores, read_sys_scores
from cupel.human.score_tables import da13, da13_pairs
from cupel.human.scores import ScoreSet
from cupel.human.system_scores import OFFICIAL, SYSTEM_SCORES, YEARS_OWN, official_array
from cupel.meta.evaluation import (
    AVERAGE,
    OVER,
    SEGMENT_STATISTICS,
    SYSTEM_STATISTICS,
    Evaluation,
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
)
from cupel.meta.points import graded_points, ranked_points
from cupel.meta.scorecache import MetricScores, metric_scores
from cupel.metric import Metric, Signature
from cupel.registry import named_metrics
from cupel.significance import BOOTSTRAP_RESAMPLES, DEFAULT_SEED

COMPARISONS = ("bootstrap", "williams", "perm-both")

Scored = Callable[[Corpus], dict[str, MetricScores]]


def evaluate(
    dataset: str,
    metrics: Sequence[str | Metric],
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
) -> tuple[Evaluation, dict[str, str]]:
    """Judge metrics on a dataset; returns the evaluation and the metrics' signatures.

    dataset: wmt12, wmt13, wmt14 (rankings), da13 (direct assessment), or a folder laid out as
    mt-metrics-eval's. pairs: language pairs; of rankings, all into English by default. over: what
    intervals resample (`OVER`). compare: p-values between all metrics by `bootstrap`, `williams`
    (systems) or `perm-both` (segments).
    """
    _check_choice("resample over", over, OVER)
    if compare is not None:
        _check_choice("compare metrics by", compare, COMPARISONS)
    named = named_metrics(metrics) if metrics else {}
    signatures = {
        label: str(metric.signature() + Signature.of(version=f"cupel-{__version__}"))
        for label, metric in named.items()
    }

    def scored(corpus: Corpus) -> dict[str, MetricScores]:
        return metric_scores(corpus, named, workers=workers, progress=progress, use_cache=use_cache)

    if dataset in RANKED:
        rankings = wmt_rankings(dataset)
        judged = [
            _ranked(dataset, rankings[pair], scored, score_files, lower)
            for pair in _chosen(pairs, list(rankings), dataset)
        ]
        yardstick = _known_human(human or YEARS_OWN.get(dataset, "expected-wins"))
        if level == "segment":
            name = _known(statistic or f"tau-{dataset}", SEGMENT_STATISTICS)
            evaluation = segment_level(judged, name, over=over, resamples=resamples, seed=seed)
        else:
            evaluation = system_level(
                judged,
                _known(statistic or "pearson", SYSTEM_STATISTICS),
                human=yardstick,
                average_resamples=average_resamples,
                over=over,
                resamples=resamples,
                seed=seed,
            )
        evaluation = replace(evaluation, points=ranked_points(judged, yardstick))
        return _compared(evaluation, judged, compare, yardstick, seed), signatures
    graded = _graded(dataset, pairs, human, scored, score_files, lower)
    if level == "system":
        name = _known(statistic or "pearson", GRADED_SYSTEM_STATISTICS)
        evaluation = graded_system_level(graded, name, resamples=resamples, seed=seed)
    else:
        name = _known(statistic or "pearson", GRADED_STATISTICS)
        evaluation = graded_level(graded, name, resamples=resamples, seed=seed)
    evaluation = replace(evaluation, points=graded_points(graded))
    return _compared(evaluation, [], compare, "", seed), signatures


def _compared(
    evaluation: Evaluation,
    judged: Sequence[Judged],
    compare: str | None,
    human: str,
    seed: int,
) -> Evaluation:
    found: dict[str, FloatArray] = {}
    if compare == "bootstrap":
        found = {AVERAGE: evaluation.p_values()}
    elif compare == "williams" and judged and evaluation.level == "system":
        found = {
            one.pair: williams_p_values(one, human)
            for one in judged
            if one.pair not in evaluation.left_out
        }
    elif compare == "perm-both" and judged and evaluation.level == "segment":
        found = {AVERAGE: perm_both_p_values(judged, evaluation.statistic, seed=seed)}
    elif compare is not None:
        raise CupelError(
            f"{compare!r} does not compare metrics on these judgments at {evaluation.level} level: "
            "williams is for rankings at system level, perm-both for rankings at segment level, "
            "bootstrap for all."
        )
    return replace(evaluation, comparisons=found)


def _check_choice(what: str, name: str, known: Sequence[str]) -> None:
    if name not in known:
        raise CupelError(f"There is no way {name!r} to {what}; there are: {', '.join(known)}.")


def _known_human(name: str) -> str:
    if name != "official" and name not in SYSTEM_SCORES:
        raise CupelError(
            f"There is no way {name!r} to score systems; there are: official, "
            f"{', '.join(SYSTEM_SCORES)}."
        )
    return name


def _known(statistic: str, known: Iterable[str]) -> str:
    if statistic not in known:
        raise CupelError(
            f"There is no statistic {statistic!r} for these judgments at this level; "
            f"there are: {', '.join(known)}."
        )
    return statistic


def _chosen(pairs: Sequence[str] | None, there: Sequence[str], where: str) -> list[str]:
    for pair in pairs or ():
        if pair not in there:
            raise CupelError(f"{where} has no judgments of {pair!r}; it has {', '.join(there)}.")
    into_english = [pair for pair in there if pair.endswith("-en")]
    return list(dict.fromkeys(pairs or into_english or there))


def _ranked(
    dataset: str,
    rankings: Rankings,
    scored: Scored,
    score_files: Sequence[str | Path],
    lower: Sequence[str],
) -> Judged:
    corpus = ranked_corpus(dataset, rankings)
    scores = scored(corpus)
    judged = [rankings.systems[i] for i in np.unique(rankings.ranked[rankings.ranked >= 0])]
    scores |= _from_files(score_files, rankings.pair, rankings.systems, len(corpus), lower, judged)
    if not scores:
        raise CupelError(f"The score files have no scores of {rankings.pair}.")
    official = official_array(dataset, rankings) if YEARS_OWN.get(dataset) == OFFICIAL else None
    return Judged(rankings.pair, rankings, scores, official)


def _from_files(
    files: Sequence[str | Path],
    pair: str,
    systems: Sequence[str],
    segments: int,
    lower: Sequence[str],
    needed: Sequence[str],
) -> dict[str, MetricScores]:
    """Scores of other people's metrics: `.seg.score` and `.sys.score` files join by metric.

    needed: the systems that people judged, which every file must have.
    """
    nothing = np.full((len(systems), segments), np.nan)
    found: dict[str, MetricScores] = {}
    for file in files:
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
            sign = -1.0 if scores.name in lower else 1.0
            known = found.get(scores.name, MetricScores(nothing, nothing[:, 0]))
            if scores.segment_scores:
                matrix = sign * scores.matrix(systems)
                known = replace(known, segments=matrix)
                if np.isnan(known.systems).all():
                    known = replace(known, systems=matrix.mean(axis=1))
            if scores.system_scores:
                values = [scores.system_scores.get(system, np.nan) for system in systems]
                known = replace(known, systems=sign * np.array(values))
            found[scores.name] = known
    return found


def _graded(
    dataset: str,
    pairs: Sequence[str] | None,
    human: str | None,
    scored: Scored,
    score_files: Sequence[str | Path],
    lower: Sequence[str],
) -> list[Graded]:
    if dataset == "da13":
        return [_assessed(pair, scored) for pair in _chosen(pairs, da13_pairs(), dataset)]
    if not Path(dataset).is_dir():
        raise CupelError(
            f"There are no judgments called {dataset!r}: name one of {', '.join(RANKED)}, da13, or "
            "a folder laid out as mt-metrics-eval's."
        )
    found = []
    for pair in _chosen(pairs, evalset_pairs(dataset), dataset):
        campaign = read_evalset(dataset, pair)
        name = human or next(iter(campaign.human), None)
        if name not in campaign.human:
            known = list(campaign.human)
            raise CupelError(
                f"{dataset} has no human scores {name!r} for {pair}; it has "
                f"{', '.join(known) or 'none'}."
            )
        judgments = campaign.human[name]
        systems = list(campaign.corpus.systems)
        scores = scored(campaign.corpus)
        judged = [system for system in systems if system in judgments.systems]
        scores |= _from_files(score_files, pair, systems, len(campaign.corpus), lower, judged)
        found.append(Graded(pair, _matrix(judgments, systems, len(campaign.corpus)), scores))
    return found


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
