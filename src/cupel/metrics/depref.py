"""DEPREF: dependency n-grams of the reference, the metric that became RED.

Measures: How many of the reference's dependency n-grams the translation has. 0 or more, about 1
for a copy of the reference; higher is better.

Use: To compare with the results of Wu et al. (2013); otherwise use red, which is the same metric
without resources, or redp.

Needs: pip install 'cupel[syntax]' (spaCy with its English model), or trees of the references.
English; other languages with a spaCy model or trees. resources=yes matches stems and synonyms in
English, stems in de, es, fr and ru.

Formula:
    DEPREF = RED with alpha = 0.5 and equal weights for all lengths of dep-ngrams

The paper leaves its definition to another, so that of RED is used (`cupel metrics red`). With
resources=yes, words are matched one to one by METEOR's aligner, by form, stem and synonym, each
worth 1 (Table 1.B of the paper).

Paper: Xiaofeng Wu, Hui Yu and Qun Liu. 2013. DCU Participation in WMT2013 Metrics Task. WMT 2013.

Equal to: It was not compared with the authors' program. Without resources it is red; with them
the tests compare it with a direct computation of the formula.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.metric import Signature
from cupel.metrics import shared_options as option
from cupel.metrics.red import LONGEST, Red, check_fraction, f_scores, weighted_sum
from cupel.metrics.red_aligned import Aligner, dep_parts
from cupel.metrics.red_text import DISTANCES, DepNgramMetric, TreePairs, TreeText, forest
from cupel.registry import register
from cupel.syntax.heads import CONVENTIONS
from cupel.syntax.models import parser_missing
from cupel.syntax.ngrams import dep_ngrams
from cupel.syntax.parser import OWN

if TYPE_CHECKING:
    from cupel.alignments import Alignment
    from cupel.metrics.red_aligned import WordMatches

_MODULES = {"en": "exact,stem,synonym", "cs": "exact"}


@register(
    "depref",
    "dependency n-grams of the reference, optionally with stems and synonyms (Wu 2013)",
    check=parser_missing,
)
@dataclass(frozen=True)
class Depref(DepNgramMetric):
    """Statistics: [segment score, 1]."""

    resources: Annotated[bool, "Match stems and synonyms as well, each word at most once."] = False
    language: option.Language = "en"
    n: option.LongestNgrams = LONGEST
    alpha: option.RecallWeight = 0.5
    trees: option.Trees = None
    parser: option.SpacyModel = None
    heads: option.Heads = CONVENTIONS[0]
    tokenize: option.TreeTokenize = OWN
    normalize: option.Normalize = True

    name = "depref"

    def __post_init__(self) -> None:
        _ = self.red
        check_fraction("alpha", self.alpha)
        if self.resources:
            self.aligner.check()

    @property
    def red(self) -> Red:
        """RED with the same options: what DEPREF is without resources."""
        return Red(
            self.n,
            self.alpha,
            trees=self.trees,
            parser=self.parser,
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

    def statistics(self, batch: Batch) -> FloatArray:
        if not self.resources:
            return self.red.statistics(batch)
        return super().statistics(batch)

    def alignments(self, batch: Batch) -> list[Alignment]:
        """Which dep-ngrams of the best reference matched, and what each contributed."""
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
    ) -> tuple[Callable[[Sequence[int], WordMatches], float], Callable[[Sequence[int]], float]]:
        """Every match weighs 1; paraphrases do not count."""
        return (lambda words, matches: 1.0), (lambda words: 0.0)

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
