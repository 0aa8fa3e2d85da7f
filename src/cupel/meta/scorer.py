"""The metrics that are judged: by name, or all lexical ones, and how they score a corpus."""

from __future__ import annotations

from collections.abc import Sequence

from cupel import __version__
from cupel.console import Progress, warn
from cupel.corpus import Corpus
from cupel.errors import CupelError
from cupel.meta.scorecache import Groups, MetricScores, metric_scores
from cupel.metric import Metric, Signature
from cupel.metrics.by_language import ENGLISH_ONLY, REPLACED, corpus_notes, metrics_for
from cupel.registry import MetricLike, get_metric, list_metrics, listed, named_metrics

LEXICAL = (
    "badger bleu cder chrf chrf++ cider meteor ncd nist per rouge-l sentbleu ter terp w2v-avg wer"
).split()
"""What `all` means as a metric: every metric that needs neither a parser nor a network."""
ALL = "all"


class Scorer:
    """Scores a corpus with the metrics that are asked for, as its target language makes them.

    labels: those of the metrics, as they were asked for. optional: whether there may be none.
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
        # Which metric assay is, the language decides: the other one need not be installed.
        others = [spec for spec in specs if spec != ENGLISH_ONLY]
        if others or not (specs or optional):
            named_metrics(others)  # so that a wrong name is reported at once
        self._specs: dict[str, MetricLike] = {}
        for spec in specs:
            label = spec if isinstance(spec, str) else get_metric(spec).name
            if label in self._specs:
                raise CupelError(f"The metric {label!r} is asked for twice.")
            self._specs[label] = spec
        self._made: dict[str | None, dict[str, Metric]] = {}
        self._notes: set[str] = set()
        self.workers, self.use_cache, self.progress = workers, use_cache, progress

    @property
    def labels(self) -> tuple[str, ...]:
        """Of the metrics, in order."""
        return tuple(self._specs)

    @property
    def signatures(self) -> dict[str, str]:
        """Of every metric; where languages make it several, the others with their language pairs."""
        version = Signature.of(version=f"cupel-{__version__}")
        signatures: dict[str, str] = {}
        for label in self.labels:
            pairs: dict[str, list[str]] = {}
            for pair, metrics in (self._made or {None: self._metrics(None)}).items():
                signature = str(metrics[label].signature() + version)
                pairs.setdefault(signature, []).append(str(pair))
            for number, (signature, of) in enumerate(pairs.items()):
                signatures[f"{label} ({', '.join(of)})" if number else label] = signature
        return signatures

    def _metrics(self, pair: str | None) -> dict[str, Metric]:
        """By label. A pair that names no language chooses nothing."""
        pair = pair if _names_language(pair) else None
        if pair not in self._made:
            made = {}
            for label, spec in self._specs.items():
                ((name, metric),) = metrics_for([spec], pair).items()
                made[label] = metric
                if name != label:
                    self._note(f"{pair}: {REPLACED}")
            self._made[pair] = made
        return self._made[pair]

    def _note(self, sentence: str) -> None:
        if sentence not in self._notes:
            self._notes.add(sentence)
            warn(sentence)

    def __call__(
        self, corpus: Corpus, groups: Groups | None = None, pair: str | None = None
    ) -> dict[str, MetricScores]:
        """The scores of all metrics; groups: see `metric_scores`. pair: the language pair."""
        metrics = self._metrics(pair)
        for sentence in corpus_notes(corpus, metrics, pair if pair in self._made else None):
            self._note(sentence)
        return metric_scores(
            corpus,
            metrics,
            workers=self.workers,
            progress=self.progress,
            use_cache=self.use_cache,
            groups=groups,
        )


def _names_language(pair: str | None) -> bool:
    from cupel.text.languages import target_language

    try:
        return target_language(pair) is not None
    except CupelError:
        return False


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
