"""Score a corpus: metrics over batches, in one process or several, each distinct item once.

The road: distinct (hypothesis, references, source) items of all systems -> batches -> the
statistics of every metric -> spread back over systems and segments -> `Scores`. Equal items share
one row of statistics, so equal translations tie exactly; batches do not depend on the number of
workers, so neither do the results.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np

from cupel.alignments import Aligning, AligningMetric, Alignment
from cupel.arrays import FloatArray, IntArray
from cupel.batch import Batch
from cupel.console import Progress, warn
from cupel.corpus import Corpus
from cupel.errors import CupelError, MissingPart
from cupel.metric import REFERENCES, SOURCES, Metric, longest_of, needs_of
from cupel.pool import spread
from cupel.registry import (
    MetricLike,
    Metrics,
    get_metric,
    list_metrics,
    listed,
    named_metrics,
)
from cupel.scores import Scores

if TYPE_CHECKING:
    from cupel.metrics.external import Given, Source

BATCH_SIZE = 8192
"""Items per batch: enough to keep the arrays long, few enough to keep memory flat."""


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
    workers: int = 1,
    progress: Progress | None = None,
) -> Scores:
    """The statistics of every metric on every system and segment of a corpus, as `Scores`.

    metrics: by the label that they have in the result. external: scores that were computed
    elsewhere. lower, workers, progress: as for `score`.
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
    prepared = {label: metric.prepare(corpus) for label, metric in metrics.items()}
    items = _distinct_items(corpus)
    parts: dict[str, list[FloatArray]] = {label: [] for label in prepared}
    done = 0
    for statistics in _batch_statistics(items, prepared, workers) if prepared else ():
        for label, rows in statistics.items():
            parts[label].append(rows)
        done += len(next(iter(statistics.values())))
        if progress:
            progress(done, len(items))
    statistics_of_all = {
        label: np.concatenate(rows)[items.of_system_and_segment] for label, rows in parts.items()
    }
    return Scores(corpus, {**prepared, **others}, {**statistics_of_all, **their_statistics})


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


@dataclass(frozen=True)
class _Items:
    """The distinct items of a corpus, and where each came from first."""

    corpus: Corpus
    first: list[tuple[str, int]]
    of_system_and_segment: IntArray

    def __len__(self) -> int:
        return len(self.first)

    def batches(self) -> Iterator[Task]:
        systems, references = self.corpus.systems, self.corpus.references
        sources = self.corpus.sources
        for start in range(0, len(self.first), BATCH_SIZE):
            origin = self.first[start : start + BATCH_SIZE]
            yield Task(
                [systems[system][segment] for system, segment in origin],
                [references[segment] for _, segment in origin],
                [sources[segment] for _, segment in origin] if sources is not None else None,
                origin,
            )


def _distinct_items(corpus: Corpus) -> _Items:
    """Segment by segment, so that the references of one serve all systems in the same batch."""
    contexts: Sequence[object] = [
        texts[0] if len(texts) == 1 else tuple(texts) for texts in corpus.references
    ]
    if corpus.sources is not None:
        contexts = list(zip(contexts, corpus.sources, strict=True))
    names = list(corpus.systems)
    if len(names) == 1:
        whole = _numbered(list(zip(contexts, corpus.systems[names[0]], strict=True)))
    else:
        numbers = _numbered(contexts).tolist()
        pairs = zip(numbers, zip(*corpus.systems.values(), strict=True), strict=True)
        whole = _numbered([(context, text) for context, texts in pairs for text in texts])
    # Numbers grow by one where an item appears for the first time.
    appears = np.flatnonzero(np.diff(np.maximum.accumulate(whole), prepend=-1))
    segments, systems = (part.tolist() for part in np.divmod(appears, len(names)))
    first = list(zip(map(names.__getitem__, systems), segments, strict=True))
    index = whole.reshape(len(corpus), len(names)).T
    return _Items(corpus, first, np.ascontiguousarray(index))


