"""NCD, normalized compression distance: how little of the translation is new.

Measures: How many more bytes a compressor needs for the translation when it has seen the
reference. Near 0 for equal texts (no real compressor reaches it), near 1 for unrelated ones;
lower is better.

Use: As a baseline without any notion of words, for any language or notation. Compressors count
whole bytes and learn little from one sentence, so similar segments often tie: not for single
segments.

Needs: Nothing beyond Cupel. Any language.

Formula:
    NCD(h, r) = (C(rh) - min(C(h), C(r))) / max(C(h), C(r))

C: bytes of the compressed text, less what the compressor needs for an empty text, so that its
headers do not count; rh: the reference directly followed by the translation, in UTF-8. An empty
text has distance 1 to any other and 0 to an empty one. The closest reference counts; the score of
a system is the mean over segments.

Paper: Rudi Cilibrasi and Paul Vitányi. 2005. Clustering by Compression. IEEE Transactions on
Information Theory 51(4).

Equal to: the formula with the compressors of Python's standard library.
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.batch import Batch
from cupel.errors import CupelError
from cupel.metric import SegmentMean, Signature, mean_statistics, ratio
from cupel.metrics import shared_options as option
from cupel.registry import register

_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": 1 << 16}]

COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "zlib": lambda data: zlib.compress(data, 9, -15),
    "lzma": lambda data: lzma.compress(data, lzma.FORMAT_RAW, filters=_FILTERS),
    "bz2": lambda data: bz2.compress(data, 9),
}
"""Compressors of Python's library; the first two in their raw form, without header or checksum."""


@dataclass(frozen=True)
class CompressedLengths:
    """The analyser sentences -> compressed bytes of each."""

    compressor: str
    lowercase: bool

    def __call__(self, sentences: Sequence[str]) -> IntArray:
        return self.lengths([self.encoded(sentence) for sentence in sentences])

    def encoded(self, sentence: str) -> bytes:
        text = sentence.lower() if self.lowercase else sentence
        return text.encode(errors="surrogatepass")

    def lengths(self, texts: Sequence[bytes]) -> IntArray:
        compress = COMPRESSORS[self.compressor]
        nothing = len(compress(b""))
        return np.fromiter((len(compress(text)) - nothing for text in texts), np.int64, len(texts))


@register("ncd", "normalized compression distance with zlib, lzma or bz2; lower is better")
@dataclass(frozen=True)
class Ncd(SegmentMean):
    """Statistics: [segment distance, 1]."""

    compressor: Annotated[str, "Compressor: zlib, lzma or bz2."] = "zlib"
    lowercase: option.Lowercase = False

    name = "ncd"
    decimals = 4
    higher_is_better = False

    def __post_init__(self) -> None:
        if self.compressor not in COMPRESSORS:
            names = ", ".join(COMPRESSORS)
            raise CupelError(f"Unknown compressor {self.compressor!r} for NCD; known are: {names}.")

    def signature(self) -> Signature:
        return Signature.of(case="lc" if self.lowercase else "mixed", compressor=self.compressor)

    def statistics(self, batch: Batch) -> FloatArray:
        analyser = CompressedLengths(self.compressor, self.lowercase)
        alone = batch.analyse(analyser)
        texts = [analyser.encoded(sentence) for sentence in batch.sentences]
        pairs = np.column_stack(
            [np.repeat(batch.hypothesis_index, batch.reference_counts), batch.reference_index]
        )
        distinct, of_pair = np.unique(pairs, axis=0, return_inverse=True)
        together = analyser.lengths([texts[reference] + texts[hyp] for hyp, reference in distinct])
        first, second = alone[distinct[:, 0]], alone[distinct[:, 1]]
        smaller, larger = np.minimum(first, second), np.maximum(first, second)
        # C(rh) may come out below C(h) where there is next to nothing to compress.
        distance = ratio(np.maximum(together - smaller, 0), larger)
        nearest = np.minimum.reduceat(distance[of_pair.ravel()], batch.reference_offsets[:-1])
        return mean_statistics(nearest)
