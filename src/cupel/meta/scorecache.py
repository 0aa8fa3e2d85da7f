"""Scores of a metric on a corpus, kept on disk: asking twice costs milliseconds.

The key is the metric's signature, a hash of its code and one of all the text, so a changed option,
version, line of code or sentence is another entry (see `cupel.cache`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cupel import cache
from cupel.arrays import FloatArray, IntArray
from cupel.code_digest import code_of, digest
from cupel.console import Progress
from cupel.corpus import Corpus
from cupel.metric import Metric
from cupel.scores import Scores
from cupel.scoring import score_corpus

_KIND = "scores"


Groups = Mapping[str, IntArray]
"""Name -> segments: documents, or domains."""


@dataclass(frozen=True)
class Part:
    """The part of a corpus that is scored; metrics are prepared with all of it all the same.

    segments: their places, or None for all.
    """

    systems: tuple[str, ...]
    segments: IntArray | None = None

    def of(self, corpus: Corpus) -> Corpus:
        """The texts."""
        places = range(len(corpus)) if self.segments is None else self.segments.tolist()

        def kept(texts: Sequence[Any]) -> list[Any]:
            return [texts[at] for at in places]

        return replace(
            corpus,
            systems={name: kept(corpus.systems[name]) for name in self.systems},
            references=kept(corpus.references) if corpus.has_references else corpus.references,
            sources=None if corpus.sources is None else kept(corpus.sources),
        )


@dataclass(frozen=True)
class MetricScores:
    """segments: (systems, segments); systems: (systems,). Higher is better in all.

    groups: (systems, groups), the scores of the groups of segments that were asked for. Segments
    that were not asked for are NaN, and so are the systems then.
    """

    segments: FloatArray
    systems: FloatArray
    groups: FloatArray | None = None


def metric_scores(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    *,
    workers: int = 1,
    progress: Progress | None = None,
    use_cache: bool = True,
    groups: Groups | None = None,
    part: Part | None = None,
) -> dict[str, MetricScores]:
    """The scores of every metric on a corpus, from the cache where it has them.

    groups: parts of the corpus that are scored by themselves as well, as a corpus each. part: what
    alone is scored.
    """
    scored = corpus if part is None else part.of(corpus)
    places = None if part is None else part.segments
    groups = groups if groups and places is None else {}
    text = text_hash(corpus) + _groups_hash(groups) + (text_hash(scored) if part else "")
    keys = {label: _key(metric, text) for label, metric in metrics.items()}
    tables: dict[str, FloatArray] = {}
    for label in metrics if use_cache else ():
        if (table := cache.load_array(_KIND, keys[label])) is not None:
            tables[label] = table
    missing = {label: metric for label, metric in metrics.items() if label not in tables}
    if missing:
        scores = score_corpus(scored, missing, whole=corpus, workers=workers, progress=progress)
        for label in missing:
            tables[label] = _table(scores, label, groups)
            if use_cache:
                cache.save_array(_KIND, keys[label], tables[label])
    return {label: _spread(tables[label], len(corpus), places, bool(groups)) for label in metrics}


def _spread(
    table: FloatArray, segments: int, places: IntArray | None, grouped: bool
) -> MetricScores:
    if places is not None:
        whole = np.full((len(table), segments), np.nan)
        whole[:, places] = table[:, 1:]
        return MetricScores(whole, np.full(len(table), np.nan))
    system, rows, groups = np.split(table, [1, 1 + segments], axis=1)
    return MetricScores(rows.copy(), system[:, 0].copy(), groups.copy() if grouped else None)


def _table(scores: Scores, label: str, groups: Groups) -> FloatArray:
    """(systems, 1 + segments + groups): the score of each system, and of each of its parts."""
    metric, statistics = scores.metrics[label], scores.statistics[label]
    sign = 1.0 if metric.higher_is_better else -1.0
    segments = [scores.segment_scores(label, system) for system in scores.systems]
    systems = [scores.system_score(label, system) for system in scores.systems]
    parts = [metric.score(statistics[:, where].sum(axis=1)) for where in groups.values()]
    return sign * np.column_stack([systems, segments, *parts])


def _groups_hash(groups: Groups | None) -> str:
    if not groups:
        return ""
    return hashlib.sha256(b"/".join(where.tobytes() for where in groups.values())).hexdigest()


def text_hash(corpus: Corpus) -> str:
    """Of all texts with their places and the systems' names: for keys of caches."""
    digest = hashlib.sha256()

    def add(text: str) -> None:
        content = text.encode("utf-8", "surrogatepass")
        digest.update(len(content).to_bytes(8, "little") + content)

    for texts in corpus.references:
        digest.update(len(texts).to_bytes(4, "little"))
        for text in texts:
            add(text)
    for text in corpus.sources or ():
        add(text)
    for system, texts in corpus.systems.items():
        add(system)
        for text in texts:
            add(text)
    return digest.hexdigest()


def _key(metric: Metric, text: str) -> str:
    around = [digest(module, within=module) for module in ("cupel.scoring", "cupel.scores")]
    return cache.key(metric.name, metric.signature(), code_of(metric), *around, text)
