"""From translations to tasks: score them, order the segments, keep the first; what `cupel select` does.

Beside the selection stands a random one of the same size, so that one sees what the method changes: how
far metrics disagree there, how far the systems are apart, how different the texts are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.console import Progress
from cupel.corpus import Corpus
from cupel.errors import CupelError
from cupel.human.tasks.selection import (
    RANDOM,
    UTILITIES,
    Evidence,
    order,
    utility,
    whole_documents,
)
from cupel.human.tasks.task import Before, Task
from cupel.meta.scorer import Scorer
from cupel.records import Row
from cupel.registry import MetricLike
from cupel.significance import DEFAULT_SEED

DEFAULT_METRICS = ("chrf", "sentbleu", "ter")
DEFAULT_METHOD = ("disagreement", "typical", "content")
"""Chosen by leaving one campaign out; see docs/research/select.md."""
RANDOM_DRAWS = 100
"""The random baseline is the mean over so many draws."""


@dataclass(frozen=True)
class Selection:
    """The tasks in the order of the test set, and rows that compare the selection with random ones."""

    tasks: list[Task]
    segments: IntArray
    rows: list[Row]


def select_segments(
    corpus: Corpus,
    budget: int,
    metrics: Sequence[MetricLike] = DEFAULT_METRICS,
    *,
    method: Sequence[str] = DEFAULT_METHOD,
    draw: bool = True,
    documents: Sequence[str] | None = None,
    whole: bool = False,
    context: int = 2,
    pair: str | None = None,
    seed: int = DEFAULT_SEED,
    use_cache: bool = True,
    progress: Progress | None = None,
) -> Selection:
    """Choose the segments whose judgment tells most.

    budget: number of segments. metrics: whose scores are used; without references in the corpus, each
    translation is scored against those of the other systems. method, draw: see
    `cupel.human.tasks.selection`. documents: the document of each segment; whole: keep them whole.
    context: how many segments before it in its document a task has.
    """
    _check(corpus, budget, documents, whole)
    scores = segment_scores(corpus, metrics, use_cache=use_cache, progress=progress)
    texts = [[outputs[at] for outputs in corpus.systems.values()] for at in range(len(corpus))]
    evidence = Evidence(scores, texts, corpus.sources or [""] * len(corpus))
    chosen = _chosen(utility(evidence, method), budget, seed, draw, documents if whole else None)
    name = "+".join(method)
    rows = _rows(evidence, chosen, name, documents, seed)
    tasks = [_task(corpus, int(at), documents, context, pair, name) for at in np.sort(chosen)]
    return Selection(tasks, chosen, rows)


def _check(corpus: Corpus, budget: int, documents: Sequence[str] | None, whole: bool) -> None:
    if corpus.sources is None:
        raise CupelError("Annotators need the source text: give it with -s.")
    if not 1 <= budget <= len(corpus):
        raise CupelError(f"The budget is {budget} segments, but there are {len(corpus)}.")
    if whole and documents is None:
        raise CupelError(
            "To keep documents whole, name the document of each segment (--documents)."
        )
    if documents is not None and len(documents) != len(corpus):
        raise CupelError(
            f"There are {len(documents)} names of documents, but {len(corpus)} segments."
        )


def _chosen(
    values: FloatArray, budget: int, seed: int, draw: bool, documents: Sequence[str] | None
) -> IntArray:
    ranked = order(values, seed, draw=draw)
    return ranked[:budget] if documents is None else whole_documents(ranked, documents, budget)


def segment_scores(
    corpus: Corpus,
    metrics: Sequence[MetricLike],
    *,
    use_cache: bool = True,
    progress: Progress | None = None,
) -> FloatArray:
    """(metrics, systems, segments); see `select_segments` for a corpus without references."""
    scorer = Scorer(metrics, use_cache=use_cache, progress=progress)
    if any(corpus.references):
        return np.stack([values.segments for values in scorer(corpus).values()])
    if len(corpus.systems) < 2:
        raise CupelError("With one system and no reference nothing can be compared: give -r.")
    parts = []
    for name in corpus.systems:
        others = [texts for other, texts in corpus.systems.items() if other != name]
        references = [list(texts) for texts in zip(*others, strict=True)]
        alone = replace(
            corpus, systems={name: corpus.systems[name]}, references=references, origins={}
        )
        parts.append(np.stack([values.segments[0] for values in scorer(alone).values()]))
    return np.stack(parts, axis=1)


def _rows(
    evidence: Evidence,
    chosen: IntArray,
    name: str,
    documents: Sequence[str] | None,
    seed: int,
) -> list[Row]:
    """What the selection and random ones have, as means over segments; 1 is the mean of all."""
    rng = np.random.default_rng([seed, 1])
    count = len(evidence)
    draws = [rng.permutation(count)[: len(chosen)] for _ in range(RANDOM_DRAWS)]
    whole = {key: of(evidence) for key, of in UTILITIES.items()}
    names = documents or [str(at) for at in range(count)]

    def row(label: str, selections: Sequence[IntArray]) -> Row:
        counts = [len({names[at] for at in selection}) for selection in selections]
        values: Row = {"method": label, "segments": len(chosen)}
        values["documents"] = float(np.mean(counts)) if documents else None
        for key, each in whole.items():
            mean = float(each.mean()) or 1.0
            values[key] = (
                float(np.mean([each[selection].mean() for selection in selections])) / mean
            )
        return values

    rows = [row(name, [chosen])] if name != RANDOM else []
    return [*rows, row(RANDOM, draws)]


def _task(
    corpus: Corpus,
    at: int,
    documents: Sequence[str] | None,
    context: int,
    pair: str | None,
    method: str,
) -> Task:
    sources = corpus.sources or []
    preceding = range(max(0, at - context), at) if documents else range(0)
    before = [
        Before(sources[place], {name: texts[place] for name, texts in corpus.systems.items()})
        for place in preceding
        if documents and documents[place] == documents[at]
    ]
    references = corpus.references[at]
    return Task(
        at + 1,
        sources[at],
        {name: texts[at] for name, texts in corpus.systems.items()},
        references[0] if references else None,
        pair,
        documents[at] if documents else "",
        tuple(before),
        method,
    )
