"""What a metric is: statistics per segment that add up, and a score of their sum.

Because statistics add, the corpus score is `score(statistics.sum(0))`, a bootstrap resample is
`score(weights @ statistics)`, and a metric that is a mean over segments has the statistics
`[score, 1]`. Confidence, paired tests, workers and caching are therefore written once, for all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Self, runtime_checkable

import numpy as np

from cupel.arrays import FloatArray
from cupel.batch import Batch

if TYPE_CHECKING:
    from cupel.corpus import Corpus


REFERENCES, SOURCES = "references", "sources"


@dataclass(frozen=True)
class Signature:
    """Everything that can change a score, in sacreBLEU's manner: `nrefs:1|case:mixed|tok:13a`.

    Same signature and same text: the same score.

    entries  (key, value) pairs in the order in which they are printed
    """

    entries: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, **entries: object) -> Signature:
        """Keyword arguments in their order; booleans read yes and no, None is left out."""
        return cls(tuple(_entries(entries.items())))

    def __add__(self, other: Signature) -> Signature:
        return Signature(self.entries + other.entries)

    def __str__(self) -> str:
        return "|".join(f"{key}:{value}" for key, value in self.entries)


def _entries(items: Iterable[tuple[str, object]]) -> Iterable[tuple[str, str]]:
    for key, value in items:
        if value is not None:
            yield key, {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


@runtime_checkable
class Metric(Protocol):
    """The protocol. Subclass it to get `prepare` and `segment_scores` as they are for most.

    Metrics are frozen dataclasses whose fields are their options, and picklable. A class attribute
    `decimals` says how many decimal places its scores are printed with; without it, one. A class
    attribute `needs` names the parts of a corpus that it reads beside the translations, of
    `references` and `sources`; without it, the references. A class attribute `learns` says whether
    `prepare` learns something from the corpus that changes scores; without it, a `prepare` that the
    metric defines itself does. A class attribute `languages` says in words which languages it is for;
    without it, any. `made_for` is the code of the one language that its resources are for. A class
    attribute `longest` is the number of characters of the longest text that it scores in seconds;
    longer ones are refused, and without it none are. A class attribute `counts` says that statistics
    are whole numbers, whose sums are exact in any order; without it, they need not be.

    What else other rooms ask of a metric, each False or not there for most. Class attributes:
    `tokenises` (text that is tokenised already changes its score: a note says so), `costly` (needs a
    parser or a network: `cupel meta -m all` leaves it out), `captions_only` (scores captions, not
    translations), `threaded` (its work is done in a kernel, so that threads share it). Methods:
    `language_options(language, options)`, the options that a target language chooses, given those
    that were asked for, where it is not `tokenize` alone; `splits_at_spaces(script)`;
    `for_segments()`, the metric as single segments need it; `ratios(statistics)`, parts of the score
    that mean the same in short and long segments, for NNRK; `sentence_vectors(sentences)`, whose
    cosine is the score, and `formula()`, `parts(sentences)` and `bag_scores(...)` of
    `cupel.kernels.pair_ngrams.Comparable`, with which `cupel mbr` compares all pairs at once.
    """

    @property
    def name(self) -> str:
        """The name under which it is registered, and listed in results."""
        ...

    @property
    def higher_is_better(self) -> bool:
        """False for an error rate."""
        ...

    def signature(self) -> Signature:
        """The metric's own entries; scoring adds the number of references and the version."""
        ...

    def prepare(self, corpus: Corpus) -> Self:
        """Learn what the metric needs from all references, once; returns a frozen metric.

        corpus: all systems and references that are going to be scored.
        """
        return self

    def statistics(self, batch: Batch) -> FloatArray:
        """(n, k): one row per item of the batch. The best of several references is taken here."""
        ...

    def score(self, statistics: FloatArray) -> FloatArray:
        """(..., k) summed statistics -> (...) scores."""
        ...

    def segment_scores(self, statistics: FloatArray) -> FloatArray:
        """(n, k) -> (n,), where a segment's score differs from a corpus of one segment."""
        return self.score(statistics)


class SegmentMean(Metric):
    """A metric whose score is the mean over segments: its statistics are [segment score, 1]."""

    def score(self, statistics: FloatArray) -> FloatArray:
        return mean_score(statistics)


