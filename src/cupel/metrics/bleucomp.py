"""The components of BLEU as a feature vector, after the NNRK paper's BLEUCOMP (its section 5.2).

NNRK feeds a network not BLEU's one number but what it is made of: n-gram precisions, matches and
totals for n = 1..4, hypothesis and reference length, their ratio, and the brevity penalty. The
statistics, and so the counts, are BLEU's own; precisions are unsmoothed matches / totals in 0..1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.metric import Metric, Signature, ratio
from cupel.metrics.bleu import Bleu
from cupel.registry import register

ORDERS = range(1, 5)


@register("bleucomp", "the components of BLEU as a feature vector (NNRK's BLEUCOMP)")
@dataclass(frozen=True)
class BleuComp(Metric):
    """BLEU's statistics; `components` spreads them out, `score` is BLEU with effective order."""

    tokenize: str = "13a"
    lowercase: bool = False

    name = "bleucomp"
    decimals = 4
    higher_is_better = True
    component_names = (
        *(f"precision{n}" for n in ORDERS),
        *(f"matches{n}" for n in ORDERS),
        *(f"totals{n}" for n in ORDERS),
        "hypothesis-length",
        "reference-length",
        "length-ratio",
        "brevity-penalty",
    )

    def __post_init__(self) -> None:
        _ = self.bleu

    @property
    def bleu(self) -> Bleu:
        return Bleu(self.tokenize, self.lowercase, effective_order=True)

    def signature(self) -> Signature:
        return self.bleu.signature()

    def statistics(self, batch: Batch) -> FloatArray:
        return self.bleu.statistics(batch)

    def score(self, statistics: FloatArray) -> FloatArray:
        return self.bleu.score(statistics)

    def components(self, statistics: FloatArray) -> FloatArray:
        """(..., 10) statistics -> (..., 16) features in the order of `component_names`."""
        lengths, matches, totals = np.split(statistics, [2, 6], axis=-1)
        return np.concatenate(
            [
                ratio(matches, totals),
                matches,
                totals,
                lengths,
                ratio(lengths[..., :1], lengths[..., 1:]),
                self.bleu.brevity_penalty(statistics)[..., None],
            ],
            axis=-1,
        )
