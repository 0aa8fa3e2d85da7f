"""BLEU: precision of word n-grams, with a penalty for translations that are too short.

Measures: How many of the translation's word n-grams (1 to 4 words) also occur in a reference,
counted over the whole test set. From 0 to 100; higher is better.

Use: To compare systems on the same test set, and so that others can compare their numbers with
yours. Not to judge single segments (see sentbleu, chrf, meteor), and not to compare numbers whose
signatures differ, in the tokenizer for example.

Needs: Nothing beyond Cupel. Any language that one of the tokenizers splits.

Formula:
    BLEU = 100 * BP * exp(1/N * sum over n = 1..N of log p_n),    BP = min(1, exp(1 - r/c))

p_n: n-grams of the translation that occur in the references, each clipped at the largest count in
any one reference, over all n-grams of the translation; c: length of the translation; r: per
segment the reference length closest to c (the shorter of two equally close), summed. N-gram
orders without a match are smoothed as in Chen and Cherry (2014): exp is their method 3, which
halves at every such order as mteval-v13a does, floor their method 1, add-k their method 2.

Paper: Kishore Papineni, Salim Roukos, Todd Ward and Wei-Jing Zhu. 2002. BLEU: a Method for
Automatic Evaluation of Machine Translation. ACL 2002.

Equal to: sacreBLEU 2.6 on every segment of the test sets listed in docs/research/metrics.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.batch import Batch
from cupel.errors import CupelError
from cupel.metric import Metric, Signature, ratio
from cupel.metrics import shared_options as option
from cupel.registry import register
from cupel.text.tokenizers import Tokenizer
from cupel.text.tokens import ngram_totals

if TYPE_CHECKING:
    from cupel.kernels.pair_ngrams import Formula, Part

SMOOTHING_VALUES: dict[str, float | None] = {"exp": None, "floor": 0.1, "add-k": 1.0, "none": None}
"""The smoothing methods, with the default of their value where they take one."""

LOG_OF_ZERO = -9999999999.0
"""sacreBLEU's stand-in for log 0: a precision of 0 makes the whole score 0."""


