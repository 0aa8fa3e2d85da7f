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
from cupel.arrays import FloatArray
from cupel.code_digest import code_of, digest
from cupel.console import Progress
from cupel.corpus import Corpus
from cupel.metric import Metric
from cupel.scores import Scores
from cupel.scoring import score_corpus

_KIND = "scores"


@dataclass(frozen=True)
class MetricScores:
    """segments: (systems, segments); systems: (systems,). Higher is better in both."""

    segments: FloatArray
    systems: FloatArray


def metric_scores(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    *,
    workers: int = 1,
    progress: Progress | None = None,
    use_cache: bool = True,
) -> dict[str, MetricScores]:
    """The scores of every metric on a corpus, from the cache where it has them."""
    text = text_hash(corpus)
    keys = {label: _key(metric, text) for label, metric in metrics.items()}
    tables: dict[str, FloatArray] = {}
    for label in metrics if use_cache else ():
        if (table := cache.load_array(_KIND, keys[label])) is not None:
            tables[label] = table
    missing = {label: metric for label, metric in metrics.items() if label not in tables}
    if missing:
        scores = score_corpus(corpus, missing, workers=workers, progress=progress)
        for label, metric in missing.items():
            tables[label] = _table(scores, label, metric)
            if use_cache:
                cache.save_array(_KIND, keys[label], tables[label])
    return {
        label: MetricScores(tables[label][:, 1:].copy(), tables[label][:, 0].copy())
        for label in metrics
    }


def _table(scores: Scores, label: str, metric: Metric) -> FloatArray:
    """(systems, 1 + segments): the score of each system, and of each of its segments."""
    sign = 1.0 if metric.higher_is_better else -1.0
    segments = [scores.segment_scores(label, system) for system in scores.systems]
    systems = [scores.system_score(label, system) for system in scores.systems]
    return sign * np.column_stack([systems, segments])


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
