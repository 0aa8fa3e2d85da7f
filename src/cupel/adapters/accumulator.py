"""Scores over batches that arrive one by one, in one process or several.

Statistics add, so only their sums are kept, however long the loop runs. They are kept so that the
order of adding never matters: any split over batches and processes gives the same bits. A metric
that learns from the whole corpus (NIST, CIDEr) cannot be scored in parts: its texts are kept, and
scored together at the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from cupel.arrays import FloatArray
from cupel.blocks import Block, block_rows, block_statistics
from cupel.corpus import DEFAULT_SYSTEM, Corpus, Outline
from cupel.errors import CupelError
from cupel.metric import learns_from_corpus
from cupel.registry import MetricLike, named_metrics
from cupel.scores import Scores
from cupel.scoring import check_needs
from cupel.totals import Totals, exact_sums

Segment = tuple[str, tuple[str, ...], str | None]
"""A translation, its references and its source."""


class Accumulator:
    """`update` with every batch, `compute` at the end, `reset` before the next round.

    metrics   label -> metric, as for `cupel.score`
    totals    the statistics added up, so that the order of adding does not matter
    texts     the segments that have to be scored together, for metrics that learn from all
    """

    def __init__(self, metrics: Sequence[MetricLike] | MetricLike = ("bleu",)) -> None:
        """metrics: names with options, `Metric` objects or functions; one, or a list."""
        self.metrics = named_metrics(metrics)
        self.learning = {k: m for k, m in self.metrics.items() if learns_from_corpus(m)}
        self.additive = {k: m for k, m in self.metrics.items() if k not in self.learning}
        self.reset()

    def reset(self) -> None:
        """Forget all segments."""
        self.totals = Totals()
        self.texts: list[Segment] = []

    def restore(
        self, sums: Mapping[str, FloatArray], texts: Sequence[Segment], segments: int
    ) -> None:
        """Continue with what another accumulator with the same metrics has collected.

        sums: label -> its `sums`. texts, segments: its texts, and how many segments it has.
        """
        self.totals = Totals("sums", Outline(Counter({DEFAULT_SYSTEM: segments})))
        self.totals.exact = {label: {DEFAULT_SYSTEM: values} for label, values in sums.items()}
        self.texts = list(texts)

    @property
    def segments(self) -> int:
        """How many have been added."""
        return len(self.totals.outline)

    @property
    def sums(self) -> dict[str, FloatArray]:
        """label -> (3, k): the statistics, in three parts whose sums are exact."""
        return {label: systems[DEFAULT_SYSTEM] for label, systems in self.totals.exact.items()}

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
        check_needs(corpus, {**self.learning, **self.additive})
        (texts,) = corpus.systems.values()
        block = Block(0, {DEFAULT_SYSTEM: texts}, corpus.references, corpus.sources)
        prepared = {label: metric.prepare(corpus) for label, metric in self.additive.items()}
        self.totals.add(block_statistics(prepared, block, all_rows=True))
        if self.learning:
            origins: Sequence[str | None] = corpus.sources or [None] * len(corpus)
            self.texts += zip(texts, map(tuple, corpus.references), origins, strict=True)

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
            self.totals.merge(other.totals)
            self.texts += other.texts

    def compute(self) -> dict[str, float]:
        """label -> the score of all segments so far."""
        scores = self.scores()
        return {label: scores.system_score(label) for label in self.metrics}

    def scores(self) -> Scores:
        """What `cupel.score` returns, of all segments so far, without the single segments."""
        if not self.segments:
            raise CupelError("There is nothing to score: call update with a batch first.")
        totals = Totals()
        totals.merge(self.totals)
        metrics = dict(self.metrics)
        if self.learning:
            # In a fixed order, so that it does not matter how they were split.
            corpus = _corpus(sorted(self.texts, key=lambda s: (s[0], s[1], s[2] or "")))
            prepared = {label: metric.prepare(corpus) for label, metric in self.learning.items()}
            for label, rows in block_rows(prepared, Block.of(corpus)).items():
                totals.add_exact(label, DEFAULT_SYSTEM, exact_sums(rows[0]))
            metrics |= prepared
        return Scores(metrics, totals)

    @property
    def identity(self) -> str:
        """Labels and signatures: accumulators that differ in them cannot be merged."""
        return "\n".join(f"{k}|{metric.signature()}" for k, metric in self.metrics.items())

    def __repr__(self) -> str:
        return f"Accumulator({list(self.metrics)}, segments={self.segments})"


def _corpus(segments: Sequence[Segment]) -> Corpus:
    hypotheses, references, sources = zip(*segments, strict=True)
    given = [source for source in sources if source is not None]
    return Corpus.of(
        list(hypotheses),
        list(references) if all(references) else None,
        given if len(given) == len(segments) else None,
    )
