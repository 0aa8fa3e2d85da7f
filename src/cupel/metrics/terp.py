"""TERp, TER-Plus (Snover, Madnani, Dorr and Schwartz 2009): TER with costs, and softer matches.

    TERp = 100 * (cost of the edits and shifts) / mean reference length

Edits turn the hypothesis into the reference. Words match exactly, by stem or by WordNet synonym;
phrases are exchanged for paraphrases; words are inserted (the hypothesis has one too many),
deleted (it lacks one) or substituted; phrases are shifted, each at its cost. The paraphrase of a
phrase with probability p, `edits` being what the two phrases cost against each other otherwise:

    cost = phrase_constant + edits * (phrase_log * log10(p) + phrase_probability * p + phrase_edits)

and no less than 0. A phrase may move to where the reference has the same words, or (`relax`) their
stems, synonyms or paraphrases, if it has a content word. The default costs are those of TERp-A,
tuned for adequacy: a missing word costs 1.43, one too many 0.26. With `preset=ter` it is TER.

Of several references the one with the least cost counts, and the length is the mean, as in the
authors' program. There too a segment's score ends at 100 (`capped`), while a system's score is
the ratio of the sums.

What differs from that program, whose paraphrases are not public here: the paraphrase table is
METEOR's, read both ways as METEOR does; the stemmer is METEOR's Snowball, not the first Porter; the
words that may not move alone are METEOR's function words and punctuation. The search is that of our
TER (a beam around the diagonal, 1,000 candidates for shifts), where theirs cuts off by cost.

Held against the program on 1,000 segments of newstest2014 cs-en, with our synonyms, paraphrases
and word list put into it and stems off in both, its costs (printed with two decimals) are ours in
all 1,000 without shifts and in 986 with them; with its own stemmer and word list, in 895.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.checksums import sha256_of
from cupel.errors import CupelError, MissingPart
from cupel.metric import Metric, Signature
from cupel.metrics.error_rate import error_rate
from cupel.metrics.terp_parameters import Parameters, preset
from cupel.registry import register
from cupel.text.paraphrases import find_table, open_paraphrases, table_missing
from cupel.text.terp_norm import TerpNorm
from cupel.text.terp_words import TerpAnalysis

if TYPE_CHECKING:
    from cupel.corpus import Corpus
    from cupel.kernels.terp import Costs, Limits

SHIFTS = ("relax", "exact", "no")
MOST_COST = 1000.0
"""Costs above are refused: sums of them would not be exact for long sentences."""


def _table_missing() -> str | None:
    if not table_missing():
        return None
    return (
        "TER-Plus needs METEOR's paraphrase table paraphrase-en.gz: pip install 'cupel[meteor]', "
        "or give the file with paraphrases=PATH, or leave paraphrases out with paraphrases=no."
    )


@register(
    "terp",
    "TER-Plus: TER with stems, synonyms, paraphrases and tuned costs (TERp-A); lower is better",
    check=_table_missing,
)
@dataclass(frozen=True)
class Terp(Metric):
    """Statistics: [cost of the edits to the closest reference, mean reference length].

    preset           terp-a, terp-hter, ter: what every option below is unless it is given
    match_cost ...   what an edit costs; phrase_...: what a paraphrase does, see above
    phrase_least     bounds of the cost of a paraphrase
    phrase_most
    stems            whether words with the same stem match
    synonyms         whether words with a WordNet set in common do
    paraphrases      meteor, no, or the path of a paraphrase-xx.gz
    shifts           relax, exact, no
    stop_words       whether a phrase needs a content word to move
    beam             columns of the matrix beside the diagonal
    normalized       separate punctuation, see `cupel.text.terp_norm`
    capped           whether a segment's score ends at 100
    no_punct         remove punctuation
    case_sensitive   do not lower-case
    shift_size       longest phrase to move, in words
    shift_distance   longest move, in words
    candidates       moves looked at for a pair; where there are more, that round makes none
    """

    preset: str = "terp-a"
    match_cost: float | None = None
    insertion_cost: float | None = None
    deletion_cost: float | None = None
    substitution_cost: float | None = None
    stem_cost: float | None = None
    synonym_cost: float | None = None
    shift_cost: float | None = None
    phrase_constant: float | None = None
    phrase_log: float | None = None
    phrase_probability: float | None = None
    phrase_edits: float | None = None
    phrase_least: float | None = None
    phrase_most: float | None = None
    stems: bool | None = None
    synonyms: bool | None = None
    paraphrases: str | None = None
    shifts: str | None = None
    stop_words: bool | None = None
    beam: int | None = None
    normalized: bool | None = None
    capped: bool | None = None
    no_punct: bool = False
    case_sensitive: bool = False
    shift_size: int = 10
    shift_distance: int = 50
    candidates: int = 1000

    name = "terp"
    higher_is_better = False

    def __post_init__(self) -> None:
        parameters = self.parameters
        if parameters.shifts not in SHIFTS:
            raise CupelError(
                f"TER-Plus has no shifts {parameters.shifts!r}; it has: {', '.join(SHIFTS)}."
            )
        for cost in ("match", "insertion", "deletion", "substitution", "stem", "synonym", "shift"):
            value = getattr(parameters, f"{cost}_cost")
            if not 0 <= value <= MOST_COST:
                raise CupelError(
                    f"The option terp:{cost}_cost takes a number from 0 to {MOST_COST:g}, "
                    f"not {value:g}."
                )
        for number in ("constant", "log", "probability", "edits"):
            value = getattr(parameters, f"phrase_{number}")
            if not np.isfinite(value):
                raise CupelError(
                    f"The option terp:phrase_{number} takes a finite number, not {value:g}."
                )
        if not 0 <= parameters.phrase_least <= parameters.phrase_most:
            raise CupelError(
                "The options terp:phrase_least and phrase_most are bounds, 0 or more, the least "
                f"first; found {parameters.phrase_least:g} and {parameters.phrase_most:g}."
            )
        for limit in ("beam", "shift_size", "shift_distance", "candidates"):
            value = parameters.beam if limit == "beam" else getattr(self, limit)
            if value < 1:
                raise CupelError(
                    f"The option terp:{limit} takes a whole number above 0, not {value}."
                )
        _ = self.table

    @property
    def parameters(self) -> Parameters:
        """The preset's, but for the options that are given."""
        names = [field.name for field in fields(Parameters)]
        given = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        return replace(preset(self.preset), **given)

    @property
    def table(self) -> Path | None:
        """The file of the paraphrase table, where it is used."""
        asked = self.parameters.paraphrases
        if asked == "no":
            return None
        if asked != "meteor":
            return find_table(path=asked)
        missing = _table_missing()
        if missing:
            raise MissingPart(missing)
        return find_table()

    @property
    def analyser(self) -> TerpAnalysis:
        given = self.parameters
        norm = TerpNorm(given.normalized, self.no_punct, self.case_sensitive)
        return TerpAnalysis(norm, given.stems, given.synonyms, given.stop_words, self.table)

    def signature(self) -> Signature:
        given = self.parameters
        origin = "meteor" if given.paraphrases == "meteor" else "file"
        named = ("stems", "synonyms", "paraphrases", "shifts", "normalized")
        changed = {
            field.name: getattr(given, field.name)
            for field in fields(Parameters)
            if field.name not in named
            and getattr(given, field.name) != getattr(preset(self.preset), field.name)
        }
        limits = {
            limit: getattr(self, limit)
            for limit in ("shift_size", "shift_distance", "candidates")
            if getattr(self, limit) != getattr(Terp, limit)
        }
        return Signature.of(
            preset=self.preset,
            case="mixed" if self.case_sensitive else "lc",
            tok="terp" if given.normalized else "none",
            punct=not self.no_punct,
            stems="snowball" if given.stems else "no",
            synonyms="wordnet-3.0" if given.synonyms else "no",
            paraphrases=f"{origin}-{sha256_of(self.table)[:12]}" if self.table else "no",
            shifts=given.shifts,
            **changed,
            **limits,
        )

    def prepare(self, corpus: Corpus) -> Self:
        """Compile the paraphrase table here, once, if the cache does not have it yet."""
        if self.table:
            open_paraphrases(self.table)
        return self

    def statistics(self, batch: Batch) -> FloatArray:
        from cupel.kernels.terp import terp_edits

        analysis = batch.analyse(self.analyser)
        return terp_edits(
            *analysis,
            self._costs(),
            self._limits(),
            batch.hypothesis_index,
            batch.reference_index,
            batch.reference_offsets,
        )

    def score(self, statistics: FloatArray) -> FloatArray:
        return error_rate(statistics)

    def segment_scores(self, statistics: FloatArray) -> FloatArray:
        scores = error_rate(statistics)
        return np.minimum(scores, 100.0) if self.parameters.capped else scores

    def _costs(self) -> Costs:
        from cupel.kernels.terp import Costs

        given = self.parameters
        return Costs(
            match=_rounded(given.match_cost),
            insertion=_rounded(given.insertion_cost),
            deletion=_rounded(given.deletion_cost),
            substitution=_rounded(given.substitution_cost),
            stem=_rounded(given.stem_cost),
            synonym=_rounded(given.synonym_cost),
            shift=_rounded(given.shift_cost),
            phrase_constant=given.phrase_constant,
            phrase_log=given.phrase_log,
            phrase_probability=given.phrase_probability,
            phrase_edits=given.phrase_edits,
            phrase_least=given.phrase_least,
            phrase_most=given.phrase_most,
        )

    def _limits(self) -> Limits:
        from cupel.kernels.terp import Limits

        given = self.parameters
        size = 0 if given.shifts == "no" else self.shift_size
        return Limits(
            size, self.shift_distance, self.candidates, given.beam, given.shifts == "relax"
        )


def _rounded(cost: float) -> float:
    from cupel.kernels.terp import UNIT

    return round(cost / UNIT) * UNIT
