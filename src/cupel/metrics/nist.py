"""NIST: n-gram precision that gives rare n-grams more weight.

Measures: How much information the n-grams carry (1 to 5 words) that the translation shares with
the references: rare ones count more. 0 or more, without an upper limit; higher is better.

Use: To compare with older results that report it. Only numbers of the same test set can be
compared, because the weights come from its references.

Needs: Nothing beyond Cupel. Any language that one of the tokenizers splits.

Formula:
    NIST = BP * sum over n = 1..5 of (information of the matched n-grams / n-grams)
    information(w1 ... wn) = log2(count(w1 ... wn-1) / count(w1 ... wn))
    BP = exp(-beta * log^2 min(1, c / r))

n-grams are those of the translation, and matches are clipped as in BLEU; counts are over all
references of the test set; c: length of the translation; r: mean length of the segment's
references; beta makes BP 0.5 at c / r = 2/3. Two details of mteval-v13a.pl are kept because its
numbers depend on them: only the letters A-Z are lowercased, and an n-gram whose first n-1 words
are the string "0" counts as if it had none (Perl takes "0" for false), so its information is
relative to the number of all words.

Paper: George Doddington. 2002. Automatic Evaluation of Machine Translation Quality Using N-gram
Co-occurrence Statistics. HLT 2002.

Equal to: mteval-v13a.pl, per segment and for the test set.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Self

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.batch import Batch
from cupel.errors import CupelError
from cupel.metric import Metric, Signature, ratio
from cupel.metrics import shared_options as option
from cupel.registry import register
from cupel.text.ngrams import NgramTable, build, table_counts
from cupel.text.tokenizers import Tokenizer
from cupel.text.tokens import joined, ngram_totals

if TYPE_CHECKING:
    from cupel.corpus import Corpus

BETA = math.log(2) / math.log(1.5) ** 2


@register(
    "nist", "n-gram precision that weights rare n-grams more (Doddington 2002), as mteval-v13a.pl"
)
@dataclass(frozen=True)
class Nist(Metric):
    """Statistics: [hypothesis length, mean reference length, information 1..N, totals 1..N]."""

    tokenize: option.Tokenize = "13a"
    lowercase: Annotated[bool, "Lowercase the letters A to Z before comparing the text."] = True
    max_ngram_order: option.MaxOrder = 5
    _table: NgramTable | None = None
    _information: tuple[FloatArray, ...] = ()

    name = "nist"
    decimals = 4
    higher_is_better = True
    tokenises = True

    def __post_init__(self) -> None:
        if self.max_ngram_order < 1:
            raise CupelError(
                f"NIST needs an n-gram order of 1 or more, not {self.max_ngram_order}."
            )
        _ = self.tokenizer

    @property
    def tokenizer(self) -> Tokenizer:
        return Tokenizer(self.tokenize, "ascii" if self.lowercase else False)

    def signature(self) -> Signature:
        return Signature.of(
            case="lc" if self.lowercase else "mixed",
            tok=self.tokenizer.signature(),
            order=self.max_ngram_order,
        )

    def prepare(self, corpus: Corpus) -> Self:
        return self.prepare_blocks([corpus.references])

    def prepare_blocks(self, blocks: Iterable[Sequence[Sequence[str]]]) -> Self:
        """The same from the references of consecutive blocks of segments."""
        texts = ([text for texts in block for text in texts] for block in blocks)
        tokens = joined(map(self.tokenizer, texts))
        table, numbers = build(tokens, self.max_ngram_order)
        information = []
        zero = table.vocabulary.get("0", -1)
        contexts = np.full(1, len(tokens.ids))  # the empty context: all words
        for n, size in enumerate(table.sizes(), start=1):
            counts = table_counts(numbers[:, n - 1], size)
            if n == 1:
                denominators = np.broadcast_to(contexts, counts.shape)
            else:
                denominators = contexts[table.prefixes(n)]
                if n == 2 and zero >= 0:
                    denominators[table.prefixes(n) == zero] = len(tokens.ids)
            information.append(_information(denominators, counts))
            contexts = counts
        return replace(self, _table=table, _information=tuple(information))

    def statistics(self, batch: Batch) -> FloatArray:
        from cupel.kernels.ngrams import information_matches

        if self._table is None:
            raise CupelError("NIST has to be prepared on a corpus before it can score.")
        tokens = batch.analyse(self.tokenizer)
        matched = information_matches(
            tokens.ids,
            tokens.offsets,
            batch.hypothesis_index,
            batch.reference_index,
            batch.reference_offsets,
            self._table.words(tokens),
            self._table.levels,
            self._information,
        )
        lengths = tokens.lengths[batch.hypothesis_index]
        references = tokens.lengths[batch.reference_index]
        mean = np.add.reduceat(references, batch.reference_offsets[:-1]) / batch.reference_counts
        totals = ngram_totals(lengths, self.max_ngram_order)
        return np.column_stack([lengths, mean, matched, totals])

    def score(self, statistics: FloatArray) -> FloatArray:
        score: FloatArray = self._information_by_order(statistics).sum(
            axis=-1
        ) * self.brevity_penalty(statistics)
        return score

    def brevity_penalty(self, statistics: FloatArray) -> FloatArray:
        """BP; 0 for an empty hypothesis."""
        relative = np.minimum(ratio(statistics[..., 0], statistics[..., 1], empty=1.0), 1.0)
        return np.where(
            relative > 0, np.exp(-BETA * np.log(np.where(relative > 0, relative, 1.0)) ** 2), 0.0
        )

    def details(self, statistics: FloatArray) -> dict[str, FloatArray]:
        """Information per n-gram of every order, brevity penalty, lengths."""
        gained = self._information_by_order(statistics)
        return {f"information{n + 1}": gained[..., n] for n in range(self.max_ngram_order)} | {
            "hypothesis-length": statistics[..., 0],
            "reference-length": statistics[..., 1],
            "brevity-penalty": self.brevity_penalty(statistics),
        }

    def ratios(self, statistics: FloatArray) -> FloatArray:
        """The score, and the information gained per n-gram of each order."""
        score = self.score(statistics)[..., None]
        return np.concatenate([score, self._information_by_order(statistics)], axis=-1)

    def _information_by_order(self, statistics: FloatArray) -> FloatArray:
        orders = self.max_ngram_order
        return ratio(statistics[..., 2 : 2 + orders], statistics[..., 2 + orders :])


def _information(contexts: IntArray, counts: IntArray) -> FloatArray:
    """log2(contexts / counts): 0 for the many n-grams that are the only one of their context."""
    information = np.zeros(len(counts))
    several = np.flatnonzero(contexts != counts)
    information[several] = np.log(contexts[several] / counts[several]) / math.log(2)
    return information
