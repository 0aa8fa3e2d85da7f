"""ROUGE-L: the longest common subsequence of words.

Measures: How many words translation and reference have in common in the same order, with gaps
allowed. From 0 to 1; higher is better.

Use: For summaries and captions, whose papers report it. For translation chrf and meteor agree
better with people.

Needs: Nothing beyond Cupel. Any language with spaces between words. For the numbers of caption
papers use tokenize=ptb (English); by default the text is taken as it is.

Formula:
    P = max over references r of LCS(h, r) / |h|,    R = max over r of LCS(h, r) / |r|
    F = (1 + beta^2) P R / (R + beta^2 P)

The best precision and the best recall may come from different references. The score of a system
is the mean over segments. Words are what stands between single spaces: two spaces in a row have
an empty word between them, and an empty text is one empty word, because the scores of
pycocoevalcap depend on that.

Paper: Chin-Yew Lin. 2004. ROUGE: A Package for Automatic Evaluation of Summaries. Text
Summarization Branches Out, workshop at ACL 2004.

Equal to: the Rouge scorer of pycocoevalcap 1.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.metric import SegmentMean, Signature, mean_statistics, ratio
from cupel.metrics import shared_options as option
from cupel.options import Range
from cupel.registry import register
from cupel.text.tokenizers import Tokenizer
from cupel.text.tokens import Tokens, intern, offsets_of, split_words


@dataclass(frozen=True)
class BetweenBlanks:
    """The analyser sentences -> `Tokens` that splits at every blank, empty tokens and all."""

    tokenizer: Tokenizer

    def __call__(self, sentences: Sequence[str]) -> Tokens:
        from cupel.text.code_points import blank

        if self.tokenizer.name in ("13a", "zh", "char", "script"):  # which leave no blanks
            return _with_empty_words(self.tokenizer(sentences))
        if self.tokenizer.lowercase:
            sentences = [sentence.lower() for sentence in sentences]
        if self.tokenizer.name != "none":  # which drops trailing blanks
            sentences = self.tokenizer.lines(sentences)
        if all(map(_is_neat, sentences)):
            return split_words(sentences, classes=blank())
        return intern([sentence.split(" ") for sentence in sentences])


def _with_empty_words(tokens: Tokens) -> Tokens:
    """With one empty word in each sentence that has none."""
    is_empty = tokens.lengths == 0
    if not is_empty.any():
        return tokens
    ids = np.insert(tokens.ids, tokens.offsets[:-1][is_empty], len(tokens.types))
    offsets = tokens.offsets + offsets_of(is_empty, len(is_empty))
    return Tokens(ids, offsets, [*tokens.types, ""])


def _is_neat(sentence: str) -> bool:
    """Whether splitting at every blank leaves no empty token."""
    return "  " not in sentence and " " not in (sentence[:1] or " ", sentence[-1:])


@register(
    "rouge-l",
    "longest common subsequence of words (Lin 2004), as pycocoevalcap",
    captions="tokenize=ptb,lowercase=yes",
)
@dataclass(frozen=True)
class RougeL(SegmentMean):
    """Statistics: [score, 1]."""

    tokenize: option.Tokenize = "none"
    lowercase: option.Lowercase = False
    beta: Annotated[
        float, "Weight of recall: it counts beta times as much as precision.", Range(0, 1000)
    ] = 1.2

    name = "rouge-l"
    decimals = 4
    higher_is_better = True

    def __post_init__(self) -> None:
        _ = self.tokenizer

    @property
    def tokenizer(self) -> Tokenizer:
        return Tokenizer(self.tokenize, self.lowercase)

    def signature(self) -> Signature:
        return self.tokenizer.entries() + Signature.of(beta=self.beta)

    def statistics(self, batch: Batch) -> FloatArray:
        precision, recall, _ = self.detail_statistics(batch).T
        beta2 = self.beta**2
        return mean_statistics(ratio((1 + beta2) * precision * recall, recall + beta2 * precision))

    def detail_statistics(self, batch: Batch) -> FloatArray:
        """(n, 3): [precision, recall, 1]."""
        from cupel.kernels.edits import lcs_lengths

        tokens = batch.analyse(BetweenBlanks(self.tokenizer))
        common = lcs_lengths(
            tokens.ids,
            tokens.offsets,
            batch.hypothesis_index,
            batch.reference_index,
            batch.reference_offsets,
            len(tokens.types),
        )
        first = batch.reference_offsets[:-1]
        most = np.maximum.reduceat(common, first)
        precision = most / tokens.lengths[batch.hypothesis_index]
        recall = np.maximum.reduceat(common / tokens.lengths[batch.reference_index], first)
        return np.stack([precision, recall, np.ones(len(batch))], axis=-1)

    def details(self, statistics: FloatArray) -> dict[str, FloatArray]:
        """Precision and recall, means over segments."""
        segments = statistics[..., 2]
        return {
            "precision": ratio(statistics[..., 0], segments),
            "recall": ratio(statistics[..., 1], segments),
        }
