"""RED (Yu et al. 2014, COLING): dep-ngrams of the reference's tree, found in the translation.

Only references are parsed; the translation stays a string of len words. D_n are the dep-ngrams of n
words of the reference's tree (see `cupel.syntax.ngrams`), count_n of them, headword chains and fixed
and floating structures alike; p(d) is what one of them scores:

    a chain of n > 1 words  exp(-sum_i |dis_r_i - dis_h_i| / (n - 1)), where dis_i is the distance
                            between words i and i + 1 of the chain in the sentence, if all words
                            occur in the translation in the order of the reference, else 0; the
                            best over all ways to match
    a single word           1 if it occurs, else 0
    a structure             1 if its words stand together in the translation, else 0

    precision_n = sum of p(d) over D_n / len,    recall_n = the same sum / count_n
    F_n = precision_n recall_n / (alpha precision_n + (1 - alpha) recall_n)
    RED = sum over n = 1..N of w_n F_n

so that F_n = S_n / (alpha count_n + (1 - alpha) len), and 0 where S_n is 0. D_n is a multiset and
nothing is clipped: a word that the reference has twice and the translation once counts twice, and
RED may exceed 1. Of several references the best counts; the score of a system is the mean over
segments (the paper's own way, since matches depend on positions).

`distance` has the two other measures that the paper tried and does not define: `cosine` takes the
cosine of the vectors (dis_r_i) and (dis_h_i), which is 1 for any match of two words, and `absolute`
exp(-sum_i |r_i - h_i| / n) over the words' positions in the two sentences.

What the paper leaves open was chosen on wmt13: segment-level tau and system-level Spearman, means
over cs-en, de-en, es-en and fr-en. With the defaults .2485 and .962; heads=penn2malt .2469 (p of
being worse .985) and .964; lowercase=no .2467 and .960; the tokenizers intl .2458, ptb (which drops
punctuation) .2453, 13a .2409; distance=cosine .2486, absolute .2415. `normalize` came from looking at
wmt12 (see docs/red.md) and was confirmed on wmt13: without it .2478 and .955.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.batch import Batch
from cupel.errors import CupelError
from cupel.metric import Metric, Signature, mean_score, mean_statistics, ratio
from cupel.metrics.red_text import DISTANCES, TreePairs, TreeText, forest, text_of
from cupel.registry import register
from cupel.syntax.heads import CONVENTIONS
from cupel.syntax.models import parser_missing
from cupel.syntax.ngrams import dep_ngrams
from cupel.syntax.parser import OWN

if TYPE_CHECKING:
    from cupel.alignments import Alignment
    from cupel.corpus import Corpus

LONGEST = 3
"""The papers' N."""


@register(
    "red",
    "dependency n-grams of the reference, found in the translation (Yu et al. 2014)",
    check=parser_missing,
)
@dataclass(frozen=True)
class Red(Metric):
    """Statistics: [segment score, 1].

    n         the longest dep-ngrams' number of words
    alpha     the weight of recall in F
    weights   of the lengths 1 to n, with commas; equal ones if none are given
    distance  relative, cosine, absolute
    trees ... normalize  see `cupel.metrics.red_text.TreeText`
    """

    n: int = LONGEST
    alpha: float = 0.5
    weights: str | None = None
    distance: str = DISTANCES[0]
    trees: str | None = None
    model: str | None = None
    heads: str = CONVENTIONS[0]
    tokenize: str = OWN
    lowercase: bool = True
    normalize: bool = True

    name = "red"
    higher_is_better = True
    decimals = 4

    def __post_init__(self) -> None:
        check_distance(self.distance, self.n)
        check_fraction("alpha", self.alpha)
        _ = self.length_weights, self.text.source

    @property
    def text(self) -> TreeText:
        return TreeText(
            self.trees, self.model, self.heads, self.tokenize, self.lowercase, self.normalize
        )

    @property
    def length_weights(self) -> FloatArray:
        return length_weights(self.weights, self.n)

    def signature(self) -> Signature:
        own = Signature.of(
            n=self.n, alpha=self.alpha, weights=self.weights or "equal", distance=self.distance
        )
        return own + self.text.signature()

    def prepare(self, corpus: Corpus) -> Self:
        self.text.check(corpus)
        return self

    def statistics(self, batch: Batch) -> FloatArray:
        pairs = self.text.pairs(batch)
        return mean_statistics(np.maximum.reduceat(self.pair_scores(pairs), pairs.offsets[:-1]))

    def score(self, statistics: FloatArray) -> FloatArray:
        return mean_score(statistics)

    def alignments(self, batch: Batch) -> list[Alignment]:
        """Which dep-ngrams of the best reference matched, and what each gave."""
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
    """Complain about an unknown distance, or a length that it cannot be had for."""
    if distance not in DISTANCES:
        raise CupelError(f"Unknown distance {distance!r}; there are: {', '.join(DISTANCES)}.")
    if n < 1:
        raise CupelError(f"The longest dep-ngrams must have 1 word or more, not {n}.")
    if distance == "cosine" and n > 3:
        raise CupelError(f"The cosine distance is for dep-ngrams of up to 3 words, not {n}.")


def check_fraction(name: str, value: float) -> None:
    """Complain about a parameter that is not between 0 and 1."""
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
