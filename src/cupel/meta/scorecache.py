"""Scores of a metric on a corpus, kept on disk: asking twice costs milliseconds.

The key is the metric's signature, a hash of its code and one of all the text, so a changed option,
version, line of code or sentence is another entry. Entries are plain arrays, written beside and
renamed; one that cannot be read is computed anew.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from cupel.arrays import FloatArray
from cupel.code_digest import code_of, digest
from cupel.console import Progress
from cupel.corpus import Corpus
from cupel.errors import CupelError
from cupel.folders import cache_folder, writing
from cupel.metric import Metric
from cupel.scores import Scores
from cupel.scoring import score_corpus

_FORM = 2


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
    found = {label: _read(key) for label, key in keys.items()} if use_cache else {}
    missing = {label: metric for label, metric in metrics.items() if found.get(label) is None}
    if missing:
        scores = score_corpus(corpus, missing, workers=workers, progress=progress)
        for label, metric in missing.items():
            computed = _oriented(scores, label, metric)
            if use_cache:
                _write(keys[label], computed)
            found[label] = computed
    return {label: entry for label in metrics if (entry := found[label]) is not None}


def _oriented(scores: Scores, label: str, metric: Metric) -> MetricScores:
    sign = 1.0 if metric.higher_is_better else -1.0
    segments = [scores.segment_scores(label, system) for system in scores.systems]
    systems = [scores.system_score(label, system) for system in scores.systems]
    return MetricScores(sign * np.array(segments), sign * np.array(systems))


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
    from cupel import __version__

    around = [digest(module, within=module) for module in ("cupel.scoring", "cupel.scores")]
    code = (code_of(metric), *around)
    parts = (_FORM, __version__, metric.name, str(metric.signature()), *code, text)
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()[:32]


def _read(key: str) -> MetricScores | None:
    try:
        table = np.load(cache_folder() / "scores" / f"{key}.npy", allow_pickle=False)
        return MetricScores(table[:, 1:].copy(), table[:, 0].copy())
    except (OSError, ValueError, IndexError):
        return None


def _write(key: str, scores: MetricScores) -> None:
    """Keep the scores where the cache can be written; they are valid where it cannot."""
    table = np.column_stack([scores.systems, scores.segments])
    with (
        contextlib.suppress(CupelError, OSError),
        writing(cache_folder() / "scores" / f"{key}.npy") as beside,
    ):
        np.save(beside, table, allow_pickle=False)