def _numbered(items: Sequence[object]) -> IntArray:
    """Equal numbers for equal items, in order of first appearance."""
    numbers: dict[object, int] = dict.fromkeys(items, 0)
    if len(numbers) == len(items):  # the usual case
        return np.arange(len(items))
    numbers = dict(zip(numbers, range(len(numbers)), strict=True))
    return np.fromiter(map(numbers.__getitem__, items), np.int64, len(items))


@dataclass(frozen=True)
class Task:
    """What one worker gets: the texts of a batch, and where they came from."""

    hypotheses: list[str]
    references: list[Sequence[str]]
    sources: list[str] | None
    origin: list[tuple[str, int]]

    def batch(self, rows: slice = slice(None)) -> Batch:
        sources = self.sources[rows] if self.sources is not None else None
        return Batch(self.hypotheses[rows], self.references[rows], sources)

    def place(self, row: int) -> str:
        system, segment = self.origin[row]
        return f"segment {segment + 1} of system {system!r}"


def _batch_statistics(
    items: _Items, metrics: Mapping[str, Metric], workers: int
) -> Iterator[dict[str, FloatArray]]:
    small = len(items) <= BATCH_SIZE // 8
    return spread(partial(task_statistics, metrics), items.batches(), 1 if small else workers)


def task_statistics(metrics: Mapping[str, Metric], task: Task) -> dict[str, FloatArray]:
    """The checked statistics of every metric on one batch: label -> (n, k)."""
    batch = task.batch()
    limits = {label: longest_of(metric) for label, metric in metrics.items()}
    if min(limits.values(), default=math.inf) < math.inf:
        longest = max(map(len, batch.sentences), default=0)
        for label, limit in limits.items():
            if longest > limit:
                raise _too_long(label, metrics[label], task)
    return {label: _checked(label, metric, task, batch) for label, metric in metrics.items()}


def _too_long(label: str, metric: Metric, task: Task) -> CupelError:
    """The error for a text that is longer than a metric can take."""
    rows = zip(task.hypotheses, task.references, strict=True)
    longest = [max(map(len, (hypothesis, *texts))) for hypothesis, texts in rows]
    row = longest.index(max(longest))
    return CupelError(
        f"The metric {label!r} takes texts of up to {longest_of(metric):,.0f} characters; "
        f"{task.place(row)} or its reference has {longest[row]:,}: split it, or leave it out."
    )


def _checked(label: str, metric: Metric, task: Task, batch: Batch) -> FloatArray:
    try:
        statistics = metric.statistics(batch)
    except MissingPart:
        raise
    except (Exception, SystemExit) as error:  # a function of the user's may do anything
        raise CupelError(
            f"The metric {label!r} failed on {_culprit(metric, task)}: {_sentence(error)}."
        ) from error
    shape = np.shape(statistics)
    if len(shape) != 2 or shape[0] != len(batch):
        raise CupelError(
            f"The metric {label!r} returned statistics of shape {shape} for {len(batch)} segments "
            f"starting at {task.place(0)}; ({len(batch)}, k) was expected."
        )
    statistics = np.asarray(statistics, np.float64)
    wrong = np.flatnonzero(~np.isfinite(statistics).all(axis=1))
    if len(wrong):
        value = statistics[wrong[0]][~np.isfinite(statistics[wrong[0]])][0]
        raise CupelError(f"The metric {label!r} gave {value} on {task.place(int(wrong[0]))}.")
    return statistics


def _culprit(metric: Metric, task: Task) -> str:
    """The segment that a metric fails on: one after the other is tried."""
    for row in range(len(task.origin)):
        try:
            metric.statistics(task.batch(slice(row, row + 1)))
        except (Exception, SystemExit):
            return task.place(row)
    return f"a batch from {task.place(0)} to {task.place(len(task.origin) - 1)}"


def _sentence(error: BaseException) -> str:
    text = str(error).rstrip(".")
    return text if isinstance(error, CupelError) else f"{type(error).__name__}: {text}"
