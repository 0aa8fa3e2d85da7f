"""chrF and chrF++: F-score of character n-grams, with word n-grams in chrF++.

Measures: How far translation and reference share character n-grams (1 to 6 characters), recall
counting twice as much as precision. From 0 to 100; higher is better.

Use: As the first choice among metrics without resources: it needs no tokenizer, works for
languages with rich morphology, and agrees better with people than bleu. chrf++ adds words and
word pairs.

Needs: Nothing beyond Cupel. Any language.

Formula:
    chrF = 100 * (1 + beta^2) * P * R / (beta^2 * P + R)

P and R: precision and recall of character n-grams (n = 1..6, white space removed), and for chrF++
also of word 1- and 2-grams, averaged over the orders for which both sides are long enough
(effective order), or with eps_smoothing over all orders and the F of each. Of several references
the one with the best segment score counts, the first of equals.

Paper: Maja Popović. 2015. chrF: Character n-gram F-score for Automatic MT Evaluation. WMT 2015.
Maja Popović. 2017. chrF++: Words Helping Character n-grams. WMT 2017.

Equal to: sacreBLEU 2.6 on every segment of the test sets listed in docs/research/metrics.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.batch import Batch
from cupel.errors import CupelError
from cupel.metric import Metric, Signature, ratio
from cupel.metrics import shared_options as option
from cupel.options import Range
from cupel.registry import register
from cupel.text.tokens import Tokens, characters, ngram_totals, split_words

if TYPE_CHECKING:
    from cupel.kernels.pair_ngrams import Formula, Part

EPSILON = 1e-16


@dataclass(frozen=True)
class Characters:
    """The analyser sentences -> code points, with or without white space."""

    lowercase: bool = False
    whitespace: bool = False

    def __call__(self, sentences: Sequence[str]) -> Tokens:
        if self.lowercase:
            sentences = [sentence.lower() for sentence in sentences]
        return characters(sentences, keep_whitespace=self.whitespace)


@dataclass(frozen=True)
class Words:
    """The analyser sentences -> words with one punctuation mark at an end taken apart."""

    lowercase: bool = False

    def __call__(self, sentences: Sequence[str]) -> Tokens:
        if self.lowercase:
            sentences = [sentence.lower() for sentence in sentences]
        from cupel.kernels.words import RULES_CHRF

        return split_words(sentences, RULES_CHRF)


@register("chrf", "character n-gram F-score (Popović 2015), as sacreBLEU")
@register(
    "chrf++", "chrF with word 1- and 2-grams added (Popović 2017), as sacreBLEU", word_order=2
)
@dataclass(frozen=True)
class Chrf(Metric):
    """Statistics: [hypothesis n-grams, reference n-grams, matches] per order, characters first."""

    char_order: Annotated[int, "Length of the longest character n-grams.", Range(most=100)] = 6
    word_order: Annotated[
        int, "Length of the longest word n-grams; 2 makes it chrF++.", Range(most=100)
    ] = 0
    beta: Annotated[
        int, "Weight of recall: it counts beta times as much as precision.", Range(0, 1000)
    ] = 2
    lowercase: option.Lowercase = False
    whitespace: Annotated[bool, "Count spaces as characters."] = False
    eps_smoothing: Annotated[bool, "Smooth as NLTK and Moses do: average F over all orders."] = (
        False
    )

    higher_is_better = True
    counts = True

    def __post_init__(self) -> None:
        if self.char_order < 0 or self.word_order < 0 or self.char_order + self.word_order < 1:
            raise CupelError(
                f"chrF needs at least one n-gram order, not char_order={self.char_order} "
                f"and word_order={self.word_order}."
            )

    @property
    def name(self) -> str:
        return "chrf" + "+" * self.word_order

    def signature(self) -> Signature:
        return Signature.of(
            case="lc" if self.lowercase else "mixed",
            eff=not self.eps_smoothing,
            nc=self.char_order,
            nw=self.word_order,
            space=self.whitespace,
            beta=None if self.beta == 2 else self.beta,
        )

    def statistics(self, batch: Batch) -> FloatArray:
        parts = []
        if self.char_order:
            analysis = batch.analyse(Characters(self.lowercase, self.whitespace))
            parts.append(_pair_counts(batch, analysis, self.char_order))
        if self.word_order:
            parts.append(_pair_counts(batch, batch.analyse(Words(self.lowercase)), self.word_order))
        counts = np.concatenate(parts, axis=1).reshape(len(batch.reference_index), -1)
        pairs = counts.astype(np.float64)
        if len(pairs) == len(batch):
            return pairs
        return pairs[best_of(self.score(pairs), batch.reference_offsets)]

    def score(self, statistics: FloatArray) -> FloatArray:
        hypothesis, reference, _ = (statistics[..., i::3] for i in range(3))
        factor = self.beta**2
        precision, recall = self._by_order(statistics)
        if self.eps_smoothing:
            precision = np.where(hypothesis > 0, precision, EPSILON)
            recall = np.where(reference > 0, recall, EPSILON)
            weight = factor * precision + recall
            scores = ratio((1 + factor) * precision * recall, weight, empty=EPSILON)
            mean: FloatArray = 100 * _running_sum(scores) / scores.shape[-1]
            return mean
        both = (hypothesis > 0) & (reference > 0)
        effective = both.sum(axis=-1)
        mean_precision = ratio(_running_sum(np.where(both, precision, 0.0)), effective)
        mean_recall = ratio(_running_sum(np.where(both, recall, 0.0)), effective)
        return 100 * self._f_score(mean_precision, mean_recall)

    def details(self, statistics: FloatArray) -> dict[str, FloatArray]:
        """Precision, recall and F of every order, in percent; characters first, then words."""
        precision, recall = self._by_order(statistics)
        parts = {"precision": precision, "recall": recall, "f": self._f_score(precision, recall)}
        orders = [f"char{n + 1}" for n in range(self.char_order)]
        orders += [f"word{n + 1}" for n in range(self.word_order)]
        return {
            f"{order}-{name}": 100 * values[..., n]
            for n, order in enumerate(orders)
            for name, values in parts.items()
        }

    def formula(self) -> Formula | None:
        """chrF of pairs for `cupel mbr`: see `cupel.kernels.pair_ngrams.Comparable`."""
        from cupel.kernels.pair_ngrams import CHRF, CHRF_SMOOTHED, MAX_ORDERS, Formula

        if self.char_order + self.word_order > MAX_ORDERS:
            return None
        return Formula(CHRF_SMOOTHED if self.eps_smoothing else CHRF, factor=float(self.beta**2))

    def parts(self, sentences: Sequence[str]) -> list[Part]:
        from cupel.kernels.pair_ngrams import Part

        analyses = (
            (Characters(self.lowercase, self.whitespace), self.char_order),
            (Words(self.lowercase), self.word_order),
        )
        tokens = [(analyse(sentences), order) for analyse, order in analyses if order]
        return [Part(part.ids, part.offsets, order) for part, order in tokens]

    def bag_scores(self, totals: FloatArray, sizes: FloatArray, matches: FloatArray) -> FloatArray:
        statistics = np.empty((len(totals), 3 * len(sizes)))
        statistics[:, 0::3] = np.where(sizes > 0, totals, 0.0)
        statistics[:, 1::3], statistics[:, 2::3] = sizes, matches
        return self.score(statistics)

    def ratios(self, statistics: FloatArray) -> FloatArray:
        """The score, then precision and recall of each order."""
        precision, recall = self._by_order(statistics)
        score = self.score(statistics)[..., None]
        return np.concatenate([score, 100 * precision, 100 * recall], axis=-1)

    def _by_order(self, statistics: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(..., orders) precisions and recalls."""
        hypothesis, reference, matches = (statistics[..., i::3] for i in range(3))
        return ratio(matches, hypothesis), ratio(matches, reference)

    def _f_score(self, precision: FloatArray, recall: FloatArray) -> FloatArray:
        factor = self.beta**2
        return ratio((1 + factor) * precision * recall, factor * precision + recall)


