"""Features by name: skip arcs of a translation with its reference, vectors of sentences.

A feature is named by a word: a set (`4metrics`), a sentence vector (`wiki-gw50`, `syntax25`), or
any registered metric, whose segment score it is. Behind a dot comes what to take in place of the
score: `chrf.components` or `chrf.statistics`. Several
are listed with commas, or with semicolons where one has commas itself:
`ter;meteor:modules=exact,stem`.

`wiki-gw50` is the average of the 50-dimensional GloVe vectors of the words, from the table that
comes with Cupel; `wiki-gw50-full` that from the whole table of 400,000 words, `vectors=FILE` from
any other, and `wiki-gw50-zero` has zeros for words without a vector. `word-match` is how well words
match by the vectors `mpnet-glove-150d-30k`; `word-match=TABLE` takes another table. `tuned-match` is
the same by vectors and weights learned from preferences; `tuned-match=FOLDER` takes your own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from cupel.batch import Batch, FloatArray
from cupel.errors import CupelError, MissingPart
from cupel.learned.nnrk.model.averages import Average
from cupel.learned.nnrk.model.inputs import SentenceVectors, SkipArcs, check_finite
from cupel.learned.nnrk.model.syntax25 import Syntax
from cupel.learned.nnrk.model.tuned_match import TunedMatch
from cupel.learned.nnrk.model.word_match import WordMatch
from cupel.metric import Metric
from cupel.registry import entries, get_metric
from cupel.text.vectors import FULL

if TYPE_CHECKING:
    from cupel.corpus import Corpus

SETS: dict[str, tuple[str, ...]] = {
    "4metrics": ("sentbleu", "nist", "ter", "meteor"),
    "bleucomp": ("bleucomp.components",),
}
VECTORS: dict[str, Callable[[], SentenceVectors]] = {
    "wiki-gw50": Average,
    "wiki-gw50-full": lambda: Average(FULL),
    "wiki-gw50-zero": lambda: Average(unknown=False),
    "syntax25": Syntax,
}
MATCHES: dict[str, Callable[[], SkipArcs]] = {
    "word-match": WordMatch,
    "tuned-match": TunedMatch,
}
WORD_MATCH, TUNED_MATCH = "word-match=", "tuned-match="
PARTS = ("score", "statistics", "components")


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
            values = components_of(self.metric)(statistics)
        return check_finite(self.name, values)


@dataclass(frozen=True)
class FeatureSet:
    """The features of a model: `names` in the order given, sets replaced by their members."""

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


def split_names(text: str) -> list[str]:
    """`4metrics,wiki-gw50` or, where a name has commas itself, `ter;meteor:modules=exact,stem`."""
    parts = [part.strip() for part in text.split(";" if ";" in text else ",")]
    return [part for part in parts if part]


def feature_set(names: str | Sequence[str]) -> FeatureSet:
    """The features of these names; one that is unknown, twice or not installed is an error."""
    given = split_names(names) if isinstance(names, str) else list(names)
    single = [one for name in given for one in SETS.get(name, (name,))]
    if not single:
        raise CupelError("A network needs features: name at least one, for instance 4metrics.")
    for name in single:
        if single.count(name) > 1:
            raise CupelError(f"The feature {name!r} is asked for twice.")
    vectors = [(name, _vectors(name)) for name in single if _is_vectors(name)]
    skips = [_skip(name) for name in single if not _is_vectors(name)]
    return FeatureSet(tuple(single), tuple(skips), tuple(vectors))


def _is_vectors(name: str) -> bool:
    return name in VECTORS or name.startswith("vectors=")


def _vectors(name: str) -> SentenceVectors:
    if name in VECTORS:
        return VECTORS[name]()
    vectors = Average(name.removeprefix("vectors="))
    _ = vectors.dimension  # a file that is not there is an error now
    return vectors


def _skip(name: str) -> SkipArcs:
    if name in MATCHES:
        return MATCHES[name]()
    if name.startswith(WORD_MATCH):
        return WordMatch(name.removeprefix(WORD_MATCH))
    if name.startswith(TUNED_MATCH):
        return TunedMatch(name.removeprefix(TUNED_MATCH))
    spec, dot, part = name.rpartition(".")
    if not dot or part not in PARTS:
        spec, part = name, "score"
    metric_name = spec.partition(":")[0]
    if metric_name not in entries() and ":" not in spec:
        raise CupelError(
            f"There is no feature {name!r}: it is neither a metric (`cupel metrics` lists them) nor "
            f"one of {', '.join([*SETS, *MATCHES, *VECTORS])}."
        )
    try:
        metric = get_metric(spec)
    except MissingPart as missing:
        raise MissingPart(f"The feature {name!r} is not available: {missing}") from missing
    if part == "components":
        components_of(metric)
    return SkipFeature(name, metric, part)


def components_of(metric: Metric) -> Callable[[FloatArray], FloatArray]:
    """From (n, k) statistics of a metric to (n, components): ratios that mean the same in long and
    short segments. After section 5.1 of the paper, which takes those of BLEU (`bleucomp`).
    """
    for name in ("ratios", "components"):
        if hasattr(metric, name):
            components: Callable[[FloatArray], FloatArray] = getattr(metric, name)
            return components
    able = [
        n for n, e in entries().items() if any(hasattr(e.make, x) for x in ("ratios", "components"))
    ]
    raise CupelError(
        f"The metric {metric.name!r} has no components; those that have are {', '.join(able)}. Its "
        f"score is the feature {metric.name!r}, its statistics are '{metric.name}.statistics'."
    )
