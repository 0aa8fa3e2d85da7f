"""The components of BLEU as separate features.

Measures: What BLEU is made of: n-gram precisions, matches and totals for n = 1 to 4, the lengths
of translation and reference, their ratio, and the brevity penalty. `cupel score` prints one row
for each, bleucomp.precision1 and so on.

Use: To see why a BLEU score is high or low, and as input of a learned metric. It is a vector, not
a score by which systems can be ranked.

Needs: Nothing beyond Cupel. Any language that one of the tokenizers splits.

Formula:
    precision_n = matches_n / totals_n    (from 0 to 1, not smoothed)

with the clipped matches, lengths and brevity penalty of bleu. Where one number is needed, it is
BLEU with effective order.

Paper: Francisco Guzmán, Shafiq Joty, Lluís Màrquez and Preslav Nakov. 2017. Machine Translation
Evaluation with Neural Networks. Computer Speech and Language 45 (section 5.2, BLEUCOMP).

Equal to: the counts, lengths and brevity penalty of BLEU in sacreBLEU 2.6.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.metric import Metric, Signature, ratio
from cupel.metrics import shared_options as option
from cupel.metrics.bleu import Bleu
from cupel.registry import register

ORDERS = range(1, 5)


@register("bleucomp", "the components of BLEU as separate features: precisions, counts, lengths")
@dataclass(frozen=True)
class BleuComp(Metric):
    """BLEU's statistics; `components` spreads them out, `score` is BLEU with effective order."""

    tokenize: option.Tokenize = "13a"
    lowercase: option.Lowercase = False

    name = "bleucomp"
    decimals = 4
    higher_is_better = True
    tokenises = True
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
