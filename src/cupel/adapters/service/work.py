"""What a worker computes: tasks of several requests at once, each distinct item once.

Tasks that ask for the same metric are joined into one corpus and scored together; each then gets the
statistics of its own segments, so that its answer is the one that it would get alone. Metrics that
learn from the corpus are computed for every task separately.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar, cast

from cupel import __version__
from cupel.adapters.service.requests import ALIGN, PREFER, SCORE, Task
from cupel.alignments import Aligning, Alignment
from cupel.batch import Batch
from cupel.corpus import NO_REFERENCES, Corpus
from cupel.errors import CupelError
from cupel.metric import Metric, Preferring, learns_from_corpus, needs_of
from cupel.metrics.by_language import metrics_for
from cupel.metrics.function import Function
from cupel.scores import Scores
from cupel.scoring import score, score_corpus
from cupel.totals import Totals

Content = dict[str, Any]
Answer = tuple[int, bytes]
"""HTTP status, and JSON."""
Result = TypeVar("Result")


class Performer:
    """`perform` with these metrics: sent to a worker, it loads them there.

    specs: the metrics. pair: the language pair, whose target language chooses their words.
    """

    def __init__(self, specs: Sequence[str], pair: str | None = None) -> None:
        self._arguments = list(specs), pair

    def __reduce__(self) -> Any:
        return _loaded, self._arguments


def _loaded(specs: Sequence[str], pair: str | None) -> Callable[[Sequence[Task]], list[Answer]]:
    """Each metric scores one segment, so that models and tables are loaded before the first request."""
    metrics = metrics_for(specs, pair)
    for metric in metrics.values():
        if isinstance(metric, Function):
            continue  # somebody else's: it may not expect this text
        needs = needs_of(metric)
        references = ["A cat sat on the mat."] if "references" in needs else None
        sources = ["Eine Katze saß auf der Matte."] if "sources" in needs else None
        score(["The cat sat on the mat."], references, metric, sources=sources)
    return partial(perform, metrics)


def perform(metrics: Mapping[str, Metric], tasks: Sequence[Task]) -> list[Answer]:
    """One answer per task; where a task fails, only that one."""
    answers: dict[int, Answer] = {}
    for operation, run in {SCORE: _score, ALIGN: _align, PREFER: _prefer}.items():
        rows = [row for row, task in enumerate(tasks) if task.operation == operation]
        chosen = [tasks[row] for row in rows]
        answers |= zip(rows, _answers(run, metrics, chosen), strict=True)
    return [answers[row] for row in range(len(tasks))]


def error(sentence: str) -> bytes:
    """The JSON of everything that goes wrong."""
    return json.dumps({"error": sentence}, ensure_ascii=False).encode()


_Run = Callable[[Mapping[str, Metric], Sequence[Task]], list[Content]]


def _answers(run: _Run, metrics: Mapping[str, Metric], tasks: Sequence[Task]) -> list[Answer]:
    if not tasks:
        return []
    try:
        return [(200, _json(content)) for content in run(metrics, tasks)]
    except Exception as failure:
        if len(tasks) > 1:  # which of them failed is seen when each is alone
            return [answer for task in tasks for answer in _answers(run, metrics, [task])]
        if isinstance(failure, CupelError):
            return [(422, error(str(failure)))]
        with suppress(OSError):  # nobody may read standard error any more
            traceback.print_exc(file=sys.stderr)
        return [(500, error("The service failed on this request; its log has the reason."))]


def _json(content: Content) -> bytes:
    document = {"version": __version__, **content}
    return json.dumps(document, ensure_ascii=False, allow_nan=False).encode()


def _groups(
    metrics: Mapping[str, Metric], tasks: Sequence[Task]
) -> dict[tuple[int, ...], list[str]]:
    """The tasks that are computed together, by their rows, with the metrics that they share."""
    groups: dict[tuple[int, ...], list[str]] = {}
    for label, metric in metrics.items():
        by_shape: dict[Hashable, list[int]] = {}
        for row, task in enumerate(tasks):
            if label in task.metrics:
                shape = (task.references is None, task.sources is None)
                alone = row if learns_from_corpus(metric) else None
                by_shape.setdefault((shape, alone), []).append(row)
        for rows in by_shape.values():
            groups.setdefault(tuple(rows), []).append(label)
    return groups


def _joined(tasks: Sequence[Task]) -> Corpus:
    """The segments of all tasks, one after the other."""
    first = tasks[0]
    systems = {name: [t for task in tasks for t in task.systems[name]] for name in first.systems}
    references: Sequence[Sequence[str]] = NO_REFERENCES
    if first.references is not None:
        references = [texts for task in tasks for texts in task.references or ()]
    sources = None
    if first.sources is not None:
        sources = [text for task in tasks for text in task.sources or ()]
    return Corpus(systems, references, sources)


def _score(metrics: Mapping[str, Metric], tasks: Sequence[Task]) -> list[Content]:
    contents: list[Content] = [
        {"signatures": {}, "scores": {}, "segment_scores": {}} for _ in tasks
    ]
    for rows, labels in _groups(metrics, tasks).items():
        group = [tasks[row] for row in rows]
        together = score_corpus(_joined(group), {label: metrics[label] for label in labels})
        start = 0
        for row, task in zip(rows, group, strict=True):
            end = start + task.segments
            statistics = {label: all_[:, start:end] for label, all_ in together.statistics.items()}
            totals = Totals.of(together.systems, statistics)
            _add(contents[row], Scores(together.metrics, totals, _joined([task])))
            start = end
    return [_in_order(content, task) for content, task in zip(contents, tasks, strict=True)]


def _add(content: Content, scores: Scores) -> None:
    content["signatures"] |= scores.signatures
    content["scores"] |= {row["metric"]: row["score"] for row in scores.rows()}
    rows = scores.segment_rows()
    content["segment_scores"] |= {
        label: [row[label] for row in rows]
        for label in rows[0]
        if label not in ("system", "segment")
    }


def _in_order(content: Content, task: Task) -> Content:
    """The metrics in the order of the request; a vector has several labels, `metric.component`."""

    def place(label: str) -> int:
        owner = label if label in task.metrics else label.rpartition(".")[0]
        return task.metrics.index(owner)

    return {
        name: {label: part[label] for label in sorted(part, key=place)}
        for name, part in content.items()
    }


def _align(metrics: Mapping[str, Metric], tasks: Sequence[Task]) -> list[Content]:
    def alignments(metric: Metric, corpus: Corpus) -> Sequence[Alignment]:
        (texts,) = corpus.systems.values()
        return cast(Aligning, metric).alignments(Batch(texts, corpus.references))

    return [
        {
            "metric": task.metrics[0],
            "signature": str(metric.signature()),
            "segments": [_aligned(one) for one in part],
        }
        for task, (metric, part) in zip(tasks, _by_task(metrics, tasks, alignments), strict=True)
    ]


def _aligned(alignment: Alignment) -> Content:
    """Positions and the number of the reference count from 1, as for `cupel align -f json`."""
    return {
        "score": alignment.score,
        "details": dict(alignment.details),
        "reference_number": alignment.reference_number + 1,
        "hypothesis": list(alignment.hypothesis),
        "reference": list(alignment.reference),
        "links": [
            {
                "hypothesis_at": [at + 1 for at in link.hypothesis],
                "reference_at": [at + 1 for at in link.reference],
                "kind": link.kind,
                "weight": link.weight,
                "chunk": link.group,
            }
            for link in alignment.links
        ],
    }


def _prefer(metrics: Mapping[str, Metric], tasks: Sequence[Task]) -> list[Content]:
    def probabilities(metric: Metric, corpus: Corpus) -> Sequence[float]:
        first, second = (
            Batch(texts, corpus.references, corpus.sources) for texts in corpus.systems.values()
        )
        return [float(p) for p in cast(Preferring, metric).prefer(first, second)]

    return [
        {
            "metric": task.metrics[0],
            "signature": str(metric.signature()),
            "first_is_better": list(part),
        }
        for task, (metric, part) in zip(tasks, _by_task(metrics, tasks, probabilities), strict=True)
    ]


def _by_task(
    metrics: Mapping[str, Metric],
    tasks: Sequence[Task],
    compute: Callable[[Metric, Corpus], Sequence[Result]],
) -> list[tuple[Metric, Sequence[Result]]]:
    """For each task its metric, prepared, and one result per segment."""
    results: dict[int, tuple[Metric, Sequence[Result]]] = {}
    for rows, (label, *_) in _groups(metrics, tasks).items():
        group = [tasks[row] for row in rows]
        whole = _joined(group)
        metric = metrics[label].prepare(whole)
        corpus, places = _distinct(whole)
        distinct = compute(metric, corpus)
        start = 0
        for row, task in zip(rows, group, strict=True):
            end = start + task.segments
            results[row] = metric, [distinct[place] for place in places[start:end]]
            start = end
    return [results[row] for row in range(len(tasks))]


def _distinct(corpus: Corpus) -> tuple[Corpus, list[int]]:
    """The distinct items of a corpus, and for each segment which of them it is."""
    numbers: dict[Hashable, int] = {}
    rows: list[int] = []
    places: list[int] = []
    sources = corpus.sources
    for row, (*texts, references) in enumerate(
        zip(*corpus.systems.values(), corpus.references, strict=True)
    ):
        key = (*texts, tuple(references), None if sources is None else sources[row])
        places.append(numbers.setdefault(key, len(numbers)))
        if len(rows) < len(numbers):
            rows.append(row)
    return Corpus(
        {name: [texts[row] for row in rows] for name, texts in corpus.systems.items()},
        [corpus.references[row] for row in rows] if corpus.has_references else NO_REFERENCES,
        None if sources is None else [sources[row] for row in rows],
    ), places
