"""TERp, TER-Plus: TER with costs per edit, stems, synonyms and paraphrases.

Measures: The cost of the edits that turn the translation into the reference, per reference word.
In percent, 0 for a copy; lower is better.

Use: To estimate the edits that matter: unlike ter it forgives synonyms and paraphrases. The
default costs (TERp-A) are tuned for adequacy: a missing word costs 1.43, one too many 0.26.
preset=terp-hter is tuned for the edits of a human editor.

Needs: pip install 'cupel[meteor]' for the paraphrase table, or paraphrases=no. English.

Formula:
    TERp = 100 * (cost of the edits and shifts) / mean reference length
    cost of a paraphrase = max(0, phrase_constant
        + edits * (phrase_log * log10(p) + phrase_probability * p + phrase_edits))

Words match exactly, by stem or by WordNet synonym; phrases are exchanged for paraphrases; words
are inserted (the translation has one too many), deleted (it lacks one) or substituted; phrases
are shifted, each at its cost. p: probability of the paraphrase; edits: what the two phrases cost
against each other otherwise. A phrase may move to where the reference has the same words, or with
shifts=relax their stems, synonyms or paraphrases, if it has a content word. Of several references
the one with the least cost counts, and the length is the mean. A segment's score is at most 100
(capped), while a system's score is the ratio of the sums.

Paper: Matthew Snover, Nitin Madnani, Bonnie Dorr and Richard Schwartz. 2009. Fluency, Adequacy,
or HTER? Exploring Different Human Judgments with a Tunable MT Metric. WMT 2009.

Equal to: ter with preset=ter. The authors' program has other resources: a phrase table of its
own (here METEOR's, read in both directions), Porter's first stemmer (here Snowball), its
own stop words (here METEOR's function words and punctuation), and a search cut off by cost (here
the beam and the 1,000 shift candidates of ter). With our resources in it, costs agree in all of
1,000 segments without shifts and in 986 with them.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Self

import numpy as np

from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.checksums import sha256_of
from cupel.errors import CupelError, MissingPart
from cupel.metric import Metric, Signature
from cupel.metrics import shared_options as option
from cupel.metrics.error_rate import error_rate
from cupel.metrics.terp_parameters import Parameters, preset
from cupel.options import Range
from cupel.registry import register
from cupel.text.paraphrases import find_table, open_paraphrases, table_missing
from cupel.text.terp_norm import TerpNorm
from cupel.text.terp_words import TerpAnalysis

if TYPE_CHECKING:
    from cupel.corpus import Corpus
    from cupel.kernels.terp import Costs, Limits

SHIFTS = ("relax", "exact", "no")
MOST_COST = 1000.0
"""Larger costs are refused, because their sums would not be exact for long sentences."""


def _table_missing() -> str | None:
    if not table_missing():
        return None
    return (
        "TER-Plus needs METEOR's paraphrase table paraphrase-en.gz: pip install 'cupel[meteor]', "
        "or give the file with paraphrases=PATH, or leave paraphrases out with paraphrases=no."
    )


@register(
    "terp",
    "TER-Plus: TER with stems, synonyms, paraphrases and tuned costs; lower is better",
    check=_table_missing,
)
@dataclass(frozen=True)
class Terp(Metric):
    """Statistics: [cost of the edits to the closest reference, mean reference length]."""

    preset: Annotated[
        str, "Set of costs and resources, terp-a, terp-hter or ter; each can be changed below."
    ] = "terp-a"
    match_cost: Annotated[float | None, "Cost of an exact match (default: from the preset)."] = None
    insertion_cost: Annotated[
        float | None, "Cost of a word too many (default: from the preset)."
    ] = None
    deletion_cost: Annotated[float | None, "Cost of a missing word (default: from the preset)."] = (
        None
    )
    substitution_cost: Annotated[
        float | None, "Cost of a wrong word (default: from the preset)."
    ] = None
    stem_cost: Annotated[float | None, "Cost of a match by stem (default: from the preset)."] = None
    synonym_cost: Annotated[
        float | None, "Cost of a match by synonym (default: from the preset)."
    ] = None
    shift_cost: Annotated[float | None, "Cost of moving a phrase (default: from the preset)."] = (
        None
    )
    phrase_constant: Annotated[
        float | None,
        "Constant cost of a paraphrase (default: from the preset).",
        Range(-1000, 1000),
    ] = None
    phrase_log: Annotated[
        float | None,
        "Factor of log10(p) in that cost (default: from the preset).",
        Range(-1000, 1000),
    ] = None
    phrase_probability: Annotated[
        float | None, "Factor of p in that cost (default: from the preset).", Range(-1000, 1000)
    ] = None
    phrase_edits: Annotated[
        float | None,
        "Factor of the edits in that cost (default: from the preset).",
        Range(-1000, 1000),
    ] = None
    phrase_least: Annotated[
        float | None, "Least cost of a paraphrase (default: from the preset).", Range(most=1000)
    ] = None
    phrase_most: Annotated[
        float | None, "Largest cost of a paraphrase (default: from the preset).", Range(most=1000)
    ] = None
    stems: Annotated[bool | None, "Match words with the same stem (default: from the preset)."] = (
        None
    )
    synonyms: Annotated[
        bool | None, "Match words that share a WordNet set (default: from the preset)."
    ] = None
    paraphrases: Annotated[
        str | None,
        "Paraphrase table: meteor, no, or a paraphrase-xx.gz (default: from the preset).",
    ] = None
    shifts: Annotated[
        str | None,
        "Where phrases may move: relax (related words), exact (same words) or no (default: from the preset).",
    ] = None
    stop_words: Annotated[
        bool | None, "Move only phrases with a content word (default: from the preset)."
    ] = None
    beam: Annotated[
        int | None,
        "Columns of the edit matrix beside its diagonal (default: from the preset).",
        Range(most=10_000),
    ] = None
    normalized: Annotated[bool | None, "Split off punctuation (default: from the preset)."] = None
    capped: Annotated[bool | None, "Limit a segment's score to 100 (default: from the preset)."] = (
        None
    )
    no_punct: option.NoPunct = False
    case_sensitive: option.CaseSensitive = False
    shift_size: Annotated[int, "Longest phrase that may move, in words.", Range(most=1000)] = 10
    shift_distance: Annotated[int, "Longest move, in words.", Range(most=10_000)] = 50
    candidates: Annotated[
        int,
        "Moves tried per segment and reference; a round with more of them makes none.",
        Range(most=1_000_000),
    ] = 1000

    name = "terp"
    languages: ClassVar[str] = "English"
    made_for: ClassVar[str] = "en"
    higher_is_better = False
    longest = 60_000
    learns = False

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
        origin = self.parameters.paraphrases
        if origin == "no":
            return None
        if origin != "meteor":
            return find_table(path=origin)
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
