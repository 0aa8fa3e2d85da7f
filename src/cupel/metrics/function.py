"""Any Python function `f(hypothesis, references) -> float` as a metric, by `-m module:function`.

The only metric that loops over segments one by one: the function knows no batches. Its system
score is the mean over segments. A function may say `higher_is_better = False` as an attribute.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.errors import CupelError
from cupel.metric import Metric, Signature, mean_score, mean_statistics


@dataclass(frozen=True)
class Function(Metric):
    """The adapter; `spec` is how the user named the function."""

    spec: str
    function: Callable[[str, list[str]], float]

    decimals = 4

    @property
    def name(self) -> str:
        return self.spec

    @property
    def higher_is_better(self) -> bool:
        return bool(getattr(self.function, "higher_is_better", True))

    def signature(self) -> Signature:
        return Signature.of(function=self.spec.replace(":", "."))

    def statistics(self, batch: Batch) -> FloatArray:
        scores = np.empty(len(batch), np.float64)
        for index, (hypothesis, references) in enumerate(
            zip(batch.hypotheses, batch.references, strict=True)
        ):
            value = self.function(hypothesis, list(references))
            try:
                scores[index] = value
            except (TypeError, ValueError):
                raise CupelError(f"it returned {value!r} where a number was expected") from None
        return mean_statistics(scores)

    def score(self, statistics: FloatArray) -> FloatArray:
        return mean_score(statistics)
