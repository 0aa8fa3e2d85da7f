"""The published parameter sets of TER-Plus, and the one that makes it TER."""

from __future__ import annotations

from dataclasses import dataclass

from cupel.errors import CupelError


@dataclass(frozen=True)
class Parameters:
    """The options of `cupel.metrics.terp.Terp` that a preset decides, by the same names."""

    insertion_cost: float
    deletion_cost: float
    substitution_cost: float
    stem_cost: float
    synonym_cost: float
    shift_cost: float
    phrase_constant: float
    phrase_log: float
    phrase_probability: float
    phrase_edits: float
    match_cost: float = 0.0
    phrase_least: float = 0.0
    phrase_most: float = float("inf")
    stems: bool = True
    synonyms: bool = True
    paraphrases: str = "meteor"
    shifts: str = "relax"
    stop_words: bool = True
    beam: int = 50
    normalized: bool = True
    capped: bool = True


PRESETS = {
    # Tuned for adequacy (NIST MetricsMATR 2008) and for HTER, as published with the program.
    "terp-a": Parameters(
        insertion_cost=0.2588527567630183,
        deletion_cost=1.4269364675533365,
        substitution_cost=1.5565478292505814,
        stem_cost=0.0,
        synonym_cost=0.0,
        shift_cost=0.5620538767397316,
        phrase_constant=-0.2306579294476191,
        phrase_log=-0.1469465037633749,
        phrase_probability=-0.07843705907022736,
        phrase_edits=0.17708577297831574,
    ),
    "terp-hter": Parameters(
        insertion_cost=0.5160029868027748,
        deletion_cost=0.8897481530721948,
        substitution_cost=1.6362908525843867,
        stem_cost=0.9574806141940626,
        synonym_cost=0.16474604979800672,
        shift_cost=0.686718582391978,
        phrase_constant=1.0366410752548514,
        phrase_log=0.6518645817002747,
        phrase_probability=-0.008317921340980746,
        phrase_edits=1.1121928362344298,
    ),
    # TER as `cupel.metrics.ter` has it: every edit costs 1, and words match exactly or not.
    "ter": Parameters(
        insertion_cost=1.0,
        deletion_cost=1.0,
        substitution_cost=1.0,
        stem_cost=1.0,
        synonym_cost=1.0,
        shift_cost=1.0,
        phrase_constant=0.0,
        phrase_log=0.0,
        phrase_probability=0.0,
        phrase_edits=1.0,
        stems=False,
        synonyms=False,
        paraphrases="no",
        shifts="exact",
        stop_words=False,
        beam=25,
        normalized=False,
        capped=False,
    ),
}


def preset(name: str) -> Parameters:
    """A parameter set by its name."""
    if name not in PRESETS:
        raise CupelError(f"TER-Plus has no preset {name!r}; it has: {', '.join(PRESETS)}.")
    return PRESETS[name]
