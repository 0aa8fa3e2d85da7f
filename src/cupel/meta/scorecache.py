"""Scores of a metric on a corpus, kept on disk: asking twice costs milliseconds.

The key is the metric's signature, a hash of its code and one of all the text, so a changed option,
version, line of code or sentence is another entry (see `cupel.cache`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

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
class MetricScores:
    """segments: (systems, segments); systems: (systems,). Higher is better in all.

    groups: (systems, groups), the scores of the groups of segments that were asked for.
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
) -> dict[str, MetricScores]:
    """The scores of every metric on a corpus, from the cache where it has them.

    groups: parts of the corpus that are scored by themselves as well, as a corpus each.
    """
    text = text_hash(corpus) + _groups_hash(groups)
    keys = {label: _key(metric, text) for label, metric in metrics.items()}
    tables: dict[str, FloatArray] = {}
    for label in metrics if use_cache else ():
        if (table := cache.load_array(_KIND, keys[label])) is not None:
            tables[label] = table
    missing = {label: metric for label, metric in metrics.items() if label not in tables}
    if missing:
        scores = score_corpus(corpus, missing, workers=workers, progress=progress)
        for label in missing:
            tables[label] = _table(scores, label, groups or {})
            if use_cache:
                cache.save_array(_KIND, keys[label], tables[label])
    ends = [1, 1 + len(corpus)]
    parts = {label: np.split(tables[label], ends, axis=1) for label in metrics}
    return {
        label: MetricScores(segments.copy(), system[:, 0].copy(), part.copy() if groups else None)
        for label, (system, segments, part) in parts.items()
    }


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
