"""NNRK (Guzmán, Joty, Màrquez and Nakov 2017): a pairwise network, and its absolute score.

    NNRK = p(t, empty, r) - p(empty, t, r)

p(t1, t2, r) is the network's probability that t1 is the better translation; `empty` is the mean
translation of the training data (or, with `empty=zero`, zeros), so the score says by what margin a
translation wins against an average one: between -1 and 1, 0 for an average one. A system's score is
the mean over segments, or with `aggregate=sign` the share of segments that win. Of several
references the best-scoring one counts.

Two translations are also compared directly: `prefer` gives (1 + p(t1, t2, r) - p(t2, t1, r)) / 2,
antisymmetric about 1/2, and `probabilities` the raw p(t1, t2, r), which is not. `cupel.learned.nnrk`
has the features, the network and its training.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np

from cupel.batch import Batch, FloatArray, IntArray
from cupel.errors import CupelError
from cupel.learned.nnrk.model.features import FeatureSet
from cupel.metric import Metric, Signature, ratio
from cupel.registry import register

if TYPE_CHECKING:
    from cupel.corpus import Corpus
    from cupel.learned.nnrk.model.network import Model

PRESETS = ("light", "paper", "rich", "tuned", "contextual")
EMPTIES = ("mean", "zero")
AGGREGATES = ("mean", "sign")
PREDICTIONS = ("difference", "win", "loss")


@register(
    "nnrk",
    "pairwise neural network over metrics and sentence vectors (Guzmán et al. 2017)",
    renamed={"model": "weights"},
)
@dataclass(frozen=True)
class Nnrk(Metric):
    """Statistics: [segment score, 1 where it is above 0, 1].

    preset      light (needs nothing but Cupel), paper, rich, tuned, contextual: see docs/nnrk.md
    weights     a folder that `cupel train nnrk` wrote, in place of a preset
    empty       mean, zero: what a translation is compared with
    prediction  difference; win is p(t, empty, r) alone, loss is -p(empty, t, r)
    aggregate   mean, sign: how segments make a system's score
    """

    preset: str = "light"
    weights: str | None = None
    empty: str = "mean"
    prediction: str = "difference"
    aggregate: str = "mean"
    _features: FeatureSet | None = None

    name = "nnrk"
    decimals = 4
    higher_is_better = True

    def __post_init__(self) -> None:
        for what, value, choices in (
            ("preset", self.preset, PRESETS),
            ("empty translation", self.empty, EMPTIES),
            ("prediction", self.prediction, PREDICTIONS),
            ("aggregate", self.aggregate, AGGREGATES),
        ):
            if value not in choices:
                raise CupelError(f"NNRK has no {what} {value!r}; it has: {', '.join(choices)}.")
        if self._features is None:
            from cupel.learned.nnrk.files import features_of

            object.__setattr__(self, "_features", features_of(self._model))

    @property
    def _model(self) -> Model:
        from cupel.learned.nnrk.files import open_model

        return open_model(self.preset, self.weights)

    @property
    def features(self) -> FeatureSet:
        """The features that its model was trained with."""
        assert self._features is not None
        return self._features

    def signature(self) -> Signature:
        from hashlib import sha256

        model = self._model
        return Signature.of(
            model="own" if self.weights else self.preset,
            weights=str(model.card["sha256"])[:12],
            features=sha256(self.features.signature().encode()).hexdigest()[:12],
            empty=self.empty,
            prediction=None if self.prediction == "difference" else self.prediction,
            aggregate=self.aggregate,
        )

    def prepare(self, corpus: Corpus) -> Self:
        return replace(self, _features=self.features.prepare(corpus))

    def statistics(self, batch: Batch) -> FloatArray:
        single = _single(batch)
        psi, x, references = self._inputs(single)
        win, loss = self._model.against_empty(x, references, psi, self.empty)
        scores = {"difference": win - loss, "win": win, "loss": -loss}[self.prediction]
        best = np.maximum.reduceat(scores, batch.reference_offsets[:-1])
        return np.stack([best, (best > 0) * 1.0, np.ones_like(best)], axis=-1)

    def score(self, statistics: FloatArray) -> FloatArray:
        column = AGGREGATES.index(self.aggregate)
        return ratio(statistics[..., column], statistics[..., 2])

    def segment_scores(self, statistics: FloatArray) -> FloatArray:
        return np.asarray(statistics[:, 0], np.float64)

    def prefer(self, first: Batch, second: Batch) -> FloatArray:
        """(n,) the probability that the first is better; of several references the mean."""
        from cupel.learned.nnrk.model.network import antisymmetric

        return antisymmetric(self.probabilities(first, second), self.probabilities(second, first))

    def probabilities(self, first: Batch, second: Batch) -> FloatArray:
        """(n,) the network's raw p(t1, t2, r), for which the order matters."""
        if [list(texts) for texts in first.references] != [
            list(texts) for texts in second.references
        ]:
            raise CupelError("Translations are compared by the same references, but these differ.")
        psi1, x1, references = self._inputs(_single(first))
        psi2, x2, _ = self._inputs(_single(second))
        p = self._model.probability(x1, x2, references, psi1, psi2)
        starts, counts = first.reference_offsets[:-1], first.reference_counts
        return np.asarray(np.add.reduceat(p, starts) / counts, np.float64)

    def _inputs(self, batch: Batch) -> tuple[FloatArray, FloatArray, FloatArray]:
        psi = self.features.skip_arcs(batch)
        vectors = self.features.sentence_vectors(batch)
        hypotheses: IntArray = batch.hypothesis_index
        return psi, vectors[hypotheses], vectors[batch.reference_index]


def _single(batch: Batch) -> Batch:
    """One item per hypothesis and reference: the network sees one reference at a time."""
    if len(batch.reference_index) == len(batch):
        return batch
    counts = batch.reference_counts.tolist()
    hypotheses = [text for text, n in zip(batch.hypotheses, counts, strict=True) for _ in range(n)]
    return Batch(hypotheses, [[text] for texts in batch.references for text in texts])
