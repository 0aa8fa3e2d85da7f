"""BADGER: the best local alignment of the words with each reference.

Measures: How long a stretch of the translation matches a stretch of the reference, allowing for
gaps and substitutions. From 0 to 1; higher is better.

Use: To reproduce the results of the MUTT paper. Because the alignment is local, what lies outside
it costs nothing: a phrase that is said twice goes unpunished where the reference is the shorter
of the two. measure=compression agrees better with people.

Needs: Nothing beyond Cupel. Any language with spaces between words.

Formula:
    s(h, r) = max over a of score(a) / (5 min(|h|, |r|))
    BADGER(h) = mean over the references r of s(h, r)

a: a local alignment of h and r (Smith and Waterman 1981, affine gaps after Gotoh 1982) over
symbols, which are the words and the spaces between them: 5 for equal symbols, -3 for others; a
gap costs 5, and 1 more for each symbol after its first. |h|: symbols of h, 2w - 1 for w words.
Words are lower-case, without punctuation (`cupel.metrics.badger_texts`). The score is 1 for a
copy of the only reference and 0 for an empty translation; that of a system is the mean over
segments.

With measure=compression it is the metric as it was described, a compression distance:

    s(h) = (1 - (C(Rh) - C(R)) / max(C(h), mean of C(r))) min(1, sqrt(C(h) / min of C(r)))
    BADGER = min(1, s(h) / max of s(r))

C: compressed length after a Burrows-Wheeler transform (`cupel.kernels.compression`); R: the
distinct references one after the other. The first factor is 1 minus the normalized compression
distance of Cilibrasi and Vitányi (2005), the second keeps a translation that is shorter than
every reference from profiting. Before that, a word that no reference has is replaced by the most
similar word that one has, if it is similar enough: *walks* by *walking*
(`cupel.kernels.compression`).

Paper: Steven Parker. 2008. BADGER: A New Machine Translation Metric. MetricsMATR workshop at AMTA
2008. Neither the paper nor the program is available; this is a reconstruction from published
scores.

Equal to: 5,779 of 5,801 public segment scores of the program, if one symbol is added at the end
of each sentence, and all 30 accuracies that the authors of MUTT released for it (see
docs/research/metrics.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.errors import CupelError
from cupel.metric import SegmentMean, Signature, mean_statistics
from cupel.metrics import shared_options as option
from cupel.metrics.badger_texts import AlignmentWords, CompressionTexts
from cupel.options import Range
from cupel.registry import register

MEASURES = ("alignment", "compression")


@register("badger", "local alignment of the words with each reference (Parker 2008, reconstructed)")
@dataclass(frozen=True)
class Badger(SegmentMean):
    """Statistics: [segment score, 1]."""

    measure: Annotated[str, "What is measured: alignment or compression."] = "alignment"
    lowercase: option.Lowercase = True
    threshold: Annotated[
        float,
        "With compression: how similar a word must be to replace it by that of a reference, from 0 "
        "to 1; above 1 no word is replaced.",
        Range(most=1000),
    ] = 0.65
    shortest: Annotated[
        int, "With compression: words of fewer letters are not replaced.", Range(most=1000)
    ] = 4

    name = "badger"
    decimals = 4
    higher_is_better = True
    longest = 60_000

    def __post_init__(self) -> None:
        if self.measure not in MEASURES:
            names = ", ".join(MEASURES)
            raise CupelError(f"Unknown measure {self.measure!r} for BADGER; known are: {names}.")
        if not self.threshold > 0:
            raise CupelError(f"BADGER needs a threshold above 0, not {self.threshold}.")
        if self.shortest < 1:
            raise CupelError(
                f"The option badger:shortest takes a number of letters, 1 or more, not {self.shortest}."
            )

    def signature(self) -> Signature:
        entries = Signature.of(case="lc" if self.lowercase else "mixed", measure=self.measure)
        if self.measure == "alignment":
            return entries
        return entries + Signature.of(
            variants=f"{self.threshold:g}" if self.threshold <= 1 else "no",
            letters=self.shortest if self.threshold <= 1 else None,
        )

    def statistics(self, batch: Batch) -> FloatArray:
        return mean_statistics(
            self._aligned(batch) if self.measure == "alignment" else self._compressed(batch)
        )

    def _aligned(self, batch: Batch) -> FloatArray:
        from cupel.kernels.badger import alignment_similarities

        words = batch.analyse(AlignmentWords(self.lowercase))
        means = alignment_similarities(
            words.ids,
            words.offsets,
            batch.hypothesis_index,
            batch.reference_index,
            batch.reference_offsets,
        )
        # Equal means of differently ordered fractions must tie, whatever their last bit.
        return np.round(means, 12)

    def _compressed(self, batch: Batch) -> FloatArray:
        from cupel.kernels.compression import joint_similarities

        texts = batch.analyse(CompressionTexts(self.lowercase))
        return joint_similarities(
            texts.words.ids,
            texts.words.offsets,
            texts.ranks,
            texts.letters.ids,
            texts.groups,
            texts.letters.offsets,
            batch.hypothesis_index,
            batch.reference_index,
            batch.reference_offsets,
            int(texts.letters.ids.max(initial=1)) + 1,
            self.threshold,
            self.shortest,
        )
