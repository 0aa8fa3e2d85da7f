"""Scores over batches that arrive one by one, in one process or several.

Statistics add, so only their sums are kept, however long the loop runs. They are kept so that the
order of adding never matters: any split over batches and processes gives the same bits. A metric
that learns from the whole corpus (NIST, CIDEr) cannot be scored in parts: its texts are kept, and
scored together at the end.
"""

from __future__ import annotations

from collections.abc import Sequence

from cupel.arrays import FloatArray
from cupel.corpus import Corpus
from cupel.errors import CupelError
from cupel.metric import learns_from_corpus
from cupel.registry import MetricLike, named_metrics
from cupel.scoring import check_needs, score_corpus
from cupel.sums import exact_sums, total

Segment = tuple[str, tuple[str, ...], str | None]
"""A translation, its references and its source."""


class Accumulator:
    """`update` with every batch, `compute` at the end, `reset` before the next round.

    metrics   label -> metric, as for `cupel.score`
    sums      label -> (3, k): the statistics, in three parts whose sums are exact
    texts     the segments that have to be scored together, for metrics that learn from all
    segments  how many have been added
    """

    def __init__(self, metrics: Sequence[MetricLike] | MetricLike = ("bleu",)) -> None:
        """metrics: names with options, `Metric` objects or functions; one, or a list."""
        self.metrics = named_metrics(metrics)
        self.learning = {k: m for k, m in self.metrics.items() if learns_from_corpus(m)}
        self.additive = {k: m for k, m in self.metrics.items() if k not in self.learning}
        self.reset()

    def reset(self) -> None:
        """Forget all segments."""
        self.sums: dict[str, FloatArray] = {}
        self.texts: list[Segment] = []
        self.segments = 0

    def update(
        self,
        hypotheses: Sequence[str],
        references: Sequence[str | Sequence[str]] | None = None,
        sources: Sequence[str] | None = None,
    ) -> None:
        """Add a batch of segments; one without any changes nothing.

        hypotheses: the translations. references: per segment a string or a list of strings, where a
        metric needs them. sources: per segment a string, likewise.
        """
        if isinstance(hypotheses, Sequence) and not len(hypotheses) and not references:
            return
        corpus = Corpus.of(hypotheses, references, sources)
        if len(corpus.systems) > 1:
            raise CupelError("An Accumulator is for one system: give each system one of its own.")
        check_needs(corpus, self.learning)
        if self.additive:
            scores = score_corpus(corpus, self.additive)
            for label, statistics in scores.statistics.items():
                self._add(label, exact_sums(statistics[0]))
        if self.learning:
            (texts,) = corpus.systems.values()
            origins = corpus.sources if corpus.sources is not None else [None] * len(corpus)
            self.texts += zip(texts, map(tuple, corpus.references), origins, strict=True)
        self.segments += len(corpus)

    def merge(self, *others: Accumulator) -> None:
        """Add what others have collected, of other processes for instance.

        others: accumulators with the same metrics; they stay as they are.
        """
        for other in others:
            if other.identity != self.identity:
                raise CupelError(
                    "Accumulators can be merged when their metrics are the same: "
                    f"{', '.join(self.metrics)} here, {', '.join(other.metrics)} there."
                )
            for label, sums in other.sums.items():
                self._add(label, sums)
            self.texts += other.texts
            self.segments += other.segments

    def compute(self) -> dict[str, float]:
        """label -> the score of all segments so far."""
        if not self.segments:
            raise CupelError("There is nothing to score: call update with a batch first.")
        totals = {
            label: metric.score(total(self.sums[label])) for label, metric in self.additive.items()
        }
        if self.learning:
            # In a fixed order, so that it does not matter how they were split.
            corpus = _corpus(sorted(self.texts, key=lambda s: (s[0], s[1], s[2] or "")))
            scores = score_corpus(corpus, self.learning)
            for label, statistics in scores.statistics.items():
                totals[label] = scores.metrics[label].score(total(exact_sums(statistics[0])))
        return {label: float(totals[label]) for label in self.metrics}

    @property
    def identity(self) -> str:
        """Labels and signatures: accumulators that differ in them cannot be merged."""
        return "\n".join(f"{k}|{metric.signature()}" for k, metric in self.metrics.items())

    def __repr__(self) -> str:
        return f"Accumulator({list(self.metrics)}, segments={self.segments})"

    def _add(self, label: str, sums: FloatArray) -> None:
        self.sums[label] = self.sums[label] + sums if label in self.sums else sums


def _corpus(segments: Sequence[Segment]) -> Corpus:
    hypotheses, references, sources = zip(*segments, strict=True)
    given = [source for source in sources if source is not None]
    return Corpus.of(
        list(hypotheses),
        list(references) if all(references) else None,
        given if len(given) == len(segments) else None,
    )
