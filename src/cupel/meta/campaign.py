"""From the name of a dataset to an evaluation: what `cupel meta` does, for Python too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from cupel.arrays import FloatArray
from cupel.console import Progress
from cupel.corpus import Corpus
from cupel.data.catalog import of_kind
from cupel.data.find import campaign_folder
from cupel.errors import CupelError
from cupel.human.evalset import evalset_pairs
from cupel.human.evalset_scores import Shape
from cupel.human.rankings import Rankings, chosen_pairs, ranked_corpus, wmt_rankings
from cupel.human.score_tables import da13, da13_pairs
from cupel.human.scores import LEVELS
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
from cupel.meta.export import Written, write_scores
from cupel.meta.file_scores import check_pairs, file_scores
from cupel.meta.folder import Choice, Folder, graded_pair
from cupel.meta.graded import (
    DIFFERENCES,
    GRADED_STATISTICS,
    GRADED_SYSTEM_STATISTICS,
    OF_SYSTEMS,
    TESTS,
    Graded,
    Settings,
    graded_evaluation,
)
from cupel.meta.points import graded_points, ranked_points
from cupel.meta.result import AVERAGE, Evaluation
from cupel.meta.scorecache import Groups, MetricScores
from cupel.meta.scorer import Scorer
from cupel.reading.segments import nearest
from cupel.registry import MetricLike
from cupel.significance import BOOTSTRAP_RESAMPLES, DEFAULT_SEED

COMPARISONS = ("bootstrap", "williams", *TESTS)
CORRELATIONS = ("pearson", "spearman", "tau-b", "tau-c")
PAIRWISE = ("tau-23", "acc-23", "tau-eq", "acc-eq", "tau-b")
"""What is counted over pairs of translations."""


def evaluate(
    dataset: str,
    metrics: Sequence[MetricLike] | MetricLike = (),
    *,
    pairs: Sequence[str] | None = None,
    level: str = "segment",
    statistic: str | None = None,
    average: str | None = None,
    human: str | None = None,
    stored: Sequence[str] | str = (),
    score_files: Sequence[str | Path] = (),
    lower: Sequence[str] = (),
    reference: Sequence[str] | str = (),
    close_references: Sequence[str] = (),
    domain: str | None = None,
    systems: Sequence[str] = (),
    include_human: bool = False,
    include_outliers: bool = False,
    primary: bool = False,
    over: str = "judgments",
    compare: str | None = None,
    permutations: int = 1000,
    block: int = 100,
    undefined: str = "skip",
    sample_rate: float = 1.0,
    threshold: float | None = None,
    like_mtme: bool = False,
    p_values: bool = False,
    write_scores: str | Path | None = None,
    resamples: int = BOOTSTRAP_RESAMPLES,
    average_resamples: bool = False,
    seed: int = DEFAULT_SEED,
    workers: int = 1,
    use_cache: bool = True,
    progress: Progress | None = None,
) -> Evaluation:
    """Judge metrics by human judgments: what `cupel meta` does.

    dataset: wmt12, wmt13, wmt14 (rankings), da13 (direct assessment), a dataset or a folder laid out
    as mt-metrics-eval's. metrics: as for `cupel.score` with the language pair; all: every lexical one. pairs: language
    pairs; if not given, all into English. level: segment, document, domain or system. statistic: of
    rankings tau-wmt12, tau-wmt13, tau-wmt14; of grades those of `cupel.meta.statistic`; if not
    given, the tau of the year, or pearson. average: none, item (segment by segment) or sys; if not
    given, item for acc-eq, tau-eq and kendall-like, else none. human: people's scores: official, a
    name of `cupel.human.system_scores.SYSTEM_SCORES`, or in a folder the name of its human scores.
    stored: metrics of the folder's own score files, or all. score_files, lower: files of other
    metrics, as of `cupel.score` and those of the metrics task, and those of them whose lower scores
    are better. reference to primary: which part of a
    folder is used, see `cupel.meta.folder`. over: what intervals resample: judgments, segments,
    systems, both. compare: p-values between all metrics, as `comparisons` of the result: bootstrap,
    williams, perm-both, perm-sys, perm-input, perm-pair-diff; permutations, block: of the last four,
    and after how many they may end. undefined: skip a group without a value, or count it as zero.
    sample_rate: share of the pairs that acc-eq chooses its tie threshold on. threshold: the least
    difference of people's scores that kendall-like counts (0; of wmt-raw 25). like_mtme: repeat
    accidents of mt-metrics-eval. p_values: those of no correlation, from SciPy. write_scores: a folder for score files of the metrics. resamples:
    for intervals. average_resamples: report the mean over resamples, as the WMT14 task did. seed: of
    all that is drawn. workers, progress: as for `cupel.score`. use_cache: keep scores on disk.
    """
    _check_names(level, over, compare, undefined)
    choice = Choice(
        level, domain, human, _several(reference), tuple(close_references), tuple(systems),
        include_human, include_outliers, _several(stored), primary, tuple(score_files),
        tuple(lower), like_mtme,
    )  # fmt: skip
    settings = Settings(
        statistic or "pearson", level, average, undefined, sample_rate, threshold, compare,
        permutations, block,
        resamples=resamples, seed=seed, like_mtme=like_mtme, p_values=p_values,
    )  # fmt: skip
    question = _Question(
        dataset, pairs, statistic, human, over, compare, average_resamples, write_scores, choice,
        settings,
    )  # fmt: skip
    scorer = Scorer(metrics, workers, use_cache, progress, bool(stored or score_files))
    answer = _by_rankings if dataset in of_kind("wmt") else _by_grades
    evaluation = answer(question, scorer)
    check_lower(lower, [name for name in evaluation.metrics if name not in scorer.labels])
    return replace(evaluation, dataset=dataset, signatures=scorer.signatures)


def check_lower(lower: Sequence[str], others: Sequence[str]) -> None:
    """Whether all metrics of which lower is better are among those that others computed."""
    for name in lower:
        if name not in others:
            raise CupelError(
                f"Lower is better for {name!r}, but the scores of others are those of "
                f"{', '.join(others) or 'none'}{nearest(name, others)}"
            )


def _several(names: Sequence[str] | str) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _check_names(level: str, over: str, compare: str | None, undefined: str) -> None:
    for what, choice, names in (
        ("judge metrics", level, tuple(LEVELS)),
        ("resample over", over, OVER),
        ("compare metrics by", compare or COMPARISONS[0], COMPARISONS),
        ("treat undefined values", undefined, ("skip", "zero")),
    ):
        if choice not in names:
            raise CupelError(
                f"There is no way {choice!r} to {what}; there are: {', '.join(names)}."
            )


def check_statistic(statistic: str, level: str, test: str | None) -> None:
    """Whether grades have this statistic at this level, and whether the test can test it."""
    names = GRADED_SYSTEM_STATISTICS if level == "system" else GRADED_STATISTICS
    if statistic not in names:
        raise CupelError(
            f"There is no statistic {statistic!r} for these judgments at this level; "
            f"there are: {', '.join(names)}."
        )
    if test == "williams" and statistic not in CORRELATIONS:
        raise CupelError(f"williams tests correlations, not {statistic}: use perm-both.")
    if test in TESTS and statistic in (*OF_SYSTEMS, DIFFERENCES, "kendall-like"):
        raise CupelError(f"{test} cannot test {statistic}: use bootstrap.")
    if test == "perm-pair-diff" and statistic not in PAIRWISE:
        raise CupelError(
            f"perm-pair-diff exchanges verdicts on pairs of translations: it can test "
            f"{', '.join(PAIRWISE)}, not {statistic}; use perm-both."
        )


@dataclass(frozen=True)
class _Question:
    """What `evaluate` is asked, under the same names."""

    dataset: str
    pairs: Sequence[str] | None
    statistic: str | None
    human: str | None
    over: str
    compare: str | None
    average_resamples: bool
    write_scores: str | Path | None
    choice: Choice
    settings: Settings

    @property
    def level(self) -> str:
        return self.settings.level

    def ranked_statistic(self) -> str:
        """The statistic of rankings."""
        names: Iterable[str] = SYSTEM_STATISTICS
        default = "pearson"
        if self.level == "segment":
            names, default = SEGMENT_STATISTICS, f"tau-{self.dataset}"
        statistic = self.statistic or default
        if statistic not in names:
            raise CupelError(
                f"There is no statistic {statistic!r} for these judgments at this level; "
                f"there are: {', '.join(names)}."
            )
        return statistic


def _check_no_folder(asked: _Question) -> None:
    """Whether a dataset that is no campaign folder is asked for something that only those have."""
    choice, of_folders = asked.choice, Choice(asked.level)
    for name in ("stored", "reference", "close_references", "domain", "systems", "include_human",
                 "include_outliers", "primary"):  # fmt: skip
        if getattr(choice, name) != getattr(of_folders, name):
            raise CupelError(
                f"{asked.dataset} is no campaign folder: `{name}` cannot be chosen for it."
            )


def _by_rankings(asked: _Question, scored: Scorer) -> Evaluation:
    if asked.settings.p_values:
        raise CupelError("P-values of no correlation are for graded judgments, not for rankings.")
    _check_no_folder(asked)
    human = asked.human or YEARS_OWN.get(asked.dataset, "expected-wins")
    if human != OFFICIAL and human not in SYSTEM_SCORES:
        raise CupelError(
            f"There is no way {human!r} to score systems; there are: official, "
            f"{', '.join(SYSTEM_SCORES)}."
        )
    if asked.level not in ("segment", "system"):
        raise CupelError(f"Rankings have no {asked.level} level: it is segment or system.")
    resamples, seed = asked.settings.resamples, asked.settings.seed
    statistic = asked.ranked_statistic()
    rankings = wmt_rankings(asked.dataset)
    pairs = chosen_pairs(asked.pairs, list(rankings), asked.dataset)
    check_pairs(asked.choice.score_files, pairs)
    judged = [_ranked(asked, rankings[pair], scored) for pair in pairs]
    if asked.write_scores:
        parts = [
            Written(one.pair, one.rankings.systems, {m: one.scores[m] for m in scored.labels})
            for one in judged
        ]
        write_scores(asked.write_scores, asked.dataset, parts)
    if asked.level == "segment":
        evaluation = segment_level(
            judged, statistic, over=asked.over, resamples=resamples, seed=seed
        )
    else:
        evaluation = system_level(
            judged,
            statistic,
            human=human,
            average_resamples=asked.average_resamples,
            over=asked.over,
            resamples=resamples,
            seed=seed,
        )
    comparisons = _comparisons(evaluation, judged, asked.compare, human, seed)
    return replace(evaluation, comparisons=comparisons, points=ranked_points(judged, human))


def _comparisons(
    evaluation: Evaluation, judged: Sequence[Judged], compare: str | None, human: str, seed: int
) -> dict[str, FloatArray]:
    if compare is None:
        return {}
    if compare == "bootstrap":
        return {AVERAGE: evaluation.p_values()}
    if compare == "williams" and evaluation.level == "system":
        return {
            one.pair: williams_p_values(one, human)
            for one in judged
            if one.pair not in evaluation.left_out
        }
    if compare == "perm-both" and evaluation.level == "segment":
        return {AVERAGE: perm_both_p_values(judged, evaluation.statistic, seed=seed)}
    raise CupelError(
        f"{compare!r} does not compare metrics on rankings at {evaluation.level} level: there, "
        f"{'perm-both' if evaluation.level == 'segment' else 'williams'} and bootstrap do."
    )


def _ranked(asked: _Question, rankings: Rankings, scored: Scorer) -> Judged:
    corpus = ranked_corpus(asked.dataset, rankings)
    scores = scored(corpus, pair=rankings.pair) if scored.labels else {}
    judged = [rankings.systems[i] for i in np.unique(rankings.ranked[rankings.ranked >= 0])]
    shape = Shape(rankings.systems, len(corpus))
    choice = asked.choice
    files = file_scores(choice.score_files, choice.lower, rankings.pair, shape, corpus, judged)
    for name, values in files.items():
        if name in scores:
            raise CupelError(f"The metric {name!r} is asked for twice.")
        sign = 1.0 if values.higher_is_better else -1.0
        segments = values.matrix(rankings.systems)
        if not values.segment_scores:
            segments = np.full((len(rankings.systems), len(corpus)), np.nan)
        systems = values.matrix(rankings.systems, "system")[:, 0]
        scores[name] = MetricScores(sign * segments, sign * systems)
    if not scores:
        raise CupelError(f"The score files have no scores of {rankings.pair}.")
    published = YEARS_OWN.get(asked.dataset) == OFFICIAL
    official = official_array(asked.dataset, rankings) if published else None
    return Judged(rankings.pair, rankings, scores, official)


def _by_grades(asked: _Question, scored: Scorer) -> Evaluation:
    check_statistic(asked.settings.statistic, asked.level, asked.compare)
    if asked.settings.p_values and asked.settings.statistic not in CORRELATIONS:
        raise CupelError(
            f"{asked.settings.statistic} has no p-value of no correlation: {', '.join(CORRELATIONS)} do."
        )
    graded = _graded(asked, scored)
    evaluation = graded_evaluation(graded, asked.settings)
    if asked.compare == "bootstrap":
        evaluation = replace(evaluation, comparisons={AVERAGE: evaluation.p_values()})
    return replace(evaluation, points=graded_points(graded))


def _graded(asked: _Question, scored: Scorer) -> list[Graded]:
    dataset = asked.dataset
    if dataset == "da13":
        _check_no_folder(asked)
        if asked.write_scores:
            raise CupelError("da13 has no systems, of which score files could be written.")
        pairs = chosen_pairs(asked.pairs, da13_pairs(), dataset)
        check_pairs(asked.choice.score_files, pairs)
        return [_assessed(pair, scored, asked.choice) for pair in pairs]
    folder = open_folder(dataset, asked.choice.stored, scored)
    # Soft pairwise accuracy is about systems, but tests them on their segments.
    choice = asked.choice
    if asked.statistic == "spa":
        choice = replace(choice, level="segment")
    pairs = chosen_pairs(asked.pairs, evalset_pairs(folder.path), dataset)
    check_pairs(choice.score_files, pairs)
    graded = [graded_pair(folder, pair, choice) for pair in pairs]
    if asked.write_scores:
        parts = [folder.written(pair, choice.reference) for pair in pairs]
        write_scores(asked.write_scores, Path(dataset).name, parts)
    return graded


def open_folder(dataset: str, stored: Sequence[str], scored: Scorer) -> Folder:
    """The campaign folder or dataset of that name."""
    path = campaign_folder(dataset)
    if path is None:
        raise CupelError(
            f"There are no judgments called {dataset!r}: name one of {', '.join(of_kind('wmt'))}, da13, "
            f"{', '.join(of_kind('graded'))}, or a folder laid out as mt-metrics-eval's."
        )

    def score(corpus: Corpus, groups: Groups | None, pair: str) -> dict[str, MetricScores]:
        return scored(corpus, groups, pair) if scored.labels else {}

    return Folder(path, stored, score)


def _assessed(pair: str, scored: Scorer, choice: Choice) -> Graded:
    """da13 is a list of translations, each judged by itself: one row, whatever system it is of."""
    assessed = da13(pair)
    corpus = Corpus({"all": assessed.hypotheses}, assessed.references, assessed.sources)
    own = scored(corpus, pair=pair) if scored.labels else {}
    scores = {name: values.segments for name, values in own.items()}
    shape = Shape(list(corpus.systems), len(corpus))
    for name, values in file_scores(
        choice.score_files, choice.lower, pair, shape, corpus, shape.systems
    ).items():
        if name in scores:
            raise CupelError(f"The metric {name!r} is asked for twice.")
        scores[name] = values.matrix(shape.systems) * (1.0 if values.higher_is_better else -1.0)
    items = tuple(str(number + 1) for number in range(len(assessed)))
    return Graded(pair, assessed.scores[None], scores, "segment", ("all",), items, corpus=corpus)
