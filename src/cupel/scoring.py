"""Score texts in memory: one block, whose batches are computed in one process or several.

Batches do not depend on the number of workers, so neither do the results. What is read block by block
is scored in `cupel.engines`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from cupel.alignments import Aligning, AligningMetric, Alignment
from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.blocks import Block, block_rows
from cupel.console import Progress, warn
from cupel.corpus import Corpus
from cupel.errors import CupelError
from cupel.metric import REFERENCES, SOURCES, Metric, needs_of
from cupel.registry import (
    MetricLike,
    Metrics,
    get_metric,
    list_metrics,
    listed,
    named_metrics,
)
from cupel.scores import Scores
from cupel.totals import Totals

if TYPE_CHECKING:
    from cupel.metrics.external import Given, Source


def score(
    hypotheses: Sequence[str] | Mapping[str, Sequence[str]] | Corpus | None = None,
    references: Sequence[str | Sequence[str]] | None = None,
    metrics: Metrics | None = None,
    *,
    sources: Sequence[str] | None = None,
    language_pair: str | None = None,
    scores: Given | None = None,
    lower: Sequence[str] = (),
    workers: int = 1,
    progress: Progress | None = None,
) -> Scores:
    """Score one or several systems with one or several metrics.

    hypotheses: a list of strings, a mapping system -> list of strings, or a `Corpus` (then without
    references and sources); may be left out where there are only `scores`. references: per segment a string or a list of strings; they may be left
    out where no metric needs them. metrics: names
    (`"bleu"`, `"chrf++"`, `"bleu:tokenize=intl"`, `"module:function"`), `Metric` objects, or
    functions f(hypothesis, references) -> float; one, or a list; bleu, if there are no `scores`.
    sources: per segment a string, for metrics that read it. language_pair: such as en-ja; the target
    language chooses the words of metrics, and chrf++ in place of assay where it is not English;
    notes where a metric does not fit go to standard error. scores: those of metrics that were
    computed elsewhere, as files (`"comet.jsonl:score"`, see docs/external.md) or as a mapping name
    -> system -> numbers. lower: names among them for which lower is better. workers: processes to spread the work over; the scores are the same
    with any number. progress: called with the number of distinct items scored, and of all.
    """
    corpus: Corpus | None
    if isinstance(hypotheses, Corpus):
        if references is not None or sources is not None:
            raise CupelError("A Corpus has its references and sources already: give it alone.")
        corpus = hypotheses
    elif hypotheses is not None:
        corpus = Corpus.of(hypotheses, references, sources)
    elif scores is None:
        raise CupelError("There is nothing to score: give translations, or scores of others.")
    else:
        corpus = None
    none = metrics is None and scores is not None
    chosen = {} if none else _chosen("bleu" if metrics is None else metrics, language_pair)
    external: Sequence[Source] = ()
    if scores is not None:
        from cupel.metrics.external import corpus_of, read_sources

        external = read_sources(scores)
        corpus = corpus_of(external) if corpus is None else corpus
    assert corpus is not None
    if language_pair is not None:
        from cupel.metrics.by_language import corpus_notes

        for sentence in corpus_notes(corpus, chosen, language_pair):
            warn(sentence)
    return score_corpus(
        corpus,
        chosen,
        external=external,
        lower=lower,
        workers=workers,
        progress=progress,
    )


def _chosen(metrics: Metrics, pair: str | None) -> dict[str, Metric]:
    if pair is None or isinstance(metrics, Mapping):
        return named_metrics(metrics)
    from cupel.metrics.by_language import metrics_for, replacement_notes

    for sentence in replacement_notes(listed(metrics), pair):
        warn(sentence)
    return metrics_for(metrics, pair)


def align(
    hypotheses: Sequence[str],
    references: Sequence[str | Sequence[str]],
    metric: MetricLike = "meteor",
) -> list[Alignment]:
    """What a metric matched with what: one alignment per segment, with its best reference.

    hypotheses: a list of strings. references: per segment a string or a list of strings. metric:
    one that aligns, such as meteor, red, redp or assay.
    """
    corpus = Corpus.of(hypotheses, references)
    chosen = aligning_metric(metric).prepare(corpus)
    (texts,) = corpus.systems.values()
    return list(chosen.alignments(Batch(texts, corpus.references)))


def aligning_metric(spec: MetricLike, **options: object) -> AligningMetric:
    """The metric, if it can align; else an error that names those that can."""
    metric = get_metric(spec, **options)
    if isinstance(metric, Aligning):
        return cast(AligningMetric, metric)
    names = [entry.name for entry in list_metrics() if hasattr(entry.make, "alignments")]
    label = spec if isinstance(spec, str) else metric.name
    raise CupelError(
        f"The metric {label!r} does not align words; those that do are: {', '.join(names)}."
    )


def score_corpus(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    *,
    external: Sequence[Source] = (),
    lower: Sequence[str] = (),
    whole: Corpus | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> Scores:
    """The statistics of every metric on every system and segment of a corpus, as `Scores`.

    metrics: by the label that they have in the result. external: scores that were computed
    elsewhere. whole: what the corpus is a part of, with which metrics are prepared. lower, workers,
    progress: as for `score`.
    """
    if workers < 1:
        raise CupelError(f"The number of workers must be 1 or more, not {workers}.")
    check_needs(corpus, metrics)
    others, their_statistics = _of_others(external, corpus, lower)
    for label in metrics:
        if label in others:
            raise CupelError(
                f"{label!r} is a metric to compute and the name of given scores: name these "
                "otherwise, NAME=FILE."
            )
    prepared = {label: metric.prepare(whole or corpus) for label, metric in metrics.items()}
    rows = block_rows(prepared, Block.of(corpus), workers, progress)
    totals = Totals.of(list(corpus.systems), {**rows, **their_statistics})
    return Scores({**prepared, **others}, totals, corpus)


def _of_others(
    external: Sequence[Source], corpus: Corpus, lower: Sequence[str]
) -> tuple[dict[str, Metric], dict[str, FloatArray]]:
    if not external and not lower:
        return {}, {}  # and no import of readers of tables
    from cupel.metrics.external import external_scores

    return external_scores(external, corpus, lower)


def check_needs(corpus: Corpus, metrics: Mapping[str, Metric]) -> None:
    """An error where the corpus lacks a part that one of the metrics reads."""
    here = {REFERENCES: corpus.has_references, SOURCES: corpus.sources is not None}
    for label, metric in metrics.items():
        for part in needs_of(metric):
            if not here[part]:
                raise CupelError(f"The metric {label!r} needs {part}, and there are none here.")
