"""From a question about metrics to its answer: what `cupel meta` does, for Python too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from cupel.arrays import FloatArray
from cupel.console import Progress
from cupel.corpus import Corpus
from cupel.data.catalog import of_kind
from cupel.data.find import campaign_folder
from cupel.errors import CupelError
from cupel.human.da13 import da13, da13_pairs
from cupel.human.evalset import evalset_pairs
from cupel.human.evalset_scores import Shape
from cupel.human.rankings import Rankings, chosen_pairs, ranked_corpus, wmt_rankings
from cupel.human.scores import ScoreSet
from cupel.human.system_scores import OFFICIAL, YEARS_OWN, official_array
from cupel.meta import graded, ranked
from cupel.meta.evaluation import evaluated
from cupel.meta.export import Written, score_sets, write_scores
from cupel.meta.file_scores import check_pairs, file_scores
from cupel.meta.folder import Folder, graded_pair
from cupel.meta.graded import Graded
from cupel.meta.measured import Evidence
from cupel.meta.ranked import Ranked
from cupel.meta.result import Evaluation
from cupel.meta.scorecache import MetricScores
from cupel.meta.scorer import Scorer
from cupel.questions.judge import Campaign, Judge
from cupel.reading.segments import nearest
from cupel.registry import MetricLike, entries, listed
from cupel.significance import BOOTSTRAP_RESAMPLES, DEFAULT_SEED


def judge(question: Judge, progress: Progress | None = None) -> Evaluation:
    """Judge metrics by human judgments, as the question asks it."""
    question = with_metrics(question)
    scorer = scorer_of(question, progress)
    complete = ranked.completed if question.dataset in of_kind("wmt") else graded.completed
    question = complete(question)
    evaluation = evaluated(_evidence(question, scorer), question)
    check_lower(question.lower, [n for n in evaluation.metrics if n not in scorer.labels])
    return replace(evaluation, signatures=scorer.signatures)


def with_metrics(question: Judge) -> Judge:
    """The question with the usual metrics of a campaign folder where none is named."""
    if question.metrics or question.score_files or question.stored:
        return question
    if not Path(question.dataset).is_dir():
        raise CupelError(
            "There is nothing to judge: name metrics (-m), stored metrics of a folder (--stored) or "
            "score files (--scores)."
        )
    pairs = question.pairs or evalset_pairs(question.dataset)
    into_english = all(pair.endswith("-en") for pair in pairs)
    assay = ("assay",) if into_english and not entries()["assay"].missing else ()
    return replace(question, metrics=("sentbleu", "chrf", "ter", *assay))


def scorer_of(question: Judge, progress: Progress | None) -> Scorer:
    """How the metrics of the question score a corpus."""
    return Scorer(
        question.metrics,
        question.workers,
        question.use_cache,
        progress,
        bool(question.stored or question.score_files),
    )


def check_lower(lower: Sequence[str], others: Sequence[str]) -> None:
    """Whether all metrics of which lower is better are among those that others computed."""
    for name in lower:
        if name not in others:
            raise CupelError(
                f"Lower is better for {name!r}, but the scores of others are those of "
                f"{', '.join(others) or 'none'}{nearest(name, others)}"
            )


def _evidence(question: Judge, scorer: Scorer) -> Sequence[Evidence]:
    """The judgments of each language pair, with the scores of all metrics."""
    dataset = question.dataset
    if dataset in of_kind("wmt") or dataset == "da13":
        for name in (*Campaign.__dataclass_fields__, "stored", "primary"):
            if name in question.changed() and name != "like_mtme":
                raise CupelError(
                    f"{dataset} is no campaign folder: `{name}` cannot be chosen for it."
                )
    if dataset == "da13":
        if question.write_scores:
            raise CupelError("da13 has no systems, of which score files could be written.")
        pairs = _pairs(question, da13_pairs())
        return [_assessed(pair, scorer, question) for pair in pairs]
    if dataset in of_kind("wmt"):
        rankings = wmt_rankings(dataset)
        judged = [
            _ranked(question, rankings[pair], scorer) for pair in _pairs(question, list(rankings))
        ]
        _write(question, [
            Written(part.pair, score_sets(
                {name: part.scores[name] for name in scorer.labels}, part.pair, part.rankings.systems
            ))
            for part in judged
        ])  # fmt: skip
        return judged
    folder = open_folder(question, scorer)
    pairs = _pairs(question, evalset_pairs(folder.path))
    parts = [graded_pair(folder, pair, question) for pair in pairs]
    if question.write_scores:
        _write(question, [folder.written(pair, question.reference) for pair in pairs])
    return parts


def _pairs(question: Judge, there: Sequence[str]) -> list[str]:
    pairs = chosen_pairs(question.pairs or None, there, question.dataset)
    check_pairs(question.score_files, pairs)
    return pairs


def _write(question: Judge, parts: Sequence[Written]) -> None:
    if question.write_scores:
        write_scores(question.write_scores, Path(question.dataset).name, parts)


def open_folder(question: Judge, scorer: Scorer) -> Folder:
    """The campaign folder or dataset of that name."""
    path = campaign_folder(question.dataset)
    if path is None:
        raise CupelError(
            f"There are no judgments called {question.dataset!r}: name one of "
            f"{', '.join(of_kind('wmt'))}, da13, {', '.join(of_kind('graded'))}, or a folder laid out as mt-metrics-eval's."
        )
    return Folder(path, question.stored, scorer)


def _ranked(question: Judge, rankings: Rankings, scorer: Scorer) -> Ranked:
    corpus = ranked_corpus(question.dataset, rankings)
    scores = scorer(corpus, pair=rankings.pair)
    judged = [rankings.systems[i] for i in np.unique(rankings.ranked[rankings.ranked >= 0])]
    shape = Shape(rankings.systems, len(corpus))
    for name, values in _files(question, rankings.pair, shape, corpus, judged, scores).items():
        sign = 1.0 if values.higher_is_better else -1.0
        segments = np.full((len(rankings.systems), len(corpus)), np.nan)
        if values.segment_scores:
            segments = values.matrix(rankings.systems)
        systems = values.matrix(rankings.systems, "system")[:, 0]
        scores[name] = MetricScores(sign * segments, sign * systems)
    if not scores:
        raise CupelError(f"The score files have no scores of {rankings.pair}.")
    published = YEARS_OWN.get(question.dataset) == OFFICIAL
    official = official_array(question.dataset, rankings) if published else None
    return Ranked(rankings.pair, rankings, scores, official)


def _assessed(pair: str, scorer: Scorer, question: Judge) -> Graded:
    """da13 is a list of translations, each judged by itself: one row, whatever system it is of."""
    assessed = da13(pair)
    corpus = Corpus({"all": assessed.hypotheses}, assessed.references, assessed.sources)
    computed = scorer(corpus, pair=pair)
    scores: dict[str, FloatArray] = {name: s.segments for name, s in computed.items()}
    shape = Shape(list(corpus.systems), len(corpus))
    for name, values in _files(question, pair, shape, corpus, shape.systems, scores).items():
        scores[name] = values.matrix(shape.systems) * (1.0 if values.higher_is_better else -1.0)
    items = tuple(str(number + 1) for number in range(len(assessed)))
    return Graded(pair, assessed.scores[None], scores, "segment", ("all",), items, corpus=corpus)


def _files(
    question: Judge,
    pair: str,
    shape: Shape,
    corpus: Corpus,
    needed: Sequence[str],
    computed: Mapping[str, Any],
) -> dict[str, ScoreSet]:
    """The scores of files, of metrics that are not computed as well."""
    sets = file_scores(question.score_files, question.lower, pair, shape, corpus, needed)
    for name in sets:
        if name in computed:
            raise CupelError(f"The metric {name!r} is asked for twice.")
    return sets


def evaluate(
    dataset: str,
    metrics: Sequence[MetricLike] | MetricLike = (),
    *,
    pairs: Sequence[str] = (),
    level: str = "segment",
    statistic: str | None = None,
    human: str | None = None,
    score_files: Sequence[str | Path] = (),
    stored: Sequence[str] | str = (),
    primary: bool = False,
    lower: Sequence[str] = (),
    write_scores: str | Path | None = None,
    reference: Sequence[str] | str = (),
    close_references: Sequence[str] = (),
    domain: str | None = None,
    systems: Sequence[str] = (),
    include_human: bool = False,
    include_outliers: bool = False,
    like_mtme: bool = False,
    average: str | None = None,
    undefined: str = "skip",
    sample_rate: float = 1.0,
    threshold: float | None = None,
    p_values: bool = False,
    resamples: int = BOOTSTRAP_RESAMPLES,
    over: str = "judgments",
    average_resamples: bool = False,
    compare: str | None = None,
    permutations: int | None = None,
    block: int = 100,
    correct: str | None = None,
    seed: int = DEFAULT_SEED,
    workers: int = 1,
    use_cache: bool = True,
    progress: Progress | None = None,
) -> Evaluation:
    """Judge metrics by human judgments: what `cupel meta` does.

    dataset: wmt12, wmt13, wmt14 (rankings), da13 (direct assessment), a dataset or a folder laid out
    as mt-metrics-eval's. metrics: as for `cupel.score` with the language pair; all: every lexical one.
    progress: called with what is done and what there is. All others are fields of the question
    `cupel.questions.judge.Judge`, which says what each means; `cupel meta --help-all` prints it.
    """
    values = {
        name: value for name, value in locals().items() if name not in ("metrics", "progress")
    }
    for name in ("stored", "reference"):
        values[name] = listed(values[name])
    question = Judge.of(values)
    return judge(replace(question, metrics=tuple(listed(metrics))), progress)  # type: ignore[arg-type]
