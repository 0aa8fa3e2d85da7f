"""The metrics that are judged: by name, or all that cost little, and how they score a corpus."""

from __future__ import annotations

from collections.abc import Sequence

from cupel import __version__
from cupel.console import Progress, warn
from cupel.corpus import Corpus
from cupel.errors import CupelError
from cupel.meta.scorecache import Groups, MetricScores, Part, metric_scores
from cupel.metric import Metric, Signature
from cupel.metrics.by_language import corpus_notes, metrics_for, replacement_notes, replacements
from cupel.registry import MetricLike, get_metric, list_metrics, listed, named_metrics

ALL = "all"
"""As a metric, every one that is ready and needs neither a parser nor a network."""


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
        # Which metric assay is, the language decides: it need not be installed.
        others = [spec for spec in specs if spec not in replacements(specs)]
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
                (made[label],) = metrics_for([spec], pair).values()
                for sentence in replacement_notes([spec], pair):
                    self._note(f"{pair}: {sentence}")
            self._made[pair] = made
        return self._made[pair]

    def _note(self, sentence: str) -> None:
        if sentence not in self._notes:
            self._notes.add(sentence)
            warn(sentence)

    def __call__(
        self,
        corpus: Corpus,
        groups: Groups | None = None,
        pair: str | None = None,
        part: Part | None = None,
    ) -> dict[str, MetricScores]:
        """The scores of all metrics; groups, part: see `metric_scores`. pair: the language pair."""
        if not self._specs:
            return {}
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
            part=part,
        )


def _names_language(pair: str | None) -> bool:
    from cupel.text.languages import target_language

    try:
        return target_language(pair) is not None
    except CupelError:
        return False


def _without_all(specs: Sequence[MetricLike]) -> list[MetricLike]:
    """The same with all metrics that cost little and are ready in the place of `all`."""
    if ALL not in specs:
        return list(specs)
    entries = [
        entry
        for entry in list_metrics()
        if entry.in_all and not entry.costly and not getattr(entry.make, "captions_only", False)
    ]
    for entry in entries:
        if entry.unready:
            warn(f"{entry.name} is left out of all metrics: {entry.unready}")
    ready = [e.name for e in entries if not e.unready and e.name not in specs]
    place = list(specs).index(ALL)
    return [*specs[:place], *ready, *(spec for spec in specs[place:] if spec != ALL)]
