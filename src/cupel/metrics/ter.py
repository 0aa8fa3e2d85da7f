"""TER, translation edit rate (Snover et al. 2006), as sacreBLEU 2.6 computes it.

    TER = 100 * (shifts + insertions + deletions + substitutions) / mean reference length

A shift moves a phrase of the hypothesis to another place, and counts as one edit. Shifts are made
greedily, the one that lowers the edit distance most first (see `cupel.kernels.shifts`); edits are
those to the closest reference.

The limits are sacreBLEU's: phrases of 10 words, moves of 50, a beam of 25 around the diagonal of
the edit matrix, 1,000 candidates per sentence and reference. Where the last is reached, that
round makes no shift. Empty references: see `cupel.metrics.error_rate`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cupel.arrays import FloatArray, Int32Array, IntArray
from cupel.batch import Batch
from cupel.metric import Metric, Signature
from cupel.metrics.error_rate import error_rate
from cupel.registry import register
from cupel.text.tercom import Tercom


@register("ter", "translation edit rate (Snover et al. 2006), as sacreBLEU; lower is better")
@dataclass(frozen=True)
class Ter(Metric):
    """Statistics: [edits to the closest reference, mean reference length].

    normalized      separate punctuation, resolve XML entities
    no_punct        remove punctuation
    asian_support   with either of these: split and remove East Asian characters too
    case_sensitive  do not lower-case
    """

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False

    name = "ter"
    higher_is_better = False

    @property
    def tokenizer(self) -> Tercom:
        return Tercom(self.normalized, self.no_punct, self.asian_support, self.case_sensitive)

    def signature(self) -> Signature:
        return Signature.of(
            case="mixed" if self.case_sensitive else "lc",
            tok="tercom",
            norm=self.normalized,
            punct=not self.no_punct,
            asian=self.asian_support,
        )

    def statistics(self, batch: Batch) -> FloatArray:
        from cupel.kernels.shifts import ter_edits

        return ter_edits(*self._sentences(batch))

    def score(self, statistics: FloatArray) -> FloatArray:
        return error_rate(statistics)

    def detail_statistics(self, batch: Batch) -> FloatArray:
        """(n, 6): [edits, mean reference length, insertions, deletions, substitutions, shifts]."""
        from cupel.kernels.shifts import edit_kinds

        statistics = self.statistics(batch)
        kinds = edit_kinds(*self._sentences(batch), statistics[:, 0])
        return np.concatenate([statistics, kinds], axis=1)

    def details(self, statistics: FloatArray) -> dict[str, FloatArray]:
        """Edits by kind, as they turn the translation into its reference, and reference length.

        An insertion adds a word that the translation lacks, a deletion removes one that it has.
        """
        names = ("edits", "reference-length", "insertions", "deletions", "substitutions", "shifts")
        return {name: statistics[..., n] for n, name in enumerate(names)}

    def _sentences(
        self, batch: Batch
    ) -> tuple[Int32Array, IntArray, IntArray, IntArray, IntArray, int]:
        """The texts as the kernels take them."""
        tokens = batch.analyse(self.tokenizer)
        return (
            tokens.ids,
            tokens.offsets,
            batch.hypothesis_index,
            self.tokenizer.reference_rows(batch),
            batch.reference_offsets,
            len(tokens.types),
        )
