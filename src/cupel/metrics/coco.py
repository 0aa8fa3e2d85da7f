"""Any other metric on text prepared as for the caption evaluation of COCO.

Measures: What the other metric measures, on text as its captioning papers prepare it. Scale and
direction are those of the other metric.

Use: To get the numbers of captioning papers: coco:metric=meteor is METEOR as they report it. Not
for machine translation, where the metrics prepare text themselves.

Needs: What the other metric needs. English, since the tokenizer is for English.

Formula:
    coco:metric=NAME = NAME on Penn Treebank tokens in lower case, without punctuation

Paper: Xinlei Chen, Hao Fang, Tsung-Yi Lin, Ramakrishna Vedantam, Saurabh Gupta, Piotr Dollár and
C. Lawrence Zitnick. 2015. Microsoft COCO Captions: Data Collection and Evaluation Server.
arXiv:1504.00325.

Equal to: the same metric behind the PTBTokenizer of pycocoevalcap 1.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Self

import numpy as np

from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.metric import Metric, Signature, decimals_of, learns_from_corpus
from cupel.registry import get_metric, register
from cupel.text.tokenizers import Tokenizer

if TYPE_CHECKING:
    from cupel.corpus import Corpus


@dataclass(frozen=True)
class CaptionText:
    """The analyser sentences -> the same sentences as prepared for COCO's metrics."""

    def __call__(self, sentences: Sequence[str]) -> list[str]:
        return Tokenizer("ptb").lines([sentence.lower() for sentence in sentences])


@dataclass(frozen=True)
class _CaptionBatch:
    """The analyser that makes the batch of such sentences, once for all metrics that ask."""

    hypothesis_index: bytes
    reference_index: bytes
    reference_offsets: bytes

    def __call__(self, sentences: Sequence[str]) -> Batch:
        texts = CaptionText()(sentences)
        hypotheses, references, offsets = (
            np.frombuffer(given, np.int64)
            for given in (self.hypothesis_index, self.reference_index, self.reference_offsets)
        )
        flat = [texts[row] for row in references]
        return Batch(
            [texts[row] for row in hypotheses],
            [flat[start:end] for start, end in pairwise(offsets)],
        )


@register("coco", "any other metric on text prepared as for COCO captions: coco:metric=meteor")
@dataclass(frozen=True)
class Coco(Metric):
    """Statistics: those of the other metric."""

    metric: Annotated[str, "The other metric, such as meteor; it may have options of its own."] = (
        "cider"
    )
    _inner: Metric | None = None

    name = "coco"
    captions_only = True

    @property
    def inner(self) -> Metric:
        return self._inner or get_metric(self.metric)

    @property
    def decimals(self) -> int:
        return decimals_of(self.inner)

    @property
    def higher_is_better(self) -> bool:
        return self.inner.higher_is_better

    @property
    def learns(self) -> bool:
        return learns_from_corpus(self.inner)

    def __post_init__(self) -> None:
        _ = self.inner

    def signature(self) -> Signature:
        return Signature.of(text="coco") + self.inner.signature()

    def prepare(self, corpus: Corpus) -> Self:
        inner = self.inner
        prepared = inner.prepare(_caption_corpus(corpus))
        return self if prepared is inner else replace(self, _inner=prepared)

    def statistics(self, batch: Batch) -> FloatArray:
        return self.inner.statistics(_caption_batch(batch))

    def score(self, statistics: FloatArray) -> FloatArray:
        return self.inner.score(statistics)

    def segment_scores(self, statistics: FloatArray) -> FloatArray:
        return self.inner.segment_scores(statistics)


def _caption_batch(batch: Batch) -> Batch:
    index = (batch.hypothesis_index, batch.reference_index, batch.reference_offsets)
    return batch.analyse(_CaptionBatch(*(part.tobytes() for part in index)))


def _caption_corpus(corpus: Corpus) -> Corpus:
    text = CaptionText()
    systems = {name: text(texts) for name, texts in corpus.systems.items()}
    return replace(corpus, systems=systems, references=[text(texts) for texts in corpus.references])
