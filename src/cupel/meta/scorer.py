"""The metrics that are judged: by name, or all lexical ones, and how they score a corpus."""

from __future__ import annotations

from collections.abc import Sequence

from cupel import __version__
from cupel.console import Progress, warn
from cupel.corpus import Corpus
from cupel.meta.scorecache import Groups, MetricScores, metric_scores
from cupel.metric import Metric, Signature
from cupel.metrics.by_language import corpus_notes
from cupel.registry import MetricLike, list_metrics, listed, named_metrics

LEXICAL = (
    "badger bleu cder chrf chrf++ cider meteor ncd nist per rouge-l sentbleu ter terp w2v-avg wer"
).split()
"""What `all` means as a metric: every metric that needs neither a parser nor a network."""
ALL = "all"


class Scorer:
    """Scores a corpus with the metrics that are asked for.

    optional: whether there may be none of them.
    """

    def __init__(
        self,
        metrics: Sequence[MetricLike] | MetricLike,
        workers: int = 1,
        use_cache: bool = True,
        progress: Progress | None = None,
        optional: bool = False,
    ) -> None:
        specs = _without_all(list(listed(metrics)))
        self.metrics: dict[str, Metric] = {} if optional and not specs else named_metrics(specs)
        self._said: set[str] = set()
        self.workers, self.use_cache, self.progress = workers, use_cache, progress

    @property
    def signatures(self) -> dict[str, str]:
        """Of every metric."""
        version = Signature.of(version=f"cupel-{__version__}")
        return {label: str(metric.signature() + version) for label, metric in self.metrics.items()}

    def __call__(self, corpus: Corpus, groups: Groups | None = None) -> dict[str, MetricScores]:
        """The scores of all metrics; groups: see `metric_scores`."""
        for sentence in corpus_notes(corpus, self.metrics):
            if sentence not in self._said:
                self._said.add(sentence)
                warn(sentence)
        return metric_scores(
            corpus,
            self.metrics,
            workers=self.workers,
            progress=self.progress,
            use_cache=self.use_cache,
            groups=groups,
        )


def _without_all(specs: Sequence[MetricLike]) -> list[MetricLike]:
    """The same with all lexical metrics that are ready in the place of `all`."""
    if ALL not in specs:
        return list(specs)
    entries = {entry.name: entry for entry in list_metrics() if entry.name in LEXICAL}
    for name, entry in entries.items():
        if entry.unready:
            warn(f"{name} is left out of all metrics: {entry.unready}")
    ready = [name for name, entry in entries.items() if not entry.unready and name not in specs]
    place = list(specs).index(ALL)
    return [*specs[:place], *ready, *(spec for spec in specs[place:] if spec != ALL)]
