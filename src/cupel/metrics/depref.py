"""DEPREF (Wu et al. 2013, WMT): the metric that became RED, without and with resources.

The paper leaves its definition to another; here it is RED's (`cupel.metrics.red`) with alpha 0.5 and
equal weights of the lengths. So without resources DEPREF is RED. With `resources=yes`, words are
matched by METEOR's aligner: exactly, by stem and by synonym, each worth 1 (the paper's Table 1.B).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.metric import Metric, Signature, mean_score, mean_statistics
from cupel.metrics.red import LONGEST, Red, check_fraction, f_scores, weighted_sum
from cupel.metrics.red_aligned import Aligner, dep_parts
from cupel.metrics.red_text import DISTANCES, TreePairs, TreeText, forest
from cupel.registry import register
from cupel.syntax.heads import CONVENTIONS
from cupel.syntax.models import parser_missing
from cupel.syntax.ngrams import dep_ngrams
from cupel.syntax.parser import OWN

if TYPE_CHECKING:
    from cupel.alignments import Alignment
    from cupel.corpus import Corpus
    from cupel.metrics.red_alignment import Found

_MODULES = {"en": "exact,stem,synonym", "cs": "exact"}


@register(
    "depref",
    "dependency n-grams of the reference, stems and synonyms (Wu et al. 2013)",
    check=parser_missing,
)
@dataclass(frozen=True)
class Depref(Metric):
    """Statistics: [segment score, 1].

    resources  match stems and synonyms, too, one match per word
    language   of stems, where they are used
    n, alpha   as in `red`
    trees ... normalize  see `cupel.metrics.red_text.TreeText`
    """

    resources: bool = False
    language: str = "en"
    n: int = LONGEST
    alpha: float = 0.5
    trees: str | None = None
    model: str | None = None
    heads: str = CONVENTIONS[0]
    tokenize: str = OWN
    normalize: bool = True

    name = "depref"
    higher_is_better = True
    decimals = 4

    def __post_init__(self) -> None:
        _ = self.red
        check_fraction("alpha", self.alpha)
        if self.resources:
            self.aligner.check()

    @property
    def red(self) -> Red:
        """The metric that it is without resources."""
        return Red(
            self.n,
            self.alpha,
            trees=self.trees,
            model=self.model,
            heads=self.heads,
            tokenize=self.tokenize,
            normalize=self.normalize,
        )

    @property
    def text(self) -> TreeText:
        return self.red.text

    @property
    def aligner(self) -> Aligner:
        return Aligner(self.language, _MODULES.get(self.language, "exact,stem"))

    def signature(self) -> Signature:
        modules = ",".join(self.aligner.matchers) if self.resources else "exact"
        language = self.language if self.resources else None
        own = Signature.of(n=self.n, alpha=self.alpha, modules=modules, lang=language)
        return own + self.text.signature()

    def prepare(self, corpus: Corpus) -> Self:
        self.text.check(corpus)
        return self

    def statistics(self, batch: Batch) -> FloatArray:
        if not self.resources:
            return self.red.statistics(batch)
        pairs = self.text.pairs(batch)
        return mean_statistics(np.maximum.reduceat(self.pair_scores(pairs), pairs.offsets[:-1]))

    def score(self, statistics: FloatArray) -> FloatArray:
        return mean_score(statistics)

    def alignments(self, batch: Batch) -> list[Alignment]:
        """Which dep-ngrams of the best reference matched, and what each gave."""
        from cupel.metrics.red_alignment import aligned_alignments

        if not self.resources:
            return self.red.alignments(batch)
        pairs = self.text.pairs(batch)
        return aligned_alignments(self, pairs, self.pair_scores(pairs))

    @property
    def distance(self) -> str:
        return DISTANCES[0]

    def weighing(
        self, is_function: Sequence[int]
    ) -> tuple[Callable[[Sequence[int], Found], float], Callable[[Sequence[int]], float]]:
        """Every match weighs 1; paraphrases do not count."""
        return (lambda words, found: 1.0), (lambda words: 0.0)

    def pair_scores(self, pairs: TreePairs) -> FloatArray:
        """(pairs,) the score of each hypothesis with each of its references."""
        ngrams = dep_ngrams(pairs.trees, self.n)
        analysis = self.aligner.analysis(pairs)
        matches = self.aligner.matches(analysis, pairs, self.aligner.of_words)
        relative = DISTANCES.index(self.distance)
        parts = dep_parts(forest(pairs, ngrams), pairs, matches, analysis, self.n, relative)
        # Modules weigh 1 and words the same: a dep-ngram's parts sum to p(d).
        sums = weighted_sum(parts, np.ones(parts.shape[-1]))
        scores = f_scores(sums, ngrams.counts[pairs.references], pairs.lengths, self.alpha)
        return weighted_sum(scores, np.full(self.n, 1 / self.n))