def _running_sum(values: FloatArray) -> FloatArray:
    """Sum over the last axis from left to right, as sacreBLEU adds: equal to the last bit."""
    total = np.zeros(values.shape[:-1])
    for n in range(values.shape[-1]):
        total = total + values[..., n]
    return total


def _pair_counts(batch: Batch, tokens: Tokens, orders: int) -> IntArray:
    """(pairs, orders, 3): n-grams of hypothesis and reference and their matches, per reference."""
    from cupel.kernels.ngrams import CLIPPED, NO_WEIGHTS, clipped_matches

    hypotheses = np.repeat(batch.hypothesis_index, batch.reference_counts)
    matches, _ = clipped_matches(
        tokens.ids,
        tokens.offsets,
        hypotheses,
        batch.reference_index,
        np.arange(len(hypotheses) + 1),
        orders,
        NO_WEIGHTS,
        CLIPPED,
    )
    in_hypothesis = ngram_totals(tokens.lengths[hypotheses], orders)
    in_reference = ngram_totals(tokens.lengths[batch.reference_index], orders)
    # sacreBLEU does not count hypothesis n-grams of an order that the reference is too short for.
    in_hypothesis = np.where(in_reference > 0, in_hypothesis, 0)
    return np.stack([in_hypothesis, in_reference, matches], axis=-1)


def best_of(scores: FloatArray, offsets: IntArray) -> IntArray:
    """Per item the index of its highest-scoring reference, the first of equals."""
    best = np.maximum.reduceat(scores, offsets[:-1])
    candidates = np.flatnonzero(scores == np.repeat(best, np.diff(offsets)))
    firsts: IntArray = candidates[np.searchsorted(candidates, offsets[:-1])]
    return firsts
