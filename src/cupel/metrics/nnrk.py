"""NNRK: a neural network that compares two translations, here with an average one.

Measures: The margin by which the translation wins against an average one. From -1 to 1, where 0
is an average translation; higher is better.

Use: For segments and systems into English, and to compare two systems segment by segment (`cupel
score --prefer`). The presets are trained on wmt13, light-3 also on WMT15: do not report agreement
with people on these.

Needs: Nothing beyond Cupel for light; `cupel models get nnrk` (7 MB) for light-3; pip install
'cupel[meteor,syntax]' for paper. English.

Formula:
    NNRK = p(t, empty, r) - p(empty, t, r)

p(t1, t2, r): the network's probability that t1 is the better translation; empty: the mean
translation of the training data, or zeros with empty=zero. A system's score is the mean over
segments, or with aggregate=sign the share of segments that win. Of several references the one
with the best score counts. Two translations are compared by (1 + p(t1, t2, r) - p(t2, t1, r)) /
2, which is 1 minus the same with t1 and t2 exchanged. `cupel.learned.nnrk` has the features and
the training.

Paper: Francisco Guzmán, Shafiq Joty, Lluís Màrquez and Preslav Nakov. 2017. Machine Translation
Evaluation with Neural Networks. Computer Speech and Language 45.

Equal to: It was not compared with the authors' program; docs/research/nnrk.md compares the
results with those of the paper.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar, Self

import numpy as np

from cupel.batch import Batch, FloatArray, IntArray
from cupel.errors import CupelError
from cupel.learned.nnrk.model.features import FeatureSet
from cupel.metric import Metric, Signature, ratio
from cupel.registry import register

if TYPE_CHECKING:
    from cupel.corpus import Corpus
    from cupel.learned.nnrk.model.network import Model

PRESETS = ("light", "light-3", "paper")
EMPTIES = ("mean", "zero")
AGGREGATES = ("mean", "sign")
PREDICTIONS = ("difference", "win", "loss")


@register(
    "nnrk",
    "neural network that compares with an average translation (Guzmán et al. 2017)",
)
@dataclass(frozen=True)
class Nnrk(Metric):
    """Statistics: [segment score, 1 where it is above 0, 1]."""

    preset: Annotated[
        str,
        "Trained model: light, light-3 or paper; see docs/nnrk.md.",
    ] = "light"
    weights: Annotated[
        str | None, "Folder that `cupel train nnrk` wrote (default: the preset's model)."
    ] = None
    empty: Annotated[
        str, "What translations are compared with: mean (an average translation) or zero."
    ] = "mean"
    prediction: Annotated[
        str, "difference, or one part of it: win is p(t, empty, r), loss is -p(empty, t, r)."
    ] = "difference"
    aggregate: Annotated[
        str, "Score of a system: mean over segments, or sign for the share of segments above 0."
    ] = "mean"
    _features: FeatureSet | None = None

    name = "nnrk"
    languages: ClassVar[str] = "English"
    made_for: ClassVar[str] = "en"
    decimals = 4
    higher_is_better = True
    costly = True
    longest = 100_000

    def __post_init__(self) -> None:
        for what, value, values in (
            ("preset", self.preset, PRESETS),
            ("empty translation", self.empty, EMPTIES),
            ("prediction", self.prediction, PREDICTIONS),
            ("aggregate", self.aggregate, AGGREGATES),
        ):
            if value not in values:
                raise CupelError(f"NNRK has no {what} {value!r}; it has: {', '.join(values)}.")
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
            raise CupelError(
                "Two translations can be compared only with the same references; these differ."
            )
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
