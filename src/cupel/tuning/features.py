"""Features of a tunable metric on a whole corpus, each distinct translation once, kept on disk."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from cupel import cache
from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.code_digest import code_of
from cupel.console import Progress
from cupel.corpus import Corpus
from cupel.meta.scorecache import text_hash
from cupel.metric import Metric, Signature
from cupel.scoring import score_corpus
from cupel.tuning.material import TunableMetric


@dataclass(frozen=True)
class _Features(Metric):
    """A metric whose statistics are another one's features: scoring then does all the rest."""

    of: TunableMetric

    name = "features"
    higher_is_better = True

    def signature(self) -> Signature:
        return Signature()

    def prepare(self, corpus: Corpus) -> Self:
        return replace(self, of=self.of.prepare(corpus))

    def statistics(self, batch: Batch) -> FloatArray:
        features = self.of.features(batch)
        return np.asarray(features, np.float64).reshape(len(batch), -1)

    def score(self, statistics: FloatArray) -> FloatArray:
        return np.zeros(statistics.shape[:-1])


def corpus_features(
    corpus: Corpus,
    metric: TunableMetric,
    *,
    workers: int = 1,
    progress: Progress | None = None,
    use_cache: bool = True,
) -> FloatArray:
    """(systems, segments, ...) the features of every translation."""

    def compute() -> FloatArray:
        scores = score_corpus(corpus, {metric.name: _Features(metric)}, workers=workers,
                              progress=progress)  # fmt: skip
        flat = scores.statistics[metric.name]
        some = Batch(next(iter(corpus.systems.values()))[:1], corpus.references[:1])
        shape = np.shape(metric.prepare(corpus).features(some))[1:]
        return flat.reshape(*flat.shape[:2], *shape)

    return cache.kept_array("tune", _key(corpus, metric), compute) if use_cache else compute()


def _key(corpus: Corpus, metric: TunableMetric) -> str:
    """All that features depend on: text, code, and the signature but for the parameters' values."""
    # A metric that writes its parameters under other names than they have is merely computed again.
    entries = [e for e in metric.signature().entries if e[0] not in metric.parameters]
    return cache.key(metric.name, entries, code_of(metric), text_hash(corpus))
