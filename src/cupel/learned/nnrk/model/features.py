"""What NNRK sees: skip-arc features of a translation with its reference, vectors of sentences.

A feature is named by a word: a set (`4metrics`), a sentence vector (`wiki-gw50`, `syntax25`), or
any registered metric, whose segment score it is. Behind a dot comes what to take in place of the
score: `chrf.components` (see `cupel.learned.nnrk.model.components`) or `chrf.statistics`. Several are listed
with commas, or with semicolons where one has commas itself: `ter;meteor:modules=exact,stem`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from cupel.batch import Batch, FloatArray
from cupel.errors import CupelError, MissingPart
from cupel.learned.nnrk.model import components
from cupel.metric import Metric
from cupel.registry import entries, get_metric

if TYPE_CHECKING:
    from cupel.corpus import Corpus

SETS: dict[str, tuple[str, ...]] = {
    "4metrics": ("sentbleu", "nist", "ter", "meteor"),
    "bleucomp": ("bleucomp.components",),
}
CONTEXTUAL = ("minilm-match", "minilm-layers")
PARTS = ("score", "statistics", "components")


class SentenceVectors(Protocol):
    """An analyser sentences -> (s, dimension), with a name for cards and signatures."""

    @property
    def dimension(self) -> int: ...

    def __call__(self, sentences: Sequence[str]) -> FloatArray: ...

    def __hash__(self) -> int: ...

    def signature(self) -> str: ...


class SkipArcs(Protocol):
    """Features psi(t, r) of a translation with its reference, straight to the output."""

    @property
    def name(self) -> str: ...

    def prepare(self, corpus: Corpus) -> SkipArcs:
        """The same, prepared on all references of a corpus."""
        ...

    def signature(self) -> str: ...

    def values(self, batch: Batch) -> FloatArray:
        """(n, columns), every value finite; items have one reference each."""
        ...


@dataclass(frozen=True)
class SkipFeature:
    """A metric's segment score, statistics or components as skip-arc features (psi)."""

    name: str
    metric: Metric
    part: str

    def prepare(self, corpus: Corpus) -> SkipFeature:
        return replace(self, metric=self.metric.prepare(corpus))

    def signature(self) -> str:
        return f"{self.metric.name}.{self.part}|{self.metric.signature()}"

    def values(self, batch: Batch) -> FloatArray:
        statistics = self.metric.statistics(batch)
        if self.part == "score":
            values = np.asarray(self.metric.segment_scores(statistics), np.float64)[:, None]
        elif self.part == "statistics":
            values = statistics
        else:
            values = components.of(self.metric, statistics)
        return check_finite(self.name, values)


@dataclass(frozen=True)
class FeatureSet:
    """The features of a model: `names` as asked for, sets spread out, in their order."""

    names: tuple[str, ...]
    skips: tuple[SkipArcs, ...]
    vectors: tuple[tuple[str, SentenceVectors], ...]

    def prepare(self, corpus: Corpus) -> FeatureSet:
        """The same over metrics that are prepared on all references of a corpus."""
        return replace(self, skips=tuple(skip.prepare(corpus) for skip in self.skips))

    def signature(self) -> str:
        """What identifies the values of all features."""
        parts = [skip.signature() for skip in self.skips]
        return ";".join(parts + [f"{name}={v.signature()}" for name, v in self.vectors])

    @property
    def dimension(self) -> int:
        """How long the vector x of a sentence is."""
        return sum(vectors.dimension for _, vectors in self.vectors)

    def skip_arcs(self, batch: Batch) -> FloatArray:
        """(n, F): psi of each item of the batch."""
        if not self.skips:
            return np.zeros((len(batch), 0))
        return np.concatenate([skip.values(batch) for skip in self.skips], axis=1)

    def sentence_vectors(self, batch: Batch) -> FloatArray:
        """(s, D): x of each distinct sentence of the batch."""
        if not self.vectors:
            return np.zeros((len(batch.sentences), 0))
        parts = [check_finite(name, batch.analyse(v)) for name, v in self.vectors]
        return np.concatenate(parts, axis=1)


def check_finite(name: str, values: FloatArray) -> FloatArray:
    """Complain about the first value that is no number; rows are segments."""
    wrong = np.argwhere(~np.isfinite(values))
    if len(wrong):
        row, column = wrong[0]
        raise CupelError(
            f"The feature {name!r} has the value {values[row, column]} at segment {row + 1}: "
            "a network takes finite numbers only."
        )
    return values


def split_names(text: str) -> list[str]:
    """`4metrics,wiki-gw50` or, where a name has commas itself, `ter;meteor:modules=exact,stem`."""
    parts = [part.strip() for part in text.split(";" if ";" in text else ",")]
    return [part for part in parts if part]


def feature_set(names: str | Sequence[str]) -> FeatureSet:
    """The features of these names; one that is unknown, twice or not installed is an error."""
    asked = split_names(names) if isinstance(names, str) else list(names)
    spread = [one for name in asked for one in SETS.get(name, (name,))]
    if not spread:
        raise CupelError("A network needs features: name at least one, for instance 4metrics.")
    for name in spread:
        if spread.count(name) > 1:
            raise CupelError(f"The feature {name!r} is asked for twice.")
    vectors = [(name, found) for name in spread if (found := _vectors(name)) is not None]
    named = {name for name, _ in vectors}
    skips = [_skip(name) for name in spread if name not in named]
    return FeatureSet(tuple(spread), tuple(skips), tuple(vectors))


def _vectors(name: str) -> SentenceVectors | None:
    from cupel.learned.nnrk.model.sentence_vectors import named_vectors

    return named_vectors(name)


def _skip(name: str) -> SkipArcs:
    if name in CONTEXTUAL:
        from cupel.learned.nnrk.model.contextual import LAYERS, Match

        return Match(LAYERS) if name == "minilm-layers" else Match()
    spec, dot, part = name.rpartition(".")
    if not dot or part not in PARTS:
        spec, part = name, "score"
    metric_name = spec.partition(":")[0]
    if metric_name not in entries() and ":" not in spec:
        from cupel.learned.nnrk.model.sentence_vectors import VECTORS

        known = ", ".join([*SETS, *CONTEXTUAL, *VECTORS])
        raise CupelError(
            f"There is no feature {name!r}: it is neither a metric (`cupel metrics` lists them) nor "
            f"one of {known}."
        )
    try:
        metric = get_metric(spec)
    except MissingPart as missing:
        raise MissingPart(f"The feature {name!r} is not at hand: {missing}") from missing
    if part == "components":
        components.check(metric)
    return SkipFeature(name, metric, part)
