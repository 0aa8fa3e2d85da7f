"""`diagnose`: the whole diagnosis of systems against the first one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cupel.arrays import FloatArray
from cupel.diagnose.comparison import LEAST_SEGMENTS
from cupel.diagnose.findings import Finding, findings
from cupel.diagnose.material import Material
from cupel.errors import CupelError
from cupel.scores import Scores
from cupel.significance import BOOTSTRAP_RESAMPLES, DEFAULT_SEED, bootstrap_weights


@dataclass(frozen=True)
class Diagnosis:
    """What a diagnosis says.

    material, scores  what it was made from
    findings          one for each bucket, system and metric, the strongest evidence first
    """

    material: Material
    scores: Scores
    findings: list[Finding]


def diagnose(
    material: Material,
    scores: Scores,
    *,
    resamples: int = BOOTSTRAP_RESAMPLES,
    seed: int = DEFAULT_SEED,
) -> Diagnosis:
    """Compare every system with the first, bucket by bucket."""
    if len(scores.systems) < 2:
        raise CupelError("A diagnosis compares systems: give two or more with -i.")
    n = len(scores.corpus)
    weights = np.concatenate([w for _, w in bootstrap_weights(n, resamples, seed)])
    return Diagnosis(material, scores, findings(material, scores, weights))