@register("bleu", "word n-gram precision with a brevity penalty (Papineni 2002), as sacreBLEU")
@dataclass(frozen=True)
class Bleu(Metric):
    """Statistics: [hypothesis length, reference length, matches 1..N, totals 1..N]."""

    tokenize: option.Tokenize = "13a"
    lowercase: option.Lowercase = False
    smooth_method: option.SmoothMethod = "exp"
    smooth_value: option.SmoothValue = None
    max_ngram_order: option.MaxOrder = 4
    effective_order: option.EffectiveOrder = False

    name = "bleu"
    higher_is_better = True
    tokenises = True
    counts = True

    def __post_init__(self) -> None:
        if self.smooth_method not in SMOOTHING_VALUES:
            names = ", ".join(SMOOTHING_VALUES)
            raise CupelError(
                f"Unknown smoothing method {self.smooth_method!r} for BLEU; known are: {names}."
            )
        if self.max_ngram_order < 1:
            raise CupelError(
                f"BLEU needs an n-gram order of 1 or more, not {self.max_ngram_order}."
            )
        _ = self.tokenizer

    @property
    def tokenizer(self) -> Tokenizer:
        return Tokenizer(self.tokenize, self.lowercase)

    def signature(self) -> Signature:
        smooth = self.smooth_method
        if SMOOTHING_VALUES[smooth] is not None:
            smooth += f"[{self._smoothing_value:.2f}]"
        return Signature.of(
            case="lc" if self.lowercase else "mixed",
            eff=self.effective_order,
            tok=self.tokenizer.signature(),
            smooth=smooth,
            order=None if self.max_ngram_order == 4 else self.max_ngram_order,
        )

    def statistics(self, batch: Batch) -> FloatArray:
        from cupel.kernels.ngrams import CLIPPED, NO_WEIGHTS, clipped_matches

        tokens = batch.analyse(self.tokenizer)
        matches, _ = clipped_matches(
            tokens.ids,
            tokens.offsets,
            batch.hypothesis_index,
            batch.reference_index,
            batch.reference_offsets,
            self.max_ngram_order,
            NO_WEIGHTS,
            CLIPPED,
        )
        lengths = tokens.lengths[batch.hypothesis_index]
        closest = closest_length(
            lengths, tokens.lengths[batch.reference_index], batch.reference_offsets
        )
        totals = ngram_totals(lengths, self.max_ngram_order)
        return np.column_stack([lengths, closest, matches, totals]).astype(np.float64)

    def score(self, statistics: FloatArray) -> FloatArray:
        precisions, order = self.precisions(statistics)
        logs = np.where(precisions > 0, precisions, 1.0)
        logs = np.where(precisions > 0, np.log(logs), LOG_OF_ZERO)
        total = np.zeros(statistics.shape[:-1])
        for n in range(self.max_ngram_order):
            total = total + np.where(n < order, logs[..., n], 0.0)
        matched = statistics[..., 2 : 2 + self.max_ngram_order].any(axis=-1)
        score: FloatArray = np.where(
            matched, self.brevity_penalty(statistics) * np.exp(total / order), 0.0
        )
        return score

    def brevity_penalty(self, statistics: FloatArray) -> FloatArray:
        """BP; 0 for an empty hypothesis."""
        length, reference = statistics[..., 0], statistics[..., 1]
        inverse = ratio(reference, length, empty=np.inf)
        return np.where(length < reference, np.exp(1 - inverse), 1.0)

    def precisions(self, statistics: FloatArray) -> tuple[FloatArray, IntArray]:
        """Smoothed n-gram precisions in percent, (..., N), and how many orders count."""
        orders = self.max_ngram_order
        correct = statistics[..., 2 : 2 + orders].copy()
        total = statistics[..., 2 + orders :].copy()
        if self.smooth_method == "add-k":
            correct[..., 1:] += self._smoothing_value
            total[..., 1:] += self._smoothing_value
        # Past the first order that the hypothesis is too short for, nothing counts.
        reached = np.logical_and.accumulate(total > 0, axis=-1)
        safe = np.where(reached, total, 1.0)
        precisions = np.where(reached, 100.0 * correct / safe, 0.0)
        unmatched = reached & (correct == 0)
        if self.smooth_method == "exp":
            halvings = 2.0 ** np.cumsum(unmatched, axis=-1)
            precisions = np.where(unmatched, 100.0 / (halvings * safe), precisions)
        elif self.smooth_method == "floor":
            precisions = np.where(unmatched, 100.0 * self._smoothing_value / safe, precisions)
        effective = np.maximum(reached.sum(axis=-1), 1)
        order = effective if self.effective_order else np.full_like(effective, orders)
        return precisions, order

    def details(self, statistics: FloatArray) -> dict[str, FloatArray]:
        """Precisions (smoothed, in percent), matches and totals by order; brevity penalty; lengths."""
        orders = self.max_ngram_order
        matches, totals = statistics[..., 2 : 2 + orders], statistics[..., 2 + orders :]
        by_order = {
            "precision": self.precisions(statistics)[0],
            "matches": matches,
            "totals": totals,
        }
        length, reference = statistics[..., 0], statistics[..., 1]
        return {
            f"{name}{n + 1}": values[..., n]
            for name, values in by_order.items()
            for n in range(orders)
        } | {
            "hypothesis-length": length,
            "reference-length": reference,
            "length-ratio": ratio(length, reference),
            "brevity-penalty": self.brevity_penalty(statistics),
        }

    def formula(self) -> Formula | None:
        """BLEU of pairs for `cupel mbr`: see `cupel.kernels.pair_ngrams.Comparable`."""
        from cupel.kernels.pair_ngrams import BLEU, MAX_ORDERS, SMOOTHINGS, Formula

        if self.max_ngram_order > MAX_ORDERS:
            return None
        smoothing = SMOOTHINGS[self.smooth_method]
        return Formula(BLEU, smoothing, self.effective_order, value=self._smoothing_value)

    def parts(self, sentences: Sequence[str]) -> list[Part]:
        from cupel.kernels.pair_ngrams import Part

        tokens = self.tokenizer(sentences)
        return [Part(tokens.ids, tokens.offsets, self.max_ngram_order)]

    def bag_scores(self, totals: FloatArray, sizes: FloatArray, matches: FloatArray) -> FloatArray:
        lengths = np.column_stack([totals[:, 0], np.full(len(totals), sizes[0])])
        return self.score(np.concatenate([lengths, matches, totals], axis=1))

    def for_segments(self) -> Bleu:
        """The same with effective order, as single sentences need it."""
        return replace(self, effective_order=True)

    @property
    def _smoothing_value(self) -> float:
        default = SMOOTHING_VALUES[self.smooth_method] or 0.0
        return default if self.smooth_value is None else self.smooth_value


def closest_length(lengths: IntArray, references: IntArray, offsets: IntArray) -> IntArray:
    """Per item the reference length nearest to the hypothesis length, the shorter of a tie."""
    distance = np.abs(references - np.repeat(lengths, np.diff(offsets)))
    # One number that orders by distance first and by length second.
    rank = distance * (1 + references.max(initial=0)) + references
    best: IntArray = np.minimum.reduceat(rank, offsets[:-1]) % (1 + references.max(initial=0))
    return best
