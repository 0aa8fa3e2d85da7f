"""RED: dependency n-grams of the reference, looked for in the translation.

Measures: How many of the reference's dependency n-grams the translation has, with the right
distances between their words. 0 or more, about 1 for a copy of the reference; higher is better.

Use: To rank systems into English without training. Only references are parsed, so bad
translations cannot confuse the parser. redp, with stems, synonyms and paraphrases, agrees better
with people.

Needs: pip install 'cupel[syntax]' (spaCy with its English model), or trees of the references.
English; other languages with a spaCy model or trees.

Formula:
    F_n = S_n / (alpha count_n + (1 - alpha) len),    RED = sum over n = 1..N of w_n F_n

S_n: the sum of p(d) over the dep-ngrams d of n words of the reference's tree (headword chains,
fixed and floating structures, see `cupel.syntax.ngrams`); count_n: their number; len: words of
the translation. This is the F of precision_n = S_n / len and recall_n = S_n / count_n. p(d) is

    for a chain of n > 1 words  exp(-sum_i |dis_r_i - dis_h_i| / (n - 1)), where dis_i is the
                                distance between words i and i + 1 of the chain in the sentence,
                                if all words occur in the translation in the order of the
                                reference, else 0; the best over all ways to match
    for a single word           1 if it occurs, else 0
    for a structure             1 if its words stand together in the translation, else 0

The dep-ngrams are a multiset and nothing is clipped: a word that the reference has twice and the
translation once counts twice, and RED may exceed 1. Of several references the best counts; the
score of a system is the mean over segments, as in the paper. Two other distances that the paper
tried but does not define: cosine is the cosine of the vectors (dis_r_i) and (dis_h_i), which is 1
for any match of two words; absolute is exp(-sum_i |r_i - h_i| / n) over the positions in the two
sentences.

Paper: Hui Yu, Xiaofeng Wu, Jun Xie, Wenbin Jiang, Qun Liu and Shouxun Lin. 2014. RED: A Reference
Dependency Based MT Evaluation Metric. COLING 2014.

Equal to: It was not compared with the authors' program; the tests compare it with the example of
the paper (Figure 3) and with a direct computation of the formula.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.batch import Batch
from cupel.errors import CupelError
from cupel.metric import Signature, ratio
from cupel.metrics import shared_options as option
from cupel.metrics.red_text import DISTANCES, DepNgramMetric, TreePairs, TreeText, forest, text_of
from cupel.registry import register
from cupel.syntax.heads import CONVENTIONS
from cupel.syntax.models import parser_missing
from cupel.syntax.ngrams import dep_ngrams
from cupel.syntax.parser import OWN

if TYPE_CHECKING:
    from cupel.alignments import Alignment

LONGEST = 3
"""N in the papers."""


@register(
    "red",
    "dependency n-grams of the reference found in the translation (Yu et al. 2014)",
    check=parser_missing,
)
@dataclass(frozen=True)
class Red(DepNgramMetric):
    """Statistics: [segment score, 1]."""

    n: option.LongestNgrams = LONGEST
    alpha: option.RecallWeight = 0.5
    ngram_weights: Annotated[
        str | None, "Weights of the lengths 1 to n, such as 0.6,0.3,0.1 (default: equal weights)."
    ] = None
    distance: option.Distance = DISTANCES[0]
    trees: option.Trees = None
    parser: option.SpacyModel = None
    heads: option.Heads = CONVENTIONS[0]
    tokenize: option.TreeTokenize = OWN
    lowercase: option.Lowercase = True
    normalize: option.Normalize = True

    name = "red"

    def __post_init__(self) -> None:
        check_distance(self.distance, self.n)
        check_fraction("alpha", self.alpha)
        _ = self.length_weights, self.text.source

    @property
    def text(self) -> TreeText:
        return TreeText(
            self.trees, self.parser, self.heads, self.tokenize, self.lowercase, self.normalize
        )

    @property
    def length_weights(self) -> FloatArray:
        return length_weights(self.ngram_weights, self.n)

    def signature(self) -> Signature:
        own = Signature.of(
            n=self.n,
            alpha=self.alpha,
            weights=self.ngram_weights or "equal",
            distance=self.distance,
        )
        return own + self.text.signature()

    def alignments(self, batch: Batch) -> list[Alignment]:
        """Which dep-ngrams of the best reference matched, and what each contributed."""
        from cupel.metrics.red_alignment import exact_alignments

        pairs = self.text.pairs(batch)
        return exact_alignments(self, pairs, self.pair_scores(pairs))

    def pair_scores(self, pairs: TreePairs) -> FloatArray:
        """(pairs,) the score of each hypothesis with each of its references."""
        from cupel.kernels.chains import exact_sums

        ngrams = dep_ngrams(pairs.trees, self.n)
        sums = exact_sums(
            text_of(pairs),
            forest(pairs, ngrams),
            pairs.hypotheses,
            pairs.references,
            len(pairs.words.types),
            self.n,
            DISTANCES.index(self.distance),
        )
        counts = ngrams.counts[pairs.references]
        scores = f_scores(sums, counts, pairs.lengths, self.alpha)
        return weighted_sum(scores, self.length_weights)


def f_scores(sums: FloatArray, counts: IntArray, lengths: IntArray, alpha: float) -> FloatArray:
    """F_n = S_n / (alpha count_n + (1 - alpha) len), 0 where nothing matched: (..., n)."""
    return ratio(sums, np.where(sums > 0, alpha * counts + (1 - alpha) * lengths[..., None], 0.0))


def weighted_sum(values: FloatArray, weights: FloatArray) -> FloatArray:
    """(..., k), (k,) -> (...): always added in the same order.

    A matrix product's last bit depends on how many rows there are; equal translations must tie.
    """
    total = np.zeros(values.shape[:-1])
    for place, weight in enumerate(weights.tolist()):
        total = total + weight * values[..., place]
    return total


def check_distance(distance: str, n: int) -> None:
    """Raise an error for an unknown distance, or a length that it is not defined for."""
    if distance not in DISTANCES:
        raise CupelError(f"Unknown distance {distance!r}; there are: {', '.join(DISTANCES)}.")
    if n < 1:
        raise CupelError(f"The longest dep-ngrams must have 1 word or more, not {n}.")
    if distance == "cosine" and n > 3:
        raise CupelError(f"The cosine distance is for dep-ngrams of up to 3 words, not {n}.")


def check_fraction(name: str, value: float) -> None:
    """Raise an error for a parameter that is not between 0 and 1."""
    if not 0 <= value <= 1:
        raise CupelError(f"The parameter {name} must lie between 0 and 1, not {value:g}.")


def length_weights(weights: str | None, n: int) -> FloatArray:
    """The weight of each length: as given, `0.6,0.5,0.1`, or equal ones that sum to 1."""
    if weights is None:
        return np.full(n, 1 / n)
    try:
        values = [float(weight) for weight in weights.split(",")]
    except ValueError:
        raise CupelError(f"The weights must be numbers, not {weights!r}.") from None
    if len(values) != n:
        raise CupelError(f"There are {len(values)} weights for lengths 1 to {n}.")
    if not all(0 <= value < math.inf for value in values):
        raise CupelError(f"The weights must be 0 or more, and finite, not {weights!r}.")
    return np.array(values)
