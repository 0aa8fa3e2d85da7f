"""TER, translation edit rate: edits and phrase shifts per reference word.

Measures: The edits that turn the translation into the reference, where moving a phrase is one
edit. In percent, and possibly above 100; lower is better.

Use: To estimate what an editor would have to change. For single segments it is coarse: many
segments get the same rate. terp accepts stems, synonyms and paraphrases as well.

Needs: Nothing beyond Cupel. Any language with spaces between words; asian_support splits East
Asian characters.

Formula:
    TER = 100 * (shifts + insertions + deletions + substitutions) / mean reference length

Shifts are made greedily: first the one that lowers the edit distance most (see
`cupel.kernels.shifts`). Edits are those to the closest reference; a system's rate is that of the
summed edits and lengths. The limits are those of sacreBLEU: phrases of 10 words, moves of 50, a
beam of 25 around the diagonal of the edit matrix, 1,000 candidates per sentence and reference; in
a round that reaches the last limit no shift is made. With an empty reference the rate is 100 if
there is an edit and else 0.

Paper: Matthew Snover, Bonnie Dorr, Richard Schwartz, Linnea Micciulla and John Makhoul. 2006. A
Study of Translation Edit Rate with Targeted Human Annotation. AMTA 2006.

Equal to: sacreBLEU 2.6 on every segment of the test sets listed in docs/research/metrics.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from cupel.arrays import FloatArray, Int32Array, IntArray
from cupel.batch import Batch
from cupel.metric import Metric, Signature
from cupel.metrics import shared_options as option
from cupel.metrics.error_rate import error_rate
from cupel.registry import register
from cupel.text.tercom import Tercom


@register("ter", "edit rate with phrase shifts (Snover et al. 2006), as sacreBLEU; lower is better")
@dataclass(frozen=True)
class Ter(Metric):
    """Statistics: [edits to the closest reference, mean reference length]."""

    normalized: Annotated[bool, "Split off punctuation and decode XML entities."] = False
    no_punct: option.NoPunct = False
    asian_support: Annotated[
        bool, "With normalized or no_punct: split or remove East Asian characters as well."
    ] = False
    case_sensitive: option.CaseSensitive = False

    name = "ter"
    higher_is_better = False
    threaded = True

    @classmethod
    def language_options(cls, language: str, options: str) -> dict[str, object]:
        """For Chinese and Japanese their single characters are the words."""
        east_asian = language in ("zh", "ja")
        return {"normalized": True, "asian_support": True} if east_asian else {}

    def splits_at_spaces(self, script: str) -> bool:
        """Whether its words are what stands between spaces in this script."""
        from cupel.text.languages import EAST_ASIAN

        return script not in EAST_ASIAN or not self.asian_support

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