@runtime_checkable
class Preferring(Protocol):
    """A metric that can also compare two translations directly."""

    def prefer(self, first: Batch, second: Batch) -> FloatArray:
        """(n,) the probability that the first translation is the better one.

        The batches are equal but for their hypotheses.
        """
        ...


@runtime_checkable
class Tunable(Protocol):
    """A metric whose parameters can be searched without matching anything again."""

    @property
    def parameters(self) -> Mapping[str, float]:
        """The tunable parameters at their present values."""
        ...

    def features(self, batch: Batch) -> FloatArray:
        """(n, ...) everything that `rescore` needs of each item, whatever the parameters."""
        ...

    def rescore(self, features: FloatArray, parameters: Mapping[str, float]) -> FloatArray:
        """(n,) segment scores under these parameters; the same as `segment_scores` would give."""
        ...


@runtime_checkable
class Vector(Protocol):
    """A metric that is a vector of features as well as a score, such as the parts of BLEU."""

    @property
    def component_names(self) -> tuple[str, ...]:
        """What the features are called, in their order."""
        ...

    def components(self, statistics: FloatArray) -> FloatArray:
        """(..., k) summed statistics -> (..., features)."""
        ...


@runtime_checkable
class Detailed(Protocol):
    """A metric that can say what its score is made of: precisions, lengths, edits by kind."""

    def details(self, statistics: FloatArray) -> Mapping[str, FloatArray]:
        """(..., k) summed statistics -> name -> (...) values."""
        ...


@runtime_checkable
class DetailedByText(Detailed, Protocol):
    """One whose details need more than the statistics of its score.

    They are computed from the texts when somebody asks for them, so that scoring stays fast.
    """

    def detail_statistics(self, batch: Batch) -> FloatArray:
        """(n, j): one row per item of the batch, which add up; `details` takes their sums."""
        ...


def decimals_of(metric: Metric) -> int:
    """The decimal places that a metric's scores are printed with."""
    return int(getattr(metric, "decimals", 1))


def made_for(metric: Metric) -> str | None:
    """The one language that the metric's resources, as it is set up, are for; None for any."""
    code: str | None = getattr(metric, "made_for", None)
    return code


def needs_of(metric: Metric) -> tuple[str, ...]:
    """The parts of a corpus, beside the translations, without which the metric cannot score."""
    return tuple(getattr(metric, "needs", (REFERENCES,)))


def learns_from_corpus(metric: Metric) -> bool:
    """Whether its scores depend on the whole corpus, so that parts cannot be scored one by one."""
    return bool(getattr(metric, "learns", type(metric).prepare is not Metric.prepare))


def longest_of(metric: Metric) -> float:
    """The characters of the longest text that the metric takes."""
    return float(getattr(metric, "longest", math.inf))


def counts_only(metric: Metric) -> bool:
    """Whether its statistics are whole numbers, so that parts can be added in any order."""
    return bool(getattr(metric, "counts", False))


def mean_statistics(scores: FloatArray) -> FloatArray:
    """(n,) segment scores -> (n, 2) statistics [score, 1] of a mean-of-segments metric."""
    return np.stack([scores, np.ones_like(scores)], axis=-1)


def mean_score(statistics: FloatArray) -> FloatArray:
    """(..., 2) summed [score, 1] -> (...) their mean."""
    return ratio(statistics[..., 0], statistics[..., 1])


def ratio(numerator: FloatArray, denominator: FloatArray, empty: float = 0.0) -> FloatArray:
    """numerator / denominator, and `empty` where the denominator is 0."""
    out = np.full(np.broadcast(numerator, denominator).shape, empty, np.float64)
    return np.divide(numerator, denominator, out=out, where=denominator != 0)


def score_columns(
    label: str, metric: Metric, statistics: FloatArray, *, segments: bool = False
) -> dict[str, FloatArray]:
    """Scores by label, or by `label.component` for a metric that is a feature vector.

    statistics: (systems, k) sums, or (systems, segments, k) with `segments`.
    """
    if isinstance(metric, Vector):
        values = metric.components(statistics)
        names = metric.component_names
        return {f"{label}.{name}": values[..., i] for i, name in enumerate(names)}
    if not segments:
        return {label: metric.score(statistics)}
    scores = [metric.segment_scores(rows) for rows in statistics]
    return {label: np.asarray(scores, np.float64)}
